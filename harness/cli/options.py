"""Defines options shared by several commands, and finds the course's root folder and the
assignment.
"""

import dataclasses
import functools
import getpass
import inspect
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar, cast, get_args

import click

from harness.assignment.loading import available, files_asked_for, find_root
from harness.common import logs
from harness.common.errors import UserError
from harness.intake.entries import must_exist, original_name
from harness.intake.recognising import layout_names
from harness.intake.terms import ClassOptions
from harness.model.observation import Tier

F = TypeVar("F", bound=Callable[..., Any])


class OptionDecorator(Protocol):
    """A decorator that adds options to a command's function."""

    def __call__(self, function: F, /) -> F:
        """Return the function with the options added."""


# Commands report unreadable paths themselves, with better messages.
PATH = click.Path(path_type=Path, readable=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
REPORTS = "reports"


class _RunPath(click.Path):
    """The path of a run. `tiny` means `reports/tiny` unless a file or folder `tiny` exists."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the run that `value` names."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.exists() or len(path.parts) != 1:
            return path
        with suppress(UserError):  # not inside a course
            usual = find_root(Path.cwd()) / REPORTS / path
            if usual.is_dir():
                return usual
        return path


RUN = _RunPath(path_type=Path, readable=False)


def option(*words: str, **settings: Any) -> OptionDecorator:
    """Return an option, given its names and then its help text.

    The help shows a default if there is one.
    """
    *names, text = words
    settings.setdefault("show_default", settings.get("default") not in (None, ""))
    return click.option(*names, help=text, **settings)


def several(*decorators: OptionDecorator) -> OptionDecorator:
    """Combine several click options into one decorator."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def flag(*words: str) -> OptionDecorator:
    """Return an option without a value."""
    return option(*words, is_flag=True)


def file(*words: str) -> OptionDecorator:
    """Return an option that names a file to read."""
    return option(*words, type=PATH, metavar="FILE")


root = option(
    "--root",
    "The folder that contains specs/ (default: this folder or the nearest one above it).",
    type=FOLDER,
)
assignment = option(
    "--assignment",
    "The assignment (default: found from the path or the file's name).",
    metavar="ID",
)
python = option(
    "--python",
    "The Python interpreter to use (default: the version that the assignment names).",
    type=FILE,
)


def _log_on_stderr(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        logs.log_to(logs.STDERR)
        ctx.call_on_close(logs.stop)


def _log_in_file(ctx: click.Context, param: click.Parameter, file: Path | None) -> None:
    if file is not None:
        logs.log_to(str(file))
        ctx.call_on_close(logs.stop)


without = option(
    "--without-tag",
    "without",
    "Leave out scenarios with this tag; the others share all marks. Can be repeated.",
    multiple=True,
    metavar="TAG",
)
support = option(
    "--support",
    "A folder whose provided files replace those in reference/.",
    type=FOLDER,
)


logging = several(
    option(
        *("-v", "--verbose"),
        "Show on stderr which processes start, end and are killed, and why.",
        is_flag=True,
        expose_value=False,
        callback=_log_on_stderr,
    ),
    option(
        "--log",
        "Write the lines of --verbose into FILE.",
        type=FILE,
        metavar="FILE",
        expose_value=False,
        callback=_log_in_file,
    ),
)


def jobs(text: str = "How many processes to use (default: one per core).") -> OptionDecorator:
    """Return the option `--jobs` with this help text."""
    return option("--jobs", text, type=click.IntRange(1, 256))


def require_tier(text: str) -> OptionDecorator:
    """Return the option `--require-tier` with this help text; its value is a tier's name."""
    tiers = click.Choice([tier.value for tier in Tier])
    return option("--require-tier", text, type=tiers, default=Tier.STANDARD.value)


def click_command(name: str, first: str, second: str, **settings: Any) -> Callable[[F], Any]:
    """Return a decorator that makes a function the command `name`.

    Its help ends with the two example command lines `first` and `second`.
    """
    return click.command(name, epilog=f"\b\nExamples:\n  {first}\n  {second}", **settings)


def output(text: str, *, metavar: str = "FILE", required: bool = False) -> OptionDecorator:
    """Return the option `-o` with this help text.

    The file's folder must exist, so that a typo creates no folders.
    """

    def in_a_folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        if value is not None and not value.absolute().parent.is_dir():
            what = f"the folder {value.parent} does not exist"
            hint = "create it first, or choose another folder"
            raise UserError(what, place=str(value), hint=hint)
        return value

    words = ("-o", "--output", "--out", text)
    return option(*words, type=PATH, metavar=metavar, required=required, callback=in_a_folder)


def json_file(text: str) -> OptionDecorator:
    """Return the option `--json FILE` (parameter `target`) with this help text."""
    return option("--json", "target", text, type=FILE)


def _read_overrides(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    overrides = {}
    for text in values:
        name, _, value = text.partition("=")
        if not (name.isidentifier() and value):
            raise UserError(f"--set {text} is not NAME=VALUE")
        overrides[name] = value
    return overrides


constants = option(
    "--set",
    "constants",
    "Override a constant. Can be repeated.",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_read_overrides,
)


def the_root(root: Path | None, paths: Sequence[Path] = ()) -> Path:
    """Return the folder that contains specs/.

    It is `root` if given, otherwise the nearest one above the first path or above the current
    folder.
    """
    if root is not None:
        return find_root(root)
    here = Path.cwd()
    for start in _starts(here, paths):
        with suppress(UserError):  # downloads may be in any folder
            return find_root(start)
    return find_root(here)


def _starts(here: Path, paths: Sequence[Path]) -> list[Path]:
    """Return the folders from which to search upwards for specs/, in this order.

    A named folder (or the folder of a named file) is skipped because the student may have put a
    course in it, unless the current folder is inside it.
    """
    if not paths or not paths[0].exists():
        return [here]
    named = paths[0].resolve()
    folder = named if named.is_dir() else named.parent
    if here.resolve().is_relative_to(folder):
        return [folder, here]
    if named.is_dir():
        return [folder.parent, here]
    return [folder.parent, here, folder]


def the_assignment(root: Path, asked: str | None, paths: Sequence[Path] = ()) -> str:
    """Return the assignment's id.

    It is `asked` if given (loading reports an unknown id). Otherwise it is the folder below
    submissions/, the only assignment, or the only one that asks for files with these names. Raise
    UserError if several are possible.
    """
    if asked is not None:
        return asked
    ids = available(root)
    named = _named_by_folder(root, ids, paths)
    if len(named) > 1:
        what = f"the files belong to several assignments ({', '.join(named)})"
        raise UserError(what, hint="grade one assignment at a time, or add --assignment")
    if named:
        return named[0]
    for path in paths:
        must_exist(path)
    if len(ids) == 1:
        return ids[0]
    asking = _asking_for(root, ids, paths)
    if len(asking) == 1:
        return asking[0]
    what = "cannot tell the assignment from the path"
    if asking:
        what = f"several assignments ask for {paths[0].name}: {', '.join(asking)}"
    raise UserError(what, hint=f"--assignment {' | '.join(asking or ids)}")


def _named_by_folder(root: Path, ids: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """Return the assignments whose folder in submissions/ contains one of the paths."""
    submissions = (root / "submissions").resolve()
    named: list[str] = []
    for path in paths:
        resolved = path.resolve()
        if not resolved.is_relative_to(submissions):
            continue
        parts = resolved.relative_to(submissions).parts
        if parts and parts[0] in ids and parts[0] not in named:
            named.append(parts[0])
    return named


def _asking_for(root: Path, ids: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """Return the assignments that ask for files with these names, or with names such as "a1
    (1).py".
    """
    names = [path.name for path in paths if path.is_file()]
    if not names:
        return []
    asking = []
    for assignment_id in ids:
        files = files_asked_for(root, assignment_id)
        if all(name in files or original_name(name, files) for name in names):
            asking.append(assignment_id)
    return asking


def login_name() -> str:
    """Return the user's login name; "" if unknown."""
    try:
        return getpass.getuser()
    except (
        OSError,
        KeyError,
        ImportError,
    ):  # unnamed user, or Windows without environment variables
        return ""


GITHUB = "github"

report_format = option(
    "--format",
    "form",
    "Text, or annotations for a GitHub workflow.",
    default="text",
    type=click.Choice(["text", GITHUB]),
)


def _as_one(
    parameter: str, make: Callable[..., object], *decorators: OptionDecorator
) -> OptionDecorator:
    """Combine options into one parameter.

    `make` is called with their values by name, and its result is the parameter.
    """
    names = inspect.signature(make).parameters

    def apply(function: F) -> F:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            taken = {name: values.pop(name) for name in names}
            values[parameter] = make(**taken)
            return function(*args, **values)

        return several(*decorators)(cast(F, command))

    return apply


def options_of(parameter: str, kind: type) -> OptionDecorator:
    """Give a command the options defined in a dataclass as one parameter, an instance of that
    class.

    Each field is annotated with its type and its option: `fresh: Annotated[bool, flag("--fresh",
    "Grade everything again.")]`. The option's parameter must have the field's name.
    """
    decorators: list[OptionDecorator] = []
    for declared in dataclasses.fields(kind):
        _, decorator = get_args(declared.type)
        decorators.append(decorator)
    return _as_one(parameter, kind, *decorators)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CourseOptions:
    """The options that choose the course, and override its interpreter and provided files."""

    root: Annotated[Path | None, root]
    python: Annotated[Path | None, python]
    support: Annotated[Path | None, support]

    def base(self, paths: Sequence[Path] = ()) -> Path:
        """Return the folder that contains specs/ (see `the_root`)."""
        return the_root(self.root, paths)


course = options_of("course", CourseOptions)

class_options = _as_one(
    "asked",
    ClassOptions,
    option(
        "--layout",
        "The platform that the download comes from (default: detected).",
        type=click.Choice(layout_names()),
    ),
    option(
        "--due",
        "The due time (2024-09-24T17:00+10:00). Each student's last attempt before it counts; "
        "later ones are late.",
        metavar="TIME",
    ),
    option(
        "--time-zone",
        "The time zone of times that are written without one (default: time_zone of the "
        "assignment).",
        metavar="ZONE",
    ),
    file(
        "--extensions", "A CSV with the columns id and due, for students with their own due time."
    ),
    file(
        "--roster",
        "A CSV of all students, such as a gradebook. Students without a submission are then "
        "listed.",
    ),
    option(
        "--slip-days",
        "Slip days that students used before: the report folder of another assignment, or a CSV "
        "with the columns id and slip days. Can be repeated.",
        type=PATH,
        multiple=True,
        metavar="RUN",
    ),
)


def cluster_options(text: str, *, required: bool = False) -> OptionDecorator:
    """Return `--scheduler` with this help text and its TLS options, as one parameter `cluster`."""
    pem = click.Path(path_type=Path, exists=True, dir_okay=False)
    return _as_one(
        "cluster",
        _cluster,
        option("--scheduler", text, metavar="ADDRESS", required=required),
        option("--tls-ca", "TLS: the certificate of the authority (CA), in PEM form.", type=pem),
        option("--tls-cert", "TLS: this machine's certificate, in PEM form.", type=pem),
        option("--tls-key", "TLS: the private key of --tls-cert, in PEM form.", type=pem),
    )


def _cluster(
    scheduler: str | None, tls_ca: Path | None, tls_cert: Path | None, tls_key: Path | None
) -> object:
    from harness.grading.engines.dask import Cluster  # noqa: PLC0415  (most commands have none)

    if scheduler is None:
        return None
    return Cluster(address=scheduler, ca=tls_ca, cert=tls_cert, key=tls_key)
