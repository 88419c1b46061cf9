"""GitHub's workflow commands: every message on its one line, whatever is in it."""

from __future__ import annotations

import pytest

from harness.reporting.github import Annotation, of_submission, placed
from harness.results.student_view import student_view
from tests.reporting.report_samples import CANARY, MANY_FAULTS, PERFECT, PLAN, UNREADABLE

LINES = {
    "plain": (Annotation(level="error", message="no"), "::error::no"),
    "a place": (
        Annotation(level="warning", message="m", file="a1.py", line=3, column=5, title="t"),
        "::warning file=a1.py,line=3,col=5,title=t::m",
    ),
    "escapes": (
        Annotation(level="error", message="100%\r\n::stop", file="a,b:c%\n.py", title="x: y"),
        "::error file=a%2Cb%3Ac%25%0A.py,title=x%3A y::100%25%0D%0A::stop",
    ),
    "a spec's error": (
        placed("specs/a/f.yaml:7:5: return: no such key. Hint: returns"),
        "::error file=specs/a/f.yaml,line=7,col=5::return: no such key. Hint: returns",
    ),
    "a problem": (
        placed("it differs", where="specs/a/f.yaml:7:5", title="golden"),
        "::error file=specs/a/f.yaml,line=7,col=5,title=golden::it differs",
    ),
    "a place without a line": (
        placed("no mutant", where="mutants.yaml"),
        "::error::mutants.yaml: no mutant",
    ),
    "no place": (placed("there is no assignment"), "::error::there is no assignment"),
}


@pytest.mark.parametrize(("annotation", "line"), LINES.values(), ids=LINES)
def test_a_line(annotation: Annotation, line: str) -> None:
    assert str(annotation) == line


def test_a_student_sees_visible_checks_alone() -> None:
    lines = [
        str(each) for each in of_submission(student_view(MANY_FAULTS, PLAN), {"a1.py": "x/a1.py"})
    ]
    assert any(line.startswith("::warning file=x/a1.py,line=") for line in lines)
    assert any(
        line.startswith("::error file=x/a1.py,title=num_hours%3A is a float::") for line in lines
    )
    assert not any(CANARY in line for line in lines)
    assert not any("\n" in line for line in lines)
    assert list(of_submission(student_view(PERFECT, PLAN), {})) == []


def test_a_broken_file_is_one_error_at_its_line() -> None:
    (line,) = map(str, of_submission(student_view(UNREADABLE, PLAN), {}))
    broken = UNREADABLE.unparsable
    assert broken is not None
    assert line.startswith(f"::error file=a1.py,line={broken.line},col={broken.column}::")
