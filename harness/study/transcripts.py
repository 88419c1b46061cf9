"""Scenarios from transcripts, of a sheet or of an older course: adds one to a YAML file for each
transcript that the reference reproduces. What was typed is found by what the reference prints."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from harness.assignment.document import in_quotes
from harness.assignment.loading import SpecErrors, load
from harness.assignment.vocabulary import as_template
from harness.common import files
from harness.common.errors import UserError
from harness.execution import Observes, choose_tier, create_driver, find_interpreter
from harness.model.observation import Ending
from harness.model.plan import Plan, Scenario, Specification
from harness.model.stimulus import Typed

_FOLDER = "gameplay"
_UNCOUNTED = "    informational: true\n"
MOST_BYTES = 1024 * 1024  # of a transcript
MOST_INPUTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """`yaml` is the whole new text of `file`, which has one scenario more: it types `typed`. The
    file of its transcript gets the text `template`, which stands for what is `shown`. Both are
    paths below specs/<id>."""

    file: str
    yaml: str
    transcript: str
    template: str
    typed: tuple[Typed, ...]
    shown: str


def transcript_path(name: str) -> str:
    """Where the transcript of a scenario of this name lies, below specs/<id>."""
    return f"{_FOLDER}/{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_') or 'game'}.txt"


def with_draft(root: Path, assignment_id: str, texts: Mapping[str, str]) -> Specification:
    """The assignment, in a copy of it, with these texts by their paths below specs/<id>."""
    with tempfile.TemporaryDirectory(prefix="harness-") as place:
        trial = Path(place)
        for kind in ("specs", "reference"):
            if (root / kind / assignment_id).is_dir():
                shutil.copytree(root / kind / assignment_id, trial / kind / assignment_id)
        for name, text in texts.items():
            files.write(trial / "specs" / assignment_id / name, text)
        return load(trial, assignment_id)


def add(root: Path, assignment_id: str, addition: Addition) -> bool:
    """Write both files; whether the scenario counts for marks, which it does unless those that
    other files state are all that the assignment has. UserError where the transcript is there
    already, or where the scenario types or shows something else when it is read back; SpecErrors
    where it cannot be read. Nothing is written then."""
    try:
        _add(root, assignment_id, addition)
    except SpecErrors:
        _add(root, assignment_id, replace(addition, yaml=addition.yaml + _UNCOUNTED))
        return False
    return True


def _add(root: Path, assignment_id: str, addition: Addition) -> None:
    folder = root / "specs" / assignment_id
    path = folder / addition.transcript
    if path.exists():
        raise UserError("this transcript is there already", place=str(path))
    plan_before = load(root, assignment_id).plan
    texts = {addition.transcript: addition.template, addition.file: addition.yaml}
    plan = with_draft(root, assignment_id, texts).plan
    added = _new_scenarios(plan_before, plan)
    read_back = [(one.stimuli[0].inputs, one.stated.transcript) for one in added]
    if read_back != [(addition.typed, addition.shown)]:
        what = "what is typed and shown here cannot be written as a scenario"
        place = str(folder / addition.file)
        raise UserError(what, place=place, hint="{{ … }} stands for a constant there")
    files.write(path, addition.template)
    try:
        files.write(folder / addition.file, addition.yaml)
    except BaseException:
        path.unlink()
        raise


def _new_scenarios(before: Plan, after: Plan) -> list[Scenario]:
    ids = {scenario.id for scenario in before.scenarios}
    return [scenario for scenario in after.scenarios if scenario.id not in ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A scenario that was added, how many inputs it has, and whether it counts for marks."""

    name: str
    inputs: int
    counts: bool


def import_transcript(
    transcript: Path,
    target: Path,
    *,
    program: str,
    constants: Mapping[str, str],
    clauses: Sequence[str],
    python: Path | None = None,
) -> Imported:
    """Add the scenario that a transcript shows to `target`, a file of `specs/<id>`.

    It runs `program` (empty: the first file that is handed in), with `constants` overridden, as
    YAML text by name, and has these `clauses`, or those of its file.

    Nothing is written unless the assignment loads with it. UserError, with the transcript's line,
    where the reference shows something else; SpecErrors where the file cannot take the scenario.
    """
    folder = target.resolve().parent
    root, assignment_id = folder.parent.parent, folder.name
    text = _read(transcript)
    name = re.sub(r"[\W_]+", " ", transcript.stem).strip() or "transcript"
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    plan_before = load(root, assignment_id).plan
    program = program or plan_before.assignment.submission_files[0]
    head = f"  - name: {in_quotes(name)}\n"
    if clauses:
        head += f"    clause: [{', '.join(map(in_quotes, clauses))}]\n"
    head += "\n".join([*constants_line(constants), f"    run: {program}\n"])
    has_main = any(each.name == "main" for each in plan_before.assignment.functions)
    function = "main" if has_main else program
    draft = _append(before, f"{head}    input: []\n{_UNCOUNTED}", function)
    specification = with_draft(root, assignment_id, {target.name: draft})
    added = _new_scenarios(plan_before, specification.plan)
    if len(added) != 1:
        raise UserError(f"it has a scenario {name!r} already", place=str(target))
    inputs, shown = _replayed(transcript, text, added[0], specification, python)
    assignment = specification.plan.assignment
    variant = assignment.variant(added[0].stimuli[0].constants)
    path = transcript_path(name)
    entry = f"{head}    input: [{', '.join(map(in_quotes, inputs))}]\n    transcript: {path}\n"
    addition = Addition(
        file=target.name,
        yaml=_append(before, entry, function),
        transcript=path,
        template=as_template(shown, variant, assignment.submission_files),
        typed=tuple(Typed(text=line) for line in inputs),
        shown=shown,
    )
    return Imported(name=name, inputs=len(inputs), counts=add(root, assignment_id, addition))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) <= MOST_BYTES:
            return data.decode("utf-8")
        reason = f"larger than {MOST_BYTES // 1024} KiB"
    except OSError as error:
        reason = str(error.strerror)
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    raise UserError(f"this transcript cannot be read: {reason}", place=str(path))


def _replayed(
    path: Path, text: str, scenario: Scenario, specification: Specification, python: Path | None
) -> tuple[Sequence[str], str]:
    """What was typed in the transcript, and what the reference shows for it."""
    assignment = specification.plan.assignment
    interpreter = find_interpreter(assignment.python, python)
    with (
        create_driver(interpreter, choose_tier(interpreter).tier) as driver,
        driver.submission(assignment, specification.reference) as server,
    ):
        try:
            inputs = typed_lines(text, lambda inputs: _screen(scenario, server, inputs))
        except MisalignedError as error:
            hint = "correct the transcript, or the reference; --set NAME=VALUE overrides a constant"
            raise UserError(str(error), place=f"{path}:{error.line}", hint=hint) from None
        return inputs, _screen(scenario, server, inputs).text


def _screen(scenario: Scenario, server: Observes, inputs: Sequence[str]) -> Screen:
    stimulus = replace(scenario.stimuli[0], inputs=tuple(Typed(text=line) for line in inputs))
    observation = server.observe(stimulus, scenario.limits)
    if observation.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        raise UserError(f"the reference does not end by itself ({observation.ending.value})")
    return Screen(text=observation.transcript(), waits=observation.ending is Ending.ASKED_FOR_MORE)


def constants_line(constants: Mapping[str, str]) -> list[str]:
    """The line of a scenario, if any, that overrides these, which are YAML texts by name."""
    values = ", ".join(f"{name}: {value}" for name, value in constants.items())
    return [f"    constants: {{{values}}}"] if constants else []


def _append(before: str, entry: str, function: str) -> str:
    if not before.strip():
        return f"function: {function}\nscenarios:\n{entry}"
    return before.rstrip("\n") + "\n" + entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What a person has seen after typing some inputs: `text`, typed lines included; and whether
    the program now waits for another input or has ended."""

    text: str
    waits: bool


class MisalignedError(Exception):
    """The transcript is not what the reference shows; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


def typed_lines(transcript: str, screen: Callable[[tuple[str, ...]], Screen]) -> tuple[str, ...]:
    """The inputs of a transcript in which prompts and typed lines are written as a person saw them.
    `screen` runs the reference with some inputs. Line ends may be those of any system, and at the
    end blank lines may be too many or missing. MisalignedError where the reference shows something
    else, ends earlier, or still waits when the transcript is over."""
    text = transcript.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    inputs: tuple[str, ...] = ()
    while True:
        shown = screen(inputs)
        if not text.startswith(shown.text):
            if not shown.waits and text.rstrip("\n") == shown.text.rstrip("\n"):
                return inputs
            raise _difference(text, shown.text)
        rest = text[len(shown.text) :]
        if not shown.waits:
            if rest.strip():
                at = _line(text, len(shown.text) + len(rest) - len(rest.lstrip()))
                raise MisalignedError(at, f"the reference has ended before {_quote(text, at)}")
            return inputs
        if not rest:
            reason = "the transcript ends here, but the reference still asks for input"
            raise MisalignedError(_line(text, len(text)), reason)
        if len(inputs) == MOST_INPUTS:
            raise MisalignedError(_line(text, len(shown.text)), f"more than {MOST_INPUTS} inputs")
        inputs = (*inputs, rest.split("\n", 1)[0])
        if "\n" not in rest:
            text += "\n"


def _difference(text: str, shown: str) -> MisalignedError:
    pairs = zip(text, shown, strict=False)
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    line = _line(text, at)
    reason = f"the transcript has {_quote(text, line)}, the reference shows {_quote(shown, line)}"
    if at == len(text):
        reason = f"the transcript ends here, but the reference goes on with {_quote(shown, line)}"
    return MisalignedError(line, reason)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _quote(text: str, line: int) -> str:
    quoted = "".join(text.split("\n")[line - 1 : line])
    return repr(quoted[:80] + "…" if len(quoted) > 80 else quoted)
