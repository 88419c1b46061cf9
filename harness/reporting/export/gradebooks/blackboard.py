"""Blackboard: `Username` and `<Title> [Total Pts: 6 Score] |<column id>`, as it was downloaded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.common.csv_tables import Form, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks.matching import GradebookEntry
from harness.reporting.export.gradebooks.platform import (
    Gradebook,
    GradebookLayout,
    cells_of,
    choose_item,
    find_column,
    number_in,
    student_of,
)
from harness.reporting.view.words import number

_ITEM = re.compile(r"(?P<title>.*) \[Total Pts: (?P<about>.*)\]\s*(?:\|\s*\d+)?\s*", re.IGNORECASE)


def _layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    header = sheet.rows[0]
    login, own_id = find_column(header, "Username"), find_column(header, "Student ID")
    if login is None:
        raise UserError(
            "has no column Username", place=sheet.place, hint="download Blackboard's grade centre"
        )
    last, first = find_column(header, "Last Name"), find_column(header, "First Name")
    mark, item = choose_item(sheet, _ITEM, column, title)
    return GradebookLayout(
        mark=mark,
        identity=lambda row: student_of(
            cells_of(row, login, own_id), (), cells_of(row, first, last)
        ),
        maximum=number_in(item["about"]),
        comment=find_column(header, "Feedback to Learner"),
    )


def _blank(entries: Sequence[GradebookEntry], title: str) -> Sheet:
    """The ids of submissions are user names."""
    item = f"{title} [Total Pts: {number(entries[0].out_of)} Score]"
    header = ("Username", item, "Feedback to Learner", "Feedback Format")
    rows = [(entry.student_id, entry.mark, entry.comment, "SMART_TEXT") for entry in entries]
    return Sheet(rows=(header, *rows), form=Form(quoted=True))


GRADEBOOK = Gradebook(name="blackboard", title="Blackboard", layout=_layout, blank=_blank)
