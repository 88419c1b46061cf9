"""`--format github`: annotations and the exit status, and nothing a program printed."""

from __future__ import annotations

import re

from tests.tiny_course import Course


def test_check_annotates_the_students_file(graded_once: Course) -> None:
    path = "submissions/tiny/prints_total/a1.py"
    outcome = graded_once.run("check", path, "--format", "github")
    assert outcome.status == 1
    *lines, last = outcome.out.splitlines()
    assert last == "not all visible checks passed"
    assert lines[0].startswith(f"::warning file={path},line=1,col=1,title=import::")
    (cause,) = lines[1:]
    source = graded_once.path(path).read_text(encoding="utf-8").split("\n")
    line = source.index(next(each for each in source if each.startswith("def total("))) + 1
    assert cause.startswith(f"::error file={path},line={line},title=total%3A an empty basket::")
    assert cause.endswith("total printed 0 instead of returning it. (2 checks failed)")
    broken = graded_once.run("check", "submissions/tiny/syntax_error", "--format", "github")
    (line, _) = broken.out.splitlines()
    assert line.startswith("::error file=submissions/tiny/syntax_error/a1.py,line=")
    good = graded_once.run("check", "submissions/tiny/perfect", "--format", "github")
    assert (good.status, good.out) == (0, "all visible checks passed\n")


def test_validate_annotates_the_specs(course: Course) -> None:
    course.edit("specs/tiny/total.yaml", "returns: 0", "return: 0")
    outcome = course.run("validate", "--format", "github")
    assert outcome.status == 2
    (line,) = outcome.out.splitlines()
    assert line.startswith("::error file=specs/tiny/total.yaml,line=7,col=5::return: ")
    assert outcome.err.startswith("error: specs/tiny/total.yaml:7:5: return: ")
    course.edit("specs/tiny/total.yaml", "return: 0", "returns: 1")
    outcome = course.run("validate", "--format", "github", "--no-samples")
    assert outcome.status == 1
    found = [line for line in outcome.out.splitlines() if line.startswith("::")]
    assert any(line.startswith("::error file=specs/tiny/total.yaml,line=4,") for line in found)


def test_check_writes_the_summary_of_the_job(course: Course) -> None:
    page = course.write("summary.md", "before\n")
    path = "submissions/tiny/prints_total/a1.py"
    outcome = course.run("check", path, "--format", "github", GITHUB_STEP_SUMMARY=str(page))
    assert outcome.status == 1
    before, heading, *rest = page.read_text("utf-8").splitlines()
    assert (before, heading) == ("before", "### A tiny till")
    assert "| `total` | 0 of 1 |" in rest
    assert "   total printed 0 instead of returning it." in rest
    assert "Xanthippe" not in page.read_text("utf-8")


def test_a_line_that_a_student_names_is_no_command_to_the_runner(course: Course) -> None:
    assert course.refusal(
        "check", "x\n::error::y", "--format", "github", "--assignment", "tiny"
    ).startswith("x\\n::error::y: there is no such file")
    page = course.write("summary.md", "")
    course.write("jo/@octocat #1.py", "")
    course.write("jo/a1.py", "print('::error::z\\n```\\n# @octocat')\n")
    outcome = course.run("check", "jo", "--format", "github", GITHUB_STEP_SUMMARY=str(page))
    assert not re.search("^::error::|##", outcome.out, re.MULTILINE)
    outside = re.sub("(`+)text\n.*?\n\\1\n", "", page.read_text("utf-8"), flags=re.DOTALL)
    assert "@" not in re.sub("`[^`\n]*`", "", outside)
