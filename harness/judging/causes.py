"""Failing scenarios put together into causes, in the order in which they explain one another: a
file that does not load, functions that are missing, those to blame, exceptions by their line,
endless runs, what programs without functions print by statement, all else by function and rule."""

import difflib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction

from harness.common.escaping import plain
from harness.judging.blame import SeenPasses, in_scripts
from harness.judging.explain.siblings import RULE as HARD_CODED
from harness.judging.failed_scenarios import FailedScenario
from harness.model.explanation.facts import HardCoded, InLoop, InRecursion, LoopEnd, NotHandedIn
from harness.model.observation import Ending, Frame, Phase
from harness.model.plan import Plan, in_turn, needed
from harness.model.policy import Loop, Outline, OutlinePart, Recursion, Unparsable
from harness.model.result import Undefined
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
MOST_LINES = 100  # of the text of a place
_LONGEST_LINE = 200
_NEAR = 0.7  # of 1: how alike a name must be to be meant
_NAME = re.compile(r"[^\W\d]\w*")
UNDEFINED = "undefined"  # the rule for a function that the submission's text does not define

Key = tuple[str, ...]


def unreadable(problem: str, unparsable: Unparsable | None, worth: Fraction) -> Cause:
    """The one cause of a submission that cannot be run, which may earn all of `worth`."""
    explanation = stated("not_gradable", problem)
    cause = Cause(function="", explanation=explanation, marks_at_stake=worth)
    if unparsable is None:
        return cause
    explanation = stated("unreadable", unparsable.reason)
    line, place = unparsable.line, None
    if line is not None:
        place = _line_of(unparsable.file, line, *filter(None, [unparsable.source]))
    return replace(cause, explanation=explanation, place=place, line=line)


def _line_of(file: str, line: int, *text: str) -> CodePlace:
    return CodePlace(file=file, first=line, last=line, text=text)


def unsettled(failures: Sequence[FailedScenario], outline: Outline) -> tuple[FailedScenario, ...]:
    """The failures whose cause is to be looked for: not the file's loading, a missing function,
    what they need, or the time that a right answer took."""
    ran = _ran(failures)
    settled = _settled(ran, outline)
    wrong = (each for each in ran if each.rule not in (TOO_SLOW, COSTS_TOO_MUCH))
    return tuple(each for each in wrong if each.scenario.id not in settled)


def derive(
    failures: Sequence[FailedScenario],
    outline: Outline,
    blame: Mapping[str, Blame],
    passes: SeenPasses | None = None,
) -> tuple[Cause, ...]:
    """The causes, each with its scenarios, in the order of its first one. `passes` says whether a
    scenario would, had that been seen. `marks_at_stake` is left to the marker."""
    members: dict[Key, list[FailedScenario]] = {}
    keys = _keys_by_id(failures, outline, blame, passes)
    for each in failures:
        for key in keys[each.scenario.id]:
            members.setdefault(key, []).append(each)
    _put_together_by_exception(members, outline)
    causes = [_cause(key, group, outline, blame) for key, group in members.items()]
    return _put_together_by_number(causes, failures, outline)


def _put_together_by_number(
    causes: Sequence[Cause], failures: Sequence[FailedScenario], outline: Outline
) -> tuple[Cause, ...]:
    """The causes, where a number in place of a constant is one, however many functions have it."""
    by_id = {each.scenario.id: each for each in failures}

    def order(cause: Cause) -> tuple[object, ...]:
        example = by_id[cause.example]
        return cause.function != example.scenario.function, example.size

    left = list(causes)
    for first in sorted(causes, key=order):
        number = first.explanation.hard_coded if first in left else None
        if number is None:
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
    """Whether another cause may come of the same number, and students may see both examples or
    neither."""
    if all(symptom.rule != HARD_CODED for symptom in other.symptoms):
        return False
    examples = by_id[first.example].scenario, by_id[other.example].scenario
    if examples[0].visibility is not examples[1].visibility:
        return False
    scenarios = (*first.scenarios, *other.scenarios)
    return all(_is_at_other_value(by_id[name], number) for name in scenarios)


def _is_at_other_value(failed: FailedScenario, hard_coded: HardCoded) -> bool:
    """Whether it was not run, or the constant has another value there than the number."""
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
    return replace(
        _joined((first, *others), first, failures),
        explanation=replace(first.explanation, facts=facts),
        suspects=tuple(suspects),
        together_with=tuple(name for name in first.together_with if name not in names),
    )


def _put_together_by_exception(members: dict[Key, list[FailedScenario]], outline: Outline) -> None:
    """Where every failure of a function to blame raised one exception at one line of its own, put
    those of others to it that raised nothing but that. Where the function that raises is not to
    blame they stay apart: it may well raise of what it is given."""
    raised = {key: {_exception(each) for each in group} for key, group in members.items()}
    for key, places in raised.items():
        place = next(iter(places))
        if len(places) > 1 or place is None or key not in members or key[0] != "blamed":
            continue
        if outline.function_at(place[2], int(place[3])) != key[1]:
            continue
        others = [other for other in members if other != key and raised[other] == places]
        for other in others:
            together = members[key] + members.pop(other)
            members[key] = sorted(together, key=lambda failed: failed.index)


def _exception(each: FailedScenario) -> Key | None:
    """What it raised and where; None where that is not in the submission."""
    if each.raised is None or each.frame is None:
        return None
    return ("raised", each.raised.type_name, each.frame.file, str(each.frame.line))


def _keys_by_id(
    failures: Sequence[FailedScenario],
    outline: Outline,
    blame: Mapping[str, Blame],
    passes: SeenPasses | None,
) -> dict[str, tuple[Key, ...]]:
    """The causes of each; what was not run has those of the failures that it needs to be right."""
    settled = _settled(_ran(failures), outline)
    blamed = {name for names in blame.values() for name in names}
    by_id = {each.scenario.id: each for each in failures}
    scenarios = [each.scenario for each in failures]
    needs = needed(scenarios)
    found: dict[str, tuple[Key, ...]] = {}
    for scenario in itertools.chain.from_iterable(in_turn(scenarios, needs)):
        each = by_id[scenario.id]
        if each.verdict.kind is VerdictKind.NOT_RUN and scenario.id in needs:
            keys = (key for other in needs[scenario.id] for key in found[other.id])
            found[scenario.id] = tuple(dict.fromkeys(keys))
            continue
        names = blame.get(scenario.id, ())
        if not names and scenario.function in blamed:
            names = (scenario.function,)  # it has a fault already: the likeliest one
        found[scenario.id] = settled.get(scenario.id) or _keys(each, names)
    by_rule = [each for each in failures if found[each.scenario.id][0][0] == "rule"]
    for id, statement in in_scripts(by_rule, outline, passes).items():
        found[id] = (("script", by_id[id].scenario.function, statement),)
    return found


def _settled(failures: Sequence[FailedScenario], outline: Outline) -> dict[str, tuple[Key, ...]]:
    loading = [each for each in failures if each.loading]
    if loading:
        # What fails at every turn fails as it loads; nothing that is seen later counts then.
        everything = 2 * len(loading) > len(failures)
        settled = failures if everything else loading
        return {each.scenario.id: (("loading",),) for each in settled}
    looked_for = (each for each in failures if each.observation.ending is Ending.MISSING)
    missing = {each.missing for each in looked_for} - outline.names()
    found: dict[str, tuple[Key, ...]] = {}
    for each in failures:
        phase, raised = each.observation.phase, each.raised
        facts = each.explanation.facts
        if isinstance(facts, NotHandedIn):
            found[each.scenario.id] = (("absent", facts.file),)
        elif phase is Phase.GIVEN and raised and _outside_functions(raised.frames):
            # What is given imports a file of the submission that cannot be loaded.
            found[each.scenario.id] = _keys(each, ())
        elif each.missing in missing:
            found[each.scenario.id] = (("missing", each.missing),)
    return found


def _outside_functions(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """The first frames that are those of files being loaded, one by the other."""
    return tuple(itertools.takewhile(lambda frame: frame.function == "<module>", frames))


def _ran(failures: Iterable[FailedScenario]) -> list[FailedScenario]:
    return [each for each in failures if each.verdict.kind is not VerdictKind.NOT_RUN]


def _keys(each: FailedScenario, blame: Blame) -> tuple[Key, ...]:
    function = each.scenario.function
    if blame:
        return tuple(("blamed", name) for name in blame)
    endless = ("endless", function) if each.verdict.kind in _ENDLESS else None
    return (_exception(each) or endless or ("rule", function, each.rule),)


def _cause(
    key: Key, members: Sequence[FailedScenario], outline: Outline, blame: Mapping[str, Blame]
) -> Cause:
    kind = key[0]
    name = {"blamed": key[-1], "missing": key[-1], "loading": ""}.get(kind)
    together = {id for id, names in blame.items() if len(names) > 1}
    example = _clearest(members, name or "", together)
    clauses = (clause for each in (example, *members) for clause in each.scenario.clauses)
    cause = Cause(
        function=example.scenario.function if name is None else name,
        explanation=example.explanation,
        hint=example.scenario.hint,
        scenarios=tuple(each.scenario.id for each in members),
        example=example.scenario.id,
        blamed=kind == "blamed",
        line=example.line,
        symptoms=_symptoms(members),
        clauses=tuple(dict.fromkeys(clauses)),
    )
    if kind == "missing":
        return _with_nearest(cause, key[1], outline)
    if kind == "loading":
        frames = example.raised.frames if example.raised else ()
        # The line outside the functions at which loading failed.
        at = next(iter([*_outside_functions(frames)[-1:], *frames]), None)
        place = _line_of(at.file, at.line, at.source) if at else None
        return _asking_at_load(replace(cause, place=place), example, outline)
    part, frame = outline.part(cause.function), example.frame
    if part is None:
        return cause
    others = [other for each in members for other in blame.get(each.scenario.id, ())]
    needed_too = tuple(dict.fromkeys(other for other in others if other != name))
    cause = replace(cause, place=place_of(part), together_with=needed_too if name else ())
    if frame is not None and not part.first <= frame.line <= part.last:
        cause = replace(cause, line=None)
        other = outline.part(outline.function_at(frame.file, frame.line))
        if other is not None:
            return replace(cause, raised_in=place_of(other), raised_at=frame.line)
    elif frame is not None and frame.line >= part.first + MOST_LINES:
        # In a very long function: the line that matters, and not the first ones.
        return replace(cause, place=_line_of(part.file, frame.line, frame.source))
    return cause


def _clearest(members: Sequence[FailedScenario], name: str, together: Set[str]) -> FailedScenario:
    """Visible before hidden, of the function itself, with no other fault (those in `together` have
    one), explained by a rule that names a mistake, by the most frequent one, or of two that are the
    one that shows in the fewest steps; then the shortest input and the smallest draw."""
    from harness.judging.explain.rules import is_general  # noqa: PLC0415  (loaded where some fail)

    # A visible one is chosen by what is visible: hidden ones would show in the choice.
    count = Counter((each.rule, each.scenario.visibility) for each in members)
    # What a later step shows may come of what an earlier one left behind.
    by_steps = sorted(members, key=lambda each: each.steps, reverse=True)
    fewest_steps = {(each.rule, each.scenario.visibility): each.steps for each in by_steps}

    def order(each: FailedScenario) -> tuple[object, ...]:
        return (
            each.verdict.kind is VerdictKind.NOT_RUN,
            each.scenario.visibility.rank,
            name not in {"", each.scenario.function},
            each.scenario.id in together,
            each.verdict.kind is VerdictKind.STOPPED_EARLY,
            is_general(each.rule),
            -count[each.rule, each.scenario.visibility],
            fewest_steps[each.rule, each.scenario.visibility],
            each.size,
            each.index,
        )

    return min(members, key=order)


def _symptoms(members: Iterable[FailedScenario]) -> tuple[Symptom, ...]:
    """Each rule and line with how often it is seen, those that name a mistake first."""
    from harness.judging.explain.rules import is_general  # noqa: PLC0415

    count = Counter((each.rule, each.line) for each in _ran(members))
    symptoms = (Symptom(rule=rule, scenarios=n, line=line) for (rule, line), n in count.items())
    return tuple(sorted(symptoms, key=lambda one: (is_general(one.rule), -one.scenarios)))


def _with_nearest(cause: Cause, name: str, outline: Outline) -> Cause:
    near = _nearest(name, outline)
    if near is None:
        return cause
    message = f"The {_kind_of(near, outline)} {plain(name, limit=60)} is missing. {_is_that(near)}"
    return replace(cause.stating(message), place=place_of(near))


def undefined_functions(plan: Plan, outline: Outline) -> tuple[Undefined, ...]:
    """The functions of the reference that scenarios name and the submission's text does not define:
    facts of the text, which no answer of a program changes."""
    defined = outline.names() | outline.names(callable=False)
    named: set[str] = set()
    for scenario in plan.scenarios:
        texts = " ".join(scenario.stimuli[0].source_texts())
        if scenario.function in _NAME.findall(texts):
            named.add(scenario.function)
    names = (each.name for each in plan.assignment.functions)
    return tuple(_undefined(name, outline) for name in names if name in named - defined)


def _undefined(name: str, outline: Outline) -> Undefined:
    near = _nearest(name, outline)
    message = "It is not defined in your file."
    if near is not None:
        message = f"{message} {_is_that(near)}"
    place = place_of(near) if near else None
    return Undefined(name=name, explanation=stated(UNDEFINED, message), near=place)


def _nearest(name: str, outline: Outline) -> OutlinePart | None:
    """The function or class of the submission whose name is meant, perhaps."""
    known = {part.name: part for part in outline.parts if part.callable}
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=_NEAR)
    return known[near[0]] if near else None


def _kind_of(part: OutlinePart, outline: Outline) -> str:
    return "class" if any(each.name == part.name for each in outline.members) else "function"


def _is_that(part: OutlinePart) -> str:
    return f"You have {plain(part.name, limit=60)} on line {part.first}: is that it?"


def place_of(part: OutlinePart) -> CodePlace:
    """Its lines."""
    return CodePlace(file=part.file, first=part.first, last=part.last)


def _asking_at_load(cause: Cause, example: FailedScenario, outline: Outline) -> Cause:
    """If a file asks for input while it is loaded: with that line, and where to put it."""
    raised = example.raised
    asked = example.observation.ending is Ending.ASKED_FOR_MORE
    if not asked and (raised is None or raised.type_name != "EOFError"):
        return cause
    module = next((each for each in outline.modules if each.asks), None)
    if module is None:
        return cause
    line = module.asks
    what, advice = "asks for input", "move it into main()"
    if module.through != "input":
        what = f"calls {plain(module.through, limit=60)}, which asks for input,"
        advice = 'put it below `if __name__ == "__main__":`'
    elif "main" not in outline.names():
        advice = "move it into a function such as main()"
    message = f"Line {line} {what} as soon as the file is loaded: {advice}."
    place = _line_of(module.file, line, module.asking)
    return replace(cause.stating(message), place=place, line=line)


def with_texts(causes: Iterable[Cause], lines: Callable[[str], Sequence[str]]) -> tuple[Cause, ...]:
    """The causes with the texts of their places; `lines` gives those of a file."""

    def with_text(place: CodePlace | None) -> CodePlace | None:
        if place is None or place.text:
            return place
        text = lines(place.file)[place.first - 1 : place.last][:MOST_LINES]
        return replace(place, text=tuple(line[:_LONGEST_LINE] for line in text))

    found: list[Cause] = []
    for cause in causes:
        suspects: list[Suspect] = []
        for suspect in cause.suspects:
            place = with_text(suspect.place) or suspect.place
            suspects.append(replace(suspect, place=place))
        cause_with_texts = replace(
            cause,
            place=with_text(cause.place),
            raised_in=with_text(cause.raised_in),
            suspects=tuple(suspects),
        )
        found.append(cause_with_texts)
    return tuple(found)


def with_loops(
    causes: Sequence[Cause],
    endless: Mapping[str, Loop | Recursion],
    failures: Sequence[FailedScenario],
    outline: Outline,
) -> tuple[Cause, ...]:
    """The causes; those whose loop or recursion is known (`endless`, by the example's id) name its
    line. Those that hang in the same one become one cause: that of its function, or the first."""
    groups: dict[Loop | Recursion | int, list[Cause]] = {}
    for index, cause in enumerate(causes):
        groups.setdefault(endless.get(cause.example, index), []).append(cause)
    found: list[Cause] = []
    for loop, together in groups.items():
        if isinstance(loop, int):
            found += together
            continue
        function = outline.function_at(loop.file, loop.first)
        main = next((cause for cause in together if cause.function == function), together[0])
        main = _joined(together, main, failures)
        members = [each for each in failures if each.scenario.id in main.scenarios]
        main = main.with_reason(_what_keeps_busy(loop, function, members))
        place = main.place
        if place and place.file == loop.file and place.first <= loop.first <= place.last:
            main = replace(main, line=loop.first)
        found.append(main)
    return tuple(found)


def _what_keeps_busy(
    known: Loop | Recursion, function: str, members: Sequence[FailedScenario]
) -> InLoop | InRecursion:
    """Return where these scenarios were when they reached their limit, and no more than is
    known."""
    if isinstance(known, Recursion):
        return InRecursion(line=known.first, function=function)
    ends = LoopEnd.NEVER
    if {each.verdict.kind for each in members} == {VerdictKind.OUTPUT_LIMIT}:
        ends = LoopEnd.LATER_PERHAPS
    elif all(each.scenario.faster_than for each in members):
        # A loop that only ends too late if time is measured may well end.
        ends = LoopEnd.NEVER_OR_LATE
    return InLoop(line=known.first, function=function, ends=ends)


def _joined(causes: Sequence[Cause], main: Cause, failures: Sequence[FailedScenario]) -> Cause:
    """One of the causes, with the scenarios of all."""
    together: set[str] = set()
    clauses: list[str] = [*main.clauses]
    for cause in causes:
        together.update(cause.scenarios)
        clauses += cause.clauses
    members = [each for each in failures if each.scenario.id in together]
    return replace(
        main,
        scenarios=tuple(each.scenario.id for each in members),
        symptoms=_symptoms(members),
        clauses=tuple(dict.fromkeys(clauses)),
    )
