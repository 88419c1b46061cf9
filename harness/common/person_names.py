"""Ids and names of people as keys, for finding one person again in another file."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def id_key(text: str) -> str:
    """An id, login or email without case and surrounding space, its letters composed."""
    return unicodedata.normalize("NFC", text.strip()).casefold()


def name_keys(name: str) -> frozenset[str]:
    """The letters of a name in the orders in which platforms write it; empty for no letters.

    `Smith, Jo Ann` gives `smithjoann` and `joannsmith`, and so does `Jo Ann Smith`: two names are
    alike when their keys meet.
    """
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.split()
    turned = [*words[-1:], *words[:-1]]
    return frozenset(_letters("".join(order)) for order in (words, turned)) - {""}


def by_key(things: Iterable[tuple[T, Iterable[str]]]) -> defaultdict[str, list[T]]:
    """The things that have a key, of things with their keys."""
    of_key = defaultdict[str, list[T]](list)
    for thing, keys in things:
        for key in keys:
            of_key[key].append(thing)
    return of_key


_SHOWN = 3


def by_name_line(matched: Sequence[str]) -> list[str]:
    """The line, if any, that a person must read where people were found by their names alone: how
    many they are, and the first of them."""
    if len(matched) < 2:
        return [f"BY NAME ALONE: {each}" for each in matched]
    more = f"; and {len(matched) - _SHOWN} more" if len(matched) > _SHOWN else ""
    return [f"BY NAME ALONE, {len(matched)} students: {'; '.join(matched[:_SHOWN])}{more}"]


def is_test_student(name: str) -> bool:
    """Whether it is nobody: Canvas has `Student, Test` in every gradebook."""
    return id_key(name).split() == ["student,", "test"]


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in unicodedata.normalize("NFKC", plain) if c.isalnum())
