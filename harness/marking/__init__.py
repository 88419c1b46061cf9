"""Verdicts and findings to marks: pure, exact, the rules of the sheet and of policy.yaml."""

from harness.common.words import hundredths, rounded
from harness.marking.mark import excused, mark, with_stakes, without_mark
from harness.model.student_view import by_function

__all__ = ["by_function", "excused", "hundredths", "mark", "rounded", "with_stakes", "without_mark"]
