"""Find the platforms, one module each: `LAYOUT` reads downloads, `GRADEBOOK` takes marks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from harness.common.discovery import extensions
from harness.intake.entries import Entry
from harness.intake.gradebook import Gradebook
from harness.intake.uploads import Uploads
from harness.model.plan import Assignment


class Times(StrEnum):
    """How much a download tells about the times of attempts."""

    EXACT = "exact"
    LATE_ONLY = "late_only"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Named:
    """A file or folder with a platform's name for it, and the parts of that name."""

    entry: Entry
    match: re.Match[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names in one platform's downloads.

    `match` reads the name of a file or folder at the root (None: it is not named by the platform),
    `read` makes students of those; `example` is such a name, for messages. A name that several
    layouts know belongs to the one of the lowest `order`. `needs` is a file without which nothing
    at the root is of this layout; "" for none.
    """

    name: str
    order: int
    example: str
    times: Times
    match: Callable[[Entry], re.Match[str] | None]
    read: Callable[[Entry, Sequence[Named], Assignment], Uploads]
    needs: str = ""


@cache
def known_layouts() -> tuple[Layout, ...]:
    """Return the layout of every module in this package, in their order."""
    return extensions(__name__, __path__, Layout, lambda layout: layout.order)


def gradebooks() -> tuple[Gradebook, ...]:
    """Return the gradebook of every module that has one, by name."""
    return extensions(__name__, __path__, Gradebook, lambda gradebook: gradebook.name)
