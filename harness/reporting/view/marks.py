"""Defines the final mark and the sum that leads to it, for all pages and tables."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.common.words import rounded
from harness.model.result import SubmissionResult
from harness.reporting.view import words
from harness.results.student_view import StudentView


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingMark:
    """The final mark: after marks by hand, lateness, adjustment and override."""

    value: Fraction | None  # None without a mark, or if the student is excused
    out_of: Fraction
    unmarked: tuple[
        str, ...
    ] = ()  # titles of parts without a mark yet; then `value` is the mark so far
    sum: str = ""  # the sum that leads to it; empty if it is only the functionality mark

    @property
    def is_final(self) -> bool:
        return not self.unmarked

    @property
    def text(self) -> str:
        """Return `4.60`, `4.60 so far` or a dash."""
        shown = words.mark_text(self.value)
        if self.is_final or self.value is None:
            return shown
        return f"{shown} so far"

    @property
    def text_of_total(self) -> str:
        """Return `4.60 of 12` or `4.60 of 12 so far`; "" without a mark."""
        if self.value is None:
            return ""
        shown = f"{rounded(self.value)} of {words.number(self.out_of)}"
        if self.is_final:
            return shown
        return f"{shown} so far"


def unmarked(result: SubmissionResult | StudentView) -> tuple[str, ...]:
    """Return the titles of the parts that must still be marked by hand."""
    return tuple(part.slot.title for part in result.manual if part.mark is None)


def counting_mark(result: SubmissionResult | StudentView) -> CountingMark:
    """Return a submission's final mark."""
    value = result.so_far
    if value is None:
        return CountingMark(value=None, out_of=result.total_out_of)
    missing = unmarked(result)
    terms = list(_terms(result))
    mark = CountingMark(value=value, out_of=result.total_out_of, unmarked=missing)
    if len(terms) == 1 and result.override is None:
        return mark
    of = f"{rounded(value)} of {words.number(mark.out_of)}{_limit(result, value)}"
    total = f"{' '.join(terms)} = {of}"
    if missing:
        total += " so far"
    return replace(mark, sum=total)


def _terms(result: SubmissionResult | StudentView) -> Iterator[str]:
    """Yield the terms of the sum; each after the first has its sign."""
    if result.override is not None:
        yield f"{rounded(result.override.mark)} functionality (set by a tutor)"
    else:
        yield f"{rounded(result.mark or Fraction(0))} functionality"
    for part in result.manual:
        if part.mark is None:
            yield f"+ {part.slot.title} (not marked yet, of {words.number(part.slot.out_of)})"
        else:
            yield f"+ {rounded(part.mark)} {part.slot.title}"
    late = result.late
    taken = result.late_so_far
    if late is not None and late.share and taken is not None:
        share = f"{words.number(late.share * 100)} % of {words.late_base(late)}"
        yield f"- {rounded(taken)} late ({share})"
    if result.adjustment is not None:
        change = result.adjustment.marks
        sign = "-" if change < 0 else "+"
        yield f"{sign} {rounded(abs(change))} adjustment"


def _limit(result: SubmissionResult | StudentView, value: Fraction) -> str:
    """Return a remark if the adjustment would have made the mark negative or larger than the
    maximum.
    """
    if result.adjustment is None:
        return ""
    unlimited = result.mark or Fraction(0)
    if result.override is not None:
        unlimited = result.override.mark
    for part in result.manual:
        unlimited += part.mark or Fraction(0)
    unlimited -= result.late_so_far or Fraction(0)
    unlimited += result.adjustment.marks
    if unlimited < value:
        return " (never below 0)"
    if unlimited > value:
        return " (never above the maximum)"
    return ""
