"""Exports the CSV for marks that people give, and reads it back."""

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
EVIDENCE = "style evidence"  # to look at while marking; ignored when the table is read back
TAKEN_BACK = "-"
_SLOT = re.compile(r"(?P<id>.*?)(?: \(out of [^()]*\))?")


def manual_template(
    run: RunResult, plan: Plan, style: Mapping[str, StyleEvidence] | None = None
) -> str:
    """Return a row for each submission with the marks given so far.

    With `style`, by the digests of submissions, the last column has its evidence.
    """
    slots = plan.assignment.manual
    marks = (f"{slot.id} (out of {words.number(slot.out_of)})" for slot in slots)
    table = [[ID, NAME, *marks, ADJUSTMENT, REASON, COMMENT]]
    table += (_row(result, slots) for result in run.submissions)
    if style:
        table[0].append(EVIDENCE)
        for row, result in zip(table[1:], run.submissions, strict=True):
            evidence = style.get(result.source_digest)
            row.append(style_in_words(evidence) if evidence else "")
    return csv_text(table)


def read_manual(sheet: Sheet, run: RunResult, plan: Plan, who: str = "") -> list[Change]:
    """Return the changes in a filled template, to be stored.

    An empty cell changes nothing; `-` takes a mark back. Raise UserError with all mistakes, each
    with its line.
    """
    reader = _Reader(sheet, run, plan)
    changes = [
        Change(
            who=who,
            assignment=plan.assignment.id,
            submission=result.id,
            action=action,
            source_digest=result.source_digest,
        )
        for result, action in reader.read()
    ]
    if reader.mistakes:
        raise UserError("\n".join(reader.mistakes))
    return changes


def _row(result: SubmissionResult, slots: Sequence[ManualSlot]) -> list[str]:
    given = {part.slot.id: part.mark for part in result.manual}
    marks = (given.get(slot.id) for slot in slots)
    adjustment = result.adjustment
    return [
        result.id,
        result.student.name if result.student else "",
        *("" if mark is None else _exact(mark) for mark in marks),
        _exact(adjustment.marks) if adjustment else "",
        adjustment.reason if adjustment else "",
        result.comment,
    ]


def _exact(mark: Fraction) -> str:
    """Return a text that reads back as the same fraction: a decimal if it has a short one."""
    text = words.number(mark)
    return text if Fraction(text) == mark else str(mark)


class _Reader:
    def __init__(self, sheet: Sheet, run: RunResult, plan: Plan) -> None:
        self._sheet = sheet
        self._results = {result.id: result for result in run.submissions}
        self._slots = {slot.id: slot for slot in plan.assignment.manual}
        self.mistakes: list[str] = []

    def read(self) -> Iterator[tuple[SubmissionResult, Action]]:
        header, *rows = ([bare_cell(cell).strip() for cell in row] for row in self._sheet.rows)
        columns = self._columns(header)
        rows_above = set()
        for index, row in enumerate(rows if not self.mistakes else (), start=1):
            cells = {name: cell for name, cell in zip(columns, row, strict=False) if cell}
            name = cells.get(ID, "")
            if (result := self._results.get(name)) is None:
                self._wrong(index, f"there is no submission {shorten(name)!r} in this run")
            elif name in rows_above:
                self._wrong(index, f"{name} has a row above already")
            else:
                yield from ((result, action) for action in self._actions(index, cells, result))
            rows_above.add(name)

    def _columns(self, header: Sequence[str]) -> list[str]:
        """Return what each column holds: the id of its slot, or a name of ours."""
        columns: list[str] = []
        for cell in header:
            slot = _SLOT.fullmatch(cell)
            columns.append(slot["id"] if slot and slot["id"] in self._slots else cell)
            if columns[-1] not in (ID, NAME, ADJUSTMENT, REASON, COMMENT, EVIDENCE, *self._slots):
                known = " | ".join(self._slots) or "none"
                said = f"{shorten(cell)!r} is not a column of marks"
                self._wrong(0, f"{said}. Hint: the slots are: {known}")
        for name, count in Counter(columns).items():
            if count > 1 and not self.mistakes:
                self._wrong(0, f"there are {count} columns {name}. Hint: remove all but one")
        if ID not in header:
            self._wrong(0, "there is no column id. Hint: begin with --to manual-marks")
        return columns

    def _actions(
        self, index: int, cells: Mapping[str, str], result: SubmissionResult
    ) -> Iterator[Action]:
        """Return the changes of a row to a submission in its present state."""
        before = {part.slot.id: part.mark for part in result.manual}
        marks = before | {
            name: self._mark(index, cell, self._slots[name])
            for name, cell in cells.items()
            if name in self._slots
        }
        for name, mark in marks.items():
            if mark != before[name]:
                yield MarkGiven(slot=name, mark=mark)
        if ADJUSTMENT in cells:
            adjustment = self._adjustment(index, cells[ADJUSTMENT], cells.get(REASON, ""))
            if adjustment != result.adjustment:
                manual = tuple(replace(e, mark=marks.get(e.slot.id)) for e in result.manual)
                marked = replace(result, manual=manual, adjustment=None)
                self._check_total(index, marked, adjustment)
                yield Adjusted(adjustment=adjustment)
        if COMMENT in cells:
            comment = "" if cells[COMMENT] == TAKEN_BACK else cells[COMMENT]
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
        return None if marks is None else Adjustment(marks=marks, reason=reason)

    def _check_total(self, index: int, result: SubmissionResult, given: Adjustment | None) -> None:
        """Refuse an adjustment that leads out of 0 to the maximum, where the total is known."""
        if result.total is None or given is None:
            return
        total, most = result.total + given.marks, max(result.total_out_of, result.total)
        if not 0 <= total <= most:
            by, makes, top = (words.number(each) for each in (given.marks, total, most))
            what = f"an adjustment of {by} makes the total {makes}, not between 0 and {top}"
            self._wrong(index, what)

    def _number(self, index: int, text: str, what: str) -> Fraction | None:
        if (number := read_number(text)) is None and text != TAKEN_BACK:
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
