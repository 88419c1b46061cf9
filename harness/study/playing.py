"""A game played on the terminal, and its scenario."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from harness.assignment.document import in_quotes
from harness.assignment.loading import load
from harness.assignment.vocabulary import as_template
from harness.common.errors import UserError
from harness.common.escaping import visible_lines
from harness.execution import Driver, find_interpreter, has_terminals
from harness.grading.check import submitted
from harness.grading.context import recalled_tier
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, Scenario, Specification
from harness.model.stimulus import Key, Typed
from harness.study.transcripts import Addition, add, constants_line, transcript_path, with_draft

_MOST_LINE = 4000  # bytes; a terminal takes no more than 4,095
_DRAFT = "harness-play.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What was typed into `program`, up to the end or to where the person broke off; what the
    reference shows when the same is typed; and the assignment that this is a run of."""

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
    """Run the file `program` (empty: the only one that is handed in) of what was handed in (None:
    of the reference) on this process's terminal. `constants` are overridden, as YAML text by name.
    UserError where that cannot be, or where this machine can confine nothing."""
    if not has_terminals():
        raise UserError("play needs a Linux machine: programs run over pipes on this one")
    program = _program(load(root, assignment_id).plan.assignment, program)
    specification, scenario = _draft(root, assignment_id, program, constants)
    assignment = specification.plan.assignment
    files = specification.reference
    if submission is not None:
        submissions = submitted([submission], assignment)
        several = "this is more than one submission" if len(submissions) != 1 else ""
        if what := several or submissions[0].problem:
            raise UserError(what, place=str(submission))
        files = submissions[0].files
    if not specification.reference:
        raise UserError("there is no reference to play", place=assignment.id)
    interpreter = find_interpreter(assignment.python, python)
    tier = recalled_tier(interpreter, cache)
    if tier.tier is Tier.PORTABLE:
        raise UserError("no confinement for this program here", hint="see harness doctor")
    stimulus = scenario.stimuli[0]
    person = _Person()
    with Driver(interpreter, tier.tier) as driver:
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


def _program(assignment: Assignment, asked: str) -> str:
    """The file to run. UserError where it is none of the assignment's, or has to be named."""
    programs = list(assignment.submission_files)
    programs += [each.name for each in assignment.variants[0].files if each.name.endswith(".py")]
    if asked in programs:
        return asked
    if not asked and len(assignment.submission_files) == 1:
        return programs[0]
    what = f"{asked} is neither a submitted nor a provided file" if asked else "several programs"
    raise UserError(what, place=assignment.id, hint=f"give --run one of {', '.join(programs)}")


def _draft(
    root: Path, name: str, program: str, constants: Mapping[str, str]
) -> tuple[Specification, Scenario]:
    """The assignment with a scenario that runs the program under the constants. It counts for no
    marks: the assignment's may all be given already."""
    lines = ["  - name: played", f"    run: {program}", *constants_line(constants)]
    text = f"function: {program}\ninformational: true\nscenarios:\n" + "\n".join(lines) + "\n"
    specification = with_draft(root, name, {_DRAFT: text})
    path = f"specs/{name}/{_DRAFT}"
    scenarios = [one for one in specification.plan.scenarios if one.place.file == path]
    if len(scenarios) != 1:
        raise UserError("a constant has one value here", hint="--set BOARD_SIZE=4")
    return specification, scenarios[0]


class _Person:
    """Shows what is printed on this process's terminal and asks it for lines."""

    def __init__(self) -> None:
        self.typed: list[Typed] = []
        self.interrupted = False
        self._reading = False
        self._shown = 0
        self._held = ExitStack()

    def __enter__(self) -> _Person:
        for number in (signal.SIGINT, signal.SIGHUP):
            self._held.callback(signal.signal, number, signal.signal(number, self._break_off))
        return self

    def __exit__(self, *details: object) -> None:
        self._held.close()

    def reply(self, printed: list[str]) -> Typed | None:
        """What the person types after this; None once they break off."""
        self._show(printed[-1])
        self._shown = len(printed)
        if self.interrupted:
            return None
        try:
            self._reading = True
            line = sys.stdin.readline()
        except (KeyboardInterrupt, OSError):
            self.interrupted = True
            return None
        finally:
            self._reading = False
        text = line.rstrip("\n")
        data = text.encode("utf-8", "surrogateescape")
        if len(data) > _MOST_LINE:
            text = data[:_MOST_LINE].decode("utf-8", "ignore")
        typed = Typed(text=text) if line else Typed(key=Key.CTRL_D)
        self.typed.append(typed)
        return typed

    def show_end(self, observation: Observation) -> None:
        """What was printed after the last line, and how it ended."""
        if observation.turns and not (
            self.interrupted and observation.ending is Ending.ASKED_FOR_MORE
        ):
            self._show(observation.turns[-1].printed)
        if observation.raised is not None:
            self._show(f"\n{observation.raised.type_name}: {observation.raised.message}")
        if observation.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
            self._show(f"\n({observation.ending.value.replace('_', ' ')})")
        self._show("\n")

    def _show(self, text: str) -> None:
        with suppress(OSError):  # the terminal was closed
            os.write(1, visible_lines(text).encode("utf-8", "backslashreplace"))

    def _break_off(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True
        if self._reading:
            raise KeyboardInterrupt


RECORDED = "recorded.yaml"


def check_name(root: Path, assignment_id: str, name: str) -> None:
    """Raise UserError when no scenario can have this name, or one has it already."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise UserError("the name is not UTF-8", place=name) from None
    if not re.search("[a-z0-9]", name.lower()):
        raise UserError("the name has neither letter nor digit", place=name)
    transcript = root / "specs" / assignment_id / transcript_path(name)
    if transcript.exists():
        raise UserError("this transcript is there already", place=str(transcript))


def record(target: Path, name: str, played: Played, constants: Mapping[str, str]) -> bool:
    """Add the scenario `name` to `target`, the file specs/<id>/recorded.yaml; whether it counts for
    marks, which it does unless the other files' marks are all that the assignment has. The
    transcript is what the reference shows for what was typed. Raises UserError, and writes nothing,
    when there is a scenario of that name or the reference does not end by itself."""
    root, assignment = target.parents[2], played.specification.plan.assignment
    observation = played.reference
    if observation.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        what = f"the reference does not end by itself on this ({observation.ending.value})"
        raise UserError(what, place=name)
    check_name(root, assignment.id, name)
    program, transcript = played.program, transcript_path(name)
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    lines = [f"  - name: {in_quotes(name)}", f"    function: {program}"]
    if played.interrupted:
        lines.append("    # The person who played broke off here.")
    lines += [*constants_line(constants), f"    run: {program}"]
    typed = (f"{{key: {one.key}}}" if one.key else in_quotes(one.text) for one in played.typed)
    lines.append(f"    input: [{', '.join(typed)}]")
    lines.append(f"    transcript: {transcript}")
    if observation.ending is Ending.ASKED_FOR_MORE:
        lines.append("    ends: asks_for_more")
    if observation.raised is not None and observation.exit_status is None:
        lines.append(f"    raises: {observation.raised.type_name}")
    elif observation.exit_status:
        lines.append(f"    exit: {observation.exit_status}")
    head = before.rstrip("\n") + "\n" if before.strip() else "scenarios:\n"
    variant = assignment.variant(played.scenario.stimuli[0].constants)
    shown = observation.transcript()
    addition = Addition(
        file=RECORDED,
        yaml=head + "\n".join(lines) + "\n",
        transcript=transcript,
        template=as_template(shown, variant, assignment.submission_files),
        typed=played.typed,
        shown=shown,
    )
    return add(root, assignment.id, addition)
