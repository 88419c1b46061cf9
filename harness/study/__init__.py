"""What is asked about a class or a suite of scenarios as a whole; never a mark."""

from harness.study.similarity.comparing import (
    compare_class,
    graded_submissions,
    without_ids,
)

__all__ = ["compare_class", "graded_submissions", "without_ids"]
