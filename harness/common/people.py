"""People as the files of a course name them, and which person of one file is who in another."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeVar

T = TypeVar("T")


class By(Enum):
    """What finds a person again, from the surest on; `LOGIN`: ids too, `ZEROS`: ids of digits
    without the zeros in front, which a spreadsheet takes for numbers and drops."""

    ID = auto()
    LOGIN = auto()
    ZEROS = auto()
    NAME = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What a file says of who somebody is; what it does not say is empty."""

    ids: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()  # and email addresses
    name: str = ""

    def keys(self, by: By) -> frozenset[str]:
        if by is By.NAME:
            return name_keys(self.name)
        if by is By.ZEROS:
            return without_zeros(self.ids)
        return id_keys(self.ids if by is By.ID else [*self.ids, *self.logins])

    @property
    def label(self) -> str:
        return next((text for text in (self.name, *self.ids, *self.logins) if text), "a row")


def pairs(
    people: Sequence[Person], others: Sequence[Person], by: By, *, shared: bool = False
) -> dict[int, int]:
    """Who of `people` is who of `others`, by position: those who have a key in common, where
    neither could be anybody else. With `shared` several of `people` may be one of `others`."""
    of_key = by_key((index, other.keys(by)) for index, other in enumerate(others))
    fitting = [{index for key in person.keys(by) for index in of_key[key]} for person in people]
    claims = Counter(index for each in fitting for index in each)
    sure = ((index, *each) for index, each in enumerate(fitting) if len(each) == 1)
    return {index: other for index, other in sure if shared or claims[other] == 1}


def by_key(things: Iterable[tuple[T, Iterable[str]]]) -> defaultdict[str, list[T]]:
    """The things that have a key, of things with their keys."""
    of_key = defaultdict[str, list[T]](list)
    for thing, keys in things:
        for key in keys:
            of_key[key].append(thing)
    return of_key


def connected(items: Sequence[Iterable[str]]) -> list[list[int]]:
    """The places of those that share a key, directly or through others; each has at least one."""
    leader: dict[str, str] = {}

    def find(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = key = leader[leader[key]]
        return key

    groups: dict[str, list[int]] = {}
    keys = [sorted(each) for each in items]
    for first, *others in keys:
        for other in others:
            low, high = sorted((find(first), find(other)))
            leader[high] = low
    for at, (first, *_) in enumerate(keys):
        groups.setdefault(find(first), []).append(at)
    return [*groups.values()]


def id_key(text: str) -> str:
    """An id, login or email without case and surrounding space, its letters composed."""
    return unicodedata.normalize("NFC", text.strip()).casefold()


def id_keys(texts: Iterable[str]) -> frozenset[str]:
    """Return the keys of ids, logins and emails; empty texts have none."""
    return frozenset(map(id_key, texts)) - {""}


def without_zeros(ids: Iterable[str]) -> frozenset[str]:
    """Return what a spreadsheet leaves of ids of digits: `00429` as `429`."""
    numbers = [key for key in id_keys(ids) if key.isascii() and key.isdecimal()]
    return frozenset(number.lstrip("0") for number in numbers) - {""}


def name_keys(name: str) -> frozenset[str]:
    """The letters of a name in the orders in which platforms write it; empty for no letters.
    `Smith, Jo Ann` gives `smithjoann` and `joannsmith`, and so does `Jo Ann Smith`: two names are
    alike when their keys meet."""
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.split()
    turned = [*words[-1:], *words[:-1]]
    keys = (unicodedata.normalize("NFKC", "".join(order)) for order in (words, turned))
    folded = (unicodedata.normalize("NFKC", key.casefold()) for key in keys)
    return frozenset("".join(filter(str.isalnum, key)) for key in folded) - {""}


_SHOWN = 3


def by_name_line(matched: Sequence[str]) -> list[str]:
    """Return a warning if people were found only by their names: how many, and the first of
    them."""
    return _counted_line("BY NAME ALONE", matched)


def zeros_line(matched: Sequence[str]) -> list[str]:
    """Return a warning if people were found by ids that lost the zeros in front."""
    return _counted_line("WITHOUT ZEROS IN FRONT", matched)


def _counted_line(how: str, matched: Sequence[str]) -> list[str]:
    if len(matched) < 2:
        return [f"{how}: {each}" for each in matched]
    more = f"; and {len(matched) - _SHOWN} more" if len(matched) > _SHOWN else ""
    return [f"{how}, {len(matched)} students: {'; '.join(matched[:_SHOWN])}{more}"]
