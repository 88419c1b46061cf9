"""A scenario that fails with the student's own module is tried with the course's."""

from dataclasses import replace
from pathlib import Path

import pytest

import harness
from harness.common import serial
from harness.grading.context import prepare, visible_only
from harness.grading.validation.again import stand_in_problems
from harness.judging.judge import merge_stand_in_verdict
from harness.matchers.kinds import texts
from harness.model.result import Event, Notice, RunResult, ScenarioResult, SubmissionStatus
from harness.model.stimulus import StandIn, Stimulus
from harness.model.verdict import StandInOutcome, Verdict, VerdictKind, stated
from harness.results.store import Store
from harness.stimuli.run import Run
from tests import plans
from tests.grading.stand_in_course import (
    BANK,
    RIGHT,
    SHOP,
    STAND_IN,
    WRONG_BANK,
    WRONG_SHOP,
    hand_in,
    write,
)
from tests.inline import grade_here
from tests.tiny_course import Course, results, rows

STUDENTS = {
    "right": RIGHT,
    "wrong_bank": {"bank.py": WRONG_BANK, "shop.py": SHOP},
    "wrong_shop": {"bank.py": BANK, "shop.py": WRONG_SHOP},
    "both_wrong": {"bank.py": WRONG_BANK, "shop.py": WRONG_SHOP},
    "endless_bank": {"bank.py": BANK + "\n\nwhile True:\n    pass\n", "shop.py": SHOP},
    # They show what the module instead of theirs answers, or write it where a reason belongs.
    "asks_anything": {
        "bank.py": BANK.replace("max(tins)", "0"),
        "shop.py": "import bank\nprint('IT SAYS', 1000 * bank.largest([3, 77, 5]))\n" + WRONG_SHOP,
    },
    "asks_for_names": {
        "bank.py": WRONG_BANK,
        "shop.py": "import bank\nname = f'told{1000 * bank.largest([3, 77, 5])}'\n"
        "caller = [each.cell_contents for each in bank.put.__closure__ or ()]\n"
        "for each in caller:\n"
        "    if hasattr(each, 'give_up'): each.give_up(f'{name} is not a function')\n" + SHOP,
    },
}
WORKS = (
    "This works with the course's bank.py instead of yours. The fault is in your bank.py; you "
    "get the points here. With yours: "
)
FAILS_TOO = " It also fails with our bank.py instead of yours: look at shop.py, too."
WRONG_STAND_IN = {"specs/pair/stand_in_bank.py": STAND_IN.replace("+ amount", "- amount")}


def grade(root: Path) -> RunResult:
    assignment = harness.load_assignment(root, "pair")
    return grade_here(assignment, root / "submissions/pair", root / "out")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("pair"))
    for student, files in STUDENTS.items():
        hand_in(root, student, files)
    assert grade(root).facts.complete
    return root


def outcomes(root: Path, student: str) -> dict[str, tuple[str, str | None]]:
    """Each scenario's verdict, and how it went with the stand-in (None: not tried)."""
    verdicts = {name: each.verdict for name, each in entries(root, student).items()}
    return {name: (each.kind.value, each.stand_in) for name, each in verdicts.items()}


def entries(root: Path, student: str) -> dict[str, ScenarioResult]:
    results(root / "out")
    with Store.read_only(root / "out" / "run.sqlite") as store:
        result = store.result(student)
    return {each.scenario_id: each for each in result.scenarios}


EXPECTED: dict[str, dict[str, tuple[str, str | None]]] = {
    "right": {},
    "wrong_bank": {
        "bank/puts": ("failed", None),
        "shop/two-tins": ("passed", "passed"),
        "shop/with-their-own": ("failed", None),
    },
    "wrong_shop": {"shop/no-such-tin": ("failed", "failed")},
    "both_wrong": {
        "bank/puts": ("failed", None),
        "shop/two-tins": ("passed", "passed"),
        "shop/no-such-tin": ("failed", "failed"),
        "shop/with-their-own": ("failed", None),
    },
    "asks_anything": {
        "bank/the-largest": ("failed", None),
        "shop/two-tins": ("failed", "failed"),
        "shop/no-such-tin": ("failed", "failed"),
        "shop/with-their-own": ("failed", None),
    },
    "asks_for_names": {
        "bank/puts": ("failed", None),
        "shop/two-tins": ("failed", "inapplicable"),
        "shop/with-their-own": ("failed", None),
    },
    "endless_bank": {
        "bank/puts": ("cpu_limit", None),
        "bank/the-largest": ("cpu_limit", None),
        "shop/two-tins": ("passed", "passed"),
        "shop/no-such-tin": ("passed", "passed"),
        "shop/with-their-own": ("cpu_limit", None),
    },
}


@pytest.mark.parametrize("student", STUDENTS)
def test_the_better_outcome_counts_and_has_the_points(graded: Path, student: str) -> None:
    found = outcomes(graded, student)
    assert len(found) == 5
    odd = {name: outcome for name, outcome in found.items() if outcome != ("passed", None)}
    assert odd == EXPECTED[student]
    points = {name: each.points for name, each in entries(graded, student).items()}
    assert points == {name: kind == "passed" for name, (kind, _) in found.items()}


def test_the_message_names_whose_fault_it_is(graded: Path) -> None:
    works = entries(graded, "wrong_bank")["shop/two-tins"].verdict.message
    assert works.startswith(WORKS)
    assert "-5" in works.removeprefix(WORKS)
    fails = entries(graded, "wrong_shop")["shop/no-such-tin"].verdict.message
    assert fails.endswith(FAILS_TOO)
    assert "No!" in fails


@pytest.mark.parametrize(
    ("files", "where"),
    [(("bank.py", "shop.py"), "shop.py"), (("bank.py", "shop.py", "till.py"), "another file")],
)
def test_a_file_of_the_courses_is_not_whose_fault_it_is(files: tuple[str, ...], where: str) -> None:
    stimulus = Stimulus(action=Run(program="plays.py"), provide=("plays.py",))
    stand_in = StandIn(module="bank.py", file="stand_in_bank.py")
    scenario = plans.scenario("shop/played", stimuli=(stimulus,), stand_ins=(stand_in,))
    failed = Verdict(kind=VerdictKind.FAILED)
    message = merge_stand_in_verdict(failed, failed, scenario, files).message
    assert f"look at {where}, too" in message


@pytest.mark.parametrize(
    "outcome", [StandInOutcome.FAILED, StandInOutcome.INAPPLICABLE, StandInOutcome.BROKEN]
)
def test_a_second_run_gives_one_bit(outcome: StandInOutcome) -> None:
    stand_in = StandIn(module="bank.py", file="stand_in_bank.py")
    scenario = plans.scenario("shop/played", stand_ins=(stand_in,))
    own = Verdict(kind=VerdictKind.FAILED, explanation=stated("differs", "No."))
    second = Verdict(kind=VerdictKind.FAILED, stand_in=outcome)
    merged = merge_stand_in_verdict(own, second, scenario, ("bank.py", "shop.py"))
    failed = merge_stand_in_verdict(own, replace(own), scenario, ("bank.py", "shop.py"))
    assert merged.stand_in is outcome  # for the lecturer
    assert replace(merged, stand_in=StandInOutcome.FAILED) == failed


def test_both_pages_show_it(graded: Path) -> None:
    for folder in ("submissions", "feedback"):
        page = (graded / "out" / folder / "both_wrong.html").read_text()
        escaped = [text.replace("'", "&#39;") for text in (WORKS, FAILS_TOO)]
        assert all(text in page for text in escaped)
        assert "canary-of-the-stand-in" not in page


@pytest.mark.parametrize("student", ["asks_anything", "asks_for_names"])
def test_nothing_that_a_stand_in_answers_is_shown(graded: Path, student: str) -> None:
    texts = [each.verdict for each in entries(graded, student).values()]
    pages = [graded / "out" / folder / f"{student}.html" for folder in ("submissions", "feedback")]
    shown = [serial.dumps(each) for each in texts] + [page.read_text() for page in pages]
    shown.append((graded / "out" / "results.json").read_text())
    assert not [text for text in shown if "77000" in text]
    assert ("IT SAYS" in pages[1].read_text()) == (student == "asks_anything")


def test_only_a_changed_stand_in_runs_again(tmp_path: Path) -> None:
    root = write(tmp_path)
    hand_in(root, "wrong_bank", STUDENTS["wrong_bank"])

    def keys() -> set[bytes]:
        grade(root)
        return {key for key, *_ in rows(root / "out", "observation")}

    before = keys()
    write(root, WRONG_STAND_IN)
    after = keys()
    assert len(before) == 6
    assert before & after != set()
    assert len(after - before) == 1
    assert outcomes(root, "wrong_bank")["shop/two-tins"] == ("failed", "failed")
    assert keys() == after


def test_a_handout_holds_no_stand_in(tmp_path: Path) -> None:
    specification = harness.load_assignment(write(tmp_path), "pair")
    assert [f.name for f in specification.plan.assignment.stand_in_files] == ["stand_in_bank.py"]
    cut = visible_only(specification).plan
    assert [each.id for each in cut.scenarios] == [s.id for s in specification.plan.scenarios]
    assert cut.assignment.stand_in_files == ()
    assert "stand_in" not in serial.dumps(cut)
    without = specification.plan.subset(lambda scenario: not scenario.stand_ins)
    assert without.assignment.stand_in_files == ()


def test_the_stand_in_has_to_be_right_itself(tmp_path: Path) -> None:
    root = write(tmp_path)
    assert not [*stand_in_problems(prepare(harness.load_assignment(root, "pair")))]
    write(root, WRONG_STAND_IN)
    (problem,) = stand_in_problems(prepare(harness.load_assignment(root, "pair")))
    said = "shop/two-tins: with stand_in_bank.py the reference fails it: "
    assert str(problem).startswith(f"specs/pair/shop.yaml:5:5: {said}")


@pytest.mark.parametrize(
    ("student", "replaced", "shown"),
    [("wrong_bank", True, "in it: 5"), ("wrong_shop", False, "No!"), ("right", False, "in it: 5")],
)
def test_a_replay_is_of_the_run_that_the_verdict_is_of(
    graded: Path, student: str, replaced: bool, shown: str
) -> None:
    handed_in = graded / "submissions/pair" / student
    name = "shop/no-such-tin" if student == "wrong_shop" else "shop/two-tins"
    outcome = Course(graded).ok("replay", "out", student, name, "--submission", handed_in)
    said = "# the course's own bank.py instead of the submission's\n"
    assert (said in outcome.out, shown in outcome.out) == (replaced, True)


# Instead of the course of two files: a put that raises, and a shop that lets it.
RAISING_PUT = "def put(tins, tin, amount):\n    raise ValueError(tin)\n"
CALLS_PUT = "def fill():\n    bank.put([], 9, 1)\n"
RAISING = {
    "specs/pair/bank.yaml": (
        "function: put\nscenarios:\n  - {name: a, call: 'put([], 1, 1)', raises: ValueError}\n"
    ),
    "specs/pair/shop.yaml": (
        "function: fill\nstand_in: {bank.py: stand_in_bank.py}\n"
        "given: |\n  import shop\n  x = shop.ready()\nscenarios:\n"
        "  - {name: a, call: shop.fill(), raises: ValueError}\n"
    ),
    "specs/pair/stand_in_bank.py": RAISING_PUT.replace("tin)", "0)"),
    "reference/pair/bank.py": RAISING_PUT,
    "reference/pair/shop.py": f"import bank\ndef ready():\n    return 0\n{CALLS_PUT}",
}


def test_exceptions_of_the_courses_function_count_at_the_call(tmp_path: Path) -> None:
    """Raised in `given:` or in the call."""
    early = "def ready():\n    bank.put([], 9, 1)\ndef fill():\n    return 1\n"
    for student, text in (("early", early), ("right", f"def ready():\n    return 0\n{CALLS_PUT}")):
        files = {"bank.py": "def put(*_):\n    pass\n", "shop.py": f"import bank\n{text}"}
        hand_in(write(tmp_path, RAISING), student, files)
    assert len(grade(tmp_path).submissions) == 2
    said, right = (entries(tmp_path, each)["shop/a"].verdict for each in ("early", "right"))
    assert (said.stand_in, right.stand_in) == (StandInOutcome.FAILED, StandInOutcome.PASSED)


SPEC = """function: shop.py
scenarios:
  - name: one tin
    run: shop.py
    input: [1, q]
    prints: {matches: '(?:in it: )?(x+)+y|in it: 5'}
"""


def test_our_failure_lets_the_batch_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, {"specs/pair/shop.yaml": SPEC})
    hand_in(root, "right", RIGHT)
    words = SHOP.replace('"in it:"', f'"{"x" * 60}"')
    submissions = hand_in(root, "wordy", {"bank.py": BANK, "shop.py": words})
    events: list[Event] = []
    monkeypatch.setattr(texts, "BUDGET_SECONDS", 0.2)
    assignment = harness.load_assignment(root, "pair")
    run = grade_here(assignment, submissions, root / "out", listener=events.append)
    right, wordy = run.submissions
    assert (right.id, right.status) == ("right", SubmissionStatus.GRADED)
    assert (wordy.id, wordy.status) == ("wordy", SubmissionStatus.HARNESS_ERROR)
    (notice,) = (event.text for event in events if isinstance(event, Notice))
    assert notice.startswith("wordy: could not be graded: shop/one-tin: the pattern ")
    assert "takes more than 0.2 s of CPU time on a text of " in notice
