"""Measure how similar the programs of a class are.

Find similar pairs and groups from fingerprints.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

from harness.common.people import connected
from harness.model import study

# Matches of one pair that are kept: two programs of 500 KB can be made to have 60,000.
MAX_MATCHES = 1000
# The score from which two programs are in one group.
GROUPED_FROM = 0.45
# If all programs of a class follow one plan, they reach `GROUPED_FROM` by chance. Then a higher
# score is required, but never more than this.
_MAX_GROUPED_FROM = 0.75
# A group's score is this many standard deviations above the usual share of two programs.
_DEVIATIONS = 3.5
_MIN_LISTED_SCORE = 0.2
# A smaller class does not show which similarity is usual.
_MIN_CLASS = 10
# Shorter matches are similar by chance.
_MIN_WEIGHT = 10.0

_Prints = Sequence[study.Fingerprint]
Prints = Mapping[str, _Prints]
_Values = Mapping[str, Set[int]]
_Names = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The similar pairs of programs in a class, and the scores from which pairs count as
    similar.
    """

    # The pairs with a score of at least 0.2, without their matching lines.
    pairs: tuple[study.SimilarPair, ...]
    # Two independent programs of this class stay below this score.
    cut: float
    # Two programs with at least this score are in one group.
    grouped_from: float

    @property
    def listed(self) -> tuple[study.SimilarPair, ...]:
        """Return the pairs that are more similar than chance explains."""
        return tuple(pair for pair in self.pairs if pair.score >= self.cut)

    @property
    def connected(self) -> tuple[study.SimilarPair, ...]:
        """Return the pairs that are similar enough to put both programs into one group."""
        return tuple(pair for pair in self.pairs if pair.score >= self.grouped_from)


def likeness(
    programs: Prints,
    *,
    given: Iterable[study.Fingerprint] = (),
    earlier: Set[str] = frozenset(),
    only: Set[str] | None = None,
) -> Likeness:
    """Score each pair of programs, except pairs of two `earlier` ones, which are of another class.

    With `only`, score the pairs that contain one of these programs. `given` fingerprints (stub,
    provided files, reference) do not count. A score is the share of the smaller program's
    fingerprints that the other one has too; a whole copy has 1. A fingerprint weighs less if more
    groups of programs have it, besides the groups of the two. Groups are counted, not programs:
    otherwise code that a majority has copied would weigh nothing.
    """
    values = _numbered_values(programs, given)
    shares, contained = _containments(values)
    can_tell = len(values) >= _MIN_CLASS
    grouped_from = GROUPED_FROM
    if can_tell:
        grouped_from = _above_usual(shares)
    near = [names for share, names in contained if share >= grouped_from]
    leader = _leaders(values, near)
    pairs, apart = _scores(values, leader, earlier, only)
    cut = _MIN_LISTED_SCORE
    if can_tell:
        chance = min(grouped_from, _end_of_chance(apart))
        cut = max(cut, chance)
    return Likeness(pairs=pairs, cut=cut, grouped_from=grouped_from)


def _numbered_values(programs: Prints, given: Iterable[study.Fingerprint]) -> _Values:
    """Return the fingerprints of each program that are among `given`, as small numbers.

    Programs without any are left out. Sets of small consecutive numbers are compared faster than
    sets of hashes.
    """
    given_values = {print_.value for print_ in given}
    numbers: dict[int, int] = {}
    values: dict[str, Set[int]] = {}
    for name, prints in programs.items():
        if not prints:
            continue
        counted: set[int] = set()
        for print_ in prints:
            if print_.value not in given_values:
                number = numbers.setdefault(print_.value, len(numbers))
                counted.add(number)
        values[name] = frozenset(counted)
    return values


def _leaders(names: Iterable[str], near: Iterable[_Names]) -> dict[str, str]:
    """Return for each program the first name of the group to which the `near` pairs connect it."""
    items: list[tuple[str, ...]] = [(name,) for name in names]
    items += near
    leader: dict[str, str] = {}
    for members in _connected_names(items):
        first = min(members)
        for name in members:
            leader[name] = first
    return leader


def _connected_names(items: Sequence[tuple[str, ...]]) -> list[set[str]]:
    """Return sets of names.

    Two names are in the same set if items connect them, directly or through others.
    """
    sets = []
    for places in connected(items):
        members: set[str] = set()
        for place in places:
            members.update(items[place])
        sets.append(members)
    return sets


def groups(pairs: Iterable[study.SimilarPair]) -> tuple[tuple[str, ...], ...]:
    """Return groups of programs, the largest first.

    Programs in a group are connected by these pairs.
    """
    names = [(pair.first, pair.second) for pair in pairs]
    sorted_groups = [tuple(sorted(members)) for members in _connected_names(names)]
    sorted_groups.sort(key=lambda group: (-len(group), group))
    return tuple(sorted_groups)


def _containments(values: _Values) -> tuple[list[float], list[tuple[float, _Names]]]:
    """Return the sorted shares of all pairs, and the pairs with a share of at least `GROUPED_FROM`.

    A share is the part of the smaller program's fingerprints that the other one has.
    """
    shares, contained = [], []
    bits = _as_bits(values)
    for (first, size, some), (second, other_size, others) in combinations(bits, 2):
        share = (some & others).bit_count() / max(_MIN_WEIGHT, min(size, other_size))
        shares.append(share)
        if share >= GROUPED_FROM:
            contained.append((share, (first, second)))
    shares.sort()
    return shares, contained


def _as_bits(values: _Values) -> list[tuple[str, int, int]]:
    """Return each program's name, its number of fingerprints, and a number with one bit for each
    fingerprint that another program has too."""
    counts: Counter[int] = Counter()
    for prints in values.values():
        counts.update(prints)
    place: dict[int, int] = {}
    for value, count in counts.items():
        if count > 1:
            place[value] = len(place)
    rows = []
    for name, prints in values.items():
        shared = prints & place.keys()
        bits = sum(1 << place[value] for value in shared)
        rows.append((name, len(prints), bits))
    return rows


def _above_usual(shares: Sequence[float]) -> float:
    """Return the share from which two programs belong to one group.

    It is `GROUPED_FROM`, or more if all programs of the class are similar. The usual share is
    estimated from the lowest quarter, as if it were normally distributed: these pairs are
    independent even if most of the class is copied.
    """
    tenth = _quantile(shares, 0.1)
    quarter = _quantile(shares, 0.25)
    normal = NormalDist()
    normal_tenth = normal.inv_cdf(0.1)
    normal_quarter = normal.inv_cdf(0.25)
    deviation = (quarter - tenth) / (normal_quarter - normal_tenth)
    usual = quarter - normal_quarter * deviation
    unusual = usual + _DEVIATIONS * deviation
    return min(max(GROUPED_FROM, unusual), _MAX_GROUPED_FROM)


def _end_of_chance(scores: Sequence[float]) -> float:
    """Return the score that fewer than one of these pairs would exceed by chance.

    It assumes that the highest scores of independent programs are exponentially distributed.
    """
    if not scores:
        return 0.0
    half = _quantile(scores, 0.5)
    tenth = _quantile(scores, 0.9)
    scale = (tenth - half) / math.log(5)
    upper_tenth = max(1.0, len(scores) / 10)
    return tenth + scale * math.log(upper_tenth)


def _quantile(ordered: Sequence[float], part: float) -> float:
    place = int(part * (len(ordered) - 1))
    return ordered[place]


class _Weights:
    """The weight of each fingerprint for a pair: 1 / (1 + other groups that have it)."""

    def __init__(self, values: _Values, leader: Mapping[str, str]) -> None:
        self._leader = leader
        self._values = _shared_values(values)
        self._members = Counter(leader.values())
        self._of_group: dict[str, set[int]] = defaultdict(set)
        for name, prints in values.items():
            group = leader[name]
            self._of_group[group] |= prints
        counts: Counter[int] = Counter()
        for group_prints in self._of_group.values():
            counts.update(group_prints)
        # `_weight` is for two programs of one group. `_more` is added to it if the programs are of
        # two groups and both groups have the fingerprint.
        self._weight: dict[int, float] = {}
        self._more: dict[int, float] = {}
        for value, count in counts.items():
            self._weight[value] = 1 / count
            self._more[value] = 1 / max(1, count - 1) - 1 / count
        self._sizes = {name: _sum(self._weight, prints) for name, prints in values.items()}
        self._cached: dict[tuple[str, str], float] = {}

    def score(self, first: str, second: str) -> float:
        """Return how much of the smaller program is also in the other one, from 0 to 1."""
        common = self._values[first] & self._values[second]
        if not common:
            return 0.0
        shared = _sum(self._weight, common)
        first_size = self._sizes[first]
        second_size = self._sizes[second]
        if self._leader[first] != self._leader[second]:
            more = _sum(self._more, common)
            shared += more
            first_size += self._more_beside(first, second, more)
            second_size += self._more_beside(second, first, more)
        smaller_size = min(first_size, second_size)
        return shared / max(_MIN_WEIGHT, smaller_size)

    def _more_beside(self, name: str, other: str, in_common: float) -> float:
        """Return the extra weight of a program beside another one whose group shares some of it."""
        group = self._leader[other]
        if self._members[group] == 1:
            return in_common
        key = name, group
        if key not in self._cached:
            shared = self._values[name] & self._of_group[group]
            self._cached[key] = _sum(self._more, shared)
        return self._cached[key]


def _shared_values(values: _Values) -> dict[str, Set[int]]:
    """Return each program's fingerprints that another program has too."""
    owners: Counter[int] = Counter()
    for prints in values.values():
        owners.update(prints)
    shared = {value for value, count in owners.items() if count > 1}
    return {name: prints & shared for name, prints in values.items()}


def _sum(weights: Mapping[int, float], values: Iterable[int]) -> float:
    return math.fsum(map(weights.__getitem__, values))


def _scores(
    values: _Values, leader: Mapping[str, str], earlier: Set[str], only: Set[str] | None
) -> tuple[tuple[study.SimilarPair, ...], list[float]]:
    """Return the pairs to list, closest first, and the sorted scores of pairs of two groups."""
    weights = _Weights(values, leader)
    pairs, apart = [], []
    for first, second in combinations(sorted(values), 2):
        if first in earlier and second in earlier:
            continue
        if only is not None and first not in only and second not in only:
            continue
        score = weights.score(first, second)
        if leader[first] != leader[second]:
            apart.append(score)
        if score >= _MIN_LISTED_SCORE:
            pair = study.SimilarPair(first=first, second=second, score=score, matches=())
            pairs.append(pair)
    pairs.sort(key=lambda pair: (-pair.score, pair.first, pair.second))
    apart.sort()
    return tuple(pairs), apart


def matches(first: _Prints, second: _Prints, given: Set[int]) -> tuple[study.MatchedLines, ...]:
    """Return the matching lines of two programs, at most `MAX_MATCHES` matches.

    Code with `given` fingerprints (stub, provided files, reference) is left out. Adjacent matches
    are joined.
    """
    places: dict[int, study.Fingerprint] = {}
    for print_ in second:
        places.setdefault(print_.value, print_)
    matched: dict[study.MatchedLines, None] = {}
    for print_ in sorted(first, key=_place_of):
        other = places.get(print_.value)
        if other is None or print_.value in given:
            continue
        now = study.MatchedLines(first=_range(print_), second=_range(other))
        last = next(reversed(matched), now)
        if _follows(last.first, now.first) and _follows(last.second, now.second):
            first_lines = _join(last.first, now.first)
            second_lines = _join(last.second, now.second)
            now = study.MatchedLines(first=first_lines, second=second_lines)
            matched.pop(last, None)
        elif len(matched) == MAX_MATCHES:
            break
        matched.setdefault(now)
    return tuple(matched)


def _place_of(print_: study.Fingerprint) -> tuple[int, int, int]:
    return print_.file, print_.first_line, print_.last_line


def _range(print_: study.Fingerprint) -> study.LineRange:
    return study.LineRange(file=print_.file, first=print_.first_line, last=print_.last_line)


def _follows(before: study.LineRange, after: study.LineRange) -> bool:
    near = after.first <= before.last + 2 and after.last >= before.first - 2
    return before.file == after.file and near


def _join(range_: study.LineRange, other: study.LineRange) -> study.LineRange:
    first = min(range_.first, other.first)
    last = max(range_.last, other.last)
    return study.LineRange(file=range_.file, first=first, last=last)
