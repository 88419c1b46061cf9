"""`harness validate`, `play` and `replay` on the tiny course."""

import os
import pty
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import harness.study.transcripts  # noqa: F401  (loaded here, not in each copy)
from harness.assignment.files.small_files import load_expectation
from harness.assignment.loading import load
from harness.cli.commands.assignments.validate import accept_samples
from harness.grading.context import prepare
from harness.grading.observing.answer_key import Problem
from harness.grading.validation.report import SampleOutcome, ValidationReport
from harness.model.plan import ExpectedCause, SampleExpectation
from tests.cli.conftest import without_reference
from tests.tiny_course import Course, Terminal


def problems(out: str) -> list[str]:
    checks = ("coverage", "goldens", "mutants", "policy", "repeat", "samples")
    return [line for line in out.splitlines() if line.startswith(checks)]


def test_a_sound_assignment_has_no_problems(course: Course) -> None:
    outcome = course.ok("validate", "tiny", "--details")
    assert outcome.err == ""
    assert problems(outcome.out) == []
    lines = outcome.out.splitlines()
    assert lines[0] == "tiny: sound"
    summary = (
        "12 scenarios (13 with all constants and parameters, 18 runs with all draws), "
        "11 with stated results"
    )
    assert summary in lines
    table = [line.replace("│", " ").split() for line in lines if line.startswith("│")]
    assert re.search(
        r"(?m)^is_valid +5 scenarios +3 visible +6 runs +46\.2% of the marks$", outcome.out
    )
    assert ["prints_total", "3.69", "5", "yes"] in table
    (row,) = (row for row in table if row[0] == "5.game")
    assert row[-4:] == ["3", "1/1", "main/two-amounts", "+1"]
    for name in ("untouched-stub", "every-function-returns-none"):
        assert f"{name} scores 0.00 of 6.00 and passes nothing" in lines
    again = course.run("validate", "--jobs", "1", "--details")  # all, and nothing that varies
    assert again.out == outcome.out
    short = course.ok("validate", "tiny").out.splitlines()
    assert short[0] == "tiny: sound"
    assert not any(line.startswith(("│", "┏")) for line in short)
    assert set(short) - set(lines) == {"--details shows every clause, mutant and sample"}


ODD = """\
  - {name: some text, visible: true, call: "str(total([9]))", returns: {matches: '9$'}}
  - name: counted
    call: __import__('collections').Counter([total([9])])
    returns: {equals: "{9: 1}"}
"""


def test_other_improvements_are_named(course: Course) -> None:
    """A regular expression tells a student nothing. Nothing says how dictionaries are compared, and
    nothing has to: `equals` takes a right value of a kind of dict."""
    course.append("reference/tiny/till.py", "\nUSED = set()\n")
    course.append("specs/tiny/total.yaml", ODD)
    outcome = course.run("validate", "tiny", "--no-samples")
    assert (
        "slow: even the reference runs each scenario in its own process: `USED`, a set at module "
        "level, may change unseen. Hint: "
    ) in outcome.out
    assert "hard to read: total/some-text would show students a regular expression." in outcome.out
    assert outcome.out.splitlines()[0] == "tiny: sound", outcome.out


def test_every_fault_has_its_line(course: Course) -> None:
    course.append(
        "specs/tiny/clauses.yaml", '  - {id: "6.new", section: "6", text: Nobody tests this.}\n'
    )
    course.append("specs/tiny/total.yaml", "  - name: odd\n    call: hash('odd') % 1000\n")
    course.edit("specs/tiny/is_valid.yaml", 'call: is_valid("three")', 'call: is_valid("4")')
    course.write(
        "specs/tiny/loose.yaml",
        "function: total\nscenarios:\n  - {name: any, call: 'total([9])'}\n"
        "  - {name: free, clause: 4.total, informational: true, call: 'total([8])'}\n",
    )
    course.edit(
        "specs/tiny/mutants.yaml", "replace: result = amount", "replace: result += amount + 0"
    )
    course.edit(
        "submissions/tiny/missing_total/expect.yaml",
        'fails: ["total/*"]',
        "fails: [total/odd, loose/free]",
    )
    outcome = course.fails("validate")
    found = problems(outcome.out)
    assert outcome.out.splitlines()[0] == f"tiny: {len(found)} problems"
    assert {" ".join(line.split()[:3]) for line in found if line.startswith("goldens")} == {
        "goldens specs/tiny/is_valid.yaml:8:5: is_valid/a-word:"
    }
    assert [line for line in found if not line.startswith(("goldens", "samples"))] == [
        "coverage clauses.yaml: clause 6.new (Nobody tests this.) has no scenario",
        "coverage specs/tiny/loose.yaml:3:5: scenario loose/any names no clause",
        "repeat specs/tiny/total.yaml:11:5: total/odd has another outcome with another hash "
        "seed, clock, folder or order. Hint: if the time matters, state clock: 2026-03-01",
        "mutants mutants.yaml: the mutant of clause 4.total (The total is the last amount.) "
        "survives its 3 scenarios",
        "mutants mutants.yaml: clause 6.new has no mutant",
    ]
    samples = [line for line in found if line.startswith("samples missing_total/expect.yaml: ")]
    assert [line.split(": ")[1] for line in samples[:4]] == [
        "is_valid/a-word fails but is not listed",
        "loose/any fails but is not listed",
        "total/an-empty-basket fails but is not listed",
        "total/baskets-of-every-length fails but is not listed",
    ]
    assert "samples missing_total/expect.yaml: total/odd passes but is listed under fails" in found
    no_count = "fails: loose/free matches no scenario that counts"
    assert f"samples missing_total/expect.yaml: {no_count}" in found


def test_a_policy_that_the_reference_breaks_is_named_as_its_file_does(course: Course) -> None:
    course.edit("specs/tiny/policy.yaml", "[imports, constants, functions,", "[imports, constants,")
    course.append("specs/tiny/policy.yaml", "syntax: {forbid: [FunctionDef]}\n")
    outcome = course.fails("validate", "--no-samples")
    said = [line.split(": ", 1)[1] for line in problems(outcome.out)]
    assert Counter(said) == {  # of each of its functions
        "a function is not allowed at module level": 4,
        "a function definition is not one of the allowed techniques"
        " (policy.yaml calls it FunctionDef)": 4,
    }


EXPECTATIONS = (
    ("fails: [total/nowhere]\n", "fails: total/nowhere matches no scenario"),
    ("mark: [1, 2]\n", "the mark is 6.00, expected 1.0 to 2.0"),
    ("findings: [import]\n", "findings are [], expected ['import']"),
    ("explains: [looks hard-coded]\n", "no message says 'looks hard-coded'"),
    ('verdicts: {"main/*": timeout}\n', "main/two-amounts is passed, expected timeout"),
)


def test_a_sample_alone_makes_it_unsound(course: Course) -> None:
    for path in course.path("submissions/tiny").iterdir():
        if path.name != "perfect":
            (path / "expect.yaml").unlink()
    course.write("submissions/tiny/perfect/expect.yaml", "".join(t for t, _ in EXPECTATIONS))
    found = problems(course.fails("validate").out)
    for _, expected in EXPECTATIONS:
        assert f"samples perfect/expect.yaml: {expected}" in found
    assert {entry.split()[1] for entry in found} == {"perfect/expect.yaml:"}
    assert course.ok("validate", "--no-samples").out.splitlines()[0] == "tiny: sound"


def test_a_sample_that_cannot_be_loaded_has_one_line_for_all_its_failures(course: Course) -> None:
    for path in course.path("submissions/tiny").iterdir():
        (path / "expect.yaml").unlink(missing_ok=True)
    course.write("submissions/tiny/broken/a1.py", "import till\nraise ValueError\n")
    course.write("submissions/tiny/broken/expect.yaml", "mark: [12, 12]\n")
    found = problems(course.run("validate").out)
    (line,) = (
        line
        for line in found
        if "fail" in line and "ran at import" in line and "explanation" not in line
    )
    assert line.startswith(
        "samples broken/expect.yaml: basket/to-the-end and 9 more scenarios fail but are not "
        "listed: Code "
    )
    assert "samples broken/expect.yaml: the mark is 0.00, expected 12.0" in found


def test_an_assignment_without_a_reference_has_no_transcripts_recorded(course: Course) -> None:
    without_reference(course)
    outcome = course.fails("validate", "--no-samples")
    assert {line.split(": ", 1)[1] for line in problems(outcome.out)} == {
        f"clause {clause} has no mutant"
        for clause in ("2.valid", "2.limit", "3.add", "4.total", "5.game")
    }
    assert "untouched-stub" not in outcome.out
    game = course.text("specs/tiny/gameplay/two_amounts.txt")
    assert course.run("validate", "--accept", "--no-samples").status in (0, 1)
    assert course.text("specs/tiny/gameplay/two_amounts.txt") == game


def test_a_broken_mutant_or_expectation_stops_validate_and_no_grading(course: Course) -> None:
    course.edit("specs/tiny/mutants.yaml", "find: return int(amount) > 0", "find: return 7")
    sample = "submissions/tiny/missing_total"
    course.write(f"{sample}/expect.yaml", "fails: 7\n")
    course.ok("grade", sample)
    broken = "specs/tiny/mutants.yaml:4:11: mutants, item 1, find: this text is not in a1.py."
    assert course.refusal("validate") == broken
    outcome = course.run("validate", "--format", "github")
    assert "::error file=specs/tiny/mutants.yaml,line=4,col=11" in outcome.out
    course.edit("specs/tiny/mutants.yaml", "find: return 7", "find: return int(amount) > 0")
    assert course.refusal("validate").startswith(f"{sample}/expect.yaml:1:8: fails: ")


def test_results_are_accepted_after_they_are_shown(course: Course) -> None:
    """A stale expectation, a removed draw and a wrong transcript: written anew, and then sound.
    A sample may be called what a mutant is."""
    course.path("submissions/tiny/perfect").rename(course.path("submissions/tiny/mutant-0"))
    sample, game = (
        "submissions/tiny/prints_total/expect.yaml",
        "specs/tiny/gameplay/two_amounts.txt",
    )
    before, right = course.text(sample), course.text(game)
    course.write(sample, 'fails: ["total/*", "is_valid/*"]\nmark: [1, 2]\n')
    course.write(game, right.replace("7", "8"))
    outcome = course.ok("validate", "tiny", "--accept")
    assert outcome.err == ""
    assert course.text(game) == right
    lines = outcome.out.splitlines()
    assert "--- specs/tiny/gameplay/two_amounts.txt before" in lines
    assert "+++ submissions/tiny/prints_total/expect.yaml now" in lines
    assert "-mark: [1, 2]" in lines
    assert "+mark: [3.69, 3.69]" in lines
    text = course.text(sample)
    assert text.startswith('fails: ["total/*", "main/')
    assert 'findings: ["import"]' in text
    course.write(sample, before)
    again = course.run("validate", "tiny", "--accept")
    assert again.out.splitlines()[0] == "tiny: sound"
    assert "---" not in again.out  # what is right is left alone, comments and all
    assert course.text(sample) == before


FOUND = SampleExpectation(causes=(ExpectedCause(function="f", rule="wrong_value"),))
WRITTEN = "causes: {f: returned_none}\n"


def sample(folder: Path, name: str) -> SampleOutcome:
    """One whose causes are other than stated, and nothing else."""
    (folder / name).mkdir()
    (folder / name / "expect.yaml").write_text(WRITTEN, encoding="utf-8")
    return SampleOutcome(
        name=name, mark="1.00", failed=1, parts=(), accepted=FOUND, other_causes="causes are others"
    )


def report(samples: list[SampleOutcome], *problems: Problem) -> ValidationReport:
    return ValidationReport(
        assignment="a1", scenarios=1, groups=1, stimuli=1, goldens=0, clauses=(), functions=(),
        mutants=(), samples=tuple(samples), trivial=(), problems=problems,
    )  # fmt: skip


def test_causes_that_are_a_problem_are_written(tmp_path: Path) -> None:
    samples = [sample(tmp_path, name) for name in ("ada", "ben")]
    problem = Problem("causes", "ada/expect.yaml", "causes are others")
    accepted = accept_samples(report(samples, problem), tmp_path)
    assert accepted.sound
    assert [each.other_causes for each in accepted.samples] == [None, "causes are others"]
    assert load_expectation(tmp_path / "ada" / "expect.yaml") == FOUND
    assert (tmp_path / "ben" / "expect.yaml").read_text(encoding="utf-8") == WRITTEN


def test_other_problems_stay(tmp_path: Path) -> None:
    problem = Problem("coverage", "", "no scenario tests clause 2")
    accepted = accept_samples(report([sample(tmp_path, "ada")], problem), tmp_path)
    assert accepted.problems == (problem,)
    assert (tmp_path / "ada" / "expect.yaml").read_text(encoding="utf-8") == WRITTEN


@contextmanager
def playing(course: Course, *arguments: str | Path, attached: bool = True) -> Iterator[Terminal]:
    """`harness play` on a terminal: on one that it makes, or on ours, as on the other side of it
    when it is `attached`, without the start of an interpreter."""
    variables = {"HARNESS_PLAY_ATTACHED": "1"} if attached else {}
    child = course.on_terminal("play", "tiny", *arguments, **variables)
    try:
        yield child
    finally:
        with suppress(OSError):  # a test may have closed it
            child.close(force=True)


def answer(child: Terminal, shown: str, typed: str) -> None:
    child.expect_exact(shown)
    child.sendline(typed)


def agree(course: Course) -> list[str]:
    specification = load(course.root, "tiny")
    prepare(specification, cache=course.root / ".harness-cache", recall_tier=True)
    return [one.id for one in specification.plan.scenarios if one.id.startswith("recorded/")]


def test_a_game_is_played_and_recorded_and_another_broken_off(course: Course) -> None:
    with playing(
        course, "--set", "LIMIT=3", "--record", "Two amounts, one too large", attached=False
    ) as child:
        answer(child, "Amount: ", "2")
        answer(child, "2\r\nAmount: ", "4")
        answer(child, "At most 3 at a time.\r\nAmount: ", "q")
        child.expect_exact("Bye.")
        child.expect_exact("recorded: 'Two amounts, one too large' with 3 inputs")
        child.assert_ended(0)
    text = course.text("specs/tiny/recorded.yaml")
    assert "constants: {LIMIT: 3}" in text
    assert 'input: ["2", "4", "q"]' in text
    assert course.text("specs/tiny/gameplay/two_amounts_one_too_large.txt") == (
        "{{ PROMPT }}2\n2\n{{ PROMPT }}4\n{{ TOO_MUCH }}\n{{ PROMPT }}q\nBye.\n"
    )
    with playing(course, "--record", "broken off", attached=False) as child:
        answer(child, "Amount: ", "1")
        child.expect_exact("1\r\nAmount: ")
        child.sendintr()
        child.expect_exact("recorded until the interruption: 'broken off' with 1 input")
        child.assert_ended(130)
    assert agree(course) == ["recorded/two-amounts-one-too-large", "recorded/broken-off"]


def test_a_game_whose_terminal_is_closed_is_kept(course: Course) -> None:
    with playing(course, "--record", "closed", attached=False) as child:
        answer(child, "Amount: ", "1")
        child.expect_exact("1\r\nAmount: ")
        os.close(child.child_fd)
        os.waitpid(child.pid, 0)
    assert 'input: ["1"]' in course.text("specs/tiny/recorded.yaml")
    assert agree(course) == ["recorded/closed"]


def test_a_terminal_that_controls_no_process_ends_a_game_as_well() -> None:
    master, slave = pty.openpty()
    program = "from harness.execution.linux.pexpect_terminal import attach_terminal as attach\n"
    program += "import sys\nattach([sys.executable, '-c', 'input(\"? \")'])\n"
    command = [sys.executable, "-c", program]
    playing = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, start_new_session=True
    )
    os.close(slave)
    shown = b""
    while b"? " not in shown:
        shown += os.read(master, 1000)
    os.close(master)
    try:
        assert playing.wait(60) == 0
    finally:
        playing.kill()


def test_modules_in_the_current_folder_are_not_imported(course: Course) -> None:
    """It may be a submission's: whoever plays one may stand in it."""
    for name in ("click", "harness", "json"):
        course.write(f"{name}.py", "raise SystemExit('taken for ours')\n")
    with playing(course, attached=False) as child:
        child.expect_exact("Amount: ")


def test_a_submission_is_played(course: Course) -> None:
    program = "print('\\x1b[2Jhello')\nwhile input('? ') != 'q':\n    print('no')\n"
    path = course.write("jo/a1.py", program)
    with playing(course, "--submission", path) as child:
        answer(child, "\\x1b[2Jhello", "a")
        answer(child, "no", "q")
        child.assert_ended(0)


HELLO = """\
function: hello.py
marks: 4
scenarios:
  - {name: Ada, run: hello.py, input: [Ada], prints: "Name: Hello, Ada\\n"}
"""
TWICE = """\
function: twice.py
marks: 6
scenarios:
  - {name: four, run: twice.py, input: [4], prints: "Number: 8\\n"}
"""


def test_a_program_of_several_whose_marks_are_all_given_is_played(course: Course) -> None:
    settings = "specs/tiny/assignment.yaml"
    course.edit(settings, "[a1.py]", "[hello.py, twice.py]")
    course.edit(settings, "functionality_marks: 6", "functionality_marks: 10")
    for kind in ("policy", "clauses", "mutants"):
        course.edit(settings, f"{kind}: {kind}.yaml\n", "")
    for path in course.path("specs/tiny").glob("*.yaml"):
        if path.name != "assignment.yaml":
            path.unlink()
    course.write("specs/tiny/hello.yaml", HELLO)
    course.write("specs/tiny/twice.yaml", TWICE)
    course.path("reference/tiny/a1.py").unlink()
    course.write("reference/tiny/hello.py", 'print("Hello,", input("Name: "))\n')
    course.write("reference/tiny/twice.py", 'print(2 * int(input("Number: ")))\n')
    for arguments in ((), ("--run", "thrice.py")):
        with playing(course, *arguments) as child:
            child.expect_exact("give --run one of hello.py, twice.py, till.py")
            child.assert_ended(2)
    for name in ("the first", "the second"):
        with playing(course, "--run", "twice.py", "--record", name) as child:
            answer(child, "Number: ", "21")
            child.expect_exact("42")
            child.expect_exact(f"recorded: '{name}' with 1 input")
            child.expect_exact("costs no marks")
            child.assert_ended(0)
    assert agree(course) == ["recorded/the-first", "recorded/the-second"]
    recorded = [one for one in load(course.root, "tiny").plan.scenarios if "recorded/" in one.id]
    assert [(one.function, one.informational) for one in recorded] == [("twice.py", True)] * 2


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--record", "two amounts", "already exists"),
        ("--record", "---", "neither letter nor digit"),
        ("--run", "nope.py", "nope.py is neither a submitted nor a provided file"),
        ("--submission", "submissions/tiny", "this is more than one submission"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_reported(
    course: Course, option: str, value: str, words: str
) -> None:
    with playing(course, option, value) as child:
        child.expect_exact(words)
        child.assert_ended(2)


@pytest.mark.parametrize(
    ("scenario", "shown"),
    [
        ("is_valid/a-word", '>>> is_valid("three")\nFalse\n(answered)\n'),
        ("basket/to-the-end", ">>> basket\n[1, 2, 3]\n(answered)\n"),
        ("main/two-amounts", "$ python3 a1.py\n"),
    ],
)
def test_it_shows_the_terminal(graded_once: Course, scenario: str, shown: str) -> None:
    assert shown in graded_once.ok("replay", "reports/tiny", "perfect", scenario).out


def test_a_replay_needs_only_the_run(graded: Course) -> None:
    graded.write("submissions/tiny/perfect/a1.py", "x = 1\n")
    graded.ok("replay", "reports/tiny", "perfect", "is_valid/a-word")


def test_other_files_than_the_graded_ones_are_refused(graded_once: Course, tmp_path: Path) -> None:
    (tmp_path / "a1.py").write_text("x = 1\n")
    for place in (tmp_path, tmp_path / "a1.py"):
        assert "this is not the submission graded as perfect" in graded_once.refusal(
            "replay", "reports/tiny", "perfect", "is_valid/a-word", "--submission", place
        )


@pytest.mark.parametrize("form", ["folder", "file", "archive", "download", "packed download"])
def test_a_replay_takes_graded_files_in_any_form(
    graded_once: Course, tmp_path: Path, form: str
) -> None:
    own = tmp_path / "class" / "perfect"
    own.mkdir(parents=True)
    (own / "a1.py").write_text(graded_once.text("submissions/tiny/perfect/a1.py"))
    (own.parent / "someone").mkdir()
    (own.parent / "someone" / "a1.py").write_text("x = 1\n")
    place = {
        "folder": own,
        "file": own / "a1.py",
        "download": own.parent,
    }.get(form, tmp_path / "packed.zip")
    if form in ("archive", "packed download"):
        packed = own if form == "archive" else own.parent
        shutil.make_archive(str(place.with_suffix("")), "zip", packed)
    graded_once.ok("replay", "reports/tiny", "perfect", "is_valid/a-word", "--submission", place)


def test_a_log_names_processes_and_refused_files(graded: Course) -> None:
    graded.ok("replay", "reports/tiny", "perfect", "is_valid/a-word", "--log", "log.txt")
    events = [line.partition(" harness.")[2] for line in graded.text("log.txt").splitlines()]
    assert events[-3:-1] == [
        'execution: observing is_valid("three")',
        "execution: process started",
    ]
    assert re.fullmatch(r"execution: process ended, exit status 0, CPU time 0\.\d+ s", events[-1])
    before = graded.text("log.txt")
    assert (
        "harness.execution"
        in graded.ok("replay", "reports/tiny", "perfect", "is_valid/a-word", "-v").err
    )
    assert graded.ok("replay", "reports/tiny", "perfect", "is_valid/a-word").err == ""
    assert graded.text("log.txt") == before


LOOPS = "def is_valid(word):\n    while True:\n        pass\n"


def test_a_log_tells_which_scenario_of_whom_does_not_end(graded: Course) -> None:
    graded.write("hangs/loops/a1.py", LOOPS)
    graded.ok("grade", "hangs", "--out", "reports/hangs", "--log", "log.txt")
    events = [line.partition(" harness.")[2] for line in graded.text("log.txt").splitlines()]
    begun = events.index("grading: grading loops")
    killed = events.index("execution: process killed: cpu_limit", begun)
    scenarios = [event for event in events[begun:killed] if event.startswith("grading: scenario ")]
    assert re.fullmatch(
        r"grading: scenario is_valid/\S+: at most \d\.\d+ s of CPU time, \d+\.\d+ s asleep",
        scenarios[-1],
    )
    assert "exit status -9, CPU time" in events[killed + 1]
