"""`harness check` as a student meets it, and with `--format github`."""

import re
import shutil
from pathlib import Path

import pytest

from harness.cli.commands.grading.check import stamps
from tests.tiny_course import PRINTS_TOTAL, Course

HIDDEN = ("4711", "Xanthippe", "nothing at all", "every length", "another limit")


def test_explains_first_failures_with_their_place_and_nothing_hidden(graded_once: Course) -> None:
    outcome = graded_once.fails("check", "submissions/tiny/prints_total/a1.py")
    shown = outcome.out.splitlines()
    lines = [line.strip() for line in shown]
    assert lines[0] == "a1.py: 1 thing to fix"
    assert "1. ✗ total: an empty basket" in lines
    assert PRINTS_TOTAL in lines
    assert "try    total([])" in lines
    assert "1 other check fails in the same way" in lines  # main's, for which total is to blame
    assert any(line.startswith("   look at total: a1.py, lines ") for line in shown)
    at = next(i for i, line in enumerate(shown) if line.endswith("None"))
    assert lines[at + 1] == "^"
    assert shown[at][shown[at + 1].index("^")] == "N"
    assert lines[-1] == "5 of 7 visible checks passed"
    for hidden in HIDDEN:
        assert hidden not in outcome.out + outcome.err


def test_explains_as_many_as_asked_for(course: Course) -> None:
    file = "submissions/tiny/prints_total/a1.py"
    course.edit(file, "return int(amount) > 0", "return False")
    outcome = course.run("check", file, "--failures", "1")
    assert len(re.findall(r"^\d+\. ", outcome.out, re.MULTILINE)) == 1
    assert "… and 1 more thing to fix." in outcome.out


def test_names_a_misspelt_main_guard_if_no_policy_does(course: Course) -> None:
    course.edit("specs/tiny/assignment.yaml", "policy: policy.yaml\n", "")
    (course.root / "specs/tiny/policy.yaml").unlink()
    course.write("a1.py", "def main():\n    pass\n\nif __name__ == '__main':\n    main()\n")
    outcome = course.run("check", "a1.py")
    (note,) = [line for line in outcome.err.splitlines() if line.startswith("note: ")]
    assert note.startswith("note: a1.py, line 4: the main guard is misspelt: ")


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


def test_from_elsewhere_with_a_path_into_the_course(course: Course, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    file = course.path("submissions/tiny/perfect/a1.py")
    course.ok("check", file, cwd=elsewhere)
    own = Path(shutil.copy(file, elsewhere))
    course.ok("check", own, "--root", course.root, cwd=elsewhere)
    course.ok("check", "a1.py", cwd=file.parent)
    assert list(elsewhere.iterdir()) == [own]


def test_an_unexpected_file_name_is_reported(course: Course) -> None:
    right = course.text("reference/tiny/a1.py")
    course.write("mine.py", right)
    outcome = course.ok("check", "mine.py", "--assignment", "tiny")
    assert "note: hand it in as a1.py: another name may cost all marks\n" in outcome.err
    course.write("a1.py", right)
    assert "note" not in course.run("check", "a1.py").err
    line = "a11.py: no such file or folder. Hint: is it a1.py?"
    assert course.refusal("check", "a11.py") == line


def test_passes_a_right_file_and_several_only_together(course: Course) -> None:
    outcome = course.ok("check", "submissions/tiny/perfect/a1.py")
    assert outcome.out.strip() == "7 of 7 visible checks passed"
    assert outcome.err == ""
    assert not course.path("reports/tiny").exists()
    good, bad = (f"submissions/tiny/{name}/a1.py" for name in ("perfect", "missing_total"))
    assert course.fails("check", good, bad).out.count("visible checks passed") == 2


FIRST_STEPS = Course(Path(__file__).parents[2] / "examples" / "first-steps")


NOT_HANDED_IN = """\
greeting.py, triangle.py and guess.py: 1 thing to fix

1. ✗ triangle.py: a triangle of height 3
   triangle.py was not handed in.
   1 other check fails in the same way

6 of 8 visible checks passed
"""


def test_a_missing_file_gets_only_one_remark(tmp_path: Path) -> None:
    folder = "submissions/triangle-not-handed-in"
    checked = FIRST_STEPS.run("check", folder)
    assert (checked.status, checked.out) == (1, NOT_HANDED_IN)
    assert checked.err.endswith("note: triangle.py was not handed in\n")
    FIRST_STEPS.ok("grade", folder, "--assignment", "first-steps", "--out", tmp_path)
    _, _, card = FIRST_STEPS.run("show", tmp_path, Path(folder).name).out.partition("1. ")
    assert card.splitlines()[1:] == [
        "   triangle.py was not handed in.",
        "   12 other checks fail in the same way",
    ]
    for page in ("feedback", "submissions"):
        html = (tmp_path / page / f"{Path(folder).name}.html").read_text(encoding="utf-8")
        html = html.partition("1 thing to fix</h2>")[2]
        html = re.split("Function by function|How the mark", html)[0]
        assert "triangle.py was not handed in." in html
        assert "On the screen" not in html and ">Expected<" not in html
        assert "python3" not in html


def test_files_that_were_not_named_and_are_not_there_are_a_note(tmp_path: Path) -> None:
    samples = FIRST_STEPS.path("submissions")
    greeting = shutil.copy(samples / "right-short/greeting.py", tmp_path)
    one = FIRST_STEPS.run("check", greeting)
    assert one.err.endswith(
        "note: not checked: triangle.py and guess.py are missing; hand in all 3 files\n"
    )
    assert (one.status, one.out.strip()) == (0, "3 of 3 visible checks passed")
    shutil.copy(samples / "triangle-upside-down/triangle.py", tmp_path)
    two = FIRST_STEPS.fails("check", greeting)
    assert two.err.endswith("note: not checked: guess.py is missing; hand in all 3 files\n")
    assert "1 thing to fix" in two.out
    folder = FIRST_STEPS.run("check", tmp_path)
    assert folder.err.endswith("note: guess.py was not handed in\n")
    assert "2 things to fix" in folder.out


def test_a_failing_informational_scenario_costs_nothing(course: Course) -> None:
    course.edit(
        "specs/tiny/total.yaml", "call: total([])", "informational: true\n    call: total([])"
    )
    course.edit("specs/tiny/main.yaml", "visible: true", "visible: false")
    course.ok("check", "submissions/tiny/prints_total/a1.py")


def test_a_check_without_visible_scenarios_fails(course: Course) -> None:
    for name in ("basket", "is_valid", "main", "total"):
        text = course.text(f"specs/tiny/{name}.yaml").replace("visible: true", "points: 1")
        course.write(f"specs/tiny/{name}.yaml", text)
    for command in (("check", "submissions/tiny/perfect/a1.py"), ("handout", "tiny")):
        line = "tiny: no scenario is visible, so there is nothing to check"
        assert course.refusal(*command) == line
    assert not list(course.root.glob("*.zip"))


def test_watch_checks_again_on_every_save(course: Course) -> None:
    file = course.write("a1.py", "from till import *\n")
    right = course.text("reference/tiny/a1.py")
    child = course.on_terminal("check", "a1.py", "--watch", TERM="xterm")
    child.expect("0 of 7 visible checks passed")
    file.write_text(right.replace("return result", "print(result)"), encoding="utf-8")
    child.expect(PRINTS_TOTAL.rstrip("."))
    child.expect("5 of 7 visible checks passed")
    file.rename(file.with_suffix(".kept"))  # as some editors save
    child.expect("a1.py: no such file or folder")
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
def test_only_changes_of_watched_files_count_as_saves(
    tmp_path: Path, changed: str, save: bool
) -> None:
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
    course.write("a1.py", course.text("reference/tiny/a1.py"))
    return course


@pytest.mark.parametrize("name", ["a1.py", "a1 (1).py", "a1-2.py", "a1(1).py", "a1 copy.py"])
def test_check_finds_the_assignment_by_the_name(two: Course, name: str) -> None:
    if name != "a1.py":
        two.path("a1.py").rename(two.path(name))
    outcome = two.run("check", name)
    assert (outcome.status, outcome.out.strip()) == (0, "7 of 7 visible checks passed")
    said = f"note: {name} was graded as a1.py\n" in outcome.err
    assert said == (name != "a1.py")


@pytest.mark.parametrize("files", ["[a1.py]", "a1.py"])
def test_two_that_ask_for_it_are_listed(two: Course, files: str) -> None:
    two.edit("specs/other/assignment.yaml", "[game.py]", files)
    line = "several assignments ask for a1.py: other, tiny. Hint: --assignment other | tiny"
    assert two.refusal("check", "a1.py") == line


def test_no_assignment_asks_for_all_of_them(two: Course) -> None:
    two.write("x.py", "")
    line = "cannot tell the assignment from the path. Hint: --assignment other | tiny"
    for files in (["x.py"], ["a1.py", "game.py"]):
        assert two.refusal("check", *files) == line


def test_a_broken_assignment_is_not_a_candidate(two: Course) -> None:
    two.write("specs/other/assignment.yaml", "submission: [\n")
    assert two.run("check", "a1.py").out.strip() == "7 of 7 visible checks passed"


def test_grade_takes_a_copy_with_a_note(two: Course) -> None:
    two.write("class/ada/a1 (1).py", two.text("a1.py"))
    two.write("class/bob/a1.py", "")
    outcome = two.ok("grade", "class", "--assignment", "tiny", "--only", "ada")
    assert "a1 (1).py was graded as a1.py" in two.text("reports/tiny/submissions/ada.html")
    assert "6.00" in outcome.out


def test_check_annotates_the_students_file(graded_once: Course) -> None:
    path = "submissions/tiny/prints_total/a1.py"
    *lines, last = graded_once.fails("check", path, "--format", "github").out.splitlines()
    assert last == "not all visible checks passed"
    assert lines[0].startswith(f"::warning file={path},line=1,col=1,title=import::")
    (cause,) = lines[1:]
    line = graded_once.text(path).partition("\ndef total(")[0].count("\n") + 2
    assert cause.startswith(f"::error file={path},line={line},title=total%3A an empty basket::")
    assert cause.endswith(f"{PRINTS_TOTAL} (2 checks failed)")
    broken = graded_once.fails("check", "submissions/tiny/syntax_error", "--format", "github")
    (error, _) = broken.out.splitlines()
    assert re.match("::error file=submissions/tiny/syntax_error/a1.py,line=33,col=[0-9]+::", error)
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
    outcome = course.fails("validate", "--format", "github", "--no-samples")
    assert "\n::error file=specs/tiny/total.yaml,line=4," in f"\n{outcome.out}"


def test_check_writes_the_summary_of_the_job(course: Course) -> None:
    page = course.write("summary.md", "before\n")
    path = "submissions/tiny/prints_total/a1.py"
    course.fails("check", path, "--format", "github", GITHUB_STEP_SUMMARY=str(page))
    summary = course.text("summary.md")
    assert summary.startswith("before\n### A tiny till\n")
    assert "\n| `total` | 0 of 1 |\n" in summary
    assert f"\n   {PRINTS_TOTAL}\n" in summary
    assert "Xanthippe" not in summary


def test_a_line_named_by_a_student_is_not_a_command_to_the_runner(course: Course) -> None:
    assert course.refusal(
        "check", "x\n::error::y", "--format", "github", "--assignment", "tiny"
    ).startswith("x\\n::error::y: no such file")
    page = course.write("summary.md", "")
    course.write("jo/@octocat #1.py", "")
    course.write("jo/a1.py", "print('::error::z\\n```\\n# @octocat')\n")
    outcome = course.run("check", "jo", "--format", "github", GITHUB_STEP_SUMMARY=str(page))
    assert not re.search("^::error::|##", outcome.out, re.MULTILINE)
    outside = re.sub("(`+)text\n.*?\n\\1\n", "", page.read_text("utf-8"), flags=re.DOTALL)
    assert "@" not in re.sub("`[^`\n]*`", "", outside)
