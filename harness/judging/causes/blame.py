"""Finds the function, class or constant that is to blame for each failing scenario
(docs/causes.md).

It replaces the student's functions by the reference's and runs the scenario again. If nothing can
be replaced, it compares which functions failing and passing scenarios use.
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
_MAX_SAMPLES = 12  # scenarios tried for one function and rule
_ENOUGH_SAMPLES = 2  # stop after this many if they agree
# How many scenarios of a function may also try functions that were never blamed.
_MAX_UNFAILED_SEARCHES = 1


def find_blame(
    failures: Sequence[FailedScenario],
    outline: Outline,
    functions: frozenset[str],
    constants: frozenset[str],
    substitute: Substitute | None,
    *,
    passed: Sequence[Scenario] = (),  # compared with the failures if nothing can be substituted
) -> dict[str, Blame]:
    """Return the names to blame for each failing scenario, keyed by scenario id; an empty tuple if
    nothing was found.

    `functions` are the functions of the assignment sheet, which the reference's can replace.
    `constants` are the submission's constants that a provided constant can replace.
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
    # Prefer functions that are blamed for other failures.
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
    """Return the blamed functions whose failures are all exceptions raised inside the function."""
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
    """Blame one helper or constant instead of several functions, if exactly these functions use
    it: one mistake there is likelier than one in each function.

    If three or more functions are blamed, correct functions may use the helper too. `order` lists
    the functions that can be substituted.
    """
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
    """Return the helpers and constants that exactly the `blamed` functions use.

    If there is none and three or more functions are blamed, return the helpers that all of these
    and some other functions use.
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
    """Return the functions in `order` that use the part `name`, directly or through other parts."""
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
    """Runs one failing scenario again with functions replaced by the reference's."""

    def __init__(self, failure: FailedScenario, substitute: Substitute | None) -> None:
        self.failure = failure
        self.all_applied = True  # whether every substitution so far could be made
        self.suspects: Sequence[str] = ()
        self.innocent: set[str] = set()  # wrong output came before their first call
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
        """Return whether every substitution was possible, or every suspect is known to be
        innocent.
        """
        all_innocent = bool(self.suspects) and self.innocent.issuperset(self.suspects)
        return self.all_applied or all_innocent

    def first_of(self, suspects: Iterable[str]) -> Blame:
        """Return the first suspect whose replacement makes the scenario pass; an empty tuple if
        none does.
        """
        for name in suspects:
            if self.passes_with((name,)):
                return (name,)
        return ()

    def among(self, suspects: Sequence[str], latest: Blame) -> Blame:
        """Return the suspects to blame.

        If replacing `latest` makes the scenario pass, that is `latest`. If even replacing all
        suspects does not, nobody is blamed. Otherwise, return the first suspect that suffices; if
        none does, drop suspects from the last to the first as long as the scenario still passes,
        and return the rest.
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
    """Searches for the functions to blame by substitution.

    `run` fills `blame`. It adds failures to `undecided` if nothing was blamed and some substitution
    was not possible.
    """

    usage: Usage
    order: tuple[str, ...]  # the functions that can be substituted, callees first
    constants: Sequence[str]  # the constants that can be substituted
    substitute: Substitute | None
    faulty: set[str] = field(default_factory=set)  # every name blamed so far
    # How many scenarios of the current function may still try functions that were never blamed.
    searches_left: int = 0
    blame: dict[str, Blame] = field(default_factory=dict)  # keyed by scenario id
    undecided: list[FailedScenario] = field(default_factory=list)

    def run(self, failures: Sequence[FailedScenario]) -> None:
        """Search function by function: callees before callers, whole-program runs last."""
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
        """Find the blame for all failures of one function.

        Each group holds the failures with the same rule.
        """
        self.searches_left = _MAX_UNFAILED_SEARCHES
        found: set[str] = set()
        for members in by_rule:
            of_sample: dict[int, Blame] = {}  # keyed by `FailedScenario.index`
            latest: Blame = ()
            is_undecided = False  # about the last scenario tried
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
        """Return the names to blame for one scenario.

        `latest` is the blame of the previous scenario with the same function and rule; it is tried
        first.
        """
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
    """Tells which functions, classes and constants of a submission a scenario uses."""

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
        """Return the submission's classes that these functions or methods belong to."""
        about = {name.partition(".")[0] for name in functions}
        return frozenset(name for name in about if name in self._members)

    def named_by(self, stimulus: Stimulus) -> Uses:
        """Return the names and attribute names in the scenario's own code; for a whole program,
        those in its module-level code.
        """
        names: set[str] = set()
        if stimulus.action.program:
            for module in self.outline.modules:
                names.update(module.mentions, module.attributes)
        else:
            for text in stimulus.source_texts():
                names |= _names_in(text)
        return frozenset(names)

    def of(self, stimulus: Stimulus) -> Uses:
        """Return the functions, classes, methods (as `Account.deposit`) and constants that the
        scenario uses.

        `x.deposit()` counts as a use of `deposit` in every class that the scenario uses, because
        the type of `x` is unknown.
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
        """Return the parts that a failing scenario uses.

        If the rule says that a special method such as `__eq__` is wrong, return only classes: the
        scenario's code does not name such methods.
        """
        used = self.of(failure.stimulus)
        if failure.rule in _CALLED_BY_PYTHON:
            return self.classes(used) or used
        return used


@cache
def _names_in(text: str) -> Uses:
    """Return the names and attribute names in a piece of Python from the course; nothing if it
    does not parse.
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
    """Return the part to blame for each failure, keyed by scenario id, judging by which parts
    failing and passing scenarios use.

    Only parts in `among` are blamed, or any part if it is None.
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
