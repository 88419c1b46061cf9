"""Copies are found beneath their disguises, and what is not copied is not taken for it."""

from __future__ import annotations

import json
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from harness.model.study import Fingerprint
from harness.study import program_texts
from harness.study.program_texts import fingerprints
from harness.study.similarity import MOST_MATCHES, groups, similar_pairs
from tests.study.class_of_copies import PREFIX, STYLE_OF, programs
from tests.study.disguises import disguised
from tests.tiny_course import Course


def prints(text: str) -> tuple[Fingerprint, ...]:
    return tuple(
        Fingerprint(value=value, first_line=first, last_line=last, file=file)
        for value, first, last, file in fingerprints([text.encode()])
    )


@pytest.fixture(scope="module")
def scores() -> dict[frozenset[str], float]:
    pairs = similar_pairs({name: prints(text) for name, text in programs().items()})
    return {frozenset((pair.first, pair.second)): pair.score for pair in pairs}


@pytest.mark.parametrize("original", STYLE_OF)
def test_a_copys_original_ranks_first(scores: dict[frozenset[str], float], original: str) -> None:
    copy = PREFIX + original
    ranked = sorted(STYLE_OF, key=lambda name: -scores.get(frozenset((copy, name)), 0.0))
    assert ranked[0] == original
    first, second = (scores.get(frozenset((copy, name)), 0.0) for name in ranked[:2])
    assert first > second


def test_no_two_styles_are_as_alike_as_a_copy_and_its_original(
    scores: dict[frozenset[str], float],
) -> None:
    copies = [scores[frozenset((PREFIX + name, name))] for name in STYLE_OF]
    apart = [
        scores.get(frozenset(pair), 0.0)
        for pair in combinations(STYLE_OF, 2)
        if STYLE_OF[pair[0]] != STYLE_OF[pair[1]]
    ]
    assert max(apart) < min(copies)


LOOP = """\
def f(rows):
    for row in rows:
        if row and row[0] == 'X':
            return True
"""
OTHER_LOOP = (
    '"""Another."""\n\n\ndef g(board):  # mine\n    """Says whether."""\n'
    '    for column in board:\n        if column and column[0] == "piece":\n'
    "            return True\n"
)
OWN = "def h(a, b):\n    while a % b:\n        a, b = b, a % b\n    return [a, b, a + b, {a: b}]\n"


def test_names_comments_texts_and_documentation_make_no_difference() -> None:
    assert [p.value for p in prints(LOOP)] == [p.value for p in prints(OTHER_LOOP)]


def test_what_was_given_does_not_count() -> None:
    both = {"one": prints(LOOP), "two": prints(OTHER_LOOP)}
    assert len(similar_pairs(both)) == 1
    assert similar_pairs(both, prints(LOOP)) == ()


def test_what_most_of_the_class_wrote_does_not_count() -> None:
    everybody = {f"{number}": prints(LOOP) for number in range(40)}
    assert similar_pairs(everybody) == ()
    two = everybody | {"a": prints(LOOP + OWN), "b": prints(OWN + LOOP)}
    assert [(pair.first, pair.second) for pair in similar_pairs(two)] == [("a", "b")]


def test_the_same_file_handed_in_twice_is_wholly_alike() -> None:
    (pair,) = similar_pairs({"a": prints(OWN), "b": prints(OWN), "empty": prints("")})
    assert (pair.first, pair.second) == ("a", "b")
    assert [(m.first.first, m.first.last, m.second.last) for m in pair.matches] == [(1, 4, 4)]


def test_matches_name_the_lines_of_both() -> None:
    (pair,) = similar_pairs({"a": prints(OWN), "b": prints(LOOP + "\n\n" + OWN)})
    (match,) = pair.matches
    assert (match.first.first, match.first.last) == (1, 4)
    assert (match.second.first, match.second.last) == (7, 10)


def test_groups_are_of_programs_connected_by_pairs() -> None:
    texts = programs()
    found = {name: prints(texts["perfect"]) for name in "abc"} | {
        "d": prints(texts["does_not_ask"])
    }
    assert groups(similar_pairs(found)) == (("a", "b", "c"),)


@pytest.mark.parametrize(
    "text",
    ["", "def f(:\n", "\0", "(" * 5000, "-" * 200_000 + "1", "x = " + "a" * 300_000],
    ids=["empty", "no Python", "a zero byte", "brackets", "deep", "long"],
)
def test_what_cannot_be_compared_has_no_fingerprints(text: str) -> None:
    assert fingerprints([text.encode()]) == []


def test_a_very_large_program_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_texts, "MOST_SYMBOLS", 1000)
    large, larger = (fingerprints([b"x = [" + b"1 + 2, " * n + b"]\n"]) for n in (1000, 2000))
    assert larger == large != []


def test_two_programs_that_match_everywhere_in_another_order_cost_little() -> None:
    count = 20_000
    first, second = (
        [Fingerprint(value=n, first_line=9 * at, last_line=9 * at, file=0) for n, at in places]
        for places in (
            [(n, n) for n in range(count)],
            [(n, n * 7919 % count) for n in range(count)],
        )
    )
    before = time.process_time()
    (pair,) = similar_pairs({"a": first, "b": second})
    assert time.process_time() - before < 10  # it took two minutes
    assert len(pair.matches) == MOST_MATCHES


ORIGINAL = '''\
def total(prices):
    """Add up in a way of one's own. <script>alert(1)</script>"""
    queue, carried = list(prices), {"sum": 0, "seen": []}
    while queue:
        price = queue.pop(0)
        carried["sum"], last = carried["sum"] + price, carried["sum"]
        carried["seen"].append((last, price, [last * 2 % 7, price - last]))
    if not carried["seen"] and prices:
        raise KeyError({"none": [carried, queue, {1: (2, 3)}]})
    return carried["sum"] if carried["seen"] or not prices else -1


def is_valid(text):
    return all(letter in set("0123456789") for letter in sorted(text)) and len(text) > 0
'''


@pytest.fixture(scope="module")
def graded_with_a_copy(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("copy") / "course")
    course.write("submissions/tiny/ada/a1.py", ORIGINAL)
    copy = disguised(ORIGINAL, ("renamed", "reordered", "without comments"), 1)
    course.write("submissions/tiny/bob/a1.py", copy)
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.status == 0, outcome.err
    return course


@pytest.fixture
def with_a_copy(graded_with_a_copy: Course, tmp_path: Path) -> Course:
    return Course.copy(graded_with_a_copy.root, tmp_path / "course")


def saved(course: Course) -> dict[str, Any]:
    text = (course.report / "similarity.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def test_the_pair_and_its_page(with_a_copy: Course) -> None:
    outcome = with_a_copy.run("similarity", "reports/tiny")
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    found = saved(with_a_copy)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]][:1] == [("ada", "bob")]
    assert found["omitted"] == [{"id": "syntax_error", "reason": "nothing of it can be compared"}]
    folder = with_a_copy.report / "similarity"
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert "Likeness is no proof of copying" in index
    assert '<a href="1.html">' in index
    page = (folder / "1.html").read_text(encoding="utf-8")
    assert 'class="match"' in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page


def test_numbers_in_place_of_ids(with_a_copy: Course) -> None:
    outcome = with_a_copy.run("similarity", "reports/tiny", "--anonymous")
    assert outcome.status == 0, outcome.err
    pages = (with_a_copy.report / "similarity").iterdir()
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in ("ada", "bob"):
        assert f"<bdi>{name}</bdi>" not in text
        assert name not in outcome.out
    assert saved(with_a_copy)["pairs"][0]["first"].startswith("student-")


def test_what_changed_after_grading_is_not_compared(with_a_copy: Course) -> None:
    with_a_copy.write("submissions/tiny/bob/a1.py", "print(1)\n")
    outcome = with_a_copy.run("similarity", "reports/tiny")
    assert outcome.status == 0
    assert outcome.err == "bob: not compared, it is not there as it was graded\n"
    assert saved(with_a_copy)["pairs"] == []


def test_a_run_whose_submissions_are_gone_is_refused(with_a_copy: Course) -> None:
    with_a_copy.path("submissions/tiny").rename(with_a_copy.path("elsewhere"))
    outcome = with_a_copy.run("similarity", "reports/tiny")
    assert outcome.status == 2
    assert "what was graded is not where it was. Hint: put it back" in outcome.err
