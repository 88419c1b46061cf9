"""Groups failing scenarios by cause.

The first of these that applies decides: the file does not load, a function is missing, a function
is to blame, an exception at the same line, an endless loop, the statement that prints wrong output
(in programs without functions), and otherwise the same function and rule.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from itertools import chain, takewhile

from harness.common.escaping import plain
from harness.judging.causes.failed_scenarios import FailedScenario
from harness.judging.causes.keys import (
    AbsentFile,
    Blamed,
    ByRule,
    CauseKey,
    Endless,
    InScript,
    Loading,
    MissingFunction,
    RaisedAt,
)
from harness.judging.causes.places import MAX_LINES, place_of, place_of_line
from harness.judging.causes.scripts import SeenPasses, in_scripts
from harness.judging.causes.undefined import with_nearest
from harness.judging.explain.siblings import RULE as HARD_CODED
from harness.model.explanation.facts import HardCoded, NotHandedIn
from harness.model.observation import Ending, Frame, Phase
from harness.model.plan import Visibility, in_turn, needed
from harness.model.policy import Outline, OutlinePart, Unparsable
from harness.model.verdict import (
    Blame,
    Cause,
    CodePlace,
    Suspect,
    Symptom,
    VerdictKind,
    stated,
)

_ENDLESS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY})
TOO_SLOW = "too_slow"
COSTS_TOO_MUCH = "costs_too_much"


def unreadable(problem: str, unparsable: Unparsable | None, worth: Fraction) -> Cause:
    """Return the only cause of a submission that cannot be run. `worth` is the sum of all marks."""
    explanation = stated("not_gradable", problem)
    cause = Cause(function="", explanation=explanation, marks_at_stake=worth)
    if unparsable is None:
        return cause
    explanation = stated("unreadable", unparsable.reason)
    line = unparsable.line
    place: CodePlace | None = None
    if line is not None:
        text = filter(None, [unparsable.source])
        place = place_of_line(unparsable.file, line, *text)
    return replace(cause, explanation=explanation, place=place, line=line)


def unsettled(failures: Sequence[FailedScenario], outline: Outline) -> tuple[FailedScenario, ...]:
    """Return the failures whose cause must still be searched for.

    Excluded are failures with an obvious cause: the file does not load, a function is missing, a
    needed scenario failed, or a right answer took too long.
    """
    ran = _ran(failures)
    known = _known_causes(ran, outline)
    found: list[FailedScenario] = []
    for failure in ran:
        if failure.rule not in (TOO_SLOW, COSTS_TOO_MUCH) and failure.scenario.id not in known:
            found.append(failure)
    return tuple(found)


def derive(
    failures: Sequence[FailedScenario],
    outline: Outline,
    blame: Mapping[str, Blame],
    passes: SeenPasses | None = None,
) -> tuple[Cause, ...]:
    """Return the causes, each with its scenarios, ordered by their first scenario.

    `passes` tells whether a scenario would pass with a changed observation. `marks_at_stake` is
    filled in later, when marks are computed.
    """
    members: dict[CauseKey, list[FailedScenario]] = {}
    keys = _keys_by_id(failures, outline, blame, passes)
    for failure in failures:
        for key in keys[failure.scenario.id]:
            members.setdefault(key, []).append(failure)
    _merge_by_exception(members, outline)
    causes = [_cause(key, group, outline, blame) for key, group in members.items()]
    return _merge_by_number(causes, failures, outline)


def _merge_by_number(
    causes: Sequence[Cause], failures: Sequence[FailedScenario], outline: Outline
) -> tuple[Cause, ...]:
    """Return the causes, with those merged that come from one number written instead of a
    constant, even in several functions.
    """
    by_id = {failure.scenario.id: failure for failure in failures}

    def order(cause: Cause) -> tuple[object, ...]:
        example = by_id[cause.example]
        return cause.function != example.scenario.function, example.size

    left = list(causes)
    for first in sorted(causes, key=order):
        number = first.explanation.hard_coded
        if first not in left or number is None:
            continue
        same: list[Cause] = []
        for cause in left:
            if cause is not first and _is_same_mistake(first, cause, number, by_id):
                same.append(cause)
        if same:
            left[left.index(first)] = _in_several(first, number, same, failures, outline)
            left = [cause for cause in left if cause not in same]
    return tuple(left)


def _is_same_mistake(
    first: Cause, other: Cause, number: HardCoded, by_id: Mapping[str, FailedScenario]
) -> bool:
    """Return whether both causes may come from the same hard-coded number.

    Their examples must both be visible to students or both hidden, so that merging reveals nothing.
    """
    if all(symptom.rule != HARD_CODED for symptom in other.symptoms):
        return False
    example, other_example = by_id[first.example], by_id[other.example]
    if example.scenario.visibility is not other_example.scenario.visibility:
        return False
    scenarios = (*first.scenarios, *other.scenarios)
    return all(_is_at_other_value(by_id[id], number) for id in scenarios)


def _is_at_other_value(failed: FailedScenario, hard_coded: HardCoded) -> bool:
    """Return whether the scenario sets the constant to a value other than the hard-coded number,
    or was not run.
    """
    constants = {binding.name: binding.literal for binding in failed.stimulus.constants}
    number = str(hard_coded.number)
    value = constants.get(hard_coded.constant, number)
    return failed.verdict.kind is VerdictKind.NOT_RUN or value != number


def _in_several(
    first: Cause,
    number: HardCoded,
    others: Sequence[Cause],
    failures: Sequence[FailedScenario],
    outline: Outline,
) -> Cause:
    names = [cause.function for cause in others]
    suspects: list[Suspect] = []
    for name in names:
        part = outline.part(name)
        if part is not None:
            suspects.append(Suspect(function=part.name, place=place_of(part), lines=()))
    also_in = tuple(cause.function for cause in others if cause.blamed)
    facts = replace(number, also_in=also_in)
    other_needed = [name for name in first.together_with if name not in names]
    return replace(
        joined((first, *others), first, failures),
        explanation=replace(first.explanation, facts=facts),
        suspects=tuple(suspects),
        together_with=tuple(other_needed),
    )


def _merge_by_exception(members: dict[CauseKey, list[FailedScenario]], outline: Outline) -> None:
    """Merge causes that share one exception: if all failures of a blamed function raised it at one
    line of this function, failures of other functions with only this exception join them.

    Nothing is merged if the function that raises is not blamed, because its caller may pass wrong
    arguments.
    """
    raised: dict[CauseKey, set[RaisedAt | None]] = {}
    for key, group in members.items():
        raised[key] = {_exception(failure) for failure in group}
    for key, places in raised.items():
        if key not in members or not isinstance(key, Blamed) or len(places) > 1:
            continue
        (place,) = places
        if place is None or outline.function_at(place.file, place.line) != key.name:
            continue
        others = [other for other in members if other != key and raised[other] == places]
        for other in others:
            merged = members[key] + members.pop(other)
            members[key] = sorted(merged, key=lambda failure: failure.index)


def _exception(failure: FailedScenario) -> RaisedAt | None:
    """Return the failure's exception with its line; None if that is outside the submission."""
    raised, frame = failure.raised, failure.frame
    if raised is None or frame is None:
        return None
    return RaisedAt(type_name=raised.type_name, file=frame.file, line=frame.line)


def _keys_by_id(
    failures: Sequence[FailedScenario],
    outline: Outline,
    blame: Mapping[str, Blame],
    passes: SeenPasses | None,
) -> dict[str, tuple[CauseKey, ...]]:
    """Return the causes of each failure, keyed by scenario id.

    A scenario that was not run shares the causes of the failed scenarios that it needs.
    """
    known = _known_causes(_ran(failures), outline)
    blamed = set(chain.from_iterable(blame.values()))
    by_id = {failure.scenario.id: failure for failure in failures}
    scenarios = [failure.scenario for failure in failures]
    needs = needed(scenarios)
    found: dict[str, tuple[CauseKey, ...]] = {}
    for scenario in chain.from_iterable(in_turn(scenarios, needs)):
        failure = by_id[scenario.id]
        if failure.verdict.kind is VerdictKind.NOT_RUN and scenario.id in needs:
            keys: dict[CauseKey, None] = {}
            for other in needs[scenario.id]:
                keys.update(dict.fromkeys(found[other.id]))
            found[scenario.id] = tuple(keys)
            continue
        names = blame.get(scenario.id, ())
        if not names and scenario.function in blamed:
            names = (scenario.function,)  # already blamed for another failure
        found[scenario.id] = known.get(scenario.id) or _keys(failure, names)
    by_rule: list[FailedScenario] = []
    for failure in failures:
        first, *_ = found[failure.scenario.id]
        if isinstance(first, ByRule):
            by_rule.append(failure)
    for id, statement in in_scripts(by_rule, outline, passes).items():
        function = by_id[id].scenario.function
        found[id] = (InScript(function=function, statement=statement),)
    return found


def _known_causes(
    failures: Sequence[FailedScenario], outline: Outline
) -> dict[str, tuple[CauseKey, ...]]:
    """Return the causes that are obvious without a search, keyed by scenario id."""
    loading = [failure for failure in failures if failure.loading]
    if 2 * len(loading) > len(failures):
        # If most scenarios fail while the file loads, treat all failures as loading failures.
        loading = list(failures)
    if loading:
        return {failure.scenario.id: (Loading(),) for failure in loading}
    missing: set[str] = set()
    for failure in failures:
        if failure.observation.ending is Ending.MISSING:
            missing.add(failure.missing)
    missing -= outline.names()
    found: dict[str, tuple[CauseKey, ...]] = {}
    for failure in failures:
        phase, raised = failure.observation.phase, failure.raised
        facts = failure.explanation.facts
        if isinstance(facts, NotHandedIn):
            found[failure.scenario.id] = (AbsentFile(file=facts.file),)
        elif phase is Phase.GIVEN and raised and _outside_functions(raised.frames):
            # A given file imports a file of the submission that cannot be loaded.
            found[failure.scenario.id] = _keys(failure, ())
        elif failure.missing in missing:
            found[failure.scenario.id] = (MissingFunction(name=failure.missing),)
    return found


def _outside_functions(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return the outermost stack frames that belong to modules being imported, not to functions."""
    return tuple(takewhile(lambda frame: frame.function == "<module>", frames))


def _ran(failures: Iterable[FailedScenario]) -> list[FailedScenario]:
    return [failure for failure in failures if failure.verdict.kind is not VerdictKind.NOT_RUN]


def _keys(failure: FailedScenario, blame: Blame) -> tuple[CauseKey, ...]:
    if blame:
        return tuple(Blamed(name=name) for name in blame)
    exception = _exception(failure)
    if exception is not None:
        return (exception,)
    function = failure.scenario.function
    if failure.verdict.kind in _ENDLESS:
        return (Endless(function=function),)
    clauses = failure.scenario.clauses if failure.scenario.is_suite else ()
    return (ByRule(function=function, rule=failure.rule, clauses=clauses),)


def _cause(
    key: CauseKey, members: Sequence[FailedScenario], outline: Outline, blame: Mapping[str, Blame]
) -> Cause:
    name: str | None = None  # None: use the function of the example
    match key:
        case Blamed(name=name) | MissingFunction(name=name):
            pass
        case Loading():
            name = ""
    together = {id for id, names in blame.items() if len(names) > 1}
    example = _clearest(members, name or "", together)
    function = name
    if function is None:
        function = example.scenario.function
    clauses: list[str] = []
    for failure in (example, *members):
        clauses += failure.scenario.clauses
    cause = Cause(
        function=function,
        explanation=example.explanation,
        hint=example.scenario.hint,
        scenarios=tuple(failure.scenario.id for failure in members),
        example=example.scenario.id,
        blamed=isinstance(key, Blamed),
        line=example.line,
        symptoms=_symptoms(members),
        clauses=tuple(dict.fromkeys(clauses)),
    )
    if isinstance(key, MissingFunction):
        return with_nearest(cause, key.name, outline)
    if isinstance(key, Loading):
        place = _where_loading_failed(example)
        return _asking_at_load(replace(cause, place=place), example, outline)
    part = outline.part(function)
    if part is None:
        return cause
    if name:
        others = _blamed_too(name, members, blame)
        cause = replace(cause, together_with=others)
    return _placed(replace(cause, place=place_of(part)), part, example.frame, outline)


def _blamed_too(
    name: str, members: Iterable[FailedScenario], blame: Mapping[str, Blame]
) -> tuple[str, ...]:
    """Return the names other than `name` that are also blamed for these failures."""
    others: dict[str, None] = {}
    for failure in members:
        others.update(dict.fromkeys(blame.get(failure.scenario.id, ())))
    others.pop(name, None)
    return tuple(others)


def _where_loading_failed(example: FailedScenario) -> CodePlace | None:
    """Return the module-level line at which loading the file failed."""
    if example.raised is None or not example.raised.frames:
        return None
    frames = example.raised.frames
    first, *_ = [*_outside_functions(frames)[-1:], *frames]
    return place_of_line(first.file, first.line, first.source)


def _placed(cause: Cause, part: OutlinePart, frame: Frame | None, outline: Outline) -> Cause:
    """Return the cause located in this part, with the line at which its example raised an
    exception.
    """
    if frame is None:
        return cause
    if not part.first <= frame.line <= part.last:
        cause = replace(cause, line=None)
        other = outline.part(outline.function_at(frame.file, frame.line))
        if other is None:
            return cause
        return replace(cause, raised_in=place_of(other), raised_at=frame.line)
    if frame.line >= part.first + MAX_LINES:
        # Show, in a very long function, the failing line instead of the first lines.
        return replace(cause, place=place_of_line(part.file, frame.line, frame.source))
    return cause


def _clearest(members: Sequence[FailedScenario], name: str, together: Set[str]) -> FailedScenario:
    """Return the failure that shows a cause best, to serve as its example.

    Preferred are, in this order: visible scenarios, scenarios of the function itself, failures with
    no second cause (those in `together` have one), rules that name a mistake, frequent rules, few
    session steps, short input, and a small generated case.
    """
    from harness.judging.explain.rules import is_general  # noqa: PLC0415  (loaded where some fail)

    # Count visible failures separately: otherwise the choice would reveal hidden ones.
    count = Counter((failure.rule, failure.scenario.visibility) for failure in members)
    # An earlier step's effects may show in a later one.
    fewest_steps: dict[tuple[str, Visibility], int] = {}
    for failure in members:
        kind = failure.rule, failure.scenario.visibility
        fewest_steps[kind] = min(failure.steps, fewest_steps.get(kind, failure.steps))

    def order(failure: FailedScenario) -> tuple[object, ...]:
        scenario, verdict = failure.scenario, failure.verdict
        kind = failure.rule, scenario.visibility
        return (
            verdict.kind is VerdictKind.NOT_RUN,
            scenario.visibility.rank,
            name not in {"", scenario.function},
            scenario.id in together,
            verdict.kind is VerdictKind.STOPPED_EARLY,
            is_general(failure.rule),
            -count[kind],
            fewest_steps[kind],
            failure.size,
            failure.index,
        )

    return min(members, key=order)


def _symptoms(members: Iterable[FailedScenario]) -> tuple[Symptom, ...]:
    """Return each rule and line with its number of failures, rules that name a mistake first."""
    from harness.judging.explain.rules import is_general  # noqa: PLC0415

    counts = Counter((failure.rule, failure.line) for failure in _ran(members))
    symptoms: list[Symptom] = []
    for (rule, line), count in counts.items():
        symptoms.append(Symptom(rule=rule, scenarios=count, line=line))
    symptoms.sort(key=lambda symptom: (is_general(symptom.rule), -symptom.scenarios))
    return tuple(symptoms)


def _asking_at_load(cause: Cause, example: FailedScenario, outline: Outline) -> Cause:
    """Return the cause of a file that calls `input()` while it is imported, with the line of the
    call and advice where to move it.
    """
    raised = example.raised
    has_asked = example.observation.ending is Ending.ASKED_FOR_MORE
    if raised is not None and raised.type_name == "EOFError":
        has_asked = True
    asking = [module for module in outline.modules if module.asks]
    if not has_asked or not asking:
        return cause
    module = asking[0]
    line = module.asks
    what, advice = "asks for input", "move it into main()"
    if module.through != "input":
        what = f"calls {plain(module.through, limit=60)}, which asks for input,"
        advice = 'put it below `if __name__ == "__main__":`'
    elif "main" not in outline.names():
        advice = "move it into a function such as main()"
    after = f" {what} as soon as the file is loaded: {advice}."
    place = place_of_line(module.file, line, module.asking)
    return replace(cause.stating_of_line("", line, after), place=place, line=line)


def joined(causes: Sequence[Cause], main: Cause, failures: Sequence[FailedScenario]) -> Cause:
    """Return the cause `main` with the scenarios of all `causes`."""
    together: set[str] = set()
    clauses: list[str] = [*main.clauses]
    for cause in causes:
        together.update(cause.scenarios)
        clauses += cause.clauses
    members = [failure for failure in failures if failure.scenario.id in together]
    return replace(
        main,
        scenarios=tuple(failure.scenario.id for failure in members),
        symptoms=_symptoms(members),
        clauses=tuple(dict.fromkeys(clauses)),
    )
