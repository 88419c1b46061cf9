"""Finds the part of a submission that is to blame for each failing scenario (docs/causes.md): by
substitution, by use if nothing can be substituted, or, in a program without functions, by its
output.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from harness.judging.failed_scenarios import FailedScenario
from harness.model.observation import Observation
from harness.model.plan import Scenario
from harness.model.policy import Outline, Printing
from harness.model.stimulus import Stimulus, statements
from harness.model.verdict import Blame, Channel, Comparison, LineEnd, VerdictKind

Passes = Callable[[FailedScenario, Blame], bool | None]
"""Whether the scenario passes with these names substituted; None: they cannot be substituted."""

_MOST_SAMPLES = 12  # scenarios of one function and rule that are looked at
_ENOUGH_SAMPLES = 2  # if they agree
# For so many scenarios of a function, functions that were never blamed are tried too.
_MOST_UNFAILED_SEARCHES = 1


def find_blame(
    failures: Sequence[FailedScenario],
    outline: Outline,
    functions: frozenset[str],
    constants: frozenset[str],
    passes: Passes | None,
    *,
    passed: Sequence[Scenario] = (),  # for blame by use
) -> dict[str, Blame]:
    """Return the names to blame for each scenario, by its id; () for none.

    `functions` are those of the sheet that can be substituted, `constants` the submission's that a
    provided one can replace.
    """
    usage = Usage(outline)
    classes = usage.classes(each.function for each in (*(f.scenario for f in failures), *passed))
    with_objects = [each for each in failures if classes & usage.of(each.stimulus)]
    order = outline.callees_first(functions & outline.names())
    search = _Search(usage, order, sorted(constants & outline.names(callable=False)), passes)
    search.run([each for each in failures if not classes & usage.of(each.stimulus)])
    blame = search.blame
    faulty = frozenset(name for names in blame.values() for name in names)
    blame |= _blame_by_use(with_objects, passed, usage)
    only_exit_differs = [
        each
        for each in search.undecided
        if each.raised is None and {d.channel for d in each.verdict.differences} == {Channel.EXIT}
    ]
    others = [each for each in search.undecided if each not in only_exit_differs]
    # Among those already to blame, if there are any.
    blame |= _blame_by_use(others, passed, usage, faulty or functions)
    # A function whose failures are all exceptions explains nothing here: an uncaught exception
    # changes more than the exit status.
    raising = _only_raising(failures, blame, outline)
    blame |= _blame_by_use(only_exit_differs, passed, usage, (faulty or functions) - raising)
    return _with_shared_helper(blame, outline, order)


def _only_raising(
    failures: Sequence[FailedScenario], blame: Mapping[str, Blame], outline: Outline
) -> frozenset[str]:
    """Return the functions to blame whose failures are all exceptions at a line of their own."""
    raising: set[str] = set()
    others: set[str] = set()
    for each in failures:
        frame = each.frame
        at = outline.function_at(frame.file, frame.line) if frame else ""
        for name in blame.get(each.scenario.id, ()):
            (raising if at == name else others).add(name)
    return frozenset(raising - others)


def _with_shared_helper(
    blame: dict[str, Blame], outline: Outline, order: Sequence[str]
) -> dict[str, Blame]:
    """Blame one helper or constant instead of several functions, if exactly these use it: one
    change there is likelier than one in each. If they are three or more, functions that are right
    may use a helper too. `order` has the functions that can be substituted."""
    blamed = {name for names in blame.values() for name in names}
    if len(blamed) < 2 or not blamed <= set(order):
        return blame
    others = (part.name for part in outline.parts if part.name not in order)
    users = {name: _users(name, outline, order) for name in others}
    helpers = outline.names()
    shared = [name for name, by in users.items() if by == blamed] or [
        name for name, by in users.items() if name in helpers and len(blamed) > 2 and blamed < by
    ]
    if not shared:
        return blame
    # A helper rather than the constant that only it uses: the fault may be in either.
    chosen = max(shared, key=lambda name: len(outline.reached_from((name,))))
    return {id: (chosen,) if names else () for id, names in blame.items()}


def _users(name: str, outline: Outline, order: Sequence[str]) -> set[str]:
    """Return the functions of `order` that use it, directly or through other parts."""
    users: set[str] = set()
    pending, seen = [name], {name}
    while pending:
        used = pending.pop()
        for part in outline.parts:
            if used in part.mentions and part.name not in seen:
                seen.add(part.name)
                if part.name in order:
                    users.add(part.name)
                else:
                    pending.append(part.name)
    return users


class _Trial:
    """One failing scenario, run again with names substituted."""

    def __init__(self, failure: FailedScenario, passes: Passes | None) -> None:
        self.failure = failure
        self.all_applied = True  # whether every substitution so far could be made
        self._passes = passes

    def passes_with(self, names: Blame) -> bool:
        passed = self._passes(self.failure, names) if self._passes is not None else None
        self.all_applied = self.all_applied and passed is not None
        return bool(passed)

    def among(self, suspects: Sequence[str], latest: Blame) -> Blame:
        """Return the suspects to blame.

        That is `latest` if it makes the scenario pass; none if not even all together do; otherwise
        the first that does so by itself, or those that remain after leaving out each that is not
        needed, the last first.
        """
        if latest and set(latest) <= set(suspects) and self.passes_with(latest):
            return latest
        if len(suspects) > 1 and not self.passes_with(tuple(suspects)):
            return ()
        alone: Blame = next(((name,) for name in suspects if self.passes_with((name,))), ())
        if alone or len(suspects) < 2:
            return alone
        needed = tuple(suspects)
        for name in reversed(suspects):
            others = tuple(other for other in needed if other != name)
            if len(others) > 1 and self.passes_with(others):
                needed = others
        return needed


@dataclass(slots=True)
class _Search:
    """Blame by substitution. `run` fills `blame`, and `undecided` with failures that nobody is
    blamed for because a substitution could not be made."""

    usage: Usage
    order: tuple[str, ...]  # the functions that can be substituted, callees first
    constants: Sequence[str]  # those that can
    passes: Passes | None
    faulty: set[str] = field(default_factory=set)  # all that were blamed so far
    # For this function: how often functions that were never blamed may still be tried.
    searches_left: int = 0
    blame: dict[str, Blame] = field(default_factory=dict)  # by a scenario's id
    undecided: list[FailedScenario] = field(default_factory=list)

    def run(self, failures: Sequence[FailedScenario]) -> None:
        """Function by function, callees before callers, runs of programs last."""
        place = {name: index for index, name in enumerate(self.order)}
        groups: dict[tuple[bool, int, str], dict[str, list[FailedScenario]]] = {}
        for each in failures:
            name = each.scenario.function
            key = _is_run(each), place.get(name, len(place)), name
            groups.setdefault(key, {}).setdefault(each.rule, []).append(each)
        for key in sorted(groups):
            self._blame_function(groups[key].values())

    def _blame_function(self, by_rule: Iterable[Sequence[FailedScenario]]) -> None:
        """Blame for the failures of one function, in groups of one rule each."""
        self.searches_left = _MOST_UNFAILED_SEARCHES
        found: set[str] = set()
        for members in by_rule:
            of_sample: dict[int, Blame] = {}  # by the index of the sample
            latest: Blame = ()
            is_undecided = False  # in the end: of the last sample tried
            for count, each in enumerate(_samples(members)):
                if count >= _ENOUGH_SAMPLES and len(set(of_sample.values())) == 1:
                    break
                trial = _Trial(each, self.passes)
                latest = of_sample[each.index] = self._of(trial, latest)
                is_undecided = not latest and not trial.all_applied
            blame: Blame = ()
            # A member outside the sample gets the blame of the sample before it; the first is one.
            for each in members:
                blame = self.blame[each.scenario.id] = of_sample.get(each.index, blame)
                if is_undecided and not blame:
                    self.undecided.append(each)
            found.update(name for names in of_sample.values() for name in names)
        self.faulty |= found

    def _of(self, trial: _Trial, latest: Blame) -> Blame:
        """Return who is to blame for one scenario; `latest` was for another of its kind."""
        each, function = trial.failure, trial.failure.scenario.function
        if each.verdict.stand_in is not None:
            return (function,)  # it does not pass with the reference's modules either
        named = self.usage.named_by(each.stimulus) & self.usage.outline.names()
        reached = self.usage.outline.reached_from(named)
        in_order = [name for name in self.order if name in reached]
        called = (function,) if function in in_order else ()
        below = [name for name in in_order if name != function]
        suspects = [name for name in self.constants if name in reached]
        suspects += [name for name in below if name in self.faulty]
        if self.passes is None:
            return called if not suspects and not _is_run(each) else ()
        found = trial.among(suspects, latest)
        if not found and self.searches_left:
            self.searches_left -= 1
            others = (name for name in below if name not in self.faulty)
            found = next(((name,) for name in others if trial.passes_with((name,))), ())
        if found or not called or not trial.all_applied:
            return found
        # For a plain call the reference's answer is right; a program may fail before it calls it.
        return called if not _is_run(each) or trial.passes_with(called) else ()


def _is_run(each: FailedScenario) -> bool:
    return each.stimulus.action.program != ""


def _samples(members: Sequence[FailedScenario]) -> list[FailedScenario]:
    """Return the first, the last, the middle, and so on, so that any few at the front represent
    all.
    """
    last = len(members) - 1
    order = dict.fromkeys((0, last))
    stretches = [(0, last)]
    while stretches and len(order) < _MOST_SAMPLES:
        low, high = stretches.pop(0)
        middle = (low + high) // 2
        order.setdefault(middle)
        if high - low > 1:
            stretches += [(low, middle), (middle, high)]
    return [members[index] for index in order][:_MOST_SAMPLES]


Uses = frozenset[str]
_CALLED_BY_PYTHON = frozenset({"no_repr", "repr_differs", "no_eq"})  # rules about such methods
_MOST_SUSPECTS = 12
_MOST_FAULTS = 3  # for failures that these do not explain, nothing is blamed


class Usage:
    """Which parts of a submission a scenario uses."""

    def __init__(self, outline: Outline) -> None:
        self._members = {part.name: part for part in outline.members}
        self._parts = {part.name: part for part in outline.parts} | self._members
        self._methods: dict[str, list[tuple[str, str]]] = {}  # by class, and by name
        for member in outline.members:
            owner, _, method = member.name.partition(".")
            if method:
                self._methods.setdefault(owner, []).append((owner, method))
                self._methods.setdefault(method, []).append((owner, method))
        self.outline = outline
        self._known: dict[Uses, Uses] = {}

    def classes(self, functions: Iterable[str]) -> frozenset[str]:
        """Return the submission's classes that scenarios are about, by their subjects."""
        about = {name.partition(".")[0] for name in functions}
        return frozenset(name for name in about if name in self._members)

    def named_by(self, stimulus: Stimulus) -> Uses:
        """Return the names, and those of attributes, with which it begins."""
        modules = self.outline.modules if stimulus.action.program else ()
        own = (name for each in modules for name in (*each.mentions, *each.attributes))
        texts = () if stimulus.action.program else stimulus.source_texts()
        return frozenset().union(own, *map(_names_in, texts))

    def of(self, stimulus: Stimulus) -> Uses:
        """Return the names of functions, classes, methods (as `Account.deposit`) and constants.

        A method that is named on any object is used of each class that is used.
        """
        begin = self.named_by(stimulus)
        if begin in self._known:
            return self._known[begin]
        found: set[str] = set()
        seen: set[str] = set()
        left = list(begin)
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            part = self._parts.get(name)
            if part is not None:
                found.add(name)
                left += [*part.mentions, *part.attributes]
            left += [
                f"{owner}.{method}"
                for owner, method in self._methods.get(name, ())
                if owner in found and method in seen
            ]
        self._known[begin] = frozenset(found)
        return self._known[begin]

    def of_failure(self, failure: FailedScenario) -> Uses:
        """The same, but classes alone where a method that Python itself calls is known to be wrong:
        it belongs to its class, and to no method that is named."""
        used = self.of(failure.stimulus)
        if failure.rule in _CALLED_BY_PYTHON:
            return self.classes(used) or used
        return used


@cache
def _names_in(text: str) -> Uses:
    """Return the names, and attributes of any object, in a text of ours; none if it is not
    Python.
    """
    nodes = [node for part in statements(text.strip()) for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names | {node.attr for node in nodes if isinstance(node, ast.Attribute)})


def _blame_by_use(
    failures: Sequence[FailedScenario],
    passed: Iterable[Scenario],
    usage: Usage,
    among: frozenset[str] | None = None,
) -> dict[str, Blame]:
    """Return the part to blame, of `among` (None: all), for each failure that uses one, by
    its id.
    """
    uses = [usage.of_failure(each) for each in failures]
    passing = [usage.of(scenario.stimuli[0]) for scenario in passed]
    if among is not None:
        uses = [each & among for each in uses]
    chosen = _shortest_explanation(uses, passing, [each.scenario.function for each in failures])
    pairs = zip(failures, chosen, strict=True)
    return {each.scenario.id: (name,) for each, name in pairs if name}


def _shortest_explanation(
    uses: Sequence[Uses], passing: Sequence[Uses], functions: Sequence[str]
) -> list[str]:
    """Return for each failure one of the parts that it uses ("": none), with the shortest
    description of all.

    A part costs its name, the number of its failures, and which of the scenarios that use it fail.
    (Spectrum-based fault localization, by description length.) `passing` are the parts that passing
    scenarios use, `functions` those that failures are about.
    """
    suspects = [
        _Suspect(
            name=name,
            failing_bits=sum(1 << index for index, each in enumerate(uses) if name in each),
            passing=sum(name in each for each in passing),
            about=functions.count(name),
        )
        for name in sorted({name for each in uses for name in each})
    ]
    all_failing = sum(1 << index for index, each in enumerate(uses) if each)
    fault_cost = math.log(len(suspects) or 1) + math.log(len(uses) + len(passing) or 1)
    likely = sorted(suspects, key=lambda each: each.order(all_failing, fault_cost))[:_MOST_SUSPECTS]
    chosen = _cheapest(likely, all_failing, fault_cost, _MOST_FAULTS).suspects
    return [
        next((each.name for each in chosen if each.failing_bits >> index & 1), "")
        for index in range(len(uses))
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suspect:
    """A part that may be wrong."""

    name: str
    failing_bits: int  # the failures that use it, a bit each
    passing: int  # how many scenarios that pass use it
    about: int  # how many of the failures are about it: decides between equal costs

    def surprise(self, unexplained: int) -> float:
        """Return the cost, in nats, of saying which of the scenarios that use it are among
        `unexplained`, if it makes their share of them fail.
        """
        fails, passes = (self.failing_bits & unexplained).bit_count(), self.passing
        counts = (count for count in (fails, passes) if count)
        return -sum(count * math.log(count / (fails + passes)) for count in counts)

    def order(self, unexplained: int, fault_cost: float) -> tuple[float, int]:
        """Return a key that sorts the likeliest first: an unexplained failure costs as much as
        another fault.
        """
        left = (unexplained & ~self.failing_bits).bit_count()
        return self.surprise(unexplained) + fault_cost * left, -self.about


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """Parts that together explain failures, and what that costs."""

    cost: float
    about: int = 0
    suspects: tuple[_Suspect, ...] = ()


def _cheapest(
    suspects: Sequence[_Suspect], unexplained: int, fault_cost: float, most: int
) -> _Choice:
    """Return the cheapest explanation of these failures by at most so many parts."""
    if not unexplained or not most:
        return _Choice(cost=unexplained.bit_count() * fault_cost)
    best = _Choice(cost=math.inf)
    for suspect in suspects:
        if not suspect.failing_bits & unexplained:
            continue
        here = fault_cost + suspect.surprise(unexplained)
        if here >= best.cost + 1e-9:
            continue
        rest = _cheapest(suspects, unexplained & ~suspect.failing_bits, fault_cost, most - 1)
        choice = _Choice(
            cost=here + rest.cost,
            about=suspect.about + rest.about,
            suspects=(suspect, *rest.suspects),
        )
        best = min(best, choice, key=lambda each: (each.cost, -each.about))
    return best


SeenPasses = Callable[[FailedScenario, Observation], bool]
"""Whether the scenario would pass if this had been observed."""

_MOST_TRIES = 300  # of one submission
_OTHER_BRANCH = "course"  # blamed where the run takes another branch, and no line tells at which
_CHANNELS = frozenset({Channel.PRINTS, Channel.READS, Channel.ENDING})


def in_scripts(
    failures: Sequence[FailedScenario], outline: Outline, passes: SeenPasses | None
) -> dict[str, str]:
    """Return the statement to blame for each failure of a program without functions in its output
    or input, by the scenario's id: the kind of statement and its line, or `_OTHER_BRANCH`.
    """
    groups: dict[tuple[str, str], list[FailedScenario]] = {}
    for each in failures:
        program = each.stimulus.action.program
        module = next((one for one in outline.modules if one.file == program), None)
        if (
            each.verdict.kind is VerdictKind.FAILED
            and module is not None
            and not outline.names() & set(module.mentions)
            and _CHANNELS.issuperset(one.channel for one in each.verdict.differences[:1])
        ):
            groups.setdefault((each.scenario.function, program), []).append(each)
    tries = _Tries(passes)
    blamed: dict[str, str] = {}
    for (_, program), members in groups.items():
        found = _statements(members, program, outline, tries)
        blamed |= {each.scenario.id: s for each, s in zip(members, found, strict=True) if s}
    return blamed


@dataclass(frozen=True, slots=True, kw_only=True)
class _LinePair:
    """A line as it should be and as it is; each is None if it does not exist."""

    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lead:
    """Where the first line that differs leads."""

    line: _LinePair
    statements: frozenset[str]  # that may be wrong; none: not known
    other_branch: bool  # the run took another branch than it should


def _statements(
    members: Sequence[FailedScenario], program: str, outline: Outline, tries: _Tries
) -> list[str]:
    """Return the statement to blame for each of these failures; "" for none."""
    leads = [_lead(each, program, outline) for each in members]
    at_branches = {name for lead in leads if lead and lead.other_branch for name in lead.statements}
    wordings = {lead.line: lead.statements for lead in leads if lead and not lead.other_branch}
    uses: list[Uses] = []
    for each, lead in zip(members, leads, strict=True):
        if lead and lead.statements:
            uses.append(lead.statements)
        elif each.observation.cut:
            uses.append(frozenset())  # not enough of it is left to try a corrected line
        else:
            explained = tries.explained_by(each, wordings)
            uses.append(explained or frozenset({_OTHER_BRANCH, *at_branches}))
    return _shortest_explanation(uses, (), ())


def _lead(failure: FailedScenario, program: str, outline: Outline) -> _Lead | None:
    """Return where the first line that differs leads.

    Statements that can print both texts are suspected with the values in them; otherwise all that
    can print either, and, if each text has its own, the conditions around them. None if the verdict
    shows no such line.
    """
    line = next(map(_first_difference, failure.verdict.differences[:1]), None)
    if line is None:
        return None
    prints_expected = _shown_by(line.expected, program, outline)
    prints_actual = _shown_by(line.actual, program, outline)
    other_branch = line.expected is None or line.actual is None
    prints_both = prints_expected & prints_actual
    if not other_branch and not prints_both:
        # A statement that only prints a value may print any text.
        prints_expected = frozenset(each for each in prints_expected if any(each.pieces))
        other_branch = bool(prints_expected and prints_actual)
    prints_either = prints_expected | prints_actual
    names = {f"text {each.line}" for each in prints_both or prints_either}
    names |= {f"value {value}" for each in prints_both for value in each.values}
    if not prints_both and prints_expected and prints_actual:  # one in the place of the other
        names |= {f"condition {at}" for each in prints_either for at in each.conditions}
    return _Lead(line=line, statements=frozenset(names), other_branch=other_branch)


def _first_difference(compared: Comparison) -> _LinePair | None:
    if compared.in_words:
        return None
    for row in compared.rows:
        # A cell with a note and an `end`: the text ended with the line before, so here is an empty
        # line.
        cells = (row.expected, row.actual)
        expected, actual = (one.text if not one.note or one.end else None for one in cells)
        if expected != actual:
            return _LinePair(expected=expected, actual=actual)
    for row in compared.rows:
        if not row.same:  # only the line ends differ: an empty line is missing, or extra
            missing = row.actual.end is LineEnd.LACKING
            return _LinePair(expected="" if missing else None, actual=None if missing else "")
    return None


def _shown_by(text: str | None, program: str, outline: Outline) -> frozenset[Printing]:
    return frozenset(outline.shown_by(program, text) if text is not None else ())


class _Tries:
    """Judges failures again with a wrong line corrected, a bounded number of times."""

    def __init__(self, passes: SeenPasses | None) -> None:
        self._passes = passes
        self._left = _MOST_TRIES

    def explained_by(self, failure: FailedScenario, wordings: Mapping[_LinePair, Uses]) -> Uses:
        """Return the statements of the first of these lines whose correction makes it pass."""
        seen = failure.observation
        if self._passes is None:
            return frozenset()
        for line, shown_by in wordings.items():
            if not shown_by or not self._left:
                continue
            self._left -= 1
            turns = tuple(
                replace(
                    turn,
                    printed="\n".join(
                        line.expected or "" if text == line.actual else text
                        for text in turn.printed.split("\n")
                    ),
                )
                for turn in seen.turns
            )
            if turns != seen.turns and self._passes(failure, replace(seen, turns=turns)):
                return shown_by
        return frozenset()
