"""Measure how similar the programs of a class are: from fingerprints to pairs and groups."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

from harness.common.people import connected
from harness.model import study

MOST_MATCHES = 1000  # of a pair; programs of 500 KB can be made to have 60,000
GROUPED_FROM = 0.45  # of the score
# Programs of one plan reach that by chance: where a class is so alike, up to this is asked for.
_GROUPED_FROM_AT_MOST = 0.75
_DEVIATIONS = 3.5  # above what two programs of a class have in common by chance
_LEAST_LISTED = 0.2  # of the score
_LEAST_CLASS = 10  # programs: a smaller class does not show the usual similarity
_LEAST_WEIGHT = 10.0  # shorter matches are similar by chance

Prints = Mapping[str, Sequence[study.Fingerprint]]
_Values = Mapping[str, Set[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The similar pairs of a class, and the scores from which they count."""

    pairs: tuple[study.SimilarPair, ...]  # of a score of at least 0.2; without matches
    cut: float  # two independent programs of this class are not as alike as this
    grouped_from: float  # two that are as alike as this are in one group

    @property
    def listed(self) -> tuple[study.SimilarPair, ...]:
        """The pairs above chance."""
        return tuple(pair for pair in self.pairs if pair.score >= self.cut)

    @property
    def connected(self) -> tuple[study.SimilarPair, ...]:
        """The pairs that make groups."""
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
    taken = {one.value for one in given}
    numbers: dict[int, int] = {}  # sets of small numbers in a row are compared sooner
    values = {
        name: frozenset(
            numbers.setdefault(one.value, len(numbers)) for one in prints if one.value not in taken
        )
        for name, prints in programs.items()
        if prints
    }
    shares, contained = _containments(values)
    can_tell = len(values) >= _LEAST_CLASS
    grouped_from = _above_usual(shares) if can_tell else GROUPED_FROM
    near = (pair for share, pair in contained if share >= grouped_from)
    items = [*((name,) for name in values), *near]
    leader: dict[str, str] = {}  # the first name of each one's group
    for places in connected(items):
        members = {name for at in places for name in items[at]}
        leader |= dict.fromkeys(members, min(members))
    pairs, apart = _scores(values, leader, earlier, only)
    chance = min(grouped_from, _end_of_chance(apart)) if can_tell else 0.0
    cut = max(_LEAST_LISTED, chance)
    return Likeness(pairs=pairs, cut=cut, grouped_from=grouped_from)


def groups(pairs: Iterable[study.SimilarPair]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of programs that these pairs connect, the largest first."""
    both = [(pair.first, pair.second) for pair in pairs]
    members = [{name for at in places for name in both[at]} for places in connected(both)]
    return tuple(sorted((tuple(sorted(each)) for each in members), key=lambda g: (-len(g), g)))


def _containments(values: _Values) -> tuple[list[float], list[tuple[float, tuple[str, str]]]]:
    """Return the sorted shares of all pairs, and the pairs with a share of at least `GROUPED_FROM`.

    A share is the part of the smaller program's fingerprints that the other one has.
    """
    counts = Counter(one for prints in values.values() for one in prints)
    several = (value for value, count in counts.items() if count > 1)
    place = {value: at for at, value in enumerate(several)}
    bits = [
        (name, len(prints), sum(1 << place[one] for one in prints if one in place))
        for name, prints in values.items()
    ]
    shares, contained = [], []
    for (first, size, some), (second, other_size, others) in combinations(bits, 2):
        share = (some & others).bit_count() / max(_LEAST_WEIGHT, min(size, other_size))
        shares.append(share)
        if share >= GROUPED_FROM:
            contained.append((share, (first, second)))
    return sorted(shares), contained


def _above_usual(shares: Sequence[float]) -> float:
    """Return the share from which two programs belong to one group.

    It is `GROUPED_FROM`, or more if all programs of the class are similar. The usual share is
    estimated from the lowest quarter, as if it were normally distributed: these pairs are
    independent even if most of the class is copied.
    """
    tenth, quarter = (_quantile(shares, part) for part in (0.1, 0.25))
    normal = NormalDist()
    deviation = (quarter - tenth) / (normal.inv_cdf(0.25) - normal.inv_cdf(0.1))
    usual = quarter - normal.inv_cdf(0.25) * deviation
    return min(max(GROUPED_FROM, usual + _DEVIATIONS * deviation), _GROUPED_FROM_AT_MOST)


def _end_of_chance(scores: Sequence[float]) -> float:
    """Return the score that less than one of these pairs would exceed by chance.

    The upper scores of independent programs are taken to be distributed exponentially.
    """
    if not scores:
        return 0.0
    half, tenth = (_quantile(scores, part) for part in (0.5, 0.9))
    scale = (tenth - half) / math.log(5)
    return tenth + scale * math.log(max(1.0, len(scores) / 10))


def _quantile(ordered: Sequence[float], part: float) -> float:
    return ordered[int(part * (len(ordered) - 1))]


class _Weights:
    """The weight of each fingerprint for a pair: 1 / (1 + other groups that have it)."""

    def __init__(self, values: _Values, leader: Mapping[str, str]) -> None:
        self._leader = leader
        owners = Counter(value for prints in values.values() for value in prints)
        several = {value for value, count in owners.items() if count > 1}
        self._values = {name: prints & several for name, prints in values.items()}
        self._members = Counter(leader.values())
        self._of_group: dict[str, set[int]] = defaultdict(set)
        for name, prints in values.items():
            self._of_group[leader[name]] |= prints
        counts = Counter(value for prints in self._of_group.values() for value in prints)
        # For a pair of which one's group has it, and more for a pair of two groups that have it.
        self._weight = {value: 1 / count for value, count in counts.items()}
        self._more = {value: 1 / max(1, n - 1) - 1 / n for value, n in counts.items()}
        self._sizes = {name: _sum(self._weight, prints) for name, prints in values.items()}
        self._cached: dict[tuple[str, str], float] = {}

    def score(self, first: str, second: str) -> float:
        """Return how much of the smaller program the other one contains."""
        common = self._values[first] & self._values[second]
        if not common:
            return 0.0
        shared = _sum(self._weight, common)
        sizes = self._sizes[first], self._sizes[second]
        if self._leader[first] != self._leader[second]:
            more = _sum(self._more, common)
            shared += more
            sizes = (
                sizes[0] + self._more_beside(first, second, more),
                sizes[1] + self._more_beside(second, first, more),
            )
        return shared / max(_LEAST_WEIGHT, min(sizes))

    def _more_beside(self, name: str, other: str, in_common: float) -> float:
        """Return the extra weight of a program beside another one whose group shares some of it."""
        group = self._leader[other]
        if self._members[group] == 1:
            return in_common
        if (name, group) not in self._cached:
            self._cached[name, group] = _sum(self._more, self._values[name] & self._of_group[group])
        return self._cached[name, group]


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
        if score >= _LEAST_LISTED:
            pairs.append(study.SimilarPair(first=first, second=second, score=score, matches=()))
    pairs.sort(key=lambda pair: (-pair.score, pair.first, pair.second))
    return tuple(pairs), sorted(apart)


def matches(
    first: Sequence[study.Fingerprint], second: Sequence[study.Fingerprint], given: Set[int]
) -> tuple[study.MatchedLines, ...]:
    """Return the matching lines of two programs without `given` code, at most `MOST_MATCHES`.

    Matches that follow each other are joined.
    """
    places: dict[int, study.Fingerprint] = {}
    for one in second:
        places.setdefault(one.value, one)
    matched: dict[study.MatchedLines, None] = {}
    for one in sorted(first, key=lambda each: (each.file, each.first_line, each.last_line)):
        other = places.get(one.value)
        if other is None or one.value in given:
            continue
        now = study.MatchedLines(first=_range(one), second=_range(other))
        last = next(reversed(matched), now)
        if _follows(last.first, now.first) and _follows(last.second, now.second):
            now = study.MatchedLines(
                first=_join(last.first, now.first), second=_join(last.second, now.second)
            )
            matched.pop(last, None)
        elif len(matched) == MOST_MATCHES:
            break
        matched.setdefault(now)
    return tuple(matched)


def _range(one: study.Fingerprint) -> study.LineRange:
    return study.LineRange(file=one.file, first=one.first_line, last=one.last_line)


def _follows(before: study.LineRange, after: study.LineRange) -> bool:
    near = after.first <= before.last + 2 and after.last >= before.first - 2
    return before.file == after.file and near


def _join(one: study.LineRange, other: study.LineRange) -> study.LineRange:
    first, last = min(one.first, other.first), max(one.last, other.last)
    return study.LineRange(file=one.file, first=first, last=last)
