"""What is kept of an observation, that nothing speaks from what is not, and what makes it stale;
the last trial of a tier is used while nothing has changed, and only this user's own.
"""

import ast
import os
import shutil
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

import harness
from harness.common.errors import HarnessError
from harness.execution import Interpreter, find_interpreter
from harness.grading.context import recalled_tier
from harness.grading.observing.arrivals import Arrivals
from harness.grading.observing.draws import Observed, Source
from harness.grading.observing.truncating import MAX_BYTES, truncated
from harness.judging.judge import Judge, combine, judge
from harness.model.expectation import Expectation, Expected
from harness.model.figures import Figure
from harness.model.observation import (
    CourseTestOutcome,
    CourseTestResult,
    Ending,
    Frame,
    NamedValue,
    Observation,
    Phase,
    Raised,
    StepOutcome,
    SuiteOutcome,
    Turn,
)
from harness.model.plan import Scenario
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import VerdictKind
from harness.stimuli.call import Call
from tests import plans
from tests.judging.test_rule_order import FIRES
from tests.tiny_course import ran

LONG = "x" * MAX_BYTES
ONES = (Value.simple(ValueKind.INT, "1"),) * 1000
FRAMES = tuple(Frame(file="a1.py", line=line, function="f", source="f()") for line in range(9))
RAISED = Raised(type_name="E", message=LONG, frames=FRAMES)
ANSWERED = Observation(ending=Ending.ANSWERED)
LARGE = {
    "turns": (Turn(printed=LONG),),
    "loading_printed": LONG,
    "value": Value(ValueKind.LIST, items=ONES),
    "arguments": ONES,
    "arguments_before": ONES,
    "variables": (NamedValue(name=LONG, value=ONES[0]),),
    "files": (NamedValue(name="a", value=Value.simple(ValueKind.STR, LONG)),),
    "steps": (StepOutcome(shown=LONG, raised=RAISED), StepOutcome(turns=(Turn(printed=LONG),))),
    "raised": RAISED,
    "cell_error": RAISED,
    "left_open": (LONG,),
    "stderr": LONG,
    "test": CourseTestOutcome(result=CourseTestResult.FAILED, message=LONG),
    "suite": SuiteOutcome(not_loaded=LONG),
    "figures": (Figure(title=LONG),),
}
SMALL = {
    *("ending", "phase", "exit_status", "detail", "nearest"),
    *(
        "full_digest",
        "cpu_seconds",
        "ends_in_double",
        "output_limit",
        "calls_itself",
        "lines",
    ),
}


def test_every_field_is_counted_or_short() -> None:
    assert {field.name for field in fields(Observation)} == set(LARGE) | SMALL


@pytest.mark.parametrize("field", LARGE)
def test_a_large_observation_is_truncated(field: str) -> None:
    seen = replace(ANSWERED, **{field: LARGE[field]})  # type: ignore[arg-type]
    kept = truncated(seen)
    assert kept.is_truncated
    assert truncated(kept) is kept
    assert len(repr(kept)) < 4000
    assert kept == truncated(replace(seen, cpu_seconds=1.0))
    assert kept != truncated(replace(seen, exit_status=1, detail="x", nearest="y"))
    assert truncated(replace(seen, exit_status=1)).full_digest != kept.full_digest


def test_the_evidence_for_causes_is_kept() -> None:
    kept = truncated(replace(ANSWERED, phase=Phase.LOADING, raised=RAISED, steps=LARGE["steps"]))  # type: ignore[arg-type]
    assert kept.raised.frames == (FRAMES[0], FRAMES[-1])
    assert [step.raised for step in kept.steps] == [kept.raised]
    assert kept.phase is Phase.LOADING


def test_small_observations_are_kept_whole() -> None:
    board = Value(ValueKind.LIST, items=ONES[:64])
    seen = replace(ANSWERED, value=board, arguments=(board,), arguments_before=(board,))
    assert truncated(seen) is seen


@pytest.mark.parametrize("one", [row[1] for row in FIRES])
def test_no_rule_sees_a_truncated_observation(one: object) -> None:
    """A verdict, which every rule is asked for, is made of whole observations only."""
    short = replace(one.observation, full_digest="digest")  # type: ignore[attr-defined]
    with pytest.raises(HarnessError, match="cannot be judged again"):
        judge(short, one.expectation, one.stimulus)  # type: ignore[attr-defined]
    with pytest.raises(HarnessError, match="cannot be judged again"):
        Judge(one.expectation, one.stimulus).kind(short)  # type: ignore[attr-defined]


def printed(text: str, ending: Ending = Ending.ANSWERED) -> Observation:
    value = Value.simple(ValueKind.NONE, "None")
    return Observation(ending=ending, value=value, turns=(Turn(printed=text),))


DRAWS = tuple(Stimulus(action=Call(expression=f"f({size})")) for size in range(3))
SCENARIO = plans.scenario("f/sample", stimuli=DRAWS, is_sample=True)
RIGHT, WRONG = LONG + "right", LONG + "wrong"


def judge_of(scenario: Scenario, index: int) -> Judge:
    return Judge(Expectation(stated=Expected(), reference=printed(RIGHT)), scenario.stimuli[index])


def received(arrivals: Arrivals, index: int, seen: Observation) -> Observation:
    """The part that is kept of a draw in its own process."""
    return arrivals.receive_and_judge(SCENARIO, index, Observed(seen, Source.ALONE))


@pytest.mark.parametrize(
    "draws",
    [
        [printed(RIGHT), printed(RIGHT), printed(RIGHT)],
        [printed(RIGHT), printed(WRONG), printed(WRONG)],
        [printed(WRONG), printed("small"), printed(RIGHT)],
        [printed("small"), printed(WRONG), printed(RIGHT)],
        [printed(RIGHT), printed(WRONG, Ending.OUTPUT_LIMIT)],
        [printed(WRONG, Ending.CPU_LIMIT)],
        [printed(RIGHT), printed(WRONG), printed(WRONG, Ending.CPU_LIMIT)],
    ],
)
@pytest.mark.parametrize("stopped", [False, True])
def test_a_sample_is_judged_as_if_nothing_were_truncated(
    draws: list[Observation], stopped: bool
) -> None:
    arrivals = Arrivals(judge_of)
    for _ in range(2):  # a scenario may run again, under its whole limit
        kept = [received(arrivals, index, seen) for index, seen in enumerate(draws)]
    if stopped and draws[-1].ending is Ending.CPU_LIMIT:
        draws = [*draws[:-1], replace(draws[-1], ending=Ending.STOPPED_EARLY)]
        kept = [*kept[:-1], replace(kept[-1], ending=Ending.STOPPED_EARLY)]
    whole = [judge_of(SCENARIO, index) for index, _ in enumerate(draws)]
    assert combine(
        [arrivals.kind(SCENARIO, *draw) for draw in enumerate(kept)],
        lambda index: arrivals.verdict(SCENARIO, index, kept[index]),
    ) == combine(
        [whole[index].kind(seen) for index, seen in enumerate(draws)],
        lambda index: whole[index].verdict(draws[index]),
    )


def test_observations_equal_to_the_references_are_kept_whole() -> None:
    reference = printed(RIGHT)
    arrivals = Arrivals(
        lambda scenario, index: Judge(
            Expectation(stated=Expected(), reference=reference), scenario.stimuli[index]
        )
    )
    shared = Observed(reference, Source.SHARED)
    assert arrivals.receive_and_judge(SCENARIO, 0, shared) is reference
    kept = received(arrivals, 0, replace(printed(RIGHT), cpu_seconds=0.5))
    assert kept.turns is reference.turns
    assert kept is not reference
    assert (kept.is_truncated, kept.cpu_seconds) == (False, 0.5)
    assert arrivals.kind(SCENARIO, 0, kept) is VerdictKind.PASSED


PACKAGE = Path(harness.__file__).parent

CHANGES = {
    # file: (observations are stale, verdicts are stale)
    "execution/inside/messages/codec.py": (True, False),
    "execution/protocol/jobs.py": (True, False),
    "execution/linux/monitor.py": (True, False),
    "execution/piped.py": (True, False),
    "execution/confinement/__init__.py": (True, False),
    "execution/confinement/layers/seccomp.py": (True, False),
    "model/values.py": (True, True),
    "model/expectation.py": (True, True),
    "common/words.py": (True, True),
    "execution/confinement/probe.py": (False, False),
    "execution/confinement/forbidden_acts.py": (False, False),
    "execution/interpreter.py": (False, False),
    "judging/judge.py": (False, True),
    "judging/__init__.py": (False, True),
    "matchers/__init__.py": (False, True),
    "common/escaping.py": (True, True),
    "reporting/html/class_page.py": (False, False),
    "cli/commands/machine/doctor.py": (False, False),
}

PROGRAM = """
import sys
from pathlib import Path
import harness
from harness.common.files import source_digest
from harness.results.reuse import execution_digest, judging_digest
def digests():
    source_digest.cache_clear()
    return execution_digest(), judging_digest()
before = digests()
for name in sys.argv[1:]:
    path = Path(harness.__file__).parent / name
    text = path.read_text()
    path.write_text(text + "# changed\\n")
    after = digests()
    path.write_text(text)
    print(name, *(int(a != b) for a, b in zip(before, after)))
    assert digests() == before
"""


def test_code_that_can_change_a_verdict_makes_it_stale(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-P", "-c", PROGRAM, *CHANGES]
    done = ran(command, env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path, check=True)
    assert [line.split() for line in done.stdout.splitlines()] == [
        [name, *(str(int(each)) for each in stale)] for name, stale in CHANGES.items()
    ]


def test_the_judging_digest_covers_all_of_its_sources() -> None:
    packages = {
        node.module.split(".")[1]
        for path in (PACKAGE / "judging").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness.")
    }
    source = (PACKAGE / "results" / "reuse.py").read_text(encoding="utf-8")
    named = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    assert packages <= named


BOOTED = Path("/proc/sys/kernel/random/boot_id").exists()
pytestmark = pytest.mark.skipif(not BOOTED, reason="nothing names the start of this kernel")


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    return find_interpreter("3.12")


@pytest.fixture(scope="module")
def cache(interpreter: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    recalled_tier(interpreter, folder)
    return folder


def marked(cache: Path) -> Path:
    """The one file in the cache, changed so that a recalled trial is told from a new one."""
    (path,) = (cache / "tiers").iterdir()
    text = path.read_text(encoding="utf-8")
    if "recalled" not in text:
        with path.open("w", encoding="utf-8") as file:
            file.write(text.replace('"input_mechanism":"', '"input_mechanism":"recalled '))
    return path


def test_it_is_recalled_while_nothing_changes(interpreter: Interpreter, cache: Path) -> None:
    assert marked(cache).stat().st_mode & 0o777 == 0o600
    assert recalled_tier(interpreter, cache).input_mechanism.startswith("recalled")


def test_files_that_others_could_write_are_not_trusted(
    interpreter: Interpreter, cache: Path
) -> None:
    path = marked(cache)
    for place, mode in ((path, 0o606), (path.parent, 0o777)):
        before = place.stat().st_mode
        text = path.read_text(encoding="utf-8")
        place.chmod(mode)
        assert not recalled_tier(interpreter, cache).input_mechanism.startswith("recalled")
        place.chmod(before)
        path.write_text(text, encoding="utf-8")


def test_another_build_and_another_search_path_are_tried_anew(
    interpreter: Interpreter, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = marked(cache)
    text = path.read_text(encoding="utf-8")
    other = recalled_tier(replace(interpreter, build="another"), cache)
    assert not other.input_mechanism.startswith("recalled")
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("PATH", "/usr/bin" if os.environ["PATH"] != "/usr/bin" else "/bin")
    assert not recalled_tier(interpreter, cache).input_mechanism.startswith("recalled")
