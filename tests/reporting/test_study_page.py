"""The page of what is found out beside marks: what it shows, and that names stay names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.common import files, serial
from harness.model import study
from harness.reporting.html.study_pages import SIMILARITY, matrix, study_page, write_study
from tests.reporting.pages_read import assert_inert
from tests.reporting.report_samples import PLAN

HOSTILE = '<script>alert(1)</script>\u202e"&'
STRENGTH = study.StrengthReport(
    assignment=PLAN.assignment.id,
    spec_digest=PLAN.spec_digest,
    reference_digest=PLAN.reference_digest,
    functions=(
        study.FunctionStrength(function=HOSTILE, changes=8, noticed=6, equivalent=1),
        study.FunctionStrength(function="all_equivalent", changes=1, noticed=0, equivalent=1),
    ),
    clauses=(study.ClauseStrength(clause="4.1", scenarios=3, noticed=2),),
    outcomes=(
        study.ChangeOutcome(
            file="a1.py", function="f", line=3, operator="o", before="a < b", after="a <= b",
            noticed_by=(),
        ),
    ),
    needed=("f/one",),
    spare=("f/two", "f/three"),
)  # fmt: skip


def pair(first: str, second: str, score: float) -> study.SimilarPair:
    return study.SimilarPair(first=first, second=second, score=score, matches=())


ALIKE = study.SimilarityReport(
    compared=4,
    pairs=(pair("zoe", "ada", 0.97), pair("bob", HOSTILE, 0.5), pair("ada", "bob", 0.25)),
    groups=(("ada", "zoe"),),
)


def test_what_is_measured_is_shown_and_nothing_of_it_acts() -> None:
    page = assert_inert(study_page(PLAN, STRENGTH, ALIKE), 0).text
    for said in ("85.7 % of 7 single-fault changes", "a <= b", "1 of 3 scenarios", "85 %",
                 "ada and zoe: 97 %", "nothing to notice"):  # fmt: skip
        assert said in page, said
    assert "Who is alike" not in study_page(PLAN, STRENGTH, None)
    assert "How strong" not in study_page(PLAN, None, ALIKE)


def test_where_programs_with_full_marks_differ_is_shown() -> None:
    assert "full marks" not in study_page(PLAN, None, ALIKE)
    found = study.FuzzDifference(
        target="t", function="g", message="prints <b>", scenario="- call: g()", drawn=1
    )
    fuzz = study.FuzzReport(
        assignment=PLAN.assignment.id,
        seed=0,
        complete=True,
        functions=(study.FunctionInputs(function="g", inputs=10_000, left_out=3),),
        submissions=(study.FuzzedSubmission(ids=("ada", HOSTILE), inputs=10_000, differences=()),),
    )
    assert "None of them differs." in assert_inert(study_page(PLAN, None, None, fuzz), 0).text
    differs = replace(fuzz.submissions[0], differences=(found,))
    fuzz = replace(fuzz, submissions=(differs,))
    page = assert_inert(study_page(PLAN, None, None, fuzz), 0).text
    assert "10000" in page
    assert "prints <b>" in page


def test_the_matrix_has_groups_first_and_each_pair_below_its_diagonal() -> None:
    found = matrix(ALIKE)
    assert list(found.names) == ["ada", "zoe", HOSTILE, "bob"]
    assert [(cell.first, cell.second, cell.score, cell.page) for cell in found.cells] == [
        (0, 1, 97, 1),
        (2, 3, 50, 2),
        (0, 3, 25, 3),
    ]


def test_a_large_class_shows_its_most_alike_pairs() -> None:
    many = tuple(pair(f"a{n:03}", f"b{n:03}", 0.9 - n / 1000) for n in range(90))
    found = matrix(replace(ALIKE, pairs=many, groups=()))
    assert len(found.names) == 40
    assert [cell.page for cell in found.cells] == list(range(1, 21))


def test_the_page_goes_with_what_it_showed(tmp_path: Path) -> None:
    assert write_study(tmp_path, PLAN, None) is None
    files.write(tmp_path / SIMILARITY, serial.dumps(ALIKE))
    page = write_study(tmp_path, PLAN, STRENGTH)
    assert page is not None
    assert "Who is alike" in page.read_text(encoding="utf-8")
    (tmp_path / SIMILARITY).write_text("{", encoding="utf-8")
    assert write_study(tmp_path, PLAN, None) is None
    assert not page.exists()
