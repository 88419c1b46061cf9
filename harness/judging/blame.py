"""Which function is to blame: the one that, answered by the course's, makes a scenario pass.

`passes` runs a scenario again with some names substituted; without it only what needs no run is
decided: a function that fails by itself, and calls nothing that does, is to blame.

Where nothing can be substituted, as in classes, the parts are to blame that failing scenarios use
and passing ones do not. A scenario uses the functions, classes, methods and constants that it
names, and all that these name in turn. A wrong part makes some share of the scenarios that use it
fail. Those parts are to blame that tell in the shortest way what failed and what passed: each costs
its name and the number of its failures, and then which ones they are. (Spectrum-based fault
localization, by description length.)

Of a program without functions it is the statement that its failures lead to (`in_scripts`). The
first line that differs leads to the statement that shows it, or would show what is missing: known
from the literal text in the program. A line that is there with other words is wrong where it is
shown, or in the values that it shows. A line that is missing, or too many, or in the place of
another (by a condition around one of the two), says that the run takes another course; so does a
run that asks for more or for less, and any statement with such a line may be why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.judging.failed_scenarios import FailedScenario, attributes_in, names_in
from harness.model.observation import Observation, Turn
from harness.model.plan import Scenario
from harness.model.policy import Outline, Printing
from harness.model.stimulus import Stimulus
from harness.model.verdict import (
    Blame,
    Cell,
    Channel,
    Comparison,
    LineEnd,
    StandInOutcome,
    VerdictKind,
)

Passes = Callable[[FailedScenario, Blame], bool | None]
"""None: these names cannot be substituted in this scenario."""

MOST_SAMPLES = 12  # of the scenarios of one function and rule
FEW = 2  # are enough where they agree
TRIES_BEYOND = 1  # scenarios of a function on which those without a failure of their own are tried


def find_blame(
    failures: Sequence[FailedScenario],
    outline: Outline,
    functions: frozenset[str],
    constants: frozenset[str],
    passes: Passes | None,
    *,
    passed: Sequence[Scenario] = (),
) -> dict[str, Blame]:
    """Who is to blame for each scenario, by its id; () for nobody.

    `functions` are those of the sheet that can be substituted, `constants` own constants in whose
    place a provided one can be put. `passed` are the scenarios that passed: where objects keep a
    substituted function from being called, who is used by them is not to blame.
    """
    usage = Usage(outline)
    classes = usage.classes(each.function for each in (*(f.scenario for f in failures), *passed))
    with_objects = [each for each in failures if classes & usage.of(each.stimulus)]
    apart = {each.scenario.id for each in with_objects}
    search = _Search(outline, functions & outline.names(), constants, passes)
    blame = search.run([each for each in failures if each.scenario.id not in apart])
    undecided = [each for each in failures if each.scenario.id in search.undecided]
    faulty = frozenset(name for names in blame.values() for name in names)
    blame |= _blame_by_use(with_objects, passed, usage)
    blame |= _blame_by_use(undecided, passed, usage, faulty or functions)
    return search.joined(blame)


class _Search:
    def __init__(
        self,
        outline: Outline,
        functions: frozenset[str],
        constants: frozenset[str],
        passes: Passes | None,
    ) -> None:
        self._outline = outline
        self._order = outline.callees_first(functions)
        self._constants = tuple(sorted(constants & outline.names(callable=False)))
        self._passes = passes
        self._faulty: set[str] = set()
        self._beyond = 0
        self._applied = True  # every substitution of the scenario that is looked at
        self._reached: dict[tuple[str, ...], frozenset[str]] = {}
        self.blame: dict[str, Blame] = {}
        self.undecided: set[str] = set()  # what was tried could not be substituted

    def run(self, failures: Sequence[FailedScenario]) -> dict[str, Blame]:
        """Function by function, callees before callers, programs last."""
        place = {name: index for index, name in enumerate(self._order)}
        groups: dict[tuple[str, bool], list[FailedScenario]] = {}
        for each in failures:
            groups.setdefault((each.scenario.function, _is_run(each)), []).append(each)
        for (name, _), members in sorted(
            groups.items(),
            key=lambda entry: (entry[0][1], place.get(entry[0][0], len(place)), entry[0]),
        ):
            by_rule: dict[str, list[FailedScenario]] = {}
            for each in members:
                by_rule.setdefault(each.rule, []).append(each)
            target = name if name in self._order else None
            self._beyond = TRIES_BEYOND
            found = [self._blame_same(target, same) for same in by_rule.values()]
            self._faulty.update(*found)
        return self.blame

    def joined(self, blame: dict[str, Blame]) -> dict[str, Blame]:
        """One helper or constant in place of several functions, where all that use it are to blame
        and nobody else is: one change there is likelier than one in each. Of a helper that three or
        more of them use, others may use it and be right."""
        blamed = {name for names in blame.values() for name in names}
        if len(blamed) < 2 or not blamed <= set(self._order):
            return blame
        users = {
            part.name: frozenset(self._users(part.name))
            for part in self._outline.parts
            if part.name not in self._order
        }
        helpers = self._outline.names()
        shared = [name for name, by in users.items() if by == blamed] or [
            name
            for name, by in users.items()
            if name in helpers and len(blamed) > 2 and blamed < by
        ]
        if not shared:
            return blame
        # Of a helper and the constant that it alone uses, the helper: the fault may be in either.
        first = max(shared, key=lambda name: len(self._reach((name,))))
        return {name: (first,) if names else () for name, names in blame.items()}

    def _users(self, name: str) -> set[str]:
        """The functions of the sheet that use it, directly or by way of other helpers."""
        found: set[str] = set()
        left, seen = [name], {name}
        while left:
            used = left.pop()
            for part in self._outline.parts:
                if used in part.mentions and part.name not in seen:
                    seen.add(part.name)
                    (found.add if part.name in self._order else left.append)(part.name)
        return found

    def _blame_same(self, target: str | None, members: Sequence[FailedScenario]) -> set[str]:
        """One function and rule: a few scenarios, more where they disagree, and the others follow
        the one before them. Who is to blame for any of them."""
        known: dict[int, Blame] = {}
        latest: Blame = ()
        open_still = False
        for count, each in enumerate(_spread(members)[:MOST_SAMPLES]):
            if count >= FEW and len(set(known.values())) == 1:
                break
            latest = known[each.index] = self._of(each, target, latest)
            open_still = not latest and not self._applied
        last: Blame | None = None
        for each in members:
            last = known.get(each.index, last)
            self.blame[each.scenario.id] = next(iter(known.values())) if last is None else last
            if open_still and not self.blame[each.scenario.id]:
                self.undecided.add(each.scenario.id)
        return {name for blame in known.values() for name in blame}

    def _of(self, each: FailedScenario, target: str | None, latest: Blame) -> Blame:
        """Who is to blame for one scenario; `latest` was for another of its kind."""
        if each.verdict.stand_in is StandInOutcome.FAILED:
            return (each.scenario.function,)  # with the course's modules it fails as well
        reached = self._reach(each.begins_with)
        called = target is not None and target in reached
        constants = [name for name in self._constants if name in reached]
        below = [name for name in self._order if name in reached and name != target]
        suspects = [*constants, *(name for name in below if name in self._faulty)]
        if self._passes is None:
            is_clear = called and not suspects and not _is_run(each)
            return (target,) if is_clear and target is not None else ()
        self._applied = True
        found = self._among(each, suspects, latest)
        if not found and self._beyond:
            self._beyond -= 1
            others = (name for name in below if name not in self._faulty)
            found = next(((name,) for name in others if self._try(each, (name,))), ())
        if found or target is None or not called or not self._applied:
            return found
        # The course's answer to a plain call is right; a program may fail before it gets there.
        return (target,) if not _is_run(each) or self._try(each, (target,)) else ()

    def _among(self, each: FailedScenario, suspects: Sequence[str], latest: Blame) -> Blame:
        """The first suspect that alone makes it pass, else the fewest that do so together."""
        if latest and set(latest) <= set(suspects) and self._try(each, latest):
            return latest
        if len(suspects) > 1 and not self._try(each, tuple(suspects)):
            return ()
        for name in suspects:
            if self._try(each, (name,)):
                return (name,)
        return self._fewest(each, suspects) if len(suspects) > 1 else ()

    def _try(self, each: FailedScenario, names: Blame) -> bool:
        passed = self._passes(each, names) if self._passes is not None else None
        self._applied = self._applied and passed is not None
        return bool(passed)

    def _fewest(self, each: FailedScenario, names: Sequence[str]) -> Blame:
        """Of names that together make it pass those that are needed for that."""
        needed = list(names)
        for name in reversed(names):
            others = tuple(other for other in needed if other != name)
            if len(others) > 1 and self._try(each, others):
                needed.remove(name)
        return tuple(needed)

    def _reach(self, names: tuple[str, ...]) -> frozenset[str]:
        if names not in self._reached:
            self._reached[names] = self._outline.reached_from(names)
        return self._reached[names]


def _is_run(each: FailedScenario) -> bool:
    return each.stimulus.action.program != ""


def _spread(members: Sequence[FailedScenario]) -> list[FailedScenario]:
    """The first, the last, the middle, and so on: any few at the front represent all."""
    last = len(members) - 1
    order = dict.fromkeys((0, last))
    stretches = [(0, last)]
    while stretches and len(order) < MOST_SAMPLES:
        low, high = stretches.pop(0)
        middle = (low + high) // 2
        order.setdefault(middle)
        if high - low > 1:
            stretches += [(low, middle), (middle, high)]
    return [members[index] for index in order]


Uses = frozenset[str]
_MOST_SUSPECTS = 12
_MOST_FAULTS = 3  # what these do not explain has nobody to blame


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
        self._modules = outline.modules
        self._known: dict[Uses, Uses] = {}

    def classes(self, functions: Iterable[str]) -> frozenset[str]:
        """The submission's classes that scenarios are about, by what each is about."""
        about = {name.partition(".")[0] for name in functions}
        return frozenset(name for name in about if name in self._members)

    def of(self, stimulus: Stimulus) -> Uses:
        """The names of functions, classes, methods (as `Account.deposit`) and constants."""
        if stimulus.action.program:
            named = {name for each in self._modules for name in (*each.mentions, *each.attributes)}
        else:
            texts = stimulus.source_texts()
            named = {name for text in texts for name in names_in(text) | attributes_in(text)}
        begin = frozenset(named)
        if begin not in self._known:
            self._known[begin] = self._reached(begin)
        return self._known[begin]

    def _reached(self, begin: Uses) -> Uses:
        """A method that is named, of whatever object, is used of each class that is used."""
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
        return frozenset(found)


def _blame_by_use(
    failures: Sequence[FailedScenario],
    passed: Iterable[Scenario],
    usage: Usage,
    among: frozenset[str] | None = None,
) -> dict[str, Blame]:
    """The part to blame for each of these failures, by the scenario's id: one of `among` (None: of
    all). Nobody, where a failure uses none of them."""
    uses = [usage.of(each.stimulus) for each in failures]
    right = [usage.of(scenario.stimuli[0]) for scenario in passed]
    if among is not None:
        uses = [each & among for each in uses]
    chosen = fewest_parts(uses, right, [each.scenario.function for each in failures])
    pairs = zip(failures, chosen, strict=True)
    return {each.scenario.id: (name,) for each, name in pairs if name}


def fewest_parts(uses: Sequence[Uses], right: Sequence[Uses], about: Sequence[str]) -> list[str]:
    """The part to blame for each failure, of those that it uses ("": none); the fewest that explain
    them. `right` are the parts used by what passes, `about` what each failure is about."""
    suspects = [
        _Suspect(
            name=name,
            failing=sum(1 << index for index, each in enumerate(uses) if name in each),
            passing=sum(name in each for each in right),
            about=sum(each == name for each in about),
        )
        for name in sorted({name for each in uses for name in each})
    ]
    left = 0
    for suspect in suspects:
        left |= suspect.failing
    price = math.log(len(suspects) or 1) + math.log(len(uses) + len(right) or 1)
    likely = sorted(suspects, key=lambda each: each.order(left, price))[:_MOST_SUSPECTS]
    _, chosen = _fewest(likely, left, price, _MOST_FAULTS)
    found = [""] * len(uses)
    for suspect in chosen:
        for index, name in enumerate(found):
            if not name and suspect.failing >> index & 1:
                found[index] = suspect.name
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suspect:
    """A part: the failures that use it, as bits; how many scenarios that pass use it, and how many
    of the failures are about it."""

    name: str
    failing: int
    passing: int
    about: int

    def surprise(self, left: int) -> float:
        """How surprising it is, in nats, which of the scenarios that use it fail, if it is wrong
        and makes its share of them fail."""
        fails, passes = (self.failing & left).bit_count(), self.passing
        counts = (count for count in (fails, passes) if count)
        return -sum(count * math.log(count / (fails + passes)) for count in counts)

    def order(self, left: int, price: float) -> tuple[float, int]:
        """The likeliest first: an unexplained failure costs as much as another fault."""
        unexplained = (left & ~self.failing).bit_count()
        return self.surprise(left) + price * unexplained, -self.about


def _fewest(
    suspects: Sequence[_Suspect], left: int, price: float, most: int
) -> tuple[tuple[float, int], tuple[_Suspect, ...]]:
    """The parts that together explain what is left at the least cost, and that cost."""
    if not left or not most:
        return (left.bit_count() * price, 0), ()
    best: tuple[tuple[float, int], tuple[_Suspect, ...]] = ((math.inf, 0), ())
    for suspect in suspects:
        if not suspect.failing & left:
            continue
        here = price + suspect.surprise(left)
        if here >= best[0][0] + 1e-9:
            continue
        (cost, about), others = _fewest(suspects, left & ~suspect.failing, price, most - 1)
        total = (here + cost, about - suspect.about)
        if total < best[0]:
            best = total, (suspect, *others)
    return best


SeenPasses = Callable[[FailedScenario, Observation], bool]
"""Whether the scenario would pass, had this been seen."""

MOST_TRIES = 300  # of one submission
_COURSE = "course"  # of a run: whichever statement makes it another one
_CHANNELS = frozenset({Channel.PRINTS, Channel.READS, Channel.ENDING})


def in_scripts(
    failures: Sequence[FailedScenario], outline: Outline, passes: SeenPasses | None
) -> dict[str, str]:
    """The statement to blame of each failure of a program without functions, by its id: its line,
    or another word for what is not known. The others are left out."""
    groups: dict[tuple[str, str], list[FailedScenario]] = {}
    for each in failures:
        program = _script(each, outline)
        if program:
            groups.setdefault((each.scenario.function, program), []).append(each)
    tries = _Tries(passes)
    blamed: dict[str, str] = {}
    for (_, program), members in groups.items():
        statements = _statements(members, program, outline, tries)
        for each, statement in zip(members, statements, strict=True):
            if statement:
                blamed[each.scenario.id] = statement
    return blamed


def _script(each: FailedScenario, outline: Outline) -> str:
    """The program without functions that was run and went wrong in what it shows and reads."""
    program = each.stimulus.action.program
    if each.verdict.kind is not VerdictKind.FAILED:
        return ""
    channels = {difference.channel for difference in each.verdict.differences[:1]}
    module = next((one for one in outline.modules if one.file == program), None)
    if module is None or not channels <= _CHANNELS or outline.names() & set(module.mentions):
        return ""
    return program


@dataclass(frozen=True, slots=True, kw_only=True)
class _LinePair:
    """A line as it should be and as it is; None where there is none."""

    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The first line that differs, and the statements that it leads to; none: they are not known.
    `course`: the run took another course than it should."""

    line: _LinePair
    statements: frozenset[str]
    course: bool


def _statements(
    members: Sequence[FailedScenario], program: str, outline: Outline, tries: _Tries
) -> list[str]:
    shown = [_shown(each, program, outline) for each in members]
    courses = {statement for one in shown if one and one.course for statement in one.statements}
    wordings = {one.line: one.statements for one in shown if one and not one.course}
    uses: list[frozenset[str]] = []
    for each, one in zip(members, shown, strict=True):
        if one and one.statements:
            uses.append(one.statements)
        elif each.observation.cut:
            uses.append(frozenset())  # it cannot be tried what another line would make of it
        else:
            uses.append(tries.corrected(each, wordings) or frozenset({_COURSE, *courses}))
    return fewest_parts(uses, (), ())


def _shown(each: FailedScenario, program: str, outline: Outline) -> _Shown | None:
    line = next(map(_first_difference, each.verdict.differences[:1]), None)
    if line is None:
        return None
    wanted = _shown_by(line.expected, program, outline)
    there = _shown_by(line.actual, program, outline)
    course = line.expected is None or line.actual is None
    same = wanted & there
    if not course and not same:  # a value alone may be any text: it says of none who shows it
        wanted = frozenset(each for each in wanted if any(each.pieces))
        course = bool(wanted and there)
    names = {f"text {each.line}" for each in same or wanted | there}
    names |= {f"value {value}" for each in same for value in each.values}
    if not same and wanted and there:  # one in the place of the other
        names |= {f"condition {at}" for each in wanted | there for at in each.conditions}
    return _Shown(line=line, statements=frozenset(names), course=course)


def _first_difference(compared: Comparison) -> _LinePair | None:
    if compared.in_words:
        return None
    for row in compared.rows:
        pair = _LinePair(expected=_text(row.expected), actual=_text(row.actual))
        if pair.expected != pair.actual:
            return pair
    for row in compared.rows:
        if not row.same:  # but for its end: an empty line is missing, or is too many
            missing = row.actual.end is LineEnd.LACKING
            return _LinePair(expected="" if missing else None, actual=None if missing else "")
    return None


def _text(cell: Cell) -> str | None:
    """The line's text; where the side's text ended with the line before, that is an empty line."""
    return cell.text if not cell.note or cell.end else None


def _shown_by(text: str | None, program: str, outline: Outline) -> frozenset[Printing]:
    return frozenset(outline.shown_by(program, text) if text is not None else ())


class _Tries:
    """Tries what a scenario makes of a run in which a wrong line is as it should be."""

    def __init__(self, passes: SeenPasses | None) -> None:
        self._passes = passes
        self._left = MOST_TRIES

    def corrected(
        self, each: FailedScenario, wordings: Mapping[_LinePair, frozenset[str]]
    ) -> frozenset[str] | None:
        """The statements of the first wording with which it passes."""
        seen = each.observation
        if self._passes is None:
            return None
        for line, statements in wordings.items():
            if not statements or not self._left:
                continue
            self._left -= 1
            turns = tuple(_corrected(turn, line) for turn in seen.turns)
            if turns != seen.turns and self._passes(each, replace(seen, turns=turns)):
                return statements
        return None


def _corrected(turn: Turn, line: _LinePair) -> Turn:
    texts = turn.printed.split("\n")
    right = [line.expected or "" if text == line.actual else text for text in texts]
    return replace(turn, printed="\n".join(right))
