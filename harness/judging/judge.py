"""Makes verdicts: for an observation, for a sample from its generated cases, for a run with
stand-ins, and for scenarios that were not run.

`resolve` replaces every `{python: …}` in a scenario's statements by its value.
"""

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import replace

from harness.common.errors import HarnessError
from harness.judging.change_parts import change_parts
from harness.judging.compare import mismatches, without_prompts
from harness.judging.compare.mismatch import EndingMismatch, Mismatch, TextMismatch
from harness.judging.compare.text import differs_before_a_read
from harness.judging.shown_text import without_internals
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
    StoppedCell,
    Verdict,
    VerdictKind,
    stated,
)

_UNUSABLE = {
    Ending.STAND_IN_INAPPLICABLE: ("stand_in_inapplicable", StandInOutcome.INAPPLICABLE),
    Ending.STAND_IN_FAILED: ("stand_in_broken", StandInOutcome.BROKEN),
}


PROMPTS_ARE_FREE = (
    "The prompts of input(…) may have any text and are left out here; output of print is compared."
)


def judge(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> Verdict:
    """Return a verdict: passed, or failed with an explanation and the differences.

    Raise HarnessError if the observation is truncated, or if `expectation.stated` still contains a
    `{python: …}` (see `resolve`).
    """
    _refuse_cut(observation)
    if observation.ending is Ending.NOT_RUN:
        return out_of_budget()
    if observation.ending in _UNUSABLE:
        rule, outcome = _UNUSABLE[observation.ending]
        explanation = stated(rule, observation.detail)
        return Verdict(kind=VerdictKind.FAILED, explanation=explanation, stand_in=outcome)
    differing = mismatches(observation, expectation, stimulus)
    stopped_cell = _stopped_cell(observation)
    if not differing:
        return Verdict(kind=VerdictKind.PASSED, stopped_cell=stopped_cell)
    # Imported late because submissions without mistakes never need the rules.
    from harness.judging.explain.failure import Failure  # noqa: PLC0415
    from harness.judging.explain.rules import explain  # noqa: PLC0415
    from harness.judging.side_by_side.boards import board_arguments  # noqa: PLC0415
    from harness.judging.side_by_side.differences import (  # noqa: PLC0415
        conversation,
        differences,
        pictures,
    )

    limit: str = observation.ending
    if observation.ending is Ending.STOPPED_EARLY:  # at a lowered limit
        limit = observation.detail
    observation, expectation = without_prompts(observation, expectation)
    shown = without_internals(observation)
    failure = Failure(shown, expectation, stimulus, without_internals(differing))
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
        pictures=pictures(differing, observation, expectation.reference),
        boards=board_arguments(stimulus, shown),
        stopped_cell=stopped_cell,
    )


_MAX_MESSAGE = 200  # characters


def _stopped_cell(observation: Observation) -> StoppedCell | None:
    """Return where a cell of a notebook raised an exception, if one did."""
    raised = without_internals(observation.cell_error)
    if raised is None or not raised.frames:
        return None
    place = raised.frames[0]
    return StoppedCell(
        file=place.file,
        line=place.line,
        type_name=raised.type_name,
        message=raised.message[:_MAX_MESSAGE],
    )


def differs_from_run_to_run() -> Verdict:
    """Return a failed verdict, because a repeated run had another result.

    The output is not shown, because another test's input may appear in it.
    """
    message = "It passes at first, but not when it runs again after other checks."
    explanation = stated(DIFFERS_FROM_RUN_TO_RUN, message)
    return Verdict(kind=VerdictKind.FAILED, explanation=explanation)


def out_of_budget() -> Verdict:
    """Return the verdict of a scenario that was not run because the submission had used up its
    total time.
    """
    message = "Not run: all of the program's time was already used up."
    return Verdict(kind=VerdictKind.NOT_RUN, explanation=stated(OUT_OF_BUDGET, message))


def _refuse_cut(observation: Observation) -> None:
    if observation.is_truncated:
        raise HarnessError("a truncated observation cannot be judged again")


class Judge:
    """Judges many observations of one stimulus.

    The verdict on an observation equal to the reference's is computed only once and reused for all
    submissions.
    """

    def __init__(self, expectation: Expectation, stimulus: Stimulus) -> None:
        self.reference = expectation.reference
        self._expectation = expectation
        self._stimulus = stimulus
        self._of_reference: Verdict | None = None

    def verdict(self, observation: Observation) -> Verdict:
        """Return the same verdict as `judge`. Raise HarnessError in the same cases."""
        if observation != self.reference:
            return judge(observation, self._expectation, self._stimulus)
        if self._of_reference is None:
            self._of_reference = judge(observation, self._expectation, self._stimulus)
        return self._of_reference

    def fails_already(self, observation: Observation) -> bool:
        """Return whether the output so far is already wrong, although the run was ended early."""
        return differs_before_a_read(*without_prompts(observation, self._expectation))

    def kind(self, observation: Observation) -> VerdictKind:
        """Return only the kind of the verdict, without computing an explanation."""
        if observation == self.reference:
            return self.verdict(observation).kind
        _refuse_cut(observation)
        if observation.ending is Ending.NOT_RUN:
            return VerdictKind.NOT_RUN
        if observation.ending in _UNUSABLE:
            return VerdictKind.FAILED
        differing = mismatches(observation, self._expectation, self._stimulus)
        if not differing:
            return VerdictKind.PASSED
        return _kind(differing)


def _kind(differing: Sequence[Mismatch]) -> VerdictKind:
    for mismatch in differing:
        if isinstance(mismatch, EndingMismatch):
            if mismatch.actual in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
                return VerdictKind.FAILED
            return VerdictKind(mismatch.actual)
    # The process ended as expected, possibly at an expected limit, but something else differs.
    return VerdictKind.FAILED


# Real failures take precedence over cases that were cut short and over faults of the harness.
LAST_KINDS = (VerdictKind.STOPPED_EARLY, VerdictKind.NOT_RUN, VerdictKind.HARNESS_ERROR)
_NOT_FAILED = (VerdictKind.NOT_RUN, VerdictKind.HARNESS_ERROR)


def combine(kinds: Sequence[VerdictKind], verdict: Callable[[int], Verdict]) -> Verdict:
    """Return one verdict for all generated cases of a scenario: that of the smallest failing case,
    with the number of failed cases.

    `kinds` are the cases' kinds, smallest case first. `verdict` returns the verdict of the case
    with this index. Raise ValueError if `kinds` is empty.
    """
    if not kinds:
        raise ValueError("a sample has at least one draw")
    failing = [index for index, kind in enumerate(kinds) if kind is not VerdictKind.PASSED]
    if not failing:
        return replace(verdict(0), draws_run=len(kinds))
    first = min(failing, key=lambda index: (kinds[index] in LAST_KINDS, index))
    # No case really failed: the last kind in the list above decides.
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
    first: Verdict, second: Verdict, scenario: Scenario, files: Collection[str]
) -> Verdict:
    """Return the verdict of a scenario that was run with the submitted files (`first`) and again
    with the course's stand-ins (`second`).

    From the second run only the result counts, because a submission could print a stand-in's
    answers. All explanations and output are those of the first run. The message says which of the
    submitted `files` contains the fault. The field `stand_in` tells lecturers more.
    """
    if VerdictKind.HARNESS_ERROR in (first.kind, second.kind):
        return Verdict(kind=VerdictKind.HARNESS_ERROR)
    if first.undecided or second.undecided:
        return first if first.undecided else out_of_budget()
    outcome = _outcome(second)
    names = " and ".join(stand_in.module for stand_in in scenario.stand_ins)
    if outcome is StandInOutcome.PASSED:
        words = (
            f"This works with the course's {names} instead of yours. The fault is in your "
            f"{names}; you get the points here."
        )
        if first.message:
            words += f" With yours: {first.message}"
        return Verdict(
            kind=VerdictKind.PASSED,
            explanation=stated(RULE, words),
            draws_run=second.draws_run,
            stand_in=outcome,
        )
    # The message does not say how the second run failed: a submission could influence that by
    # its answer.
    where = _other_file(scenario, files)
    words = f"It also fails with our {names} instead of yours: look at {where}, too."
    explanation = stated(RULE, words)
    if first.explanation is not None:
        remarks = (*first.explanation.remarks, finished(words))
        explanation = replace(first.explanation, remarks=remarks)
    return replace(first, explanation=explanation, stand_in=outcome)


def _outcome(second: Verdict) -> StandInOutcome:
    if second.stand_in is not None:
        return second.stand_in
    if second.passed:
        return StandInOutcome.PASSED
    return StandInOutcome.FAILED


def _other_file(scenario: Scenario, files: Collection[str]) -> str:
    """Return the file to look at if the scenario fails even with the stand-ins."""
    replaced = {stand_in.module for stand_in in scenario.stand_ins}
    others = sorted(set(files) - replaced)
    program = scenario.stimuli[0].action.program
    if program in others:
        return program
    if len(others) == 1:
        return others[0]
    return "another file"


def resolve(stated: Expected, python_answers: Iterable[PythonAnswer]) -> Expected:
    """Return `stated` with every Python expression replaced by its value.

    Raise HarnessError if a value is missing.
    """
    values = {answer.expression: answer.value for answer in python_answers}

    def change(part: object) -> object:
        if isinstance(part, OfExpression):
            return part.resolved(values)
        if isinstance(part, Value):
            return part
        return None

    return change_parts(stated, change)


def not_run(scenario: Scenario, needs: Iterable[Scenario], wrong: Set[str]) -> Verdict | None:
    """Return a "not run" verdict that names the first needed scenario among the ids in `wrong`;
    None if no needed scenario is wrong.
    """
    for other in needs:
        if other.id not in wrong:
            continue
        reason = f'"{other.name}" does not pass yet'
        if other.function in scenario.needs:
            reason = f"{other.function} is not right yet"
        explanation = stated("not_run", f"Not run, because {reason}.")
        explanation = replace(explanation, hint=scenario.hint)
        return Verdict(kind=VerdictKind.NOT_RUN, explanation=explanation)
    return None
