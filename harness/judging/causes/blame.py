"""Finds the function, class or constant of a submission that is to blame for each failing scenario
(docs/causes.md): by substitution, or by use if nothing can be substituted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from harness.judging.causes.failed_scenarios import FailedScenario
from harness.judging.causes.faults import Uses, shortest_explanation
from harness.model.explanation.probes import SubstitutionOutcome
from harness.model.plan import Scenario
from harness.model.policy import Outline
from harness.model.stimulus import Stimulus, statements
from harness.model.verdict import Blame, Channel

Substitute = Callable[[FailedScenario, Blame], SubstitutionOutcome]
"""Runs the scenario with these names substituted."""

_NOT_APPLIED = frozenset({SubstitutionOutcome.INAPPLICABLE, SubstitutionOutcome.WRONG_BEFORE})
_MAX_SAMPLES = 12  # scenarios of one function and rule that are looked at
_ENOUGH_SAMPLES = 2  # if they agree
# For so many scenarios of a function, functions that were never blamed are tried too.
_MAX_UNFAILED_SEARCHES = 1


def find_blame(
    failures: Sequence[FailedScenario],
    outline: Outline,
    functions: frozenset[str],
    constants: frozenset[str],
    substitute: Substitute | None,
    *,
    passed: Sequence[Scenario] = (),  # for blame by use
) -> dict[str, Blame]:
    """Return the names to blame for each scenario, by its id; () for none.

    `functions` are those of the sheet that can be substituted, `constants` the submission's that a
    provided one can replace.
    """
    usage = Usage(outline)
    scenarios = [*(failure.scenario for failure in failures), *passed]
    classes = usage.classes({scenario.function for scenario in scenarios})
    with_objects: list[FailedScenario] = []
    without_objects: list[FailedScenario] = []
    for failure in failures:
        if classes & usage.of(failure.stimulus):
            with_objects.append(failure)
        else:
            without_objects.append(failure)
    order = outline.callees_first(functions & outline.names())
    replaceable = sorted(constants & outline.names(callable=False))
    search = _BlameSearch(usage, order, replaceable, substitute)
    search.run(without_objects)
    blame = search.blame
    faulty = frozenset(chain.from_iterable(blame.values()))
    blame |= _blame_by_use(with_objects, passed, usage)
    only_exit_differs = list(filter(_only_exit_differs, search.undecided))
    others = [failure for failure in search.undecided if failure not in only_exit_differs]
    # Among those already to blame, if there are any.
    among = faulty or functions
    blame |= _blame_by_use(others, passed, usage, among)
    # A function whose failures are all exceptions explains nothing here: an uncaught exception
    # changes more than the exit status.
    raising = _only_raising(failures, blame, outline)
    blame |= _blame_by_use(only_exit_differs, passed, usage, among - raising)
    return _with_shared_helper(blame, outline, order)


def _only_exit_differs(failure: FailedScenario) -> bool:
    channels = {difference.channel for difference in failure.verdict.differences}
    return failure.raised is None and channels == {Channel.EXIT}


def _only_raising(
    failures: Sequence[FailedScenario], blame: Mapping[str, Blame], outline: Outline
) -> frozenset[str]:
    """Return those functions to blame whose failures are all exceptions at a line inside them."""
    raising: set[str] = set()
    others: set[str] = set()
    for failure in failures:
        raises_in = ""
        if failure.frame is not None:
            raises_in = outline.function_at(failure.frame.file, failure.frame.line)
        for name in blame.get(failure.scenario.id, ()):
            if name == raises_in:
                raising.add(name)
            else:
                others.add(name)
    return frozenset(raising - others)


def _with_shared_helper(
    blame: dict[str, Blame], outline: Outline, order: Sequence[str]
) -> dict[str, Blame]:
    """Blame one helper or constant instead of several functions, if exactly these use it: one
    change there is likelier than one in each. If they are three or more, functions that are right
    may use a helper too. `order` has the functions that can be substituted."""
    blamed = set(chain.from_iterable(blame.values()))
    if len(blamed) < 2 or not blamed <= set(order):
        return blame
    shared = _used_by(blamed, outline, order)
    if not shared:
        return blame
    # A helper rather than the constant that only it uses: the fault may be in either.
    chosen = max(shared, key=lambda name: len(outline.reached_from((name,))))
    shared_blame: dict[str, Blame] = {}
    for id, names in blame.items():
        shared_blame[id] = ()
        if names:
            shared_blame[id] = (chosen,)
    return shared_blame


def _used_by(blamed: set[str], outline: Outline, order: Sequence[str]) -> list[str]:
    """Return the parts outside `order` that exactly the `blamed` functions use; without one, the
    helpers that others use too, if three or more are blamed.
    """
    exactly: list[str] = []
    by_others_too: list[str] = []
    helpers = outline.names()
    for part in outline.parts:
        if part.name in order:
            continue
        users = _users(part.name, outline, order)
        if users == blamed:
            exactly.append(part.name)
        elif part.name in helpers and len(blamed) > 2 and blamed < users:
            by_others_too.append(part.name)
    return exactly or by_others_too


def _users(name: str, outline: Outline, order: Sequence[str]) -> set[str]:
    """Return the functions of `order` that use it, directly or through other parts."""
    users: set[str] = set()
    pending = [name]
    visited = {name}
    while pending:
        used = pending.pop()
        for part in outline.parts:
            if used not in part.mentions or part.name in visited:
                continue
            visited.add(part.name)
            if part.name in order:
                users.add(part.name)
            else:
                pending.append(part.name)
    return users


class _Trial:
    """One failing scenario, run again with names substituted."""

    def __init__(self, failure: FailedScenario, substitute: Substitute | None) -> None:
        self.failure = failure
        self.all_applied = True  # whether every substitution so far could be made
        self.suspects: Sequence[str] = ()
        self.innocent: set[str] = set()  # those that something wrong did not come from
        self._substitute = substitute

    def passes_with(self, names: Blame) -> bool:
        outcome = SubstitutionOutcome.INAPPLICABLE
        if self._substitute is not None:
            outcome = self._substitute(self.failure, names)
        if outcome is SubstitutionOutcome.WRONG_BEFORE:
            self.innocent.update(names)
        if outcome in _NOT_APPLIED:
            self.all_applied = False
        return outcome is SubstitutionOutcome.PASSED

    @property
    def is_decided(self) -> bool:
        """Whether every substitution was made, or else no suspect can be to blame."""
        all_innocent = bool(self.suspects) and self.innocent.issuperset(self.suspects)
        return self.all_applied or all_innocent

    def first_of(self, suspects: Iterable[str]) -> Blame:
        """Return the first suspect that makes the scenario pass by itself; () for none."""
        for name in suspects:
            if self.passes_with((name,)):
                return (name,)
        return ()

    def among(self, suspects: Sequence[str], latest: Blame) -> Blame:
        """Return the suspects to blame.

        That is `latest` if it makes the scenario pass; none if not even all together do; otherwise
        the first that does so by itself, or those that remain after leaving out each that is not
        needed, the last first.
        """
        self.suspects = suspects
        if latest and set(latest) <= set(suspects) and self.passes_with(latest):
            return latest
        if len(suspects) > 1 and not self.passes_with(tuple(suspects)):
            return ()
        first = self.first_of(suspects)
        if first or len(suspects) < 2:
            return first
        needed = tuple(suspects)
        for name in reversed(suspects):
            others = tuple(other for other in needed if other != name)
            if len(others) > 1 and self.passes_with(others):
                needed = others
        return needed


@dataclass(slots=True)
class _BlameSearch:
    """Blame by substitution. `run` fills `blame`, and `undecided` with failures that nobody is
    blamed for because a substitution could not be made."""

    usage: Usage
    order: tuple[str, ...]  # the functions that can be substituted, callees first
    constants: Sequence[str]  # those that can
    substitute: Substitute | None
    faulty: set[str] = field(default_factory=set)  # all that were blamed so far
    # For this function: how often functions that were never blamed may still be tried.
    searches_left: int = 0
    blame: dict[str, Blame] = field(default_factory=dict)  # by a scenario's id
    undecided: list[FailedScenario] = field(default_factory=list)

    def run(self, failures: Sequence[FailedScenario]) -> None:
        """Function by function, callees before callers, runs of programs last."""
        places = {name: index for index, name in enumerate(self.order)}
        groups: dict[tuple[bool, int, str], dict[str, list[FailedScenario]]] = {}
        for failure in failures:
            name = failure.scenario.function
            key = _is_run(failure), places.get(name, len(places)), name
            by_rule = groups.setdefault(key, {})
            by_rule.setdefault(failure.rule, []).append(failure)
        for key in sorted(groups):
            self._blame_function(groups[key].values())

    def _blame_function(self, by_rule: Iterable[Sequence[FailedScenario]]) -> None:
        """Blame for the failures of one function, in groups of one rule each."""
        self.searches_left = _MAX_UNFAILED_SEARCHES
        found: set[str] = set()
        for members in by_rule:
            of_sample: dict[int, Blame] = {}  # by the index of the sample
            latest: Blame = ()
            is_undecided = False  # in the end: of the last sample tried
            for count, failure in enumerate(_samples(members)):
                if count >= _ENOUGH_SAMPLES and len(set(of_sample.values())) == 1:
                    break
                trial = _Trial(failure, self.substitute)
                latest = of_sample[failure.index] = self._of(trial, latest)
                is_undecided = not latest and not trial.is_decided
            blame: Blame = ()
            # A member outside the sample gets the blame of the sample before it; the first member
            # is in the sample.
            for failure in members:
                blame = of_sample.get(failure.index, blame)
                self.blame[failure.scenario.id] = blame
                if is_undecided and not blame:
                    self.undecided.append(failure)
            found.update(*of_sample.values())
        self.faulty |= found

    def _of(self, trial: _Trial, latest: Blame) -> Blame:
        """Return the names to blame for one scenario; `latest` are those of another one of its
        kind."""
        failure, function = trial.failure, trial.failure.scenario.function
        if failure.verdict.stand_in is not None:
            return (function,)  # it does not pass with the reference's modules either
        is_run = _is_run(failure)
        outline = self.usage.outline
        named = self.usage.named_by(failure.stimulus) & outline.names()
        reached = outline.reached_from(named)
        called: Blame = ()
        if function in self.order and function in reached:
            called = (function,)
        below = [name for name in self.order if name in reached and name != function]
        suspects = [name for name in self.constants if name in reached]
        suspects += [name for name in below if name in self.faulty]
        if self.substitute is None:
            if suspects or is_run:
                return ()
            return called
        found = trial.among(suspects, latest)
        if not found and self.searches_left:
            self.searches_left -= 1
            found = trial.first_of(name for name in below if name not in self.faulty)
        if found or not called:
            return found
        if not trial.is_decided:
            return ()
        # For a plain call the reference's answer is right; a program may fail before it calls it.
        if is_run and not trial.passes_with(called):
            return ()
        return called


def _is_run(failure: FailedScenario) -> bool:
    return failure.stimulus.action.program != ""


def _samples(members: Sequence[FailedScenario]) -> list[FailedScenario]:
    """Return the items in the order first, last, middle and so on, so that the first few represent
    all."""
    last = len(members) - 1
    order = dict.fromkeys((0, last))
    stretches = [(0, last)]
    while stretches and len(order) < _MAX_SAMPLES:
        low, high = stretches.pop(0)
        middle = (low + high) // 2
        order.setdefault(middle)
        if high - low > 1:
            stretches += [(low, middle), (middle, high)]
    return [members[index] for index in order][:_MAX_SAMPLES]


_CALLED_BY_PYTHON = frozenset({"no_repr", "repr_differs", "no_eq"})  # rules about such methods


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
        names: set[str] = set()
        if stimulus.action.program:
            for module in self.outline.modules:
                names.update(module.mentions, module.attributes)
        else:
            for text in stimulus.source_texts():
                names |= _names_in(text)
        return frozenset(names)

    def of(self, stimulus: Stimulus) -> Uses:
        """Return the names of functions, classes, methods (as `Account.deposit`) and constants.

        A method that is named on any object is used of each class that is used.
        """
        named = self.named_by(stimulus)
        if named not in self._known:
            self._known[named] = self._used_from(named)
        return self._known[named]

    def _used_from(self, named: Uses) -> Uses:
        used: set[str] = set()
        visited: set[str] = set()
        pending = list(named)
        while pending:
            name = pending.pop()
            if name in visited:
                continue
            visited.add(name)
            part = self._parts.get(name)
            if part is not None:
                used.add(name)
                pending += [*part.mentions, *part.attributes]
            for owner, method in self._methods.get(name, ()):
                if owner in used and method in visited:
                    pending.append(f"{owner}.{method}")
        return frozenset(used)

    def of_failure(self, failure: FailedScenario) -> Uses:
        """Return the same, but only classes if a method that Python itself calls is known to be
        wrong: it belongs to its class, and to no method that is named.
        """
        used = self.of(failure.stimulus)
        if failure.rule in _CALLED_BY_PYTHON:
            return self.classes(used) or used
        return used


@cache
def _names_in(text: str) -> Uses:
    """Return the names, and attributes of any object, in a text of ours; none if it is not
    Python.
    """
    names: set[str] = set()
    for statement in statements(text.strip()):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
    return frozenset(names)


def _blame_by_use(
    failures: Sequence[FailedScenario],
    passed: Iterable[Scenario],
    usage: Usage,
    among: frozenset[str] | None = None,
) -> dict[str, Blame]:
    """Return the part to blame, of `among` (None: all), for each failure that uses one, by
    its id.
    """
    uses: list[Uses] = []
    for failure in failures:
        used = usage.of_failure(failure)
        if among is not None:
            used &= among
        uses.append(used)
    passing = [usage.of(scenario.stimuli[0]) for scenario in passed]
    functions = [failure.scenario.function for failure in failures]
    chosen = shortest_explanation(uses, passing, functions)
    blame: dict[str, Blame] = {}
    for failure, name in zip(failures, chosen, strict=True):
        if name:
            blame[failure.scenario.id] = (name,)
    return blame
