"""Write the first files of an assignment."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.assignment.loading import CACHE, find_root
from harness.cli import options
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.common.words import counted, listed
from harness.packaging.scaffold import files as scaffold
from harness.packaging.scaffold.from_tests import NewFiles, from_tests

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_FILE = re.compile(r"[A-Za-z_]\w*\.py", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """The options: what the new assignment is made from."""

    source: Annotated[
        str | None,
        options.option(
            "--from", "source", "Copy an assignment that comes with the harness.", metavar="ID"
        ),
    ]
    names: Annotated[
        tuple[str, ...],
        options.option(
            "--file",
            "names",
            "A file that students submit. Can be repeated.  [default: a1.py]",
            metavar="NAME",
            multiple=True,
        ),
    ]
    tests: Annotated[
        Path | None,
        options.option(
            "--from-tests",
            "tests",
            "Use this folder's tests: pytest, unittest, doctest, autograding.json, check50.",
            metavar="DIR",
            type=options.FOLDER,
        ),
    ]
    record: Annotated[
        bool,
        options.flag(
            "--record",
            "Turn each test into a YAML scenario if a scenario can check exactly the same.",
        ),
    ]
    reference: Annotated[
        Path | None,
        options.option(
            "--reference",
            "The solution that these tests pass (default: the module that they import).",
            metavar="FILE",
            type=options.FILE,
        ),
    ]
    packages: Annotated[
        tuple[str, ...],
        options.option(
            "--package",
            "packages",
            "A package that the reference imports. Can be repeated.",
            metavar="NAME==VERSION",
            multiple=True,
        ),
    ]


@options.click_command("new", "harness new a1", "harness new a1 --from-tests old-tests")
@click.argument("assignment_id", metavar="ID")
@options.options_of("start", _Start)
@options.option(
    "--root",
    "The course's folder (default: the nearest one with specs/, or this folder).",
    type=options.FOLDER,
)
def command(assignment_id: str, start: _Start, root: Path | None) -> int:
    """Write the first files of the assignment ID: a reference, scenarios, mutants and samples.

    They pass `harness validate`; change them from there. If reference/ID already contains Python
    files, the command runs them and writes a first scenario for each function and program; the
    input of programs is left to you. With --from-tests each test in a folder becomes a scenario.
    The test runs unchanged, in its own process, which the student's program cannot access. Commands
    of autograding.json and check50 become YAML scenarios. With --record, tests become YAML, too, if
    nothing that they check is lost; the others are listed with the reason.

    Existing files are not changed, except .gitignore in a repository: it excludes answers and
    student data.
    """
    _check_names(assignment_id, start.names)
    base = root or _course_folder()
    if start.tests is not None:
        if start.source or start.names or start.packages:
            raise UserError("--from-tests cannot be combined with --from, --file or --package")
        recorded = from_tests(assignment_id, start.tests, start.reference, record=start.record)
        _begin_from_tests(base, assignment_id, recorded)
        return 0
    if start.record:
        raise UserError("--record needs --from-tests", hint="add --from-tests DIR")
    if start.reference is not None:
        raise UserError("--reference needs --from-tests", hint="put the solution into reference/ID")
    solution = _solution_in(base / "reference" / assignment_id)
    if start.names and (start.source or solution):
        raise UserError("--file is for a new reference", hint="leave it out")
    if start.packages and not solution:
        what = f"--package needs an existing reference, in reference/{assignment_id}"
        raise UserError(what, hint="without one, write packages: in assignment.yaml")
    if start.source is None and solution:
        cache = base.resolve() / CACHE
        begun = scaffold.from_reference(assignment_id, solution, start.packages, cache)
        _write(base, begun.files)
        _keep_out(base)
        _say_what_is_missing(begun, f"specs/{assignment_id}/first.yaml")
    else:
        _write(base, _sample_files(assignment_id, start.source, start.names))
        _keep_out(base)
    click.echo(f"Next: harness validate {assignment_id}")
    return 0


def _solution_in(folder: Path) -> dict[str, bytes]:
    """Return the Python files in the folder as {name: content}."""
    solution: dict[str, bytes] = {}
    for path in sorted(folder.glob("*.py")):
        solution[path.name] = path.read_bytes()
    return solution


def _course_folder() -> Path:
    """Return the nearest folder that contains specs/, or the current folder if there is none."""
    here = Path.cwd()
    with suppress(UserError):
        return find_root(here)
    return here


def _sample_files(assignment_id: str, source: str | None, names: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a new assignment, copied from an example or from templates."""
    if source is not None:
        return scaffold.copied(source, assignment_id)
    if len(names) > 1:
        return scaffold.of_several(assignment_id, names)
    return scaffold.from_template(assignment_id, *(names or ("a1.py",)))


def _begin_from_tests(base: Path, assignment_id: str, begun: NewFiles) -> None:
    """Write an assignment that runs these tests unchanged, or as scenarios."""
    _write(base, begun.files)
    _keep_out(base)
    if begun.recorded:
        click.echo(f"{counted(begun.recorded, 'scenario')} in YAML, recorded from tests")
    if begun.tests or not begun.recorded:
        click.echo(
            f"{counted(begun.tests, 'test')}, each a scenario; hidden: see specs/{assignment_id}"
        )
    for note in begun.notes:
        click.echo(note)
    click.echo(f"Next: harness validate {assignment_id}")


def _keep_out(base: Path) -> None:
    if scaffold.keep_out(base):
        click.echo("Wrote .gitignore: excludes answers (.harness-cache) and student data (reports)")


def _say_what_is_missing(begun: scaffold.Begun, where: str) -> None:
    """Print what the author still has to fill in."""
    if begun.without:
        click.echo(f"No first scenario can be made: {'; '.join(begun.without)}")
        click.echo(f"To do: write {where}, as docs/writing-scenarios.md shows")
    elif begun.left_out:
        click.echo(f"Left out, with the reasons in {where}: {listed(begun.left_out)}")
    if begun.unfinished:
        click.echo(f"To do in {where}: add the input (or files) of {listed(begun.unfinished)}")


def _check_names(assignment_id: str, files: tuple[str, ...]) -> None:
    if not _ID.fullmatch(assignment_id):
        hint = "use lower-case letters, digits, - and _"
        raise UserError(f"{assignment_id!r} cannot be an id", hint=hint)
    for name in files:
        if not _FILE.fullmatch(name):
            raise UserError(f"{name!r} cannot be a Python file", hint="use a name such as a1.py")


def _write(base: Path, files: dict[str, bytes]) -> None:
    for name in files:
        if (base / name).exists():
            hint = "choose another id, or move it away"
            raise UserError("this file already exists", place=name, hint=hint)
    for name, data in files.items():
        write_bytes(base / name, data)
    folders = sorted({"/".join(name.split("/")[:2]) for name in files})
    where = "" if base.samefile(Path.cwd()) else f" of the course {base.resolve()}"
    click.echo(f"Wrote {len(files)} files into {', '.join(folders)}{where}")
    if where:
        click.echo("To start a course in this folder instead, add --root .")
