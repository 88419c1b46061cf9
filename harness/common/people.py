"""People as the files of a course name them; find the same person in several files."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeVar

T = TypeVar("T")


class By(Enum):
    """The keys by which a person is found again, the surest first.

    `LOGIN` includes ids; `ZEROS` are ids of digits without the zeros in front, which spreadsheets
    drop.
    """

    ID = auto()
    LOGIN = auto()
    ZEROS = auto()
    NAME = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The identity of a person in a file; fields that the file does not have are empty."""

    ids: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()  # and email addresses
    name: str = ""

    def keys(self, by: By) -> frozenset[str]:
        if by is By.NAME:
            return name_keys(self.name)
        if by is By.ZEROS:
            return without_zeros(self.ids)
        if by is By.ID:
            return id_keys(self.ids)
        return id_keys([*self.ids, *self.logins])

    @property
    def label(self) -> str:
        for text in (self.name, *self.ids, *self.logins):
            if text:
                return text
        return "a row"


def pairs(
    people: Sequence[Person], others: Sequence[Person], by: By, *, shared: bool = False
) -> dict[int, int]:
    """Return the positions of the same persons in `people` and `others`.

    Match two people only if they share a key that no third person has. With `shared`, several of
    `people` may be the same one of `others`.
    """
    of_key = by_key((index, other.keys(by)) for index, other in enumerate(others))
    fitting: list[set[int]] = []
    claims = Counter[int]()
    for person in people:
        candidates: set[int] = set()
        for key in person.keys(by):
            candidates.update(of_key[key])
        fitting.append(candidates)
        claims.update(candidates)
    found: dict[int, int] = {}
    for index, candidates in enumerate(fitting):
        if len(candidates) == 1:
            (other,) = candidates
            if shared or claims[other] == 1:
                found[index] = other
    return found


def by_key(things: Iterable[tuple[T, Iterable[str]]]) -> defaultdict[str, list[T]]:
    """Return the things of each key."""
    of_key = defaultdict[str, list[T]](list)
    for thing, keys in things:
        for key in keys:
            of_key[key].append(thing)
    return of_key


def connected(items: Sequence[Iterable[str]]) -> list[list[int]]:
    """Return groups of positions of items that share a key, directly or through others.

    Each item has at least one key.
    """
    leader: dict[str, str] = {}

    def find(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = key = leader[leader[key]]
        return key

    groups: dict[str, list[int]] = {}
    firsts: list[str] = []
    for item in items:
        first, *others = sorted(item)
        firsts.append(first)
        for other in others:
            low, high = sorted((find(first), find(other)))
            leader[high] = low
    for index, first in enumerate(firsts):
        groups.setdefault(find(first), []).append(index)
    return list(groups.values())


def id_key(text: str) -> str:
    """Return an id, login or email without case and surrounding space, with composed letters."""
    return unicodedata.normalize("NFC", text.strip()).casefold()


def id_keys(texts: Iterable[str]) -> frozenset[str]:
    """Return the keys of ids, logins and emails; empty texts have none."""
    return frozenset(map(id_key, texts)) - {""}


def without_zeros(ids: Iterable[str]) -> frozenset[str]:
    """Return ids of digits as a spreadsheet changes them: `00429` as `429`."""
    numbers = [key for key in id_keys(ids) if key.isascii() and key.isdecimal()]
    return frozenset(number.lstrip("0") for number in numbers) - {""}


def name_keys(name: str) -> frozenset[str]:
    """Return the letters of a name in the orders in which platforms write it; none if it has no
    letters.

    `Smith, Jo Ann` gives `smithjoann` and `joannsmith`, and so does `Jo Ann Smith`: two names are
    alike if they have a key in common.
    """
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.split()
    turned = [*words[-1:], *words[:-1]]
    return frozenset({_letters(words), _letters(turned)}) - {""}


def _letters(words: Iterable[str]) -> str:
    composed = unicodedata.normalize("NFKC", "".join(words))
    folded = unicodedata.normalize("NFKC", composed.casefold())
    return "".join(filter(str.isalnum, folded))


_MAX_SHOWN = 3


def by_name_line(matched: Sequence[str]) -> list[str]:
    """Return a warning if people were found only by their names: how many, and the first of
    them."""
    return _counted_line("ONLY BY NAME", matched)


def zeros_line(matched: Sequence[str]) -> list[str]:
    """Return a warning if people were found by ids that lost the zeros in front."""
    return _counted_line("WITHOUT LEADING ZEROS", matched)


def _counted_line(how: str, matched: Sequence[str]) -> list[str]:
    if not matched:
        return []
    if len(matched) == 1:
        return [f"{how}: {matched[0]}"]
    shown = list(matched[:_MAX_SHOWN])
    more = len(matched) - len(shown)
    if more:
        shown.append(f"and {more} more")
    return [f"{how}, {len(matched)} students: {'; '.join(shown)}"]
