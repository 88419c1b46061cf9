"""A mistake of the user is one line on stderr and status 2; what all commands have in common."""

import ctypes
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from rich.table import Table

import harness.cli.commands
from harness.cli import SECTIONS, cli, listings
from harness.cli.commands import machine
from harness.cli.printing import print_result, result_console
from tests.conftest import Added
from tests.tiny_course import HARNESS, Course, environment, ran, results

CAPABILITIES_VERSION = 0x20080522
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def without_privilege() -> None:
    """In the child: permissions count, for root too."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, twice 32
    assert libc.capget(header, sets) == 0
    for index in range(3):
        sets[index] &= ~(1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH)
    assert libc.capset(header, sets) == 0


def files_up_to(size: int) -> Callable[[], None]:
    """In the child: no file grows beyond this, which looks like a full disk."""

    def limit() -> None:
        sys.dont_write_bytecode = True  # half of a module's would be left
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


NOWHERE = "no/where: the folder no does not exist. Hint: create it first, or choose another folder"
NOT_RESULTS = "runs/{}.json: this is not a results.json of the harness"
NO_PART = "--part {} is not a part. Hint: write 1/3 for the first of three"
NO_ASSIGNMENT = "specs/ has no assignment {!r}. Hint: the assignments are: tiny"
NO_RUN = "this is not a run. Hint: name a report folder"
NOT_FOR = "--gradebook, --column, --match, --clear, --roster and --marks cannot be used with --to"
GO_THERE = "write the file's whole path, or go to its folder first (cd)"
ONE_WATCHED = "--watch takes one folder, without --only and --fresh"
WRONG = {
    "grade nowhere": f"nowhere: no such file or folder. Hint: {GO_THERE}",
    "grade report": "report: no such file or folder. Hint: is it reports?",
    "check nowhere.py": f"nowhere.py: no such file or folder. Hint: {GO_THERE}",
    "grade submissions/tiny --assignment tinny": (
        "specs/ has no assignment 'tinny'. Hint: did you mean tiny?"
    ),
    "validate wallpaper": NO_ASSIGNMENT.format("wallpaper"),
    "record ../tiny": NO_ASSIGNMENT.format("../tiny"),
    "gradescope nothing": NO_ASSIGNMENT.format("nothing"),
    "grade submissions/tiny --out /proc/report": (
        "/proc/report: cannot make the folder (No such file or directory). "
        "Hint: choose another with --out"
    ),
    "grade submissions/tiny --out specs/tiny/main.yaml/below": (
        "specs/tiny/main.yaml/below: cannot make the folder (Not a directory). "
        "Hint: choose another with --out"
    ),
    "grade submissions/tiny --out specs/tiny/main.yaml": (
        "invalid value for '-o' / '--out' / '--output': "
        "Directory 'specs/tiny/main.yaml' is a file. Hint: harness grade --help"
    ),
    "grade": "missing argument 'PATH…'. Hint: harness grade --help",
    "grade submissions/tiny --support nowhere": (
        "the support folder nowhere does not exist. Hint: correct --support"
    ),
    "grade submissions/tiny --python /bin/sh": (
        "/bin/sh is not a Python 3.11 or newer. Hint: give --python the path of an interpreter."
    ),
    "show specs/tiny/main.yaml": (
        "specs/tiny/main.yaml: this is not a results file. Hint: use --fresh to start again"
    ),
    "grad submissions/tiny": "unknown command 'grad'. Hint: did you mean grade?",
    "zzz": "unknown command 'zzz'. Hint: harness --help lists the commands",
    "__init__": "unknown command '__init__'. Hint: harness --help lists the commands",
    "../check": "unknown command '../check'. Hint: did you mean check?",
    "compare reports/tiny nowhere": f"nowhere: {NO_RUN} or a results.json",
    "compare reports/tiny specs": f"specs/results.json: {NO_RUN} or a results.json",
    "compare reports/tiny runs/bad.json": NOT_RESULTS.format("bad"),
    "compare reports/tiny runs/list.json": NOT_RESULTS.format("list"),
    "compare reports/tiny runs/newer.json": (
        "runs/newer.json: is has version 3, not 2. Hint: use the harness that wrote it"
    ),
    "compare reports/tiny reports/tiny --to table -o x": (
        "a table can only be shown on the terminal. Hint: --to csv or --to html"
    ),
    "export reports/tiny --to feedback": "this format is a zip file. Hint: -o FILE",
    "export reports/tiny --to csv --gradebook x.csv": f"{NOT_FOR} csv",
    "export reports/tiny --to junit --marks functionality": f"{NOT_FOR} junit",
    "export reports/tiny --to canvas --gradebook x.csv": (
        "x.csv: cannot be read (No such file or directory)"
    ),
    "export reports/tiny --to moodle": (
        "Moodle can only import its own worksheet. Hint: --gradebook FILE"
    ),
    "export reports/tiny --to feedback-moodle -o x.zip": (
        "reports/tiny: no submission of this run came from a download of Moodle. "
        "Hint: --to feedback packs the pages by id"
    ),
    "export reports/tiny --to csv -o specs/tiny/main.yaml/x.csv": (
        "specs/tiny/main.yaml/x.csv: the folder specs/tiny/main.yaml does not exist. "
        "Hint: create it first, or choose another folder"
    ),
    "manual reports/tiny x.csv": "x.csv: cannot be read (No such file or directory)",
    "forget reports/tiny nobody": "reports/tiny: no submission has the id 'nobody'",
    "replay reports/tiny nobody is_valid/a-word": (
        "reports/tiny: no submission 'nobody'. Hint: harness show reports/tiny lists them"
    ),
    "replay reports/tiny perfect a-word": (
        "no scenario 'a-word'. Hint: did you mean is_valid/a-word?"
    ),
    "replay elsewhere perfect is_valid/a-word": f"elsewhere: {NO_RUN}",
    "review reports/tiny --part 4/3": NO_PART.format("4/3"),
    "review reports/tiny --part 0/3": NO_PART.format("0/3"),
    "review reports/tiny --part x": NO_PART.format("x"),
    "review reports/tiny --request m.txt --anonymous": (
        "--request shows the student's name, --anonymous hides it. Hint: leave out one"
    ),
    "review reports/tiny --request m.txt": "m.txt: cannot be read (No such file or directory)",
    "gradescope tiny --hidden-visibility never": (
        "invalid value for '--hidden-visibility': 'never' is not one of 'visible', "
        "'after_due_date', 'after_published', 'hidden'. Hint: harness gradescope --help"
    ),
    "gradescope tiny --time-limit 5": (
        "invalid value for '--time-limit': 5 is not in the range 60<=x<=86400. "
        "Hint: harness gradescope --help"
    ),
    "course gone": "gone: this folder does not exist. Hint: name the folder that contains the runs",
    "course r.csv": (
        "r.csv: this folder does not exist. Hint: name the folder that contains the runs"
    ),
    "course reports --student eve": (
        "no student 'eve'. Hint: write an id, an email or a full name"
    ),
    "similarity reports/tiny --base nowhere": (
        f"nowhere: no such file or folder. Hint: {GO_THERE}"
    ),
    "doctor --python later": "'later' is not a Python version. Hint: write \"3.12\".",
    "play tiny": "play needs a terminal. Hint: the commands grade and check need no terminal",
    "mail reports/tiny --from a1@uni.example": (
        "harness sends no email. Hint: --dry-run writes the emails as files"
    ),
    "mail reports/tiny --dry-run --from me": (
        "--from: 'me' is not an address. Hint: --from \"CSSE7030 <csse7030@uni.example>\""
    ),
    "import-transcript none.txt --to specs/tiny/main.yaml": (
        "none.txt: this transcript cannot be read: No such file or directory"
    ),
    "grade --watch specs reports": f"specs: {ONE_WATCHED}",
    "grade --watch specs --only ada": f"specs: {ONE_WATCHED}",
    "grade --watch specs --fresh": f"specs: {ONE_WATCHED}",
    "grade --watch specs/tiny/main.yaml": f"specs/tiny/main.yaml: {ONE_WATCHED}",
    "show specs": f"specs: {NO_RUN}",
    "export specs --to csv": f"specs: {NO_RUN}",
    "manual specs x.csv": f"specs: {NO_RUN}",
    "forget specs perfect": f"specs: {NO_RUN}",
    "review specs": f"specs: {NO_RUN}",
    **{
        f"{command} -o no/where": NOWHERE
        for command in (
            *("export reports/tiny --to json", "compare reports/tiny reports/tiny --to csv"),
            *("handout tiny", "gradescope tiny", "classroom50 tiny"),
        )
    },
}


@pytest.mark.parametrize(("command", "line"), WRONG.items(), ids=WRONG)
def test_an_error_is_one_line(graded_once: Course, command: str, line: str) -> None:
    graded_once.write("runs/bad.json", '{"schema_version": 2,')
    graded_once.write("runs/list.json", "[1]")
    graded_once.write("runs/newer.json", '{"schema_version": 3}')
    assert graded_once.refusal(*command.split()) == line
    for name in ("x.zip", "autograder.zip", "no", "reports/students", "reports/tiny/mail"):
        assert not graded_once.path(name).exists()


def test_an_empty_folder_and_one_outside_of_a_course(course: Course, tmp_path: Path) -> None:
    course.path("empty").mkdir()
    line = (
        "empty: no submissions. Hint: name a folder that contains submissions, files, or a download"
    )
    assert course.refusal("grade", "empty") == line
    assert not course.report.exists()
    line = f"empty: this folder has no a1.py. Hint: {GO_THERE}"
    assert course.refusal("check", "empty") == line
    outside = tmp_path / "outside"
    outside.mkdir()
    line = course.refusal("grade", ".", cwd=outside)
    hint = "Hint: go to the project's folder, or give --root"
    assert re.fullmatch(f"no specs/<assignment>/assignment.yaml in .*{re.escape(hint)}", line)
    assert list(outside.iterdir()) == []


def test_paths_of_two_assignments(course: Course) -> None:
    Course.copy(course.path("specs/tiny"), course.path("specs/other"))
    Course.copy(course.path("submissions/tiny"), course.path("submissions/other"))
    assert course.refusal("grade", "submissions/tiny", "submissions/other") == (
        "the files belong to several assignments (tiny, other). Hint: grade one assignment at a "
        "time, or add --assignment"
    )
    assert not course.report.exists()


def test_all_mistakes_of_a_spec_are_shown_together(course: Course) -> None:
    course.edit("specs/tiny/total.yaml", "returns: 0", "return: 0")
    course.edit("specs/tiny/is_valid.yaml", 'call: is_valid("3")', 'call: is_valid("3"')
    for arguments in (["grade", "submissions/tiny"], ["validate"], ["check", "submissions/tiny"]):
        outcome = course.run(*arguments)
        lines = outcome.err.splitlines()
        assert (outcome.status, outcome.out, len(lines)) == (2, "", 2)
        assert lines[0].startswith("error: specs/tiny/is_valid.yaml:6:")
        assert lines[1].startswith("error: specs/tiny/total.yaml:7:5: return: ")
        assert lines[1].endswith("did you mean returns?")
    assert not course.report.exists()


def test_a_reference_that_breaks_its_word_grades_nobody(course: Course) -> None:
    course.edit("specs/tiny/is_valid.yaml", 'call: is_valid("3")', 'call: is_valid("33")')
    outcome = course.run("grade", "submissions/tiny")
    assert (outcome.status, outcome.out) == (2, "")
    assert "specs/tiny/is_valid.yaml:4:5: is_valid/a-whole-number: " in outcome.err
    assert "Traceback" not in outcome.err
    assert not (course.report / "results.json").exists()


def test_a_folder_that_may_not_be_read(course: Course) -> None:
    locked = course.path("submissions/tiny/perfect")
    locked.chmod(0)
    try:
        outcome = course.run("grade", "submissions/tiny", before=without_privilege)
        alone = course.refusal("grade", "submissions/tiny/perfect", before=without_privilege)
    finally:
        locked.chmod(0o755)
    assert outcome.status == 0
    (entry,) = (e for e in results(course.report)["submissions"] if e["id"] == "perfect")
    assert (entry["status"], entry["mark"]) == ("needs_review", None)
    assert entry["problem"] == "the folder cannot be read (Permission denied)"
    assert alone == "submissions/tiny/perfect: cannot be read (Permission denied)"


def test_a_report_folder_that_may_not_be_written(course: Course) -> None:
    course.path("locked").mkdir(mode=0o555)
    for out, line in (
        ("locked", "locked: the folder cannot be written. Hint: choose another with --out"),
        ("locked/r", "locked/r: cannot make the folder (Permission denied)."),
    ):
        arguments = ("submissions/tiny", "--out", out)
        assert course.refusal("grade", *arguments, before=without_privilege).startswith(line)


@pytest.mark.parametrize("size", [20_000, 120_000])
def test_a_full_disk_loses_nothing(graded_once: Course, course: Course, size: int) -> None:
    outcome = course.run("grade", "submissions/tiny", "--fresh", before=files_up_to(size))
    assert (outcome.status, outcome.out) == (2, "")
    assert "Traceback" not in outcome.err
    *progress, line = outcome.err.splitlines()
    assert line.startswith(f"error: {course.report}")
    assert "free disk space" in line or "check that it is not full" in line
    expected = ("graded", "submissions", "students")
    assert all(any(word in entry for word in expected) for entry in progress)
    if (course.report / "results.json").exists():  # never half of one
        results(course.report)
    course.ok("grade", "submissions/tiny")
    assert results(course.report) == results(graded_once.report)


def test_a_full_disk_under_stdout(course: Course) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [HARNESS, "schema"],
            cwd=course.root,
            env=environment(),
            stdout=full,
            stderr=-1,
            text=True,
            check=False,
        )
    line = "error: no space left on device. Hint: free disk space and run the same command again\n"
    assert (done.returncode, done.stderr) == (2, line)


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">&-", "2>&-"])
def test_closed_streams_have_no_reader(graded_once: Course, course: Course, closed: str) -> None:
    """As a service or a job of cron may start it: the next file would get a stream's number."""
    command = f'exec "$0" grade submissions/tiny {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, HARNESS], cwd=course.root, env=environment(), check=False
    )
    assert done.returncode == 0
    assert results(course.report) == results(graded_once.report)


def test_a_damaged_database(graded: Course) -> None:
    (graded.report / "run.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    assert "use --fresh to start again" in graded.refusal("grade", "submissions/tiny")
    graded.ok("grade", "submissions/tiny", "--fresh")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_screen_without_our_characters(graded: Course, unbuffered: str) -> None:
    screen = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONUNBUFFERED": unbuffered}
    assert "perfect" in graded.ok("show", "reports/tiny", **screen).out


TOY = '''"""Say hello."""

import click

from harness.cli.options import click_command


@click_command("toy", "harness toy Ada", "harness toy Grace")
@click.argument("name")
def command(name: str) -> None:
    """Greet NAME."""
    click.echo(f"Hello {name}")
'''
NAMES = [each.name for each in listings()]


def output(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, prog_name="harness", catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", NAMES)
def test_help_ends_with_two_examples(name: str) -> None:
    text, _, examples = output(name, "--help").partition("  Examples:\n")
    assert text.startswith(f"Usage: harness {name} ")
    assert re.fullmatch("(    harness .*\n){2}", examples)
    assert f"harness {name}" in examples


def test_the_help_imports_no_command() -> None:
    code = (
        "import sys; from harness.cli import cli; cli.main(['--help'], standalone_mode=False);"
        "print(*sys.modules)"
    )
    loaded = ran([sys.executable, "-c", code], check=True).stdout.splitlines()[-1].split()
    commands = {entry.module for entry in listings()}
    assert not (commands | {"rich", "harness.model", "harness.assignment"}).intersection(loaded)


def test_the_help_lists_all_commands_and_is_shown_for_none() -> None:
    folder = Path(harness.cli.commands.__file__).parent
    assert set(NAMES) == {path.stem.replace("_", "-") for path in folder.glob("*/[a-z]*.py")}
    assert {entry.section for entry in listings()} == set(SECTIONS.values())
    listed = output("--help").partition("Grading:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line.startswith("  ")] == NAMES
    result = CliRunner().invoke(cli, [], prog_name="harness")
    assert (result.exit_code, result.output) == (2, output("--help"))


def test_a_new_file_is_a_command(added: Added) -> None:
    added(machine, "toy", TOY)
    assert output("--help").partition("\nThis machine:\n")[2].split()[-3:] == [
        "toy",
        "Say",
        "hello.",
    ]
    assert output("toy", "Ada") == "Hello Ada\n"
    assert output("toy", "--help").endswith("    harness toy Ada\n    harness toy Grace\n")


HEAVY = ("jinja2", "multiprocessing", "pydantic", "sqlite3", "yaml", "hypothesis")
AFTER_EACH = "import sys, harness.cli.commands.grading.check; print(*sys.modules); " + (
    "import harness.cli.commands.grading.grade, harness.grading.batch; print(*sys.modules)"
)


def test_check_does_not_import_modules_that_only_grade_needs() -> None:
    done = ran([sys.executable, "-c", AFTER_EACH], check=True)
    check, grade = (set(line.split()) for line in done.stdout.splitlines())
    assert check.isdisjoint({*HEAVY, "harness.api", "harness.grading.batch"})
    assert "harness.policy.checking" not in check
    assert {"harness.grading.batch", "multiprocessing", "sqlite3"} <= grade
    assert grade.isdisjoint({"dask", "distributed", "tornado"})  # for a cluster alone


def test_a_pipe_gets_a_row_a_line_and_no_blanks_at_ends(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("clause", "what", box=None, show_edge=False)
    table.add_row("3.1", "word " * 60)
    table.add_row("3.2", "short")
    print_result(table)
    result_console().print("a line  ")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["clause", "3.1", "3.2", "a"]
    assert lines[1].count("word") == 60
    assert lines == [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("words", "begun", "completed"),
    [
        ([], "simi", ["similarity"]),
        (["grade"], "--req", ["--require-tier"]),
        (["grade", "--require-tier"], "st", ["strong", "standard"]),
    ],
)
def test_a_shell_completes(words: list[str], begun: str, completed: list[str]) -> None:
    found = ShellComplete(cli, {}, "harness", "_HARNESS_COMPLETE").get_completions(words, begun)
    assert sorted(each.value for each in found) == sorted(completed)
