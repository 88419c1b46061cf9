"""Proving that an assignment's reference, scenarios, mutants and samples agree."""

from harness.grading.validation.report import (
    ClauseCoverage,
    FunctionShare,
    MutantOutcome,
    Problem,
    SampleOutcome,
    TrivialScore,
    ValidationReport,
)
from harness.grading.validation.validate import Sample, validate

__all__ = [
    "ClauseCoverage",
    "FunctionShare",
    "MutantOutcome",
    "Problem",
    "Sample",
    "SampleOutcome",
    "TrivialScore",
    "ValidationReport",
    "validate",
]
