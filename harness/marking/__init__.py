"""Verdicts and findings to marks: pure, exact, the rules of the sheet and of policy.yaml."""

from harness.marking.mark import GROUPS, mark
from harness.model.rounding import hundredths, rounded
from harness.model.tally import by_function

__all__ = ["GROUPS", "by_function", "hundredths", "mark", "rounded"]
