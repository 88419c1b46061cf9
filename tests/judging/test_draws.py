"""A sample's verdict shows its smallest failing draw."""

from __future__ import annotations

import pytest

from harness.judging import combine as combine_kinds
from harness.model.verdict import Explanation, Verdict, VerdictKind

PASSED = Verdict(kind=VerdictKind.PASSED)
HARNESS = Verdict(kind=VerdictKind.HARNESS_ERROR)
CUT = Verdict(kind=VerdictKind.STOPPED_EARLY)
LOOP = Verdict(kind=VerdictKind.CPU_LIMIT)


def failed(message: str) -> Verdict:
    return Verdict(
        kind=VerdictKind.FAILED, explanation=Explanation(rule="wrong_value", message=message)
    )


def combine(verdicts: tuple[Verdict, ...]) -> Verdict:
    return combine_kinds([verdict.kind for verdict in verdicts], verdicts.__getitem__)


def test_all_draws_pass() -> None:
    assert combine((PASSED, PASSED, PASSED)) == Verdict(kind=VerdictKind.PASSED, draws_run=3)


def test_the_smallest_failing_draw_is_shown() -> None:
    verdict = combine((PASSED, failed("a"), PASSED, failed("b")))
    assert (verdict.message, verdict.draw) == ("a", 1)
    assert (verdict.draws_failed, verdict.draws_run) == (2, 4)


def test_a_limit_is_a_failure_like_another() -> None:
    assert combine((PASSED, LOOP, failed("a"))).kind is VerdictKind.CPU_LIMIT


def test_a_failure_that_was_seen_comes_before_one_cut_short() -> None:
    verdict = combine((CUT, PASSED, failed("a")))
    assert (verdict.message, verdict.draw, verdict.draws_failed) == ("a", 2, 2)
    assert combine((CUT, PASSED)).kind is VerdictKind.STOPPED_EARLY


def test_a_fault_of_ours_never_costs_a_mark_and_hides_no_failure() -> None:
    assert combine((PASSED, HARNESS)).kind is VerdictKind.HARNESS_ERROR
    assert combine((CUT, HARNESS)).kind is VerdictKind.HARNESS_ERROR
    verdict = combine((HARNESS, failed("a")))
    assert (verdict.kind, verdict.draw, verdict.draws_failed) == (VerdictKind.FAILED, 1, 1)


def test_a_sample_without_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one draw"):
        combine(())
