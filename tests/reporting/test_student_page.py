"""What the student's page says beside the differences."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import pytest

from harness.model.student_view import ShownCause
from harness.model.verdict import CodePlace
from harness.reporting.html.environment import source_lines
from harness.reporting.html.submission_pages import feedback_page
from harness.reporting.view.words import remedy
from harness.results.student_view import student_view
from tests.reporting.pages_read import assert_inert
from tests.reporting.report_samples import CLAUSES, PERFECT, PLAN


@pytest.mark.parametrize(
    ("problem", "wanted", "said"),
    [
        ("found assignment1.py, expected a1.py", ("a1.py",), "Rename assignment1.py to a1.py"),
        ("found a.py and b.py, expected a1.py", ("a1.py",), "Hand in a1.py, with exactly this"),
        ("found a.py, expected a.py and b.py", ("a.py", "b.py"), "Hand in a.py and b.py, with"),
        ("no file a1.py", ("a1.py",), "Hand in a1.py"),
        ("a1.py is locked with a password", ("a1.py",), ""),
    ],
)
def test_what_to_do_about_files(problem: str, wanted: tuple[str, ...], said: str) -> None:
    found = remedy(problem, wanted)
    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_own_lines_are_coloured_and_inert() -> None:
    lines = ["def f(x):  # <b>", "    return 'a\x1b' + 12", "\tif x in y: '''", "still text"]
    first, second, third, last = map(str, source_lines(lines))
    assert first == (
        '<span class="k">def</span> <span class="f">f</span>(x):  '
        '<span class="c"># &lt;b&gt;</span>'
    )
    assert """<span class="s">'a<span class="esc">\\x1b</span>'</span>""" in second
    assert '<span class="n">12</span>' in second
    assert '<span class="k">in</span>' in third
    assert last == '<span class="s">still text</span>'


@pytest.mark.parametrize(
    "text", ["(" * 200, "'" * 199, "f'{" * 66, "0" * 200, "\\" * 200, ' "' * 99]
)
def test_colouring_hostile_lines_is_quick(text: str) -> None:
    begun = time.process_time()
    assert len(source_lines([text] * 60)) == 60
    assert time.process_time() - begun < 1


HIDDEN = ShownCause(function="check_win", message="", hidden=3, clauses=CLAUSES[3:4])


def test_only_hidden_failures_are_said_on_top_with_what_to_try() -> None:
    view = replace(student_view(PERFECT, PLAN), causes=(HIDDEN,))
    text = " ".join(assert_inert(feedback_page(view)).text.split())
    top, rest = text.split("1 thing to fix", 1)[1].split("1 thing to fix")
    assert "Only hidden checks fail." in top
    assert "They are about check_win" in top
    assert "3 hidden checks fail here, and none that you can see." in rest
    assert CLAUSES[3].text in rest
    assert "What to try: call check_win with inputs of your own" in rest
    assert "other values of the constants in a1_support.py" in rest


def test_a_hint_stands_on_its_own() -> None:
    cause = replace(HIDDEN, message="It is wrong.", hint="Look at <the> last row.")
    view = replace(student_view(PERFECT, PLAN), causes=(cause,))
    assert "<b>Hint:</b> <bdi>Look at &lt;the&gt; last row.</bdi>" in feedback_page(view)


def test_the_line_is_marked_in_words_too() -> None:
    place = CodePlace(file="a1.py", first=3, last=4, text=("def f(x):", "    return x[9]"))
    cause = replace(HIDDEN, message="m", place=place, line=4, marks=Fraction(1, 2))
    page = assert_inert(feedback_page(replace(student_view(PERFECT, PLAN), causes=(cause,))))
    assert "return x[9] ← here" in page.text
    assert page.text.count("← here") == 1
