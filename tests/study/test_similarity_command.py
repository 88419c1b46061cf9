"""`harness similarity`: the pairs, their pages, and numbers in place of ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.study.disguises import disguised
from tests.tiny_course import Course

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


@pytest.fixture
def with_a_copy(course: Course) -> Course:
    course.write("submissions/tiny/ada/a1.py", ORIGINAL)
    copy = disguised(ORIGINAL, ("renamed", "reordered", "without comments"), 1)
    course.write("submissions/tiny/bob/a1.py", copy)
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.status == 0, outcome.err
    return course


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
