"""Exports a CSV template for marks given by hand, and reads it back in."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from harness.common.csv_tables import Sheet, bare_cell, csv_text
from harness.common.errors import UserError
from harness.common.escaping import encoded, shorten
from harness.common.words import read_number
from harness.model.plan import ManualSlot, Plan
from harness.model.result import Adjustment, RunResult, SubmissionResult
from harness.model.review import Action, Adjusted, Change, Commented, MarkGiven
from harness.model.study import StyleEvidence
from harness.reporting.export.exporter import Exported, Exporter, ExportRequest
from harness.reporting.html.study_pages import read_style, style_in_words
from harness.reporting.view import words

ID, NAME, ADJUSTMENT, REASON, COMMENT = "id", "name", "adjustment", "reason", "comment"
EVIDENCE = "style evidence"  # for information while marking; ignored when the table is read
TAKEN_BACK = "-"
_SLOT = re.compile(r"(?P<id>.*?)(?: \(out of [^()]*\))?")


def manual_template(
    run: RunResult, plan: Plan, style: Mapping[str, StyleEvidence] | None = None
) -> str:
    """Return a row for each submission with the marks given so far.

    With `style` (keyed by submission digest), a last column has the evidence about code style.
    """
    slots = plan.assignment.manual
    marks = [f"{slot.id} (out of {words.number(slot.out_of)})" for slot in slots]
    header = [ID, NAME, *marks, ADJUSTMENT, REASON, COMMENT]
    if style:
        header.append(EVIDENCE)
    table = [header]
    for result in run.submissions:
        row = _row(result, slots)
        if style:
            row.append(_evidence(style, result))
        table.append(row)
    return csv_text(table)


def _evidence(style: Mapping[str, StyleEvidence], result: SubmissionResult) -> str:
    evidence = style.get(result.source_digest)
    if evidence is None:
        return ""
    return style_in_words(evidence)


def read_manual(sheet: Sheet, run: RunResult, plan: Plan, who: str = "") -> list[Change]:
    """Return the changes in a filled-in template.

    An empty cell changes nothing; `-` removes a mark. Raise UserError with all mistakes, each with
    its line number.
    """
    reader = _MarksReader(sheet, run, plan)
    changes: list[Change] = []
    for result, action in reader.read():
        change = Change(
            who=who,
            assignment=plan.assignment.id,
            submission=result.id,
            action=action,
            source_digest=result.source_digest,
        )
        changes.append(change)
    if reader.mistakes:
        raise UserError("\n".join(reader.mistakes))
    return changes


def _row(result: SubmissionResult, slots: Sequence[ManualSlot]) -> list[str]:
    name = ""
    if result.student is not None:
        name = result.student.name
    given = {part.slot.id: part.mark for part in result.manual}
    marks = [_exact(given.get(slot.id)) for slot in slots]
    adjustment, reason = "", ""
    if result.adjustment is not None:
        adjustment = _exact(result.adjustment.marks)
        reason = result.adjustment.reason
    return [result.id, name, *marks, adjustment, reason, result.comment]


def _exact(mark: Fraction | None) -> str:
    """Return a text that reads back as exactly this fraction, as a decimal if possible; "" without
    a mark.
    """
    if mark is None:
        return ""
    text = words.number(mark)
    if Fraction(text) == mark:
        return text
    return str(mark)


def _stripped(row: Sequence[str]) -> list[str]:
    return [bare_cell(cell).strip() for cell in row]


class _MarksReader:
    def __init__(self, sheet: Sheet, run: RunResult, plan: Plan) -> None:
        self._sheet = sheet
        self._results = {result.id: result for result in run.submissions}
        self._slots = {slot.id: slot for slot in plan.assignment.manual}
        self.mistakes: list[str] = []

    def read(self) -> Iterator[tuple[SubmissionResult, Action]]:
        header, *rows = map(_stripped, self._sheet.rows)
        columns = self._columns(header)
        if self.mistakes:
            return
        rows_above: set[str] = set()
        for index, row in enumerate(rows, start=1):
            named = zip(columns, row, strict=False)
            cells = {name: cell for name, cell in named if cell}
            name = cells.get(ID, "")
            result = self._results.get(name)
            if result is None:
                self._wrong(index, f"this run has no submission {shorten(name)!r}")
            elif name in rows_above:
                self._wrong(index, f"{name} has a row above already")
            else:
                for action in self._actions(index, cells, result):
                    yield result, action
            rows_above.add(name)

    def _columns(self, header: Sequence[str]) -> list[str]:
        """Return the meaning of each column: the id of a part that is marked by hand, or the name
        of a fixed column.
        """
        known = {ID, NAME, ADJUSTMENT, REASON, COMMENT, EVIDENCE, *self._slots}
        columns: list[str] = []
        for cell in header:
            column = self._column(cell)
            columns.append(column)
            if column not in known:
                slots = " | ".join(self._slots) or "none"
                what = f"{shorten(cell)!r} is not a column of marks"
                self._wrong(0, f"{what}. Hint: the slots are: {slots}")
        for name, count in Counter(columns).items():
            if count > 1 and not self.mistakes:
                self._wrong(0, f"there are {count} columns {name}. Hint: remove all but one")
        if ID not in header:
            self._wrong(
                0, "the column id is missing. Hint: start from a table of --to manual-marks"
            )
        return columns

    def _column(self, cell: str) -> str:
        """Return the id of the part that a header cell names, or the cell's text."""
        slot = _SLOT.fullmatch(cell)
        if slot is not None and slot["id"] in self._slots:
            return slot["id"]
        return cell

    def _actions(
        self, index: int, cells: Mapping[str, str], result: SubmissionResult
    ) -> Iterator[Action]:
        """Yield the changes that a row makes to the submission's present marks."""
        before = {part.slot.id: part.mark for part in result.manual}
        marks = dict(before)
        for name, cell in cells.items():
            slot = self._slots.get(name)
            if slot is not None:
                marks[name] = self._mark(index, cell, slot)
        for name, mark in marks.items():
            if mark != before[name]:
                yield MarkGiven(slot=name, mark=mark)
        if ADJUSTMENT in cells:
            adjustment = self._adjustment(index, cells[ADJUSTMENT], cells.get(REASON, ""))
            if adjustment != result.adjustment:
                manual = [replace(part, mark=marks.get(part.slot.id)) for part in result.manual]
                marked = replace(result, manual=tuple(manual), adjustment=None)
                self._check_total(index, marked, adjustment)
                yield Adjusted(adjustment=adjustment)
        if COMMENT in cells:
            comment = cells[COMMENT]
            if comment == TAKEN_BACK:
                comment = ""
            if comment != result.comment:
                yield Commented(text=comment)

    def _mark(self, index: int, text: str, slot: ManualSlot) -> Fraction | None:
        mark = self._number(index, text, slot.id)
        if mark is not None and not 0 <= mark <= slot.out_of:
            most = words.number(slot.out_of)
            self._wrong(index, f"{slot.id}: {text} is not between 0 and {most}")
        return mark

    def _adjustment(self, index: int, text: str, reason: str) -> Adjustment | None:
        marks = self._number(index, text, ADJUSTMENT)
        if not reason and text != TAKEN_BACK:
            self._wrong(index, f"an adjustment of {text} needs a reason")
        if marks is None:
            return None
        return Adjustment(marks=marks, reason=reason)

    def _check_total(self, index: int, result: SubmissionResult, given: Adjustment | None) -> None:
        """Raise UserError if an adjustment makes the total negative or larger than the maximum.

        An unknown total is not checked.
        """
        if result.total is None or given is None:
            return
        total = result.total + given.marks
        maximum = max(result.total_out_of, result.total)
        if not 0 <= total <= maximum:
            makes = f"an adjustment of {words.number(given.marks)} makes the total"
            bounds = f"not between 0 and {words.number(maximum)}"
            self._wrong(index, f"{makes} {words.number(total)}, {bounds}")

    def _number(self, index: int, text: str, what: str) -> Fraction | None:
        number = read_number(text)
        if number is None and text != TAKEN_BACK:
            self._wrong(index, f"{what}: {shorten(text)!r} is not a number")
        return number

    def _wrong(self, index: int, what: str) -> None:
        self.mistakes.append(f"{self._sheet.at(index)}: {what}")


def _export(request: ExportRequest) -> Exported:
    text = manual_template(request.run, request.plan, read_style(request.folder))
    return Exported(data=encoded(text))


EXPORTER = Exporter(
    name="manual-marks", help="a table for people to fill in, for `harness manual`", export=_export
)
