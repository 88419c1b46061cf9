"""Marks into gradebooks, each in the form that its importer takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

from harness.common.csv_tables import Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks import blackboard, brightspace, canvas, moodle
from harness.reporting.export.gradebooks.filling import Filled, GradebookLayout, fill
from harness.reporting.export.gradebooks.standing import GradebookEntry, Marks, gradebook_entries

__all__ = [
    "Filled",
    "GradebookEntry",
    "Marks",
    "Platform",
    "gradebook",
    "gradebook_entries",
]


class Platform(StrEnum):
    """Whose gradebook it is."""

    CANVAS = "canvas"
    BRIGHTSPACE = "brightspace"
    BLACKBOARD = "blackboard"
    MOODLE = "moodle"


_LAYOUTS: dict[Platform, Callable[[Sheet, str | None, str], GradebookLayout]] = {
    Platform.CANVAS: canvas.layout,
    Platform.BRIGHTSPACE: brightspace.layout,
    Platform.BLACKBOARD: blackboard.layout,
    Platform.MOODLE: moodle.layout,
}
_MADE: dict[Platform, Callable[[Sequence[GradebookEntry], str], Sheet]] = {
    Platform.CANVAS: canvas.made,
    Platform.BRIGHTSPACE: brightspace.made,
    Platform.BLACKBOARD: blackboard.made,
}


def gradebook(
    platform: Platform,
    found: Sequence[GradebookEntry],
    sheet: Sheet | None,
    *,
    column: str | None = None,
    title: str,
) -> Filled:
    """The gradebook file of a run: the downloaded `sheet` filled in, or one made from the
    submissions alone. `column` is the header of the marks' column, `title` the assignment's.

    Raises UserError when the sheet is none of this platform's, or nothing of it fits.
    """
    if not found:
        raise UserError("there is no submission in this run")
    if sheet is None:
        return _from_nothing(platform, found, column or title)
    filled = fill(sheet, _LAYOUTS[platform](sheet, column, title), found)
    if platform is Platform.BRIGHTSPACE:
        filled = replace(filled, sheet=brightspace.ended(filled.sheet))
    return filled


def _from_nothing(platform: Platform, found: Sequence[GradebookEntry], title: str) -> Filled:
    if platform not in _MADE:
        raise UserError(
            f"{platform.value} takes its own worksheet back alone",
            hint="--gradebook FILE, the worksheet that it offers for download",
        )
    begun = any(each.mark for each in found)
    told = [each for each in found if each.why and (begun or not each.waits)]
    warnings = [f"{each.shown} has no mark: {each.why}" for each in told]
    marks = sum(bool(each.mark) for each in found)
    return Filled(sheet=_MADE[platform](found, title), warnings=tuple(warnings), marks=marks)
