"""Evidence of style: what is counted, what ruff is asked, where it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.model.study import CodeElement, StyleEvidence, StyleFinding
from harness.reporting.html.study_pages import style_in_words
from harness.study import program_texts, style
from harness.study.style import RULES, find_ruff, ruff_findings
from tests.tiny_course import Course

PROGRAM = '''\
LIMIT = 42


def first(rows):
    """Say."""
    total = 0
    for row in rows:
        total += row * 17
    return total + 17 + 1


def second(rows):
    a = rows[0]
    b = a + 1
    c = b + 1
    print(a, b, c)
    if c:
        a = rows[0]
        b = a + 1
        c = b + 1
        print(a, b, c)
'''


def test_facts_of_a_text() -> None:
    facts = json.loads(program_texts.run_facts(json.dumps({"a1.py": PROGRAM, "b.py": "def ("})))
    assert facts["longest"] == [["second", "a1.py", 12, 9], ["first", "a1.py", 4, 4]]
    assert facts["undocumented"] == [["the file", "a1.py", 1, 0], ["second", "a1.py", 12, 0]]
    assert facts["numbers"] == [["17", "a1.py", 8, 2]]
    assert facts["repeated"] == [["lines 13 to 16", "a1.py", 18, 4]]
    assert facts["unreadable"] == ["b.py"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"import os  # noqa\n", [(1, "F401")]),
        (b"# ruff: noqa\nx = 1 \n", [(1, "ERA001"), (2, "W291")]),
        (b"def f(list):\n    return list == None\n", [(1, "A002"), (2, "E711")]),
        (b"x = 1\n", []),
        (b"def (\n", []),
        (b"\xff\xfe\x00", None),
    ],
)
def test_what_ruff_says(text: bytes, expected: list[tuple[int, str]] | None) -> None:
    program = find_ruff()
    assert program is not None
    found = ruff_findings(program, "a1.py", text)
    seen = None if found is None else [(each.line, each.rule) for each in found]
    assert seen in (expected, [] if expected is None else expected)
    assert all(each.reason in RULES.values() for each in found or ())


def test_each_rule_and_its_reason_are_documented() -> None:
    page = (Path(__file__).parent.parent.parent / "docs/style-evidence.md").read_text("utf-8")
    for rule, reason in RULES.items():
        assert f"| `{rule}` | {reason} |" in page


def test_a_cell_names_the_first_of_each_kind() -> None:
    place = CodeElement(name="main", file="a1.py", line=3, count=70)
    finding = StyleFinding(file="a1.py", line=1, rule="F401", message="m", reason="r")
    evidence = StyleEvidence(
        findings=(finding, finding), found=2, longest=(place,), undocumented=(place,) * 5
    )
    assert style_in_words(evidence) == (
        "ruff 2 (F401 2); longest function main with 70 lines; "
        "no docstring: main, main, main and 2 more"
    )
    assert style_in_words(StyleEvidence()) == ""


def test_the_page_and_the_table_show_it(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = Path(course.path("reference/tiny/a1.py")).read_text(encoding="utf-8")
    course.write(
        "class/jo/a1.py", reference + "\n\ndef <b>(\n".replace("<b>", "odd_one") + "): pass\n"
    )
    course.ok("grade", "class", "--assignment", "tiny")
    before = course.run("export", "reports/tiny", "--to", "manual-marks")
    monkeypatch.setattr(style, "find_ruff", lambda: None)
    outcome = course.ok("style", "reports/tiny")
    assert "ruff is not installed, so its rules were not looked at" in outcome.out
    page = (course.report / "submissions" / "jo.html").read_text(encoding="utf-8")
    assert "Style, for the person who marks it" in page
    assert "<code>odd_one</code>" in page
    assert "odd_one" not in (course.report / "feedback" / "jo.html").read_text(encoding="utf-8")
    course.ok("export", "reports/tiny", "--to", "manual-marks", "-o", "style.csv")
    text = course.path("style.csv").read_text(encoding="utf-8")
    assert "style evidence" in text.splitlines()[0]
    assert "no docstring: odd_one" in text
    assert "style evidence" not in before.out
    assert course.run("manual", "reports/tiny", "style.csv").out.startswith("0 submissions changed")
    course.ok("forget", "reports/tiny", "jo")
    assert "odd_one" not in (course.report / "style.json").read_text(encoding="utf-8")
