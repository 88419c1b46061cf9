"""Which scenarios run under which limit when a program loops; the loop that does not end is named,
by what a confined process says and the text agrees to; processes of workers: forked where that is
possible, and the same where it is not.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import harness
from harness.grading.check import check_submissions
from harness.grading.context import prepare
from harness.grading.engines import processes
from harness.grading.observing.draws import AloneObserver
from harness.grading.observing.running import (
    BUDGET,
    MIN_SECONDS,
    SECOND_LOOKS,
    SHORTENED_SECONDS,
    FunctionMemory,
    LoopingBudget,
    Running,
)
from harness.model.explanation.facts import InLoop, InRecursion, LoopEnd, Reason
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Plan, Scenario
from harness.model.policy import Loop, Outline
from harness.model.result import SubmissionResult
from harness.model.stimulus import Limits, Stimulus
from harness.model.verdict import VerdictKind
from harness.stimuli.call import Call
from tests import plans
from tests.inline import handed_in
from tests.tiny_course import Course


@dataclass
class Program:
    """A deterministic stand-in: each call needs so many CPU seconds (inf: never ends)."""

    needs: dict[str, float]
    limit: Ending = Ending.CPU_LIMIT
    asked: list[tuple[str, float]] = field(default_factory=list)

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        name = stimulus.action.expression
        self.asked.append((name, limits.cpu_seconds))
        needed = self.needs[name]
        ending = Ending.ANSWERED if needed <= limits.cpu_seconds else self.limit
        return Observation(ending=ending, cpu_seconds=min(needed, limits.cpu_seconds))


NEVER = float("inf")
STOPPED = "stopped_early"


def scenario(name: str, function: str = "f", draws: int = 1) -> Scenario:
    names = [name] if draws == 1 else [f"{name}{index}" for index in range(draws)]
    return plans.scenario(
        name,
        function=function,
        stimuli=tuple(Stimulus(action=Call(expression=entry)) for entry in names),
        is_sample=draws > 1,
    )


def plan(*scenarios: Scenario, cpu_seconds: float = 1.0) -> Plan:
    limits = Limits(cpu_seconds=cpu_seconds)
    of_all = (replace(one, limits=limits) for one in scenarios)
    return plans.plan(*of_all, assignment=plans.assignment(limits=limits))


def endings(program: Program, *scenarios: Scenario, thorough: bool = False) -> dict[str, str]:
    ran = Running(AloneObserver(program), plan(*scenarios), None, thorough=thorough).run()
    return {name: observed[-1].ending.value for name, observed in ran.observed.items()}


def both_ways(program: Program, *scenarios: Scenario) -> dict[str, str]:
    """How all scenarios end, which must be the same when every one has its full limit."""
    found = endings(program, *scenarios)
    assert found == endings(program, *scenarios, thorough=True)
    return found


def many(function: str, count: int, draws: int = 1) -> list[Scenario]:
    return [scenario(f"{function}{number}", function, draws) for number in range(count)]


def spent(program: Program) -> float:
    """CPU seconds that went into runs, the ones that were cut off and those that ended."""
    return sum(min(program.needs[name], limit) for name, limit in program.asked)


@pytest.mark.parametrize("limit", [Ending.CPU_LIMIT, Ending.TIMEOUT])
def test_a_function_that_loops_everywhere_costs_two_full_limits(limit: Ending) -> None:
    program = Program(dict.fromkeys("abcd", NEVER), limit)
    ran = Running(AloneObserver(program), plan(*map(scenario, "abcd")), None).run()
    found = {name: (seen.ending.value, seen.detail) for name, (seen,) in ran.observed.items()}
    whole, stopped = (limit.value, ""), (STOPPED, limit.value)
    assert found == {"a": whole, "b": stopped, "c": stopped, "d": whole}
    short = SHORTENED_SECONDS
    assert program.asked == [("a", 1.0), ("b", short), ("c", short), ("d", 1.0)]


LOOPING_SOMETIMES = {
    "it gets the full limit again": (NEVER, 0.9, 0.01, NEVER, 0.9),
    "one that ended before the first loop counts as well": (0.9, NEVER, 0.9, NEVER),
    "slow, and looping on the first board": (NEVER, *[0.6] * 8),
}


@pytest.mark.parametrize("needs", LOOPING_SOMETIMES.values(), ids=LOOPING_SOMETIMES)
def test_a_program_that_loops_sometimes(needs: tuple[float, ...]) -> None:
    scenarios = many("f", len(needs))
    program = Program({one.id: need for one, need in zip(scenarios, needs, strict=True)})
    found = both_ways(program, *scenarios)
    expected = ["cpu_limit" if need is NEVER else "answered" for need in needs]
    assert list(found.values()) == expected


def test_a_draw_that_ended_before_the_loop_counts_as_well() -> None:
    program = Program({"a0": 0.9, "a1": NEVER, "b0": 0.9, "b1": 0.9})
    found = both_ways(program, scenario("a", draws=2), scenario("b", draws=2))
    assert found == {"a": "cpu_limit", "b": "answered"}


def test_a_program_that_is_slow_everywhere_is_answered() -> None:
    functions = [many(name, 40) for name in "abcdefghijklmno"]
    scenarios = [one for group in functions for one in group]
    program = Program({one.id: 0.6 for one in scenarios})
    assert set(both_ways(program, *scenarios).values()) == {"answered"}


def test_a_slow_function_among_some_that_loop() -> None:
    looping = [one for name in "abcdefgh" for one in many(name, 10)]
    slow = many("s", 10)
    program = Program({one.id: NEVER for one in looping} | {one.id: 0.6 for one in slow})
    for order in ([*looping, *slow], [*slow, *looping]):
        found = endings(program, *order)
        assert {found[one.id] for one in slow} == {"answered"}
        assert {found[one.id] for one in looping} == {"cpu_limit", STOPPED}


def test_one_board_on_which_it_ends_is_found_among_a_thousand() -> None:
    scenarios = [one for name in "abcdefghijklmnopqrst" for one in many(name, 50)]
    program = Program({one.id: NEVER for one in scenarios} | {"t31": 0.007, "t33": 0.9})
    found = endings(program, *scenarios)
    assert (found["t31"], found["t33"], found["t32"]) == ("answered", "answered", "cpu_limit")
    assert {found[one.id] for one in many("a", 50)} == {"cpu_limit", STOPPED}


@pytest.mark.parametrize(
    ("functions", "each", "seconds"),
    [(1, 500, 1.0), (5, 31, 1.0), (12, 44, 1.0), (20, 15, 1.0), (60, 10, 1.0), (10, 50, 3.0)],
)
def test_looping_everywhere_is_within_budget(functions: int, each: int, seconds: float) -> None:
    scenarios = [one for number in range(functions) for one in many(f"f{number}_", each)]
    program = Program({one.id: NEVER for one in scenarios})
    ran = Running(AloneObserver(program), plan(*scenarios, cpu_seconds=seconds), None).run()
    assert {o[-1].ending.value for o in ran.observed.values()} == {"cpu_limit", STOPPED}
    assert {name for name, _ in program.asked} == {one.id for one in scenarios}
    assert min(limit for _, limit in program.asked) >= MIN_SECONDS
    assert spent(program) <= seconds * BUDGET + 1e-9


def test_a_limit_far_above_the_assignments_is_afforded() -> None:
    slow = replace(scenario("slow"), limits=Limits(cpu_seconds=10.0))
    program = Program({"slow": 8.0})
    ran = Running(
        AloneObserver(program), replace(plan(cpu_seconds=0.5), scenarios=(slow,)), None
    ).run()
    assert ran.observed["slow"][-1].ending is Ending.ANSWERED
    assert program.asked == [("slow", 10.0)]


def test_a_scenario_that_the_reference_does_not_end_sets_no_limit_and_is_never_cut_short() -> None:
    program = Program({"endless": NEVER, "a": NEVER, "also": NEVER, "b": 0.9})
    never = Observation(ending=Ending.CPU_LIMIT, cpu_seconds=1.0)
    scenarios = [scenario(name) for name in program.needs]
    ran = Running(
        AloneObserver(program), plan(*scenarios), plans.key({"endless": never, "also": never})
    ).run()
    found = {name: observed[-1].ending.value for name, observed in ran.observed.items()}
    assert found == {"endless": "cpu_limit", "a": "cpu_limit", "also": "cpu_limit", "b": "answered"}


def test_a_missing_function_does_not_show_that_another_run_would_end() -> None:
    @dataclass
    class Half(Program):
        def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
            seen = super().observe(stimulus, limits)
            missing = self.needs[self.asked[-1][0]] == 0
            return replace(seen, ending=Ending.MISSING) if missing else seen

    program = Half({"a": NEVER, "b": 0, "c": NEVER, "d": NEVER})
    found = endings(program, *(scenario(name) for name in "abcd"))
    assert found == {"a": "cpu_limit", "b": "missing", "c": STOPPED, "d": "cpu_limit"}


def test_another_function_keeps_its_full_limit() -> None:
    program = Program({"a": NEVER, "g": 0.9})
    assert endings(program, scenario("a"), scenario("g", "g"))["g"] == "answered"


def test_the_short_limit_is_enough_for_what_the_reference_needs() -> None:
    program = Program({"a": NEVER, "b": 0.4, "c": 0.9})
    took = Observation(ending=Ending.ANSWERED, cpu_seconds=0.01)
    Running(
        AloneObserver(program), plan(*map(scenario, "abc")), plans.key(dict.fromkeys("abc", took))
    ).run()
    assert program.asked == [("a", 1.0), ("b", 0.5), ("c", 1.0)]


def test_a_short_limit_shortens_sleep_as_well() -> None:
    budget = LoopingBudget(plan(scenario("a")), None)
    (limits,) = budget.take_shortened([scenario("a")]).values()
    assert (limits.cpu_seconds, limits.wall_seconds) == (SHORTENED_SECONDS, 0.5)


def test_no_draw_is_run_after_one_that_hit_a_limit() -> None:
    program = Program({"a0": 0.1, "a1": NEVER, "a2": 0.1})
    ran = Running(AloneObserver(program), plan(scenario("a", draws=3)), None).run()
    assert [o.ending for o in ran.observed["a"]] == [Ending.ANSWERED, Ending.CPU_LIMIT]
    assert [name for name, _ in program.asked] == ["a0", "a1"]


@pytest.mark.parametrize("needs", [NEVER, 0.9])
def test_with_a_memory_of_the_same_program_all_comes_out_the_same(needs: float) -> None:
    """Whatever earlier run it is of: what was stopped early is never remembered."""
    program = Program(dict.fromkeys("abcdef", NEVER) | {"c": needs})
    whole = plan(*(scenario(name) for name in program.needs))
    first = Running(AloneObserver(program), whole, None).run().observed
    kept = {name: seen for name, seen in first.items() if seen[-1].ending.value != STOPPED}
    program.asked.clear()
    again = Running(AloneObserver(program), whole, None, recall=lambda one: kept.get(one.id)).run()
    assert again.observed == first
    fresh = {name for name in first if again.is_fresh(name)}
    assert fresh == set(first) - set(kept)
    assert {name for name, _ in program.asked} == fresh


def remembering(program: Program, **kept: Ending) -> Running:
    """A run of a, b and c, of which some are known to end so at their full limit."""
    known = {name: (Observation(ending=ending),) for name, ending in kept.items()}
    scenarios = [scenario(name) for name in "abc"]
    return Running(
        AloneObserver(program), plan(*scenarios), None, recall=lambda entry: known.get(entry.id)
    ).run()


def test_a_scenario_known_to_end_gives_the_others_their_full_limit() -> None:
    ran = remembering(Program({"c": 0.9}), a=Ending.CPU_LIMIT, b=Ending.ANSWERED)
    assert ran.observed["c"][-1].ending is Ending.ANSWERED


def test_a_function_known_to_loop_stays_looping() -> None:
    program = Program({"a": NEVER, "c": NEVER})
    ran = remembering(program, b=Ending.CPU_LIMIT)
    assert {seen[-1].ending for seen in ran.observed.values()} == {Ending.CPU_LIMIT}
    assert [name for name, _ in program.asked] == ["a", "c"]


SETTINGS = "functionality_marks: 3\nlimits: {cpu_seconds: 0.2}\n"
REFERENCE = "def one(n):\n    return n\ndef two(n):\n    return n\ndef three(n):\n    return n\n"
SCENARIOS = """\
scenarios:
  - {name: a, function: one, visible: true, call: one(3)}
  - {name: b, function: two, visible: true, call: two(3)}
  - {name: c, function: three, visible: true, call: three(3)}
"""
ENDLESS = """\
def one(n):
    total = 0
    while total < n:
        for step in range(50):
            n += 1
    return n
def helper(rows):
    return [row for row in rows]
def two(n):
    rows = [n]
    for row in rows:
        try:
            rows[0] = helper(rows[:3])[0]
            rows.append(row)
            total = len(rows)
        except BaseException:
            pass
    return n
def three(n):
    while True:
        print("again", n)
"""
PRINTS_LINES = """\
def three(n):
    while True:
        print("What is that? Type one of the letters")
"""
OTHERS = '''\
def one(n):
    while n:
        n = one_step(n)
    return n
def one_step(n):
    for i in range(10):
        n += 1
    return n
def two(n):
    import sys
    sys.settrace(None)
    while n: n += 1
def three(n):
    import os
    body = b'A{"loop":"a1.py:1-1"}'
    for channel in range(3, 30):
        try:
            os.write(channel, len(body).to_bytes(4, "little") + body)
        except OSError:
            pass
    os._exit(0)
'''  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    folder = tmp_path_factory.mktemp("course")
    return Course.small(folder, "loops", REFERENCE, SCENARIOS, SETTINGS)


def reasons_of(result: SubmissionResult) -> dict[str, tuple[Reason | None, int | None]]:
    """Return why each function fails, by its name, and the line of its cause."""
    found: dict[str, tuple[Reason | None, int | None]] = {}
    for cause in result.causes:
        assert cause.explanation is not None
        found[cause.function] = (cause.explanation.reason, cause.line)
    return found


def test_loops_are_named(course: Course) -> None:
    calls_itself = REFERENCE.replace(
        "return n", "return n if n > 60 else one(n + 1) + one(n + 1)", 1
    )
    graded = course.graded("loops", endless=ENDLESS, others=OTHERS, recursive=calls_itself)
    endless, others, recursive = graded.values()
    reasons = reasons_of(endless)
    assert reasons["one"] == (InLoop(line=3, function="one", ends=LoopEnd.NEVER), 3)
    assert reasons["two"] == (InLoop(line=11, function="two", ends=LoopEnd.NEVER), 11)
    later = InLoop(line=20, function="three", ends=LoopEnd.LATER_PERHAPS)
    assert reasons["three"][0] == later
    reasons = reasons_of(others)
    assert reasons["one"] == (InLoop(line=2, function="one", ends=LoopEnd.NEVER), 2)
    assert reasons["two"] == (InLoop(line=12, function="two", ends=LoopEnd.NEVER), 12)
    assert reasons_of(recursive)["one"][0] == InRecursion(line=1, function="one")
    # Nobody asked where it loops: such an answer is not an answer, and earns nothing.
    kinds = {each.scenario_id: each.verdict.kind for each in others.scenarios}
    assert kinds["all/c"] is VerdictKind.TAMPERED
    assert others.mark == 0
    assert others.flagged


def test_a_loop_is_named_however_much_it_prints_before_its_time_is_over(course: Course) -> None:
    long_lines = PRINTS_LINES.replace("letters", "letters" + 250 * "!")
    results = course.graded("loops", prints=PRINTS_LINES, prints_much=long_lines)
    found = [results[name].causes for name in ("prints", "prints_much")]
    assert [{each.function: each.line for each in causes}["three"] for causes in found] == [2, 2]


@pytest.mark.release
def test_a_loop_is_named_without_confinement(course: Course) -> None:
    context = prepare(harness.load_assignment(course.root, "loops"), recall_tier=True)
    portable = replace(context, tier=replace(context.tier, tier=Tier.PORTABLE))
    program = handed_in(REFERENCE.replace("return n", "while n: pass", 1))
    (result,) = check_submissions(portable, [program])
    assert reasons_of(result)["one"] == (InLoop(line=2, function="one", ends=LoopEnd.NEVER), 2)


INNERMOST = [("a.py", 5, 6, 5), ("a.py", 4, 6, 3), ("a.py", 1, 2, 0), ("b.py", 5, 6, 0)]


@pytest.mark.parametrize(("file", "first", "last", "line"), [*INNERMOST, ("a.py", 6, 12, 0)])
def test_the_innermost_loop_at_a_line_is_found(file: str, first: int, last: int, line: int) -> None:
    loops = (Loop(file="a.py", first=3, last=9), Loop(file="a.py", first=5, last=7))
    found = Outline(loops=loops).loop_around(file, first, last)
    assert (found.first if found else 0) == line


MODULE = "tests.grading.process_that_tells"


@pytest.fixture(params=["forked", "an interpreter of its own"])
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    forked: bool = request.param == "forked"
    if not forked:
        monkeypatch.setattr(processes, "_can_fork", lambda: False)
    return forked


@contextmanager
def started() -> Iterator[Connection]:
    process, connection = processes.start(MODULE)
    with connection:
        connection.send(os.getpid())
        yield connection
    process.wait(60)


def test_a_process_has_what_we_have_at_its_start(
    forks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("one", "two"):
        folder = tmp_path / variable
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TOLD", variable)
        with started() as connection:
            assert connection.recv() == {
                "folder": str(folder),
                "variable": variable,
                "processors": os.sched_getaffinity(0),
                "leads its group": True,
                "parent": True,
                "forked": forks,
            }


@pytest.mark.usefixtures("forks")
def test_it_is_ended_and_waited_for() -> None:
    for end in ("terminate", "kill"):
        process, connection = processes.start(MODULE)
        with connection:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.01)
            getattr(process, end)()
            process.wait(60)
            with pytest.raises((EOFError, ConnectionResetError)):
                connection.recv()


def test_without_the_server_there_is_another() -> None:
    with started() as before:
        server = processes._running_server()
        server._process.kill()
        server._process.wait()
        with started() as after:
            assert after.recv()["forked"]
        assert before.recv()["variable"] == os.environ.get("TOLD", "")  # it lives on


def test_a_module_that_cannot_be_imported_is_an_error() -> None:
    with pytest.raises((EOFError, ConnectionError)):
        processes.start("tests.grading.no_such_module")
    with started() as connection:
        assert connection.recv()["leads its group"]


_RUN = """
from harness.grading.engines.worker import SpawnedWorker
worker = SpawnedWorker("ready", "tests.grading.worker_that_hangs")
print(worker.receive(), flush=True)
worker.receive()
"""


def test_an_orphan_that_cannot_end_in_time_leaves_no_folder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _RUN],
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as run:
        assert run.stdout.readline() == b"ready\n"
        assert list(tmp_path.iterdir())
        run.kill()
        run.stdout.read()  # until the orphan has ended too
    assert not list(tmp_path.iterdir())


@dataclass
class Varying(Program):
    """Needs what the next of these says each time it is asked."""

    times: dict[str, list[float]] = field(default_factory=dict)

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        name = stimulus.action.expression
        if self.times.get(name):
            self.needs[name] = self.times[name].pop(0)
        return super().observe(stimulus, limits)


def looked_at(program: Program, *scenarios: Scenario) -> Running:
    whole = plan(*scenarios)
    memory = FunctionMemory(LoopingBudget(whole, None), looks_left=SECOND_LOOKS)
    return Running(AloneObserver(program), whole, None, memory=memory).run()


def test_a_scenario_close_to_its_limit_runs_again() -> None:
    close = Varying({"b": 0.1}, times={"a": [1.01, 0.98], "c": [1.2, 1.6]})
    ran = looked_at(close, *map(scenario, "bac"))
    assert ran.observed["a"] == (Observation(ending=Ending.ANSWERED),)
    assert ran.observed["c"] == (Observation(ending=Ending.CPU_LIMIT, ends_in_double=True),)
    assert close.asked[3:] == [("a", 2.0), ("c", 2.0)]


@pytest.mark.parametrize("wrong_by", [0.8, 1.0, 1.1, 1.25 * 1.1])
def test_a_program_that_keeps_to_its_limit_passes_whatever_the_machine_does(
    wrong_by: float,
) -> None:
    """Times are wrong by the calibration, up to a quarter, and by other processes."""
    close = Varying({"b": 0.1}, times={"a": [0.98 * wrong_by] * 2})
    ran = looked_at(close, *map(scenario, "ba"))
    assert ran.observed["a"] == (Observation(ending=Ending.ANSWERED),)


def test_others_run_to_their_end_if_one_ends_on_its_second_run() -> None:
    close = Varying(dict.fromkeys("bc", 0.9), times={"a": [1.01, 0.98], "d": [1.01, 0.97]})
    ran = looked_at(close, *map(scenario, "abcd"))
    assert {seen[-1].ending for seen in ran.observed.values()} == {Ending.ANSWERED}


def test_a_loop_is_looked_at_twice_again_and_no_more() -> None:
    loops = Program({"a": 0.1} | dict.fromkeys("bcdef", NEVER))
    ran = looked_at(loops, *map(scenario, "abcdef"))
    assert [limit for _, limit in loops.asked].count(2.0) == SECOND_LOOKS
    assert not any(seen[-1].ends_in_double for seen in ran.observed.values())


SECOND_CTRL_C = """
import atexit, os, signal
from harness.grading.engines import processes
server = processes._running_server()
os.kill(server._process.pid, signal.SIGSTOP)
signal.signal(signal.SIGALRM, signal.default_int_handler)
atexit.register(signal.setitimer, signal.ITIMER_REAL, 0.2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux")
def test_ctrl_c_while_the_server_of_workers_ends_prints_nothing() -> None:
    command = [sys.executable, "-c", SECOND_CTRL_C]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
