"""The layout of a folder: recognised by the names in it, or as the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.common.errors import UserError
from harness.intake.files.entries import Entry, is_left_behind, listed
from harness.intake.files.folders import MAX_CLASS_ENTRIES, Folder
from harness.intake.files.uploads import StudentUploads
from harness.intake.layouts import Layout, known_layouts
from harness.intake.layouts.plain import (
    candidates_in,
    dot_doubt,
    is_one,
    may_be_one,
    one_of,
    places,
    plain,
)
from harness.model.plan import Assignment

PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedLayout:
    """A place with its layout (None: plain) and what is named as that layout names it; `strays`
    are other things that may be a student's, `around` is what lies beside the folders in which
    the place is alone."""

    place: Folder
    layout: Layout | None
    named: tuple[Entry, ...] = ()
    strays: tuple[Entry, ...] = ()
    around: tuple[Entry, ...] = ()

    @property
    def name(self) -> str:
        """What the layout is called."""
        return self.layout.name if self.layout else PLAIN

    def read(self, assignment: Assignment) -> tuple[StudentUploads, ...]:
        """Everybody who handed in here; OSError and UserError where the place cannot be read."""
        if self.layout is None:
            return plain(self.place, assignment)
        doubt = f"its name is not as {self.layout.name} names files"
        strays = (one_of(self.place, entry) for entry in self.strays)
        known = self.layout.read(self.place, self.named, assignment)
        dotted = {entry.name: why for entry in self.named if (why := dot_doubt(entry))}
        return (
            *(_doubted(one, _first(dotted, one) or one.doubt) for one in known),
            *(_doubted(stray, doubt) for stray in strays),
        )

    def contents(self) -> tuple[Entry, ...]:
        """Everything in the place and in the folders around it, but for these folders."""
        found = self.place.everything(MAX_CLASS_ENTRIES)
        return (*self.around, *found)


def layout_names() -> tuple[str, ...]:
    """What `--layout` takes."""
    return (*sorted(layout.name.lower() for layout in known_layouts()), PLAIN)


def chosen_layout(
    place: Folder, assignment: Assignment, asked: str | None = None
) -> RecognisedLayout:
    """The layout that was asked for, else the one that all names agree on, else plain.

    Raises UserError where names disagree, or none is named as the layout asked for names them.
    """
    if asked == PLAIN:
        return _plain(place, assignment)
    if asked is None and is_one(place, assignment):
        return RecognisedLayout(place=place, layout=None)
    around: tuple[Entry, ...] = ()
    for candidate in places(place):
        found = _platform(candidate, asked)
        if found is not None:
            return replace(found, around=around)
        around += _beside(candidate)
    if asked is not None:
        layout = _called(asked)
        raise UserError(
            f"nothing here is named as {layout.name} names it ({layout.example})",
            place=place.shown,
            hint=f"--layout {' | '.join(layout_names())}, or leave it out",
        )
    return _plain(place, assignment)


def _platform(place: Folder, asked: str | None) -> RecognisedLayout | None:
    everything = place.everything(MAX_CLASS_ENTRIES)
    entries = [entry for entry in everything if not is_left_behind(entry.name)]
    there = _present(entries)
    named: dict[str, list[Entry]] = {layout.name: [] for layout in known_layouts()}
    strays = []
    for entry in entries:
        known = [_called(asked)] if asked else there
        layout = next((layout for layout in known if layout.is_one(entry)), None)
        if layout is not None:
            named[layout.name].append(entry)
        elif may_be_one(entry):
            strays.append(entry)
    seen = [layout for layout in known_layouts() if named[layout.name]]
    if not seen:
        return None
    unknown = [entry for entry in strays if not dot_doubt(entry)]
    if len(seen) > 1 or (unknown and asked is None):
        raise _unclear(place, [(layout, named[layout.name]) for layout in seen], unknown)
    theirs = tuple(named[seen[0].name])
    return RecognisedLayout(place=place, layout=seen[0], named=theirs, strays=tuple(strays))


def _beside(place: Folder) -> tuple[Entry, ...]:
    """What lies beside the folder that is alone in a place."""
    alone = {entry.name for entry in candidates_in(place)}
    return tuple(e for e in place.everything(MAX_CLASS_ENTRIES) if e.name not in alone)


def _present(entries: Sequence[Entry]) -> list[Layout]:
    """The layouts to look for: without the file that one needs, none of its names count."""
    names = {entry.name for entry in entries}
    return [layout for layout in known_layouts() if not layout.needs or layout.needs in names]


def _plain(place: Folder, assignment: Assignment) -> RecognisedLayout:
    """Plain; an archive often has one folder around everybody's."""
    if place.is_packed and not is_one(place, assignment):
        around: tuple[Entry, ...] = ()
        for inner in places(place):
            if len(candidates_in(inner)) > 1 and not is_one(inner, assignment):
                return RecognisedLayout(place=inner, layout=None, around=around)
            around += _beside(inner)
    return RecognisedLayout(place=place, layout=None)


def _called(name: str) -> Layout:
    return next(layout for layout in known_layouts() if layout.name.lower() == name)


def _doubted(handed: StudentUploads, doubt: str) -> StudentUploads:
    return replace(handed, doubt=doubt)


def _first(doubts: Mapping[str, str], uploads: StudentUploads) -> str:
    parts = (part for attempt in uploads.attempts for part in attempt.files.parts)
    return next((doubts[part] for part in parts if part in doubts), "")


def _unclear(
    place: Folder, seen: Sequence[tuple[Layout, Sequence[Entry]]], strays: Sequence[Entry]
) -> UserError:
    parts = [f"{len(entries)} named as {layout.name} names them" for layout, entries in seen]
    if strays:
        parts.append(f"{len(strays)} otherwise ({listed([entry.shown for entry in strays])})")
    choices = [layout.name.lower() for layout, _ in seen]
    return UserError(
        f"the layout is not clear: {listed(parts)}",
        place=place.shown,
        hint=f"--layout {' | '.join((*choices, PLAIN))}",
    )
