"""Create a scenario from a transcript, or from a program run that a person plays in the
terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from os.path import commonprefix
from pathlib import Path
from types import FrameType

from harness.assignment.document import in_quotes
from harness.assignment.loading import SpecErrors, load
from harness.assignment.symbols import as_template
from harness.common import files
from harness.common.errors import UserError
from harness.common.escaping import visible_lines
from harness.execution import Runner, has_terminals
from harness.grading.check import submitted
from harness.grading.context import recalled_tier
from harness.grading.machine import choose_tier, create_driver, find_interpreter, terminal_driver
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, Plan, Scenario, Specification
from harness.model.stimulus import Key, Typed

# Bytes of a typed line. A terminal takes at most 4,095.
_MAX_LINE = 4000
_DRAFT = "harness-play.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A run of `program` that a person has played.

    It has the typed lines up to its end or interruption, and the reference's screen for the same
    lines.
    """

    specification: Specification
    program: str
    scenario: Scenario
    typed: tuple[Typed, ...]
    interrupted: bool
    reference: Observation


def play(
    root: Path,
    assignment_id: str,
    *,
    program: str,
    submission: Path | None,
    constants: Mapping[str, str],
    python: Path | None,
    cache: Path,
) -> Played:
    """Run the file `program` of a submission (None: of the reference) on this process's terminal.

    An empty `program` means the only submitted file. `constants` are overrides, YAML text by name.
    Raise UserError if an override is not possible or this machine cannot confine programs."""
    if not has_terminals():
        raise UserError("play needs Linux: this machine runs programs over pipes")
    program = _program(load(root, assignment_id).plan.assignment, program)
    specification, scenario = _draft(root, assignment_id, program, constants)
    assignment = specification.plan.assignment
    files = specification.reference
    if submission is not None:
        files = _files_of(submission, assignment)
    if not specification.reference:
        raise UserError("the assignment has no reference to play", place=assignment.id)
    interpreter = find_interpreter(assignment.python, python)
    tier = recalled_tier(interpreter, cache)
    if tier.tier is Tier.PORTABLE:
        raise UserError("this program cannot be confined here", hint="see harness doctor")
    stimulus = scenario.stimuli[0]
    person = _TypingPerson()
    with terminal_driver(interpreter, tier.tier) as driver:
        with driver.submission(assignment, files) as server, person:
            observation = server.observe(stimulus, scenario.limits, reply=person.reply)
            person.show_end(observation)
        same = replace(stimulus, inputs=tuple(person.typed))
        with driver.submission(assignment, specification.reference) as server:
            reference = server.observe(same, scenario.limits)
    return Played(
        specification=specification,
        program=program,
        scenario=scenario,
        typed=tuple(person.typed[: reference.reads]),
        interrupted=person.interrupted,
        reference=reference,
    )


def _files_of(path: Path, assignment: Assignment) -> tuple[SourceFile, ...]:
    """Read one submission. Raise UserError if there are several, or if it has a problem."""
    submissions = submitted([path], assignment)
    if len(submissions) != 1:
        raise UserError("this is more than one submission", place=str(path))
    (submission,) = submissions
    if submission.problem:
        raise UserError(submission.problem, place=str(path))
    return submission.files


def _program(assignment: Assignment, asked: str) -> str:
    """Return the file to run. Raise UserError if it is not a file of the assignment, or must be
    named."""
    programs = list(assignment.submission_files)
    for file in assignment.variants[0].files:
        if file.name.endswith(".py"):
            programs.append(file.name)
    if asked in programs:
        return asked
    if not asked and len(assignment.submission_files) == 1:
        return programs[0]
    problem = "several programs"
    if asked:
        problem = f"{asked} is neither a submitted nor a provided file"
    hint = f"give --run one of {', '.join(programs)}"
    raise UserError(problem, place=assignment.id, hint=hint)


def _draft(
    root: Path, name: str, program: str, constants: Mapping[str, str]
) -> tuple[Specification, Scenario]:
    """Return the assignment with a scenario that runs the program under the constants.

    The scenario counts for no marks, because the other scenarios may use up all marks. Raise
    UserError if the constants make more than one scenario.
    """
    lines = [f"function: {program}", "informational: true", "scenarios:"]
    lines += ["  - name: played", f"    run: {program}", *constants_line(constants)]
    text = "\n".join(lines) + "\n"
    specification = with_draft(root, name, {_DRAFT: text})
    path = f"specs/{name}/{_DRAFT}"
    drafts = [scenario for scenario in specification.plan.scenarios if scenario.place.file == path]
    if len(drafts) != 1:
        raise UserError("write only one value", hint="--set BOARD_SIZE=4")
    return specification, drafts[0]


class _TypingPerson:
    """Shows the output on this process's terminal and asks the user for lines."""

    def __init__(self) -> None:
        self.typed: list[Typed] = []
        self.interrupted = False
        self._reading = False
        self._signals = ExitStack()

    def __enter__(self) -> _TypingPerson:
        for number in (signal.SIGINT, signal.SIGHUP):
            before = signal.signal(number, self._break_off)
            self._signals.callback(signal.signal, number, before)
        return self

    def __exit__(self, *details: object) -> None:
        self._signals.close()

    def reply(self, printed: list[str]) -> Typed | None:
        """Show the output, and return the line that the person types; None if they break off."""
        self._show(printed[-1])
        try:
            # A signal before this line is seen by the next one, and a later one raises.
            self._reading = True
            if self.interrupted:
                return None
            line = sys.stdin.readline()
        except (KeyboardInterrupt, OSError):
            self.interrupted = True
            return None
        finally:
            self._reading = False
        typed = _typed(line)
        self.typed.append(typed)
        return typed

    def show_end(self, observation: Observation) -> None:
        """Show the output after the last line and how the program ended."""
        broken_off = self.interrupted and observation.ending is Ending.ASKED_FOR_MORE
        if observation.turns and not broken_off:
            self._show(observation.turns[-1].printed)
        if observation.raised is not None:
            self._show(f"\n{observation.raised.type_name}: {observation.raised.message}")
        if observation.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
            self._show(f"\n({observation.ending.value.replace('_', ' ')})")
        self._show("\n")

    def _show(self, text: str) -> None:
        data = visible_lines(text).encode("utf-8", "backslashreplace")
        # The terminal may have been closed.
        with suppress(OSError):
            os.write(1, data)

    def _break_off(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True
        if self._reading:
            raise KeyboardInterrupt


def _typed(line: str) -> Typed:
    """Convert a line that was read to an input without the line end."""
    if not line:
        return Typed(key=Key.CTRL_D)
    text = line.rstrip("\n")
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > _MAX_LINE:
        text = data[:_MAX_LINE].decode("utf-8", "ignore")
    return Typed(text=text)


RECORDED = "recorded.yaml"


def check_name(root: Path, assignment_id: str, name: str) -> None:
    """Raise UserError if no scenario can have this name, or a transcript of this name exists."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise UserError("the name is not UTF-8", place=name) from None
    if not re.search("[a-z0-9]", name.lower()):
        raise UserError("the name has neither letter nor digit", place=name)
    transcript = root / "specs" / assignment_id / transcript_path(name)
    if transcript.exists():
        hint = "choose another name"
        raise UserError("this transcript already exists", place=str(transcript), hint=hint)


def record(target: Path, name: str, played: Played, constants: Mapping[str, str]) -> bool:
    """Add the scenario `name` to `target`, the file specs/<id>/recorded.yaml.

    Return whether it counts for marks: it does unless the other files' marks add up to all marks of
    the assignment. The transcript is the reference's screen for the typed lines. Raise UserError,
    and write nothing, if the name is taken or the reference does not end by itself.
    """
    observation = played.reference
    if observation.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        problem = f"the reference does not end with this input ({observation.ending.value})"
        raise UserError(problem, place=name)
    lines = _recorded_lines(name, played, constants)
    entry = "\n".join(lines) + "\n"
    return _add(
        target,
        _appended(target, entry, "scenarios:\n"),
        transcript_path(name),
        draft=played.specification,
        scenario=played.scenario,
        typed=played.typed,
        shown=observation.transcript(),
    )


def _recorded_lines(name: str, played: Played, constants: Mapping[str, str]) -> list[str]:
    """Return the YAML lines of the scenario that was played."""
    observation = played.reference
    lines = [f"  - name: {in_quotes(name)}", f"    function: {played.program}"]
    if played.interrupted:
        lines.append("    # The session was interrupted here.")
    lines += constants_line(constants)
    lines.append(f"    run: {played.program}")
    inputs = ", ".join(_typed_text(typed) for typed in played.typed)
    lines.append(f"    input: [{inputs}]")
    lines.append(f"    transcript: {transcript_path(name)}")
    if observation.ending is Ending.ASKED_FOR_MORE:
        lines.append("    ends: asks_for_more")
    if observation.raised is not None and observation.exit_status is None:
        lines.append(f"    raises: {observation.raised.type_name}")
    elif observation.exit_status:
        lines.append(f"    exit: {observation.exit_status}")
    return lines


def _typed_text(typed: Typed) -> str:
    if typed.key:
        return f"{{key: {typed.key}}}"
    return in_quotes(typed.text)


_FOLDER = "gameplay"
_UNCOUNTED = "    informational: true\n"
# The size of a transcript.
MAX_BYTES = 1024 * 1024
MAX_INPUTS = 1000


def transcript_path(name: str) -> str:
    """Return the path, relative to specs/<id>, of the transcript for a scenario with this name."""
    words = re.sub(r"[^a-z0-9]+", "_", name.lower())
    return f"{_FOLDER}/{words.strip('_') or 'game'}.txt"


def with_draft(root: Path, assignment_id: str, texts: Mapping[str, str]) -> Specification:
    """Load a copy of the assignment with these texts, by their paths below specs/<id>, added."""
    with tempfile.TemporaryDirectory(prefix="harness-") as place:
        trial = Path(place)
        for kind in ("specs", "reference"):
            folder = root / kind / assignment_id
            if folder.is_dir():
                shutil.copytree(folder, trial / kind / assignment_id)
        for name, text in texts.items():
            files.write(trial / "specs" / assignment_id / name, text)
        return load(trial, assignment_id)


def _appended(target: Path, entry: str, head: str) -> str:
    """Return the text of a scenario file with one more scenario; a new file begins with `head`."""
    before = ""
    if target.exists():
        before = target.read_text(encoding="utf-8").rstrip("\n")
    if before.strip():
        head = before + "\n"
    return head + entry


def _add(
    target: Path,
    text: str,
    transcript: str,
    *,
    draft: Specification,
    scenario: Scenario,
    typed: tuple[Typed, ...],
    shown: str,
) -> bool:
    """Write `text`, which has one scenario more than `target`, and its transcript below specs/<id>.

    The scenario types `typed` and must show `shown` under the constants of the draft's `scenario`.
    Return whether it counts for marks. Raise UserError if the transcript already exists, or if the
    scenario types or shows something else when it is read back; SpecErrors if it cannot be read.
    Nothing is written then.
    """
    assignment = draft.plan.assignment
    root = target.parents[2]
    path = target.parent / transcript
    if path.exists():
        raise UserError("this transcript already exists", place=str(path))
    variant = assignment.variant(scenario.stimuli[0].constants)
    template = as_template(shown, variant, assignment.submission_files)
    before = load(root, assignment.id).plan
    counts = True
    try:
        plan = with_draft(root, assignment.id, {transcript: template, target.name: text}).plan
    except SpecErrors:
        # The marks may be used up. Try again without marks.
        text += _UNCOUNTED
        counts = False
        plan = with_draft(root, assignment.id, {transcript: template, target.name: text}).plan
    added = []
    for new in _new_scenarios(before, plan):
        added.append((new.stimuli[0].inputs, new.stated.transcript))
    if added != [(typed, shown)]:
        problem = "this session cannot be written as a scenario"
        raise UserError(
            problem, place=str(target), hint="it contains {{ … }}, which stands for a constant"
        )
    files.write(path, template)
    try:
        files.write(target, text)
    except BaseException:
        path.unlink()
        raise
    return counts


def _new_scenarios(before: Plan, after: Plan) -> list[Scenario]:
    ids = {scenario.id for scenario in before.scenarios}
    return [scenario for scenario in after.scenarios if scenario.id not in ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import: the added scenario, its number of inputs, and whether it counts for
    marks.
    """

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

    The scenario runs `program` (empty: the first submitted file) with the overridden `constants`,
    YAML text by name, and has these `clauses`, or those of its file. Nothing is written unless the
    assignment loads with it. Raise UserError, with the transcript's line, if the reference shows
    something else; SpecErrors if the file cannot take the scenario.
    """
    file = target.resolve()
    root = file.parents[2]
    assignment_id = file.parent.name
    text = _read(transcript)
    name = re.sub(r"[\W_]+", " ", transcript.stem).strip() or "transcript"
    plan_before = load(root, assignment_id).plan
    program = program or plan_before.assignment.submission_files[0]
    head = _imported_head(name, program, constants, clauses)
    has_main = any(function.name == "main" for function in plan_before.assignment.functions)
    function = "main" if has_main else program
    first = f"function: {function}\nscenarios:\n"
    text_of_draft = _appended(file, f"{head}    input: []\n{_UNCOUNTED}", first)
    draft = with_draft(root, assignment_id, {file.name: text_of_draft})
    added = _new_scenarios(plan_before, draft.plan)
    if len(added) != 1:
        raise UserError(f"it has a scenario {name!r} already", place=str(target))
    inputs, shown = _replayed(transcript, text, added[0], draft, python)
    path = transcript_path(name)
    quoted_inputs = ", ".join(map(in_quotes, inputs))
    entry = f"{head}    input: [{quoted_inputs}]\n    transcript: {path}\n"
    counts = _add(
        file,
        _appended(file, entry, first),
        path,
        draft=draft,
        scenario=added[0],
        typed=_as_typed(inputs),
        shown=shown,
    )
    return Imported(name=name, inputs=len(inputs), counts=counts)


def _imported_head(
    name: str, program: str, constants: Mapping[str, str], clauses: Sequence[str]
) -> str:
    """Return the scenario up to its inputs."""
    lines = [f"  - name: {in_quotes(name)}"]
    if clauses:
        quoted = ", ".join(map(in_quotes, clauses))
        lines.append(f"    clause: [{quoted}]")
    lines += constants_line(constants)
    lines.append(f"    run: {program}")
    return "\n".join(lines) + "\n"


def _as_typed(lines: Iterable[str]) -> tuple[Typed, ...]:
    return tuple(Typed(text=line) for line in lines)


def _read(path: Path) -> str:
    """Read a transcript. Raise UserError if it is too large or not UTF-8."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) <= MAX_BYTES:
            return data.decode("utf-8")
        reason = f"larger than {MAX_BYTES // 1024} KiB"
    except OSError as error:
        reason = str(error.strerror)
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    raise UserError(f"this transcript cannot be read: {reason}", place=str(path))


def _replayed(
    path: Path, text: str, scenario: Scenario, specification: Specification, python: Path | None
) -> tuple[Sequence[str], str]:
    """Return the lines typed in the transcript, and the reference's screen for them."""
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


def _screen(scenario: Scenario, server: Runner, inputs: Sequence[str]) -> Screen:
    stimulus = replace(scenario.stimuli[0], inputs=_as_typed(inputs))
    observation = server.observe(stimulus, scenario.limits)
    if observation.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        raise UserError(f"the reference does not end by itself ({observation.ending.value})")
    waits = observation.ending is Ending.ASKED_FOR_MORE
    return Screen(text=observation.transcript(), waits=waits)


def constants_line(constants: Mapping[str, str]) -> list[str]:
    """Return the line of a scenario that overrides these constants, YAML texts by name, if any."""
    if not constants:
        return []
    values = ", ".join(f"{name}: {value}" for name, value in constants.items())
    return [f"    constants: {{{values}}}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """The screen after some inputs."""

    # The output and the typed lines.
    text: str
    # Whether the program now waits for another input; otherwise it has ended.
    waits: bool


class MisalignedError(Exception):
    """The reference shows something else than the transcript; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


def typed_lines(transcript: str, screen: Callable[[tuple[str, ...]], Screen]) -> tuple[str, ...]:
    """Return the inputs of a transcript, in which prompts and typed lines are written as a person
    saw them.

    `screen` runs the reference with some inputs. Line ends may be those of any system, and blank
    lines at the end may be added or missing. Raise MisalignedError if the reference shows something
    else, ends earlier, or still waits when the transcript is over.
    """
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
                line = _line(text, len(text) - len(rest.lstrip()))
                raise MisalignedError(line, f"the reference ends before {_quote(text, line)}")
            return inputs
        if not rest:
            reason = "the transcript ends here, but the reference still asks for input"
            raise MisalignedError(_line(text, len(text)), reason)
        if len(inputs) == MAX_INPUTS:
            line = _line(text, len(shown.text))
            raise MisalignedError(line, f"more than {MAX_INPUTS} inputs")
        line_typed, line_end, _ = rest.partition("\n")
        inputs = (*inputs, line_typed)
        if not line_end:
            text += "\n"


def _difference(text: str, shown: str) -> MisalignedError:
    """Return the error with the first difference of a transcript from the reference's screen."""
    # `commonprefix` compares texts, not paths.
    place = len(commonprefix([text, shown]))  # noqa: RUF071
    line = _line(text, place)
    quoted = _quote(shown, line)
    if place == len(text):
        reason = f"the transcript ends here, but the reference goes on with {quoted}"
    else:
        reason = f"the transcript has {_quote(text, line)}, the reference shows {quoted}"
    return MisalignedError(line, reason)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _quote(text: str, line: int) -> str:
    lines = text.split("\n")[line - 1 : line]
    quoted = "".join(lines)
    if len(quoted) > 80:
        quoted = quoted[:80] + "…"
    return repr(quoted)
