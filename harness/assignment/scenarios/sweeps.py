"""Overrides and sweeps: which constants a scenario runs under, and the ids that follow."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.context import Setting
from harness.assignment.vocabulary import OverrideError, Overrides, Vocabulary
from harness.matchers import describe, nearest
from harness.model.stimulus import Binding
from harness.model.values import Value


@dataclass(frozen=True, slots=True)
class Variation:
    """One set of overrides, and which of them are swept (`NAME=value`, in the order written)."""

    overrides: Overrides
    swept: tuple[str, ...]

    def bracket(self, *more: str) -> str:
        """`[NAME=value,NAME2=value]`, or nothing."""
        parts = (*self.swept, *more)
        return f"[{','.join(parts)}]" if parts else ""


def slug(name: str) -> str:
    """Lower case, accents folded, everything but letters and digits a single dash."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", folded.lower()).strip("-")


def variations(document: Document, vocabulary: Vocabulary, chosen: Setting) -> list[Variation]:
    """Every combination of a scenario's overrides; none if there is a mistake in them."""
    options: dict[str, list[Any]] = {}
    swept: dict[str, None] = {}
    sound = True
    for loc, constants in chosen.layers("constants"):
        for name, value in constants.items():
            where = (*loc, name)
            sound &= _can_override(document, vocabulary, where, name)
            values = value if isinstance(value, list) else [value]
            sound &= _check_values(document, where, value, vocabulary.variants.constants())
            options[name] = values
            swept.pop(name, None)
            if isinstance(value, list):
                swept[name] = None
    if not sound:
        return []
    base = vocabulary.variants.constants()
    names = list(options)
    found: list[Variation] = []
    for combination in itertools.product(*(options[name] for name in names)):
        values_by_name = dict(zip(names, combination, strict=True))
        overrides = tuple(
            Binding(name=name, literal=_literal(values_by_name[name], base.get(name)))
            for name in sorted(names)
        )
        marks = tuple(f"{name}={_shown(values_by_name[name])}" for name in swept)
        found.append(Variation(overrides, marks))
    return found


def swept_names(variation: Variation) -> Iterable[str]:
    """The names that vary over a sweep."""
    return (mark.split("=", 1)[0] for mark in variation.swept)


def _shown(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.-]+", value):
        return value
    return repr(value)


def _can_override(document: Document, vocabulary: Vocabulary, loc: Loc, name: str) -> bool:
    base = vocabulary.variants.constants()
    files = " or ".join(vocabulary.provided) or "provided file"
    if name not in base:
        hint = nearest(name, base)
        document.add(loc, f"no provided module defines the constant {name}", hint, key=True)
        return False
    try:
        vocabulary.variants.constants((Binding(name=name, literal=repr(base[name])),))
    except OverrideError as error:
        hint = "an override rewrites the one NAME = … at the module's top level"
        if error.plain == 0:
            what = f"{files} has no plain top-level assignment of {name}"
        else:
            what = f"{files} binds {name} more than once"
        document.add(loc, what, hint, key=True)
        return False
    return True


def _check_values(
    document: Document, loc: Loc, written: Any, constants: Mapping[str, object]
) -> bool:
    name = str(loc[-1])
    values = written if isinstance(written, list) else [written]
    if not values:
        document.add(loc, "a sweep needs values, got an empty list")
        return False
    base = constants.get(name)
    sound = True
    seen: list[str] = []
    for index, value in enumerate(values):
        where = (*loc, index) if isinstance(written, list) else loc
        if repr(value) in seen:
            document.add(where, f"{value!r} is in the sweep twice")
            sound = False
        elif base is not None and not _fits(value, base):
            hint = "quote it" if isinstance(base, str) else ""
            if isinstance(value, str) and isinstance(base, int | float):
                hint = "take the quotes away"
            what = f"{name} is {Value.of(base).type_name}, got {describe(value)}"
            document.add(where, what, hint)
            sound = False
        seen.append(repr(value))
    return sound


def _fits(value: Any, base: object) -> bool:
    if isinstance(base, float) and type(value) is int:
        return True
    if isinstance(base, tuple):
        return isinstance(value, list)
    return type(value) is type(base)


def _literal(value: Any, base: object) -> str:
    return repr(tuple(value)) if isinstance(base, tuple) else repr(value)
