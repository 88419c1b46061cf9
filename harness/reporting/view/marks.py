"""The mark that counts and the sum that leads to it: one definition for all pages and tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from harness.common.words import rounded
from harness.model.assignment import LateOf
from harness.model.result import SubmissionResult
from harness.reporting.view import words
from harness.results.student_view import StudentView


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingMark:
    """The mark that counts: after marks by hand, lateness, adjustment and override."""

    value: Fraction | None  # None: without a mark, or the student is excused
    out_of: Fraction
    unmarked: tuple[str, ...] = ()  # titles of parts without a mark: `value` is the mark so far
    sum: str = ""  # how it is made up; empty if it is the functionality mark and nothing else

    @property
    def is_final(self) -> bool:
        return not self.unmarked

    @property
    def text(self) -> str:
        """`4.60`, `4.60 so far`, or a dash."""
        shown = words.mark_text(self.value)
        return shown if self.is_final or self.value is None else f"{shown} so far"


def counting_mark(result: SubmissionResult | StudentView) -> CountingMark:
    """Return the mark that counts of a submission."""
    value = result.so_far
    if value is None:
        return CountingMark(value=None, out_of=result.total_out_of)
    unmarked = tuple(part.slot.title for part in result.manual if part.mark is None)
    terms = list(_terms(result))
    mark = CountingMark(value=value, out_of=result.total_out_of, unmarked=unmarked)
    if len(terms) == 1 and result.override is None:
        return mark
    of = f"{rounded(value)} of {words.number(mark.out_of)}{_limit(result, value)}"
    so_far = " so far" if unmarked else ""
    total = f"{' '.join(terms)} = {of}{so_far}"
    return CountingMark(value=value, out_of=mark.out_of, unmarked=unmarked, sum=total)


def _terms(result: SubmissionResult | StudentView) -> Iterator[str]:
    """Yield the parts of the sum, each but the first with its sign."""
    if result.override is not None:
        yield f"{rounded(result.override.mark)} functionality (set by a tutor)"
    else:
        yield f"{rounded(result.mark or Fraction(0))} functionality"
    for part in result.manual:
        if part.mark is None:
            yield f"+ {part.slot.title} (not marked yet, of {words.number(part.slot.out_of)})"
        else:
            yield f"+ {rounded(part.mark)} {part.slot.title}"
    late, taken = result.late, result.late_so_far
    if late is not None and late.share and taken is not None:
        whole = "marks reached" if late.of is LateOf.REACHED else "total"
        yield f"- {rounded(taken)} late ({words.number(late.share * 100)} % of the {whole})"
    if result.adjustment is not None:
        change = result.adjustment.marks
        sign = "-" if change < 0 else "+"
        yield f"{sign} {rounded(abs(change))} adjustment"


def _limit(result: SubmissionResult | StudentView, value: Fraction) -> str:
    """Return a remark if the adjustment would have led below 0 or above the maximum."""
    if result.adjustment is None:
        return ""
    mark = result.mark if result.override is None else result.override.mark
    unlimited = (mark or Fraction(0)) - (result.late_so_far or Fraction(0))
    unlimited += result.adjustment.marks
    for part in result.manual:
        unlimited += part.mark or Fraction(0)
    if unlimited < value:
        return " (never below 0)"
    return " (never above the maximum)" if unlimited > value else ""
