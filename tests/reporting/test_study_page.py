"""The page of what is found out beside marks, and the pages over a term."""

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

import harness.reporting.html
from harness.common import files, serial
from harness.model import study
from harness.model.assignment import LatePolicy, SourceFile
from harness.model.result import ManualMark, SubmissionStatus
from harness.model.submission import Lateness, Student
from harness.reporting.html.course_pages import course_page, student_page
from harness.reporting.html.study_pages import (
    COLOURS,
    SIMILARITY,
    listing,
    matrix,
    pair_page,
    study_page,
    write_similarity,
    write_study,
)
from harness.results.course import Course, CourseRun, find_student
from tests import plans
from tests.reporting.pages_read import assert_golden, assert_inert, without_style
from tests.reporting.report_samples import PLAN
from tests.reporting.test_report_inert import ATTACKS
from tests.results.test_course import ADA, BOB, STYLE, course, of, run

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


def test_measured_values_are_shown_escaped() -> None:
    page = assert_inert(study_page(PLAN, STRENGTH, ALIKE), 0).text
    for said in ("85.7 % of 7 single-fault changes", "a <= b", "1 of 3 scored scenarios", "85 %",
                 "ada and zoe: 97 %", "nothing to notice"):  # fmt: skip
        assert said in page, said
    assert "Similar programs" not in study_page(PLAN, STRENGTH, None)
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
    fuzz = replace(fuzz, submissions=(replace(fuzz.submissions[0], differences=(found,)),))
    page = assert_inert(study_page(PLAN, None, None, fuzz), 0).text
    assert "10000" in page
    assert "prints <b>" in page


def test_the_matrix_has_groups_first_and_the_most_alike_pairs() -> None:
    found = matrix(ALIKE)
    assert list(found.names) == ["ada", "zoe", HOSTILE, "bob"]
    assert [(cell.first, cell.second, cell.score, cell.page) for cell in found.cells] == [
        (0, 1, 97, 1),
        (2, 3, 50, 2),
        (0, 3, 25, 3),
    ]
    many = tuple(pair(f"a{n:03}", f"b{n:03}", 0.9 - n / 1000) for n in range(90))
    found = matrix(replace(ALIKE, pairs=many, groups=()))
    assert len(found.names) == 40
    assert [cell.page for cell in found.cells] == list(range(1, 21))


def test_groups_are_listed_first_and_each_has_a_pair_before_one_has_many() -> None:
    pairs = (
        pair("a", "b", 0.9), pair("b", "c", 0.8), pair("a", "c", 0.7),
        pair("x", "y", 0.6), pair("a", "x", 0.95), pair("p", "q", 0.5),
    )  # fmt: skip
    grouped = (("a", "b", "c"), ("x", "y"))
    report = study.SimilarityReport(
        compared=9, pairs=study.groups_first(pairs, grouped), groups=grouped
    )
    assert report.pairs == pairs
    assert report.worth_a_look(5) == (0, 1, 3, 4, 5)
    first, second = listing(report)[0]
    assert [row.pair for row in first.nearest] == [*pairs[:2]]
    assert (first.lowest, first.highest, second.names) == (0.7, 0.9, ("x", "y"))
    assert [(row.pair, row.page) for row in listing(report)[1]] == [(pairs[4], 5), (pairs[5], 6)]
    grouped = tuple(tuple(f"{letter}{n:02}" for n in range(30)) for letter in "abc")
    pairs = [pair(*both, 0.9) for names in grouped for both in combinations(names, 2)]
    pairs += [pair(f"p{n}", f"q{n}", 0.4) for n in range(4)]
    report = study.SimilarityReport(compared=98, pairs=tuple(pairs), groups=grouped)
    looked_at = Counter(pairs[place].first[0] for place in report.worth_a_look(20))
    assert looked_at == {"a": 6, "b": 5, "c": 5, "p": 4}


def test_a_matching_part_leads_to_its_counterpart() -> None:
    def lines(first: int, last: int) -> study.LineRange:
        return study.LineRange(file=0, first=first, last=last)

    whole = study.MatchedLines(first=lines(1, 4), second=lines(1, 4))
    inside = study.MatchedLines(first=lines(2, 3), second=lines(1, 4))
    source = (SourceFile(name="a1.py", data=b"a = 1\nb = 2\nc = 3\nd = 4\n"),)
    alike = replace(pair("ada", HOSTILE, 0.9), matches=(whole, inside))
    page = pair_page(alike, PLAN, {"ada": source, HOSTILE: source})
    elements = assert_inert(page, 0).elements
    ids = [each["id"] for _, each in elements if "id" in each and each["id"] != "content"]
    assert ids == ["s1", "s1-m1", "s2", "s2-m1"]
    links = [each["href"] for tag, each in elements if tag == "a"]
    assert links[-2:] == ["#s2-m1", "#s1-m1"]


CLASS_CSS = Path(harness.reporting.html.__file__).parent / "templates" / "class.css"
INK = {"light": "#1b1e22", "dark": "#e7e9ec"}


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]


def lab(colour: str) -> list[float]:
    """CIE L*a*b*, in which distances are about those that are seen."""
    red, green, blue = linear(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def light(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", INK)
def test_the_colours_of_matching_parts_can_be_told_apart_and_text_on_them_read(theme: str) -> None:
    found = re.findall(r"--part\d: (#[0-9a-f]{6});", CLASS_CSS.read_text(encoding="utf-8"))
    assert len(found) == 2 * COLOURS
    colours = found[:COLOURS] if theme == "light" else found[COLOURS:]
    for one, other in combinations(colours, 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5
        assert distance >= 12, (one, other)
    for colour in colours:
        low, high = sorted((light(colour), light(INK[theme])))
        assert (high + 0.05) / (low + 0.05) >= 7


def test_the_page_goes_with_what_it_showed(tmp_path: Path) -> None:
    assert write_study(tmp_path, PLAN, None) is None
    files.write(tmp_path / SIMILARITY, serial.dumps(ALIKE))
    page = write_study(tmp_path, PLAN, STRENGTH)
    assert page is not None
    assert "Similar programs" in page.read_text(encoding="utf-8")
    (tmp_path / SIMILARITY).write_text("{", encoding="utf-8")
    assert write_study(tmp_path, PLAN, None) is None
    assert not page.exists()


GOLDEN = Path(__file__).parent / "exported"
EVE = Student(id="0815", name="Eve Müller", email="eve@uni.example")
LATE = Lateness(due="2026-03-01T12:00:00+00:00", slip_days=2)
SLIP = LatePolicy(slip_days=3)


def a_course(*more: CourseRun, eve: Student = EVE) -> Course:
    return course(
        run("a1", of(ADA, 3, late=LATE), of(BOB, 6), path="spring/a1", late=SLIP),
        run("a2", of(replace(ADA, name="Ada King"), 4, late=LATE), of(eve, 5, manual=(
            ManualMark(slot=STYLE),
        ))),
        run("a3", of(ADA, None), of(BOB, None, status=SubmissionStatus.NO_SUBMISSION),
            path="old/a3", complete=False),
        *more,
    )  # fmt: skip


def page_of(found: Course, name: str) -> str:
    return student_page(found.name, found.runs, find_student(found, name), found.slip_days)


def test_the_pages_of_a_course_and_of_a_student() -> None:
    page = course_page(a_course(), ["b/run.sqlite: the results file is damaged"])
    assert_inert(page, 1)
    assert_golden(GOLDEN / "course.html", without_style(page))
    own = page_of(a_course(), "4711")
    assert_inert(own)
    assert_golden(GOLDEN / "course-student.html", without_style(own))


@pytest.mark.parametrize("name", ["4711", "4712", "0815"])
def test_a_students_page_is_the_same_whatever_others_have(name: str) -> None:
    alone = [
        replace(each, results=tuple(r for r in each.results if r.id == name))
        for each in a_course().runs
    ]
    assert page_of(a_course(), name) == page_of(course(*alone), name)


def test_nobody_and_nothing_can_be_shown() -> None:
    text = assert_inert(course_page(course(run("a1"))), 1).text
    assert "0 students, 1 assignment" in text
    assert "Who has not" not in text
    found = course(run("a1", of(ADA, None)))
    page = assert_inert(student_page("C1", found.runs, found.students[0], 0), 0)
    assert "Slip days" not in page.text
    assert "Together, " not in page.text


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_names_are_names(name: str) -> None:
    attack = ATTACKS[name]
    path = attack.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    who = Student(id=attack, name=attack, email=attack)
    named = plans.assignment(id="a4", title=attack, course=attack)
    found = a_course(
        replace(run("a4", of(who, 1), path=f"{path}/a4", finished=attack), assignment=named),
        eve=who,
    )
    pages = [course_page(found, [attack])]
    pages += [student_page(attack, found.runs, each, 3) for each in found.students]
    for number, text in enumerate(pages):
        assert_inert(text, int(number == 0))
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_pairs_have_names_and_links_and_groups_say_who_is_identical(tmp_path: Path) -> None:
    same = replace(pair("ada", "bob", 1.0), matches=())
    report = study.SimilarityReport(
        compared=3, pairs=(same, pair("ada", "cyd", 0.8)), groups=(("ada", "bob", "cyd"),)
    )
    source = (SourceFile(name="a1.py", data=b"x = 1\n"),)
    sources = dict.fromkeys(("ada", "bob", "cyd"), source)
    index = write_similarity(report, PLAN, sources, tmp_path, {"ada": "Ada Lovelace", "bob": ""})
    page = index.read_text(encoding="utf-8")
    words = " ".join(assert_inert(page, 0).text.split())
    assert "The same structure: ada Ada Lovelace, bob" in words
    assert '<a href="1.html#s1-m1">100 %: <bdi>ada</bdi> and <bdi>bob</bdi></a>' in page
    assert '<a href="../submissions/ada.html">' in page
    assert "cyd.html" not in page
    first, second = ((index.parent / f"{n}.html").read_text(encoding="utf-8") for n in (1, 2))
    assert 'rel="next" href="2.html#s1-m1"' in first
    assert 'rel="prev" href="1.html#s1-m1"' in second
    assert "Ada Lovelace" in first
    write_similarity(report, PLAN, sources, tmp_path)
    assert "Lovelace" not in index.read_text(encoding="utf-8")
