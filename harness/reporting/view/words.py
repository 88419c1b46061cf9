"""Words and signs that pages and terminals share."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from hashlib import sha256

from harness.common.escaping import shorten
from harness.common.words import counted as counted  # noqa: PLC0414  (for templates as well)
from harness.common.words import listed as listed  # noqa: PLC0414
from harness.common.words import plural as plural  # noqa: PLC0414
from harness.common.words import rounded
from harness.model.assignment import LateOf
from harness.model.notebook import PROGRAM_LINES, LineNames
from harness.model.observation import Isolation
from harness.model.plan import Visibility
from harness.model.policy import Consequence, Severity
from harness.model.result import (
    LineComment,
    ManualMark,
    Override,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.submission import Lateness, WrongFiles
from harness.model.verdict import Conversation, StandInOutcome, Verdict, VerdictKind
from harness.results.redaction import Advice, ShownCause, ShownCheck
from harness.results.student_view import StudentView

VERDICT = {
    VerdictKind.PASSED: "passed",
    VerdictKind.FAILED: "failed",
    VerdictKind.MISSING: "function missing",
    VerdictKind.TIMEOUT: "did not end in time",
    VerdictKind.CPU_LIMIT: "ran out of time",
    VerdictKind.MEMORY_LIMIT: "used too much memory",
    VerdictKind.OUTPUT_LIMIT: "printed too much",
    VerdictKind.CRASHED: "Python crashed",
    VerdictKind.ENDED_EARLY: "ended too early",
    VerdictKind.UNREADABLE: "file unreadable",
    VerdictKind.TAMPERED: "broke the grading protocol",
    VerdictKind.STOPPED_EARLY: "stopped early",
    VerdictKind.NOT_RUN: "not run",
    VerdictKind.HARNESS_ERROR: "not graded: our error",
}

_MAX_ADVICE = 400
# Signs shown with the words, so that no meaning depends only on color.
SIGN = {VerdictKind.PASSED: "✓", VerdictKind.HARNESS_ERROR: "!"}
OTHER_SIGN = "✗"

# Notes on scenarios that students cannot see; visible ones have none.
VISIBILITY = {
    Visibility.VISIBLE: "",
    Visibility.AFTER_DUE_DATE: "hidden until the due date",
    Visibility.AFTER_PUBLISHED: "hidden until marks are published",
    Visibility.HIDDEN: "hidden",
}

STATUS = {
    SubmissionStatus.GRADED: "graded",
    SubmissionStatus.UNREADABLE: "unreadable",
    SubmissionStatus.LATE: "late",
    SubmissionStatus.NO_SUBMISSION: "no submission",
    SubmissionStatus.NEEDS_REVIEW: "needs review",
    SubmissionStatus.HARNESS_ERROR: "not graded: our error",
}


def remedy(wrong: WrongFiles | None, file_names: Sequence[str]) -> str:
    """Return how a student can fix wrong files; "" if the files are not the problem."""
    if wrong is None:
        return ""
    if wrong.renaming is not None:
        renaming = wrong.renaming
        return f"Rename {renaming.found} to {renaming.expected} and hand it in again."
    names = "these names"
    if len(file_names) == 1:
        names = "this name"
    return f"Hand in {listed(file_names)}, with exactly {names}."


def section(text: str) -> str:
    """Return the name of a section of the sheet; a plain number gets a § sign."""
    if text[:1].isdigit():
        return f"§{text}"
    return text


def section_order(text: str) -> tuple[int, ...]:
    """Return a sort key for sections, so that 4.2 comes before 4.10.

    Sections without a number come last.
    """
    numbers = [int(number) for number in re.findall(r"[0-9]{1,9}", text)]
    is_section = section(text).startswith("§")
    return (int(not is_section), *numbers)


def time_taken(verdict: Verdict) -> str:
    """Return a phrase with the time taken and the time allowed; "" if no time limit was reached."""
    time = verdict.time
    if time is None:
        return ""
    if time.waiting:
        return f"Time: it may wait {time.allowed:g} s in all"
    took = f"yours took more than {time.allowed:g} s"
    if time.less_than is not None:
        took += f" and less than {time.less_than:g} s"
    if time.reference_less_than is not None:
        took += f", ours takes less than {time.reference_less_than:g} s"
    return f"Time: {time.allowed:g} s are allowed, {took}"


def sign(kind: VerdictKind) -> str:
    """Return ✓ for passed, ! for an error of the harness, ✗ for the rest."""
    return SIGN.get(kind, OTHER_SIGN)


def consequence(value: Consequence) -> str:
    """Return a finding's effect on the mark, as a phrase."""
    match value.severity:
        case Severity.NOTE:
            return "a note, costs no marks"
        case Severity.REVIEW:
            return "a tutor will look; no automatic deduction"
        case Severity.DEDUCT:
            cost = f"{number(value.marks)} {plural(value.marks, 'mark')}"
            if value.entry is not None:
                return f"costs {cost}, once for all issues with this requirement"
            return f"costs {cost}, once for all issues of this kind"
        case Severity.ZERO:
            return "makes the mark 0"


def manual(given: ManualMark) -> str:
    """Return a line about a part that is marked by hand, with its mark if it has one."""
    slot = given.slot
    title = slot.title
    if slot.clause:
        title += f" (clause {slot.clause})"
    mark = f"not marked yet ({number(slot.out_of)} {plural(slot.out_of, 'mark')})"
    if given.mark is not None:
        mark = f"{rounded(given.mark)} of {number(slot.out_of)}"
    return f"{title}: {mark}{rubric(given)}"


def rubric(given: ManualMark) -> str:
    """Return the rubric items of a mark in brackets; "" without a rubric."""
    items: list[str] = []
    for item in given.items:
        choice = item.title
        if item.level:
            choice += f": {item.level}"
        items.append(f"{choice} {signed(item.points)}")
    if not items:
        return ""
    return f" ({'; '.join(items)})"


def is_by_hand(result: SubmissionResult | StudentView) -> bool:
    """Return whether this submission has marks, an adjustment or an override given by hand."""
    if result.adjustment is not None or result.override is not None:
        return True
    return any(part.mark is not None for part in result.manual)


def said_by_hand(result: SubmissionResult | StudentView) -> list[str]:
    """Return the marks and comments given by people, one on each line; empty if there are none."""
    if result.comment or result.line_comments or is_by_hand(result):
        return [*account(result), *comments_on_lines(result)]
    return []


def has_total(result: SubmissionResult) -> bool:
    """Return whether the total differs from the functionality mark, because of marks by hand or
    lateness.
    """
    return is_by_hand(result) or bool(result.late_so_far)


def time_text(text: str) -> str:
    """Return a time as `2026-03-02 17:00`, without seconds, time zone and "T"."""
    return text[:16].replace("T", " ")


_NOTHING = sha256().hexdigest()  # the digest of an empty set of files


def digest(result: SubmissionResult) -> str:
    """Return the digest of the graded files; "" if there are none."""
    if result.source_digest == _NOTHING:
        return ""
    return result.source_digest


def handing_in(result: SubmissionResult) -> list[str]:
    """Return lines with the author's address and the submission times, as far as they are known."""
    lines: list[str] = []
    if result.student is not None and result.student.email:
        lines.append(result.student.email)
    if result.handed_in:
        lines.append(f"handed in {time_text(result.handed_in)}")
    if result.attempts is not None and result.attempts > 1:
        lines.append(f"attempt {result.attempt} of {result.attempts}")
    late = late_in_short(result)
    if late and is_late(result):
        late = f"late: {late}"
    if late:
        lines.append(late)
    return lines


def is_late(result: SubmissionResult) -> bool:
    """Return whether the submission is late, even if lateness has no effect on its mark."""
    return result.late is not None or result.status is SubmissionStatus.LATE


def late_in_short(result: SubmissionResult) -> str:
    """Return for a table cell how late a submission is, and its own due time if it has one."""
    parts: list[str] = []
    if result.status is SubmissionStatus.LATE:
        parts.append("too late")
    late = result.late
    if late is not None:
        if late.begun is not None:
            parts.append(f"{late.begun} (-{number(late.share * 100)} %)")
        if late.slip_days:
            parts.append(counted(late.slip_days, "slip day"))
        if late.is_forgiven:
            parts.append("grace period")
    if result.extended_to:
        parts.append(f"extended to {time_text(result.extended_to)}")
    return ", ".join(parts)


def isolation(result: SubmissionResult) -> str:
    """Return for lecturers how the scenarios were isolated from each other; "" if none were run."""
    if not result.scenarios or result.status is SubmissionStatus.UNREADABLE:
        return ""
    if result.isolation is Isolation.SHARED:
        return "Scenarios shared a process: the program keeps no state between them."
    shown = "Every scenario had its own process"
    if result.isolation_reason:
        shown += f" ({result.isolation_reason})"
    return f"{shown}."


def account(result: SubmissionResult | StudentView) -> list[str]:
    """Return lines that explain the total: marks by hand, lateness, adjustments, then the total."""
    lines = [manual(given) for given in result.manual]
    lines += _reasons(result)
    if result.override is not None:
        lines.insert(0, _override(result, result.override))
    parts = [*result.manual, result.adjustment, result.override, result.late]
    if result.total is not None and any(part is not None for part in parts):
        lines.append(f"total: {rounded(result.total)} of {number(result.total_out_of)}")
    return lines


def beside_sum(result: SubmissionResult | StudentView) -> list[str]:
    """Return only the lines of `account` that the sum and the rubrics on the page do not show.

    Missing marks and the total are part of the sum.
    """
    lines: list[str] = []
    if result.override is not None:
        lines.append(_override(result, result.override))
    for given in result.manual:
        if given.mark is not None and not given.is_by_rubric:
            lines.append(manual(given))
    return lines + _reasons(result)


def _reasons(result: SubmissionResult | StudentView) -> list[str]:
    """Return lines with the lateness, the reason for an adjustment, and the comment."""
    lines: list[str] = []
    if result.late is not None:
        lines.append(lateness(result.late, result.reached, result.late_marks))
    change = result.adjustment
    if change is not None:
        lines.append(f"adjusted by {signed(change.marks)}{_limit(result)}: {change.reason}")
    if result.comment:
        lines.append(f"comment: {result.comment}")
    return lines


def _override(result: SubmissionResult | StudentView, override: Override) -> str:
    mark = rounded(override.mark)
    if result.mark is not None:
        mark += f" (autograder: {rounded(result.mark)})"
    return f"functionality mark set by a tutor: {mark}: {override.reason}"


def comments_on_lines(result: SubmissionResult | StudentView) -> list[str]:
    """Return people's comments on lines of code, each with its place."""
    return [on_line(comment, result.line_names) for comment in result.line_comments]


def on_line(comment: LineComment, names: LineNames = PROGRAM_LINES) -> str:
    """Return a comment as `a1.py, line 12: text`, with a note if the file has changed since."""
    line = f"line {comment.line}"
    if not comment.outdated:
        line = names.line(comment.file, comment.line)
    return f"{names.file(comment.file)}, {line}{changed(comment)}: {comment.text}"


def changed(comment: LineComment) -> str:
    """Return in brackets what happened to a commented line since; "" if it is unchanged."""
    if comment.outdated:
        return f" (of an earlier version, which had {comment.quoted.strip()!r})"
    if comment.moved_from:
        return f" (line {comment.moved_from} before the file changed)"
    return ""


def whole_comment(result: SubmissionResult) -> str:
    """Return all comments on a submission as one text for a gradebook cell: rubrics, lateness,
    comments.
    """
    lines = [f"{part.slot.title}{rubric(part)}" for part in result.manual if part.items]
    if result.override is not None:
        lines.append(f"Mark set: {result.override.reason}")
    if result.late is not None:
        line = lateness(result.late, result.reached, result.late_marks)
        lines.append(line[0].upper() + line[1:])
    if result.comment:
        lines.append(result.comment)
    lines += comments_on_lines(result)
    return "\n".join(lines)


def lateness(late: Lateness, reached: Fraction | None, marks: Fraction | None) -> str:
    """Return a sentence about how late the submission is, with the penalty if it is known."""
    parts = ["late"]
    if late.due:
        parts = [f"late: due {time_text(late.due)}"]
    if late.is_forgiven:
        parts.append("within the grace period, no penalty")
    if late.slip_days:
        parts.append(f"{counted(late.slip_days, 'slip day')} used")
    if late.begun is not None:
        share = f"{number(late.share * 100)} % of {late_base(late)}"
        parts.append(f"counted as {late.begun}, minus {share}")
    if marks is not None and reached is not None and late.share:
        parts.append(f"{rounded(reached)} before, {rounded(reached - marks)} after")
    return "; ".join(parts)


def late_base(late: Lateness) -> str:
    """Return a phrase for the amount that the late penalty is a percentage of."""
    if late.of is LateOf.REACHED:
        return "the marks reached"
    return "the total"


def _limit(result: SubmissionResult | StudentView) -> str:
    """Return a note if the adjustment would have made the mark negative or larger than the
    maximum.
    """
    reached = result.reached
    late = result.late_marks
    if result.total is None or result.adjustment is None or reached is None or late is None:
        return ""
    unlimited = reached - late + result.adjustment.marks
    if unlimited < result.total:
        return " (the total is not below 0)"
    if unlimited > result.total:
        return " (the total is not above the maximum)"
    return ""


def stood_in(verdicts: Iterable[Verdict]) -> str:
    """Return a sentence with the number of checks that passed only with the course's module as a
    stand-in; "" if none did.
    """
    count = sum(verdict.stand_in is StandInOutcome.PASSED for verdict in verdicts)
    if not count:
        return ""
    verb = "passes" if count == 1 else "pass"
    return f"{counted(count, 'check')} {verb} only with the course's file instead of one"


def other_checks(verdicts: Iterable[Verdict]) -> str:
    """Return a sentence with the numbers of checks that fail like the example, and that were not
    run because of it.
    """
    kinds = [verdict.kind for verdict in verdicts]
    waiting = kinds.count(VerdictKind.NOT_RUN)
    alike = len(kinds) - waiting
    parts: list[str] = []
    if alike:
        verb = "fails" if alike == 1 else "fail"
        parts.append(f"{counted(alike, 'other check')} {verb} in the same way")
    if waiting:
        checks = f"{waiting:,}" if alike else counted(waiting, "other check")
        verb = "is" if waiting == 1 else "are"
        parts.append(f"{checks} {verb} not run until then")
    return ", ".join(parts)


def advice(cause: ShownCause) -> list[str]:
    """Return the lecturer's hints for the hidden checks of a cause, one on each line."""
    return list(map(advice_line, cause.advice))


def advice_line(advice: Advice) -> str:
    """Return a hint as `“name” (hidden): description hint`."""
    said = " ".join(filter(None, (advice.description, advice.hint)))
    return f"“{advice.name}” (hidden): {shorten(said, _MAX_ADVICE)}"


def then(talk: Conversation) -> str:
    """Return the words after the first wrong turn if only one side then reads an input; otherwise
    "".
    """
    if talk.expected is None or talk.actual is None:
        return ""
    ends = talk.expected.typed is None
    if ends == (talk.actual.typed is None):
        return ""
    if ends:
        return "After this the program should end, but it asked for input."
    return "After this the program should ask for input, but it did not."


def draws(verdict: Verdict) -> str:
    """Return a phrase with the number of failing generated cases, saying that the smallest is
    shown; "" if there is only one case.
    """
    if verdict.draw is None or verdict.draws_run < 2 or verdict.passed:
        return ""
    return f"{verdict.draws_failed:,} of {verdict.draws_run:,} cases fail; this is the smallest"


def case(check: ShownCheck) -> str:
    """Return a phrase that tells which of several cases is shown; "" if there is only one, or none
    fails.
    """
    draw = check.verdict.draw
    if draw is None or check.draws < 2:
        return ""
    return f"case {draw + 1:,} of {check.draws:,}"


def number(value: Fraction) -> str:
    """Return a number without trailing zeros: 6, 4.5, 0.33."""
    return rounded(value).rstrip("0").rstrip(".")


def extra(view: StudentView) -> str:
    """Return the extra credit contained in a mark, such as `, with 0.5 of 1 extra`; it follows the
    mark.

    Return "" without a mark or extra credit, or if the mark is 0.
    """
    if view.mark is None or not view.extra_points:
        return ""
    earned = min(view.mark, view.extra_earned * view.marks_of_a_point)
    most = view.extra_points * view.marks_of_a_point
    return f", with {number(earned)} of {number(most)} extra"


def signed(value: Fraction) -> str:
    """Return the number with a sign: +0.5, -1."""
    if value < 0:
        return number(value)
    return f"+{number(value)}"


def percent(part: Fraction | float, whole: Fraction | int = 1) -> int:
    """Return a percentage, rounded half up. It is 0 or 100 only if that is exact."""
    if not whole:
        return 0
    share = Fraction(part) / Fraction(whole)
    rounded = int(share * 100 + Fraction(1, 2))
    if share < 1:
        rounded = min(rounded, 99)
    if share > 0:
        rounded = max(rounded, 1)
    return rounded


def is_other_python(python: str, wanted: str) -> bool:
    """Return whether a run used another Python version than the assignment names."""
    version = wanted.split(".")
    return python.split(".")[: len(version)] != version


def mark_text(mark: Fraction | None) -> str:
    """Return a mark with two decimals; a dash for None."""
    if mark is None:
        return "\u2013"
    return rounded(mark)
