"""Verdicts: of an observation, of a sample from its draws, of a run with stand-ins, of what is not
run; and what a scenario states with every `{python: …}` replaced by its value (`resolve`)."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from operator import is_not
from typing import Any, TypeVar, cast

from harness.common.errors import HarnessError
from harness.judging.compare import mismatches, without_prompts
from harness.judging.compare.mismatch import EndingMismatch, Mismatch, TextMismatch
from harness.model.expectation import Expectation, Expected, OfExpression, PythonAnswer
from harness.model.explanation.sentences import finished
from harness.model.observation import Ending, Observation
from harness.model.plan import Scenario
from harness.model.stimulus import Stimulus
from harness.model.values import Value
from harness.model.verdict import (
    DIFFERS_FROM_RUN_TO_RUN,
    OUT_OF_BUDGET,
    StandInOutcome,
    Verdict,
    VerdictKind,
    stated,
)

T = TypeVar("T")

_UNUSABLE = {
    Ending.STAND_IN_INAPPLICABLE: ("stand_in_inapplicable", StandInOutcome.INAPPLICABLE),
    Ending.STAND_IN_FAILED: ("stand_in_broken", StandInOutcome.BROKEN),
}


PROMPTS_ARE_FREE = (
    "The text of each input(…) is free and left out here; the output of print is not."
)


def judge(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> Verdict:
    """Return that it passed, or failed with the first reason that applies and the differences.

    Raise HarnessError if the observation is truncated, or `expectation.stated` still holds a
    `{python: …}` (`resolve`).
    """
    _refuse_cut(observation)
    if observation.ending is Ending.NOT_RUN:
        return out_of_budget()
    if observation.ending in _UNUSABLE:
        rule, outcome = _UNUSABLE[observation.ending]
        explanation = stated(rule, observation.detail)
        return Verdict(kind=VerdictKind.FAILED, explanation=explanation, stand_in=outcome)
    differing = mismatches(observation, expectation, stimulus)
    if not differing:
        return Verdict(kind=VerdictKind.PASSED)
    # Only now: a right submission needs none of it.
    from harness.judging.boards import board_arguments  # noqa: PLC0415
    from harness.judging.differences import conversation, differences  # noqa: PLC0415
    from harness.judging.explain.failure import Failure  # noqa: PLC0415
    from harness.judging.explain.rules import explain  # noqa: PLC0415

    stopped = observation.ending is Ending.STOPPED_EARLY  # at a limit that was shortened
    limit = observation.detail if stopped else observation.ending
    observation, expectation = without_prompts(observation, expectation)
    shown = without_addresses(observation)
    failure = Failure(shown, expectation, stimulus, without_addresses(differing))
    explanation = explain(failure)
    if expectation.stated.prompts_any and isinstance(differing[0], TextMismatch):
        remarks = (*explanation.remarks, PROMPTS_ARE_FREE)
        explanation = replace(explanation, remarks=remarks)
    return Verdict(
        kind=_kind(differing),
        explanation=explanation,
        differences=differences(failure.in_time, stimulus, expectation.stated.rules),
        conversation=conversation(shown, expectation, stimulus),
        on_wall_time=limit == Ending.TIMEOUT,
        boards=board_arguments(stimulus, shown),
    )


def differs_from_run_to_run() -> Verdict:
    """Return that it failed, because only a run after others had another outcome.

    Its output is not shown: it may hold questions that the program was asked meanwhile.
    """
    message = "It passes at first, but not when it runs again after other checks."
    explanation = stated(DIFFERS_FROM_RUN_TO_RUN, message)
    return Verdict(kind=VerdictKind.FAILED, explanation=explanation)


def out_of_budget() -> Verdict:
    """Return the verdict of a scenario that was not run because the submission had used up its
    time.
    """
    message = "Not run: before it came to this, all of its time was used up."
    return Verdict(kind=VerdictKind.NOT_RUN, explanation=stated(OUT_OF_BUDGET, message))


def _refuse_cut(observation: Observation) -> None:
    if observation.cut:
        raise HarnessError("what is left of an observation is not judged again")


_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]+")
# How a confined process reaches Python's library, and the folders in which programs run: of a file
# there only its name is shown. Each part is bounded, for the texts are a program's.
_OUR_DESCRIPTOR = re.compile(r"/proc/(?:self|[0-9]{1,10})/fd/[0-9]{1,10}/")
_OUR_FOLDER = re.compile(
    r"harness-(?:scenario|unlocked)-[^\s'\"()/]{1,80}/(?:[^\s'\"()/]{1,80}/){0,6}"
)
_NOT_IN_A_PATH = re.compile(r"[\s'\"()]")
_MOST_BEFORE = 200  # characters of a path before our folder in it
_OURS = (" at 0x", "/proc/", "harness-scenario-", "harness-unlocked-")
_DEEPEST = 100  # deeper values are not shown


def without_addresses(thing: T) -> T:
    """Return the same with `0x…` in place of every address of an object, which differs from run to
    run, and without the paths by which a confined process reaches Python's library. Only for what
    is shown, since a scenario may ask for an address."""

    def change(part: object) -> object:
        if type(part) is str:
            return _without_our_paths(_ADDRESS.sub("0x…", part))
        if isinstance(part, Value):  # most have none, and may be large
            held = any(ours in each.text for each in part.parts() for ours in _OURS)
            return None if held else part
        return None

    return _changed(thing, change)


def _without_our_paths(text: str) -> str:
    """Return the text with only the name of each file of ours, in time that is linear in it."""
    text = _OUR_DESCRIPTOR.sub("", text)
    kept: list[str] = []
    end = 0
    for folder in _OUR_FOLDER.finditer(text):
        first = max(end, folder.start() - _MOST_BEFORE)
        path = _NOT_IN_A_PATH.split(text[first : folder.start()])[-1]
        slash = path.find("/")
        if slash >= 0:
            kept.append(text[end : folder.start() - len(path) + slash])
            end = folder.end()
    return "".join([*kept, text[end:]])


def _changed(thing: T, change: Callable[[object], object], depth: int = 0) -> T:
    """Return the value with the results of `change` for each part; if that is None, for the parts
    of it.
    """
    changed = change(thing)
    if changed is not None or depth == _DEEPEST:
        return thing if changed is None else cast(T, changed)
    if isinstance(thing, tuple):
        parts = tuple(_changed(part, change, depth + 1) for part in thing)
        return cast(T, parts) if any(map(is_not, parts, thing)) else thing
    if is_dataclass(thing):
        old = {each.name: getattr(thing, each.name) for each in fields(thing)}
        new = {name: _changed(part, change, depth + 1) for name, part in old.items()}
        new = {name: part for name, part in new.items() if part is not old[name]}
        return replace(cast(Any, thing), **new) if new else thing
    return thing


class Judge:
    """Judges many observations of one stimulus.

    A verdict follows only from the observation, so the reference's is computed once, for every
    submission that does the same.
    """

    def __init__(self, expectation: Expectation, stimulus: Stimulus) -> None:
        self.reference = expectation.reference
        self._expectation = expectation
        self._stimulus = stimulus
        self._of_reference: Verdict | None = None

    def verdict(self, observation: Observation) -> Verdict:
        """Return the verdict that `judge` returns. Raise HarnessError as it does."""
        if observation != self.reference:
            return judge(observation, self._expectation, self._stimulus)
        if self._of_reference is None:
            self._of_reference = judge(observation, self._expectation, self._stimulus)
        return self._of_reference

    def kind(self, observation: Observation) -> VerdictKind:
        """Return only the verdict's kind, for which nothing has to be explained."""
        if observation == self.reference:
            return self.verdict(observation).kind
        _refuse_cut(observation)
        if observation.ending is Ending.NOT_RUN:
            return VerdictKind.NOT_RUN
        if observation.ending in _UNUSABLE:
            return VerdictKind.FAILED
        differing = mismatches(observation, self._expectation, self._stimulus)
        return _kind(differing) if differing else VerdictKind.PASSED


def _kind(differing: Sequence[Mismatch]) -> VerdictKind:
    ending = next((each.actual for each in differing if isinstance(each, EndingMismatch)), None)
    # None: it ended as expected (at a limit perhaps) and differs elsewhere.
    if ending in (None, Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        return VerdictKind.FAILED
    return VerdictKind(ending)


# A failure that was seen comes before one that was only cut short, and before a fault of ours.
LAST_KINDS = (VerdictKind.STOPPED_EARLY, VerdictKind.NOT_RUN, VerdictKind.HARNESS_ERROR)
_NOT_FAILED = (VerdictKind.NOT_RUN, VerdictKind.HARNESS_ERROR)


def combine(kinds: Sequence[VerdictKind], verdict: Callable[[int], Verdict]) -> Verdict:
    """Return one verdict for generated cases: the smallest failing one's, with how many failed.

    `kinds` are in the order of the cases, smallest first, not empty (ValueError); `verdict` gives a
    case's.
    """
    if not kinds:
        raise ValueError("a sample has at least one draw")
    failing = [index for index, kind in enumerate(kinds) if kind is not VerdictKind.PASSED]
    if not failing:
        return replace(verdict(0), draws_run=len(kinds))
    first = min(failing, key=lambda index: (kinds[index] in LAST_KINDS, index))
    if kinds[first] in LAST_KINDS:
        first = max(failing, key=lambda index: (LAST_KINDS.index(kinds[index]), -index))
    faults = sum(kinds[index] in _NOT_FAILED for index in failing)
    return replace(
        verdict(first),
        draw=first,
        draws_failed=len(failing) - faults,
        draws_run=len(kinds),
    )


RULE = "stand_in_passed"


def merge_stand_in_verdict(
    own: Verdict, second: Verdict, scenario: Scenario, files: Collection[str]
) -> Verdict:
    """Return the verdict after a second run with the scenario's stand-ins. Of that run counts only
    whether it passed, for a submission can show what a stand-in answers: whatever is explained and
    shown is of the run with the submitted files (`own`). It says in which of the `files` that are
    handed in the fault is. `stand_in` says more, to nobody but the lecturer."""
    if VerdictKind.HARNESS_ERROR in (own.kind, second.kind):
        return Verdict(kind=VerdictKind.HARNESS_ERROR)
    if own.undecided or second.undecided:
        return own if own.undecided else out_of_budget()
    outcome = _outcome(second)
    names = " and ".join(each.module for each in scenario.stand_ins)
    if outcome is StandInOutcome.PASSED:
        words = (
            f"With the course's own {names} in place of yours this works: the fault is in "
            f"your {names}, and this scenario's points are given."
        )
        with_yours = f" With yours: {own.message}" if own.message else ""
        return Verdict(
            kind=VerdictKind.PASSED,
            explanation=stated(RULE, words + with_yours),
            draws_run=second.draws_run,
            stand_in=outcome,
        )
    # In which of the other ways it came out is not said: a submission can choose among them by
    # what it was answered.
    where = _other_file(scenario, files)
    words = f"With our {names} in place of yours it does not pass either: look at {where} too."
    explanation = stated(RULE, words)
    if own.explanation is not None:
        remarks = (*own.explanation.remarks, finished(words))
        explanation = replace(own.explanation, remarks=remarks)
    return replace(own, explanation=explanation, stand_in=outcome)


def _outcome(second: Verdict) -> StandInOutcome:
    if second.stand_in is not None:
        return second.stand_in
    return StandInOutcome.PASSED if second.passed else StandInOutcome.FAILED


def _other_file(scenario: Scenario, files: Collection[str]) -> str:
    """Return the file to look at if no stand-in takes the fault away."""
    others = sorted(set(files) - {each.module for each in scenario.stand_ins})
    program = scenario.stimuli[0].action.program
    if program in others:
        return program
    return others[0] if len(others) == 1 else "another file"


def resolve(stated: Expected, python_answers: Iterable[PythonAnswer]) -> Expected:
    """Return `stated` with the values of its Python expressions.

    Raise HarnessError if one is missing.
    """
    values = {answer.expression: answer.value for answer in python_answers}

    def change(part: object) -> object:
        if isinstance(part, OfExpression):
            return part.resolved(values)
        return part if isinstance(part, Value) else None

    return _changed(stated, change)


def not_run(scenario: Scenario, needs: Iterable[Scenario], wrong: Set[str]) -> Verdict | None:
    """Return that it was not run, with the first of its needs that is among the ids `wrong`; None
    if none is.
    """
    first = next((other for other in needs if other.id in wrong), None)
    if first is None:
        return None
    what = f'"{first.name}" does not pass yet'
    if first.function in scenario.needs:
        what = f"{first.function} is not right yet"
    explanation = replace(stated("not_run", f"Not run, because {what}."), hint=scenario.hint)
    return Verdict(kind=VerdictKind.NOT_RUN, explanation=explanation)
