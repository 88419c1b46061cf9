"""`harness check` as a student meets it, also by the name of a file alone; with `--format github`
annotations and the exit status, and nothing a program printed.
"""

import re
import shutil
from pathlib import Path

import pytest

from harness.cli.commands.check import stamps
from tests.tiny_course import Course

HIDDEN = ("4711", "Xanthippe", "nothing at all", "every length", "another limit")


def test_passes_a_right_file(course: Course) -> None:
    outcome = course.ok("check", "submissions/tiny/perfect/a1.py")
    assert outcome.out.strip() == "7 of 7 visible checks passed"
    assert outcome.err == ""
    assert not course.path("reports/tiny").exists()


def test_explains_the_first_failures_with_their_place_and_nothing_hidden(
    graded_once: Course,
) -> None:
    outcome = graded_once.run("check", "submissions/tiny/prints_total/a1.py")
    assert outcome.status == 1
    shown = outcome.out.splitlines()
    lines = [line.strip() for line in shown]
    assert lines[0] == "a1.py: 1 thing to fix"
    assert "1. ✗ total: an empty basket" in lines
    assert "total printed 0 instead of returning it." in lines
    assert "try    total([])" in lines
    assert "1 other check fails in the same way" in lines  # main's, for which total is to blame
    assert any(line.startswith("   look at total: a1.py, lines ") for line in shown)
    at = next(i for i, line in enumerate(shown) if line.endswith("None"))
    assert lines[at + 1] == "^"
    assert shown[at][shown[at + 1].index("^")] == "N"
    assert lines[-1] == "5 of 7 visible checks passed"
    assert len(lines) < 40
    for hidden in HIDDEN:
        assert hidden not in outcome.out + outcome.err


def test_explains_as_many_as_asked_for(course: Course) -> None:
    file = "submissions/tiny/prints_total/a1.py"
    course.edit(file, "return int(amount) > 0", "return False")
    outcome = course.run("check", file, "--failures", "1")
    assert outcome.status == 1
    assert len(re.findall(r"^\d+\. ", outcome.out, re.MULTILINE)) == 1
    assert "… and 1 more thing to fix." in outcome.out


WRONG_EVERYWHERE = """\
def total(amounts):
    print("\\n".join(["a line", "and more"] * 12))
def is_valid(amount):
    print("\\n".join(["a line", "and more"] * 12))
    return 1
def main():
    print("\\n".join(["a line", "and more"] * 12))
main()
"""


def test_at_most_forty_lines_unless_all_are_asked_for(course: Course) -> None:
    course.write("a1.py", WRONG_EVERYWHERE.replace("main()\n", "", 1).replace("\nmain()", ""))
    short = course.run("check", "a1.py").out
    assert len(short.splitlines()) == 40
    assert re.search(r"\n… \d+ more lines: --all shows them\n\n\d of 7 visible", short)
    whole = course.run("check", "a1.py", "--all").out
    assert "--all" not in whole
    assert len(whole.splitlines()) > 60
    assert whole.startswith("\n".join(short.splitlines()[:37]))


def test_a_pipe_gets_no_wrapped_lines_and_no_blanks_at_their_ends(graded: Course) -> None:
    graded.write("a1.py", WRONG_EVERYWHERE)
    for arguments in (["check", "a1.py"], ["grade", "submissions/tiny"], ["show", "reports/tiny"]):
        shown = graded.run(*arguments).out
        assert shown
        assert not re.search(r" $", shown, re.MULTILINE), arguments


def test_a_file_that_is_no_python_is_told_with_its_line(course: Course) -> None:
    outcome = course.run("check", "submissions/tiny/syntax_error/a1.py")
    assert outcome.status == 1
    assert "a1.py:33: syntax error: expected ':'" in outcome.out
    assert 'while amount != "q"' in outcome.out


def test_from_elsewhere_with_a_path_into_the_course(course: Course, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    file = course.path("submissions/tiny/perfect/a1.py")
    assert course.run("check", file, cwd=elsewhere).status == 0
    own = elsewhere / "a1.py"
    own.write_bytes(file.read_bytes())
    assert course.run("check", own, "--root", course.root, cwd=elsewhere).status == 0
    assert course.run("check", "a1.py", cwd=file.parent).status == 0
    assert [path.name for path in elsewhere.iterdir()] == ["a1.py"]


def test_what_is_named_otherwise_than_asked_for_is_said(course: Course) -> None:
    right = course.path("reference/tiny/a1.py").read_bytes()
    (course.root / "mine.py").write_bytes(right)
    outcome = course.ok("check", "mine.py", "--assignment", "tiny")
    assert "note: hand it in as a1.py: another name may cost all marks\n" in outcome.err
    (course.root / "a1.py").write_bytes(right)
    assert "note" not in course.run("check", "a1.py").err
    line = "a11.py: there is no such file or folder. Hint: is it a1.py?"
    assert course.refusal("check", "a11.py") == line


def test_several_files_pass_only_together(course: Course) -> None:
    good, bad = (f"submissions/tiny/{name}/a1.py" for name in ("perfect", "missing_total"))
    outcome = course.run("check", good, bad)
    assert outcome.status == 1
    assert outcome.out.count("visible checks passed") == 2


FIRST_STEPS = Course(Path(__file__).parents[2] / "examples" / "first-steps")


NOT_HANDED_IN = """\
greeting.py, triangle.py and guess.py: 1 thing to fix

1. ✗ triangle.py: a triangle of height 3
   triangle.py was not handed in.
   1 other check fails in the same way

6 of 8 visible checks passed
"""


def test_of_a_file_that_was_not_handed_in_nothing_more_is_said(tmp_path: Path) -> None:
    folder = "submissions/triangle-not-handed-in"
    checked = FIRST_STEPS.run("check", folder)
    assert (checked.status, checked.out) == (1, NOT_HANDED_IN)
    assert checked.err.endswith("note: triangle.py was not handed in\n")
    FIRST_STEPS.ok("grade", folder, "--assignment", "first-steps", "--out", tmp_path)
    shown = FIRST_STEPS.run("show", tmp_path, Path(folder).name)
    _, _, card = shown.out.partition("1. ")
    assert card.splitlines()[1:] == [
        "   triangle.py was not handed in.",
        "   12 other checks fail in the same way",
    ]
    for page in ("feedback", "submissions"):
        html = (tmp_path / page / f"{Path(folder).name}.html").read_text(encoding="utf-8")
        _, _, html = html.partition("1 thing to fix</h2>")
        html, _, _ = html.partition(
            "Function by function" if page == "feedback" else "How the mark"
        )
        assert "triangle.py was not handed in." in html
        assert "On the screen" not in html and ">Expected<" not in html
        assert "python3" not in html


def test_files_that_were_not_named_and_are_not_there_are_a_note(tmp_path: Path) -> None:
    right = FIRST_STEPS.path("submissions/right-short/greeting.py").read_text(encoding="utf-8")
    wrong = FIRST_STEPS.path("submissions/triangle-upside-down/triangle.py")
    begun = Course(tmp_path)
    greeting = begun.write("greeting.py", right)
    one = FIRST_STEPS.run("check", greeting)
    assert one.err.endswith(
        "note: not checked: triangle.py and guess.py are not here; hand in all 3 files\n"
    )
    assert (one.status, one.out.strip()) == (0, "3 of 3 visible checks passed")
    triangle = begun.write("triangle.py", wrong.read_text(encoding="utf-8"))
    two = FIRST_STEPS.run("check", greeting)
    assert two.err.endswith("note: not checked: guess.py is not here; hand in all 3 files\n")
    assert two.status == 1
    assert "1 thing to fix" in two.out
    folder = FIRST_STEPS.run("check", triangle.parent)
    assert folder.err.endswith("note: guess.py was not handed in\n")
    assert "2 things to fix" in folder.out


def test_a_failing_informational_scenario_costs_nothing(course: Course) -> None:
    course.edit(
        "specs/tiny/total.yaml", "call: total([])", "informational: true\n    call: total([])"
    )
    course.edit("specs/tiny/main.yaml", "visible: true", "visible: false")
    assert course.run("check", "submissions/tiny/prints_total/a1.py").status == 0


def test_nothing_visible_is_no_success(course: Course) -> None:
    for name in ("basket", "is_valid", "main", "total"):
        path = course.path(f"specs/tiny/{name}.yaml")
        path.write_text(path.read_text("utf-8").replace("visible: true", "points: 1"), "utf-8")
    line = "tiny: there is no visible scenario to check against"
    assert course.refusal("check", "submissions/tiny/perfect/a1.py") == line


def test_watch_checks_again_on_every_save(course: Course) -> None:
    file = course.write("a1.py", "from till import *\n")
    right = course.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    child = course.on_terminal("check", "a1.py", "--watch", TERM="xterm")
    child.expect("0 of 7 visible checks passed")
    file.write_text(right.replace("return result", "print(result)"), encoding="utf-8")
    child.expect("total printed 0 instead of returning it")
    child.expect("5 of 7 visible checks passed")
    file.rename(file.with_suffix(".kept"))  # as some editors save
    child.expect("a1.py: there is no such file or folder")
    file.write_text(right, encoding="utf-8")
    child.expect("7 of 7 visible checks passed")
    child.sendintr()
    child.expect("interrupted")
    child.assert_ended(130)


@pytest.mark.parametrize(
    ("changed", "save"),
    [
        ("a1.py", True),
        ("b.py", False),
        (".a1.py.swp", False),
        ("all/till.py", True),
        ("all/data.txt", True),
        ("all/.till.py.swp", False),
        ("all/till.py~", False),
        ("all/deeper/till.py", False),
    ],
)
def test_what_counts_as_a_save(tmp_path: Path, changed: str, save: bool) -> None:
    (tmp_path / "all" / "deeper").mkdir(parents=True)
    watched = [tmp_path / "a1.py", tmp_path / "all"]
    before = stamps(watched)
    (tmp_path / changed).write_text("x")
    there = stamps(watched)
    assert (there != before) is save
    (tmp_path / changed).write_text("other")
    assert (stamps(watched) != there) is save
    (tmp_path / changed).unlink()
    assert stamps(watched) == before


RIGHT = "7 of 7 visible checks passed"


@pytest.fixture
def two(course: Course) -> Course:
    """A second assignment, which asks for game.py and an archive."""
    shutil.copytree(course.path("reference/tiny"), course.path("reference/other"))
    course.write(
        "specs/other/assignment.yaml",
        "title: Other\ncourse: C\npython: '3.12'\n"
        "submission: {files: [game.py], archive: other.zip}\nfunctionality_marks: 1\n",
    )
    course.write("game.py", "")
    course.write("a1.py", course.path("reference/tiny/a1.py").read_text("utf-8"))
    return course


@pytest.mark.parametrize("name", ["a1.py", "a1 (1).py", "a1-2.py", "a1(1).py", "a1 copy.py"])
def test_check_finds_the_assignment_by_the_name(two: Course, name: str) -> None:
    if name != "a1.py":
        two.path("a1.py").rename(two.path(name))
    outcome = two.run("check", name)
    assert (outcome.status, outcome.out.strip()) == (0, RIGHT), outcome.err
    said = f"note: {name} was graded as a1.py\n" in outcome.err
    assert said == (name != "a1.py")


@pytest.mark.parametrize("files", ["[a1.py]", "a1.py"])
def test_two_that_ask_for_it_are_listed(two: Course, files: str) -> None:
    two.edit("specs/other/assignment.yaml", "[game.py]", files)
    line = "several assignments ask for a1.py: other, tiny. Hint: --assignment other | tiny"
    assert two.refusal("check", "a1.py") == line


@pytest.mark.parametrize("files", [["x.py"], ["a1.py", "game.py"]], ids=["none", "of two"])
def test_no_assignment_asks_for_all_of_them(two: Course, files: list[str]) -> None:
    two.write("x.py", "")
    line = "the path does not say which assignment it is. Hint: --assignment other | tiny"
    assert two.refusal("check", *files) == line


def test_a_broken_assignment_is_no_candidate(two: Course) -> None:
    two.write("specs/other/assignment.yaml", "submission: [\n")
    assert two.run("check", "a1.py").out.strip() == RIGHT


def test_grade_takes_a_copy_with_a_note(two: Course) -> None:
    two.write("class/ada/a1 (1).py", two.path("a1.py").read_text("utf-8"))
    two.write("class/bob/a1.py", "")
    outcome = two.ok("grade", "class", "--assignment", "tiny", "--only", "ada")
    page = (two.report / "submissions" / "ada.html").read_text("utf-8")
    assert "a1 (1).py was graded as a1.py" in page
    assert "6.00" in outcome.out


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
