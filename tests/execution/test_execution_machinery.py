"""Interpreters, tiers, tools, and what happens when our own machinery is hit; our own modules as
code of the grading interpreter, kept between runs.
"""

import json
import marshal
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.common.errors import HarnessError, UserError
from harness.execution import Driver, Interpreter, ToolFailed, choose_tier, find_interpreter
from harness.execution.inside.messages import frames
from harness.execution.linux import processes
from harness.execution.linux.driver import ServerLink
from harness.execution.protocol import jobs
from harness.model.observation import Ending, Tier
from harness.model.stimulus import Binding
from tests.execution.small_world import QUICK, assignment, call, observe, plain, source, values


def test_the_wanted_version_is_found(interpreter: Interpreter) -> None:
    found = find_interpreter(".".join(interpreter.version.split(".")[:2]))
    assert (found.exact, found.notice, found.path) == (True, "", interpreter.path)
    assert found.build.startswith(f"cpython {found.version} ")


def test_the_nearest_version_is_told_of() -> None:
    found = find_interpreter("3.99")
    assert not found.exact
    assert found.notice.startswith(f"Python 3.99 was not found: using {found.version} ")


def test_an_executable_is_asked_itself(tmp_path: Path) -> None:
    found = find_interpreter("3.10", Path(sys.executable))
    assert found.version == ".".join(str(part) for part in sys.version_info[:3])
    assert not found.exact
    assert found.notice.startswith(
        f"Python 3.10 is the assignment's version: using {found.version} "
    )
    liar = tmp_path / "python3.12"
    liar.write_text("#!/bin/sh\necho 3.12\n", "utf-8")
    liar.chmod(0o755)
    for path in (liar, tmp_path / "nowhere"):
        with pytest.raises(UserError, match=r"is not a Python 3\.11 or newer"):
            find_interpreter("3.12", path)
    with pytest.raises(UserError, match="is not a Python version"):
        find_interpreter("three")


def test_a_shim_leads_to_the_real_executable(interpreter: Interpreter, tmp_path: Path) -> None:
    shim = tmp_path / "python"
    shim.write_text(f'#!/bin/sh\nexec "{interpreter.path}" "$@"\n', "utf-8")
    shim.chmod(0o755)
    assert find_interpreter("3.12", shim).path == interpreter.path


def test_a_tool_reads_what_a_student_wrote(driver: Driver) -> None:
    sources = {
        "tools": "",
        "tools.count": (
            "import ast\nfrom tools.names import wanted\n"
            "def run(payload):\n"
            "    if payload == 'spin':\n        while True: pass\n"
            "    if payload == 'fail': raise ValueError\n"
            "    if payload == 'fork':\n        import os\n        os.fork()\n"
            "    tree = ast.parse(payload)\n"
            "    found = [node for node in ast.walk(tree) if isinstance(node, wanted())]\n"
            "    return str(len(found)) + '\\ud800'\n"
        ),
        "tools.names": "import ast\ndef wanted():\n    return ast.Name\n",
    }
    with driver.tool(sources, "tools.count:run") as tool:
        assert tool.run("a + b * c") == "3\ud800"
        assert tool.run("1") == "0\ud800"
        failures = {"spin": Ending.CPU_LIMIT, "fail": Ending.CRASHED, "fork": Ending.CRASHED}
        for payload, ending in failures.items():
            with pytest.raises(ToolFailed) as caught:
                tool.run(payload, QUICK)
            assert caught.value.ending is ending
        assert tool.run("x") == "1\ud800"
    with pytest.raises(HarnessError, match="did not load"), driver.tool({"t": "1/0"}, "t:run"):
        raise AssertionError("not reached")


def test_a_killed_server_is_our_error_and_the_next_one_works(interpreter: Interpreter) -> None:
    with Driver(interpreter, Tier.STANDARD) as driver:
        with driver.submission(assignment(), (source("def f(): return 1\n"),)) as server:
            assert plain(server.observe(call("f()"), QUICK).value) == "1"
            os.kill(server.pid, signal.SIGKILL)
            with pytest.raises(HarnessError):
                server.observe(call("f()"), QUICK)
        assert plain(observe(driver, "def f(): return 2\n", call("f()")).value) == "2"


def test_a_zygote_killed_while_files_compile_is_our_error(
    interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was a fact about the files, and a correct program had no points."""
    await_confined = ServerLink._await_confined

    def then_kill(link: ServerLink) -> None:
        await_confined(link)
        link._zygote._process.kill()

    long = source("def f(): return 1\nx = [" + "f() + 1, " * 40_000 + "]\n")
    with Driver(interpreter, Tier.STANDARD) as driver:
        monkeypatch.setattr(ServerLink, "_await_confined", then_kill)
        with pytest.raises(HarnessError):
            driver.submission(assignment(), (long,)).__enter__()


def test_a_killed_stimulus_reader_is_our_error_and_the_next_works(interpreter: Interpreter) -> None:
    """What was read before needs no reader; a text that nobody can read ends the reader alone."""
    too_deep = call("f(" + "-" * 200_000 + "1)")
    with Driver(interpreter, Tier.STANDARD) as driver:
        with driver.submission(assignment(), (source("def f(x=0): return 2\n"),)) as server:
            assert plain(server.observe(call("f()"), QUICK).value) == "2"
            with pytest.raises(HarnessError):
                server.observe(too_deep, QUICK)
            assert plain(server.observe(call("f()"), QUICK).value) == "2"
            assert plain(server.observe(call("f(x=1)"), QUICK).value) == "2"
        assert plain(observe(driver, "def f(): return 3\n", call("f()")).value) == "3"


@pytest.mark.parametrize("nth", range(1, 10))
def test_an_interruption_within_an_answer_of_ours_ends_at_once(
    strong_here: bool, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    """Ctrl-C between the head of a message and its body: the next answer is not its rest."""
    heard = 0
    whole = frames._body

    def interrupted(take: Callable[[int], bytes], data: bytes) -> bytes:
        nonlocal heard
        heard += 1
        if heard == nth:
            raise KeyboardInterrupt
        return whole(take, data)

    best = Tier.STRONG if strong_here else Tier.STANDARD
    interpreter = find_interpreter("3.12")
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Driver(interpreter, best) as driver:
        monkeypatch.setattr(frames, "_body", interrupted)
        for _ in range(3):
            observe(driver, "def f(x):\n    return x\n", call("f(2)"))
    assert time.monotonic() - begun < processes._PATIENCE / 2
    assert heard >= nth


def test_an_interpreter_that_does_not_start() -> None:
    nowhere = Interpreter(path=Path("/nowhere/python"), version="3.12.0", build="none")
    with pytest.raises(HarnessError, match="did not start"), Driver(nowhere, Tier.STANDARD):
        raise AssertionError("not reached")


def test_a_pinned_driver_lets_go_again(interpreter: Interpreter) -> None:
    before = os.sched_getaffinity(0)
    program = "import os\ndef f(): return os.sched_getaffinity(0)\n"
    chosen = max(before)
    with Driver(interpreter, Tier.STANDARD, chosen) as driver:
        assert os.sched_getaffinity(0) == {chosen}
        assert plain(observe(driver, program, call("f()")).value) == f"{{{chosen}}}"
    assert os.sched_getaffinity(0) == before


def test_another_hash_seed_orders_sets_anew(interpreter: Interpreter) -> None:
    program = "def f(): return list({'one', 'two', 'three', 'four', 'five'})\n"
    seen = []
    for seed in (0, 0, 1):
        with Driver(interpreter, Tier.STANDARD, hash_seed=seed) as driver:
            seen.append(plain(observe(driver, program, call("f()")).value))
    assert seen[0] == seen[1] != seen[2]


def test_two_submissions_at_once_do_not_meet(driver: Driver) -> None:
    one = (source("def f(): return 1\n"),)
    two = (source("def f(): return 2\n"),)
    with (
        driver.submission(assignment(), one) as first,
        driver.submission(assignment(), two) as other,
    ):
        assert plain(first.observe(call("f()"), QUICK).value) == "1"
        assert plain(other.observe(call("f()"), QUICK).value) == "2"
        assert plain(first.observe(call("f()"), QUICK).value) == "1"


def test_a_plan_without_the_variant_is_our_error(driver: Driver) -> None:
    stimulus = call("f()", constants=(Binding(name="OTHER", literal="1"),))
    with pytest.raises(HarnessError, match="OTHER"):
        observe(driver, "def f(): pass\n", stimulus)


DAY = 86_400


def test_a_program_reads_the_shifted_clock() -> None:
    interpreter = find_interpreter("3.12")
    today = "time.mktime(datetime.date.today().timetuple())"
    now = ("time.time()", "datetime.datetime.now().timestamp()", "time.mktime(time.localtime())")
    with Driver(interpreter, choose_tier(interpreter).tier, clock_offset=200 * DAY) as driver:
        for name, seen in values(driver, "import datetime, time\n", (*now, today)).items():
            assert abs(float(seen or "") - time.time() - 200 * DAY) < 2 * DAY, name


TEXTS = {"rows": "", "rows.counting": "def run(text):\n    return str(len(text))\n"}
ENTRY = "rows.counting:run"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr(jobs, "_FOLDER", tmp_path / "kept")
    return tmp_path / "kept"


def modules(interpreter: Interpreter, texts: dict[str, str] = TEXTS) -> dict[str, bytes]:
    jobs._compiled.cache_clear()  # as in another process
    return jobs.tool_modules(interpreter, texts, ENTRY)


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> bytes:
        raise AssertionError("compiled anew")

    monkeypatch.setattr(jobs, "_compile", started)


def test_our_modules_are_compiled_once(
    interpreter: Interpreter, folder: Path, request: pytest.FixtureRequest
) -> None:
    first = modules(interpreter)
    assert first.keys() == TEXTS.keys()
    assert [path.name for path in folder.iterdir()] == [f"rows.counting.{interpreter.version}.code"]
    request.getfixturevalue("never")
    assert modules(interpreter) == first


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_damaged_files_are_made_again(interpreter: Interpreter, folder: Path, damage: str) -> None:
    first = modules(interpreter)
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes({"cut": whole[:-9], "changed": whole[:-1] + b"?", "empty": b""}[damage])
    assert modules(interpreter) == first
    assert kept.read_bytes() == whole


def test_another_text_is_compiled_again(interpreter: Interpreter, folder: Path) -> None:
    before = modules(interpreter)
    after = modules(interpreter, {**TEXTS, "rows": "SIZE = 3\n"})
    assert after["rows"] != before["rows"]
    assert after["rows.counting"] == before["rows.counting"]


def test_where_nothing_may_be_written_nothing_is_kept(
    interpreter: Interpreter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("a file, so that no folder can be made here")
    assert modules(interpreter).keys() == TEXTS.keys()
    monkeypatch.setattr(jobs, "_FOLDER", folder.with_name("other"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert modules(interpreter).keys() == TEXTS.keys()
    assert not folder.with_name("other").exists()


def test_an_interpreter_that_does_not_work_is_told(folder: Path) -> None:
    for path, said in [("/bin/false", "does not work"), ("/none/python3", "did not start")]:
        broken = Interpreter(path=Path(path), version="3.12.1", build="none")
        with pytest.raises(HarnessError, match=f"{path} {said}"):
            modules(broken)


def test_tracebacks_name_no_paths_of_this_machine(interpreter: Interpreter, folder: Path) -> None:
    code = modules(interpreter)["rows.counting"]
    assert b"rows/counting.py" in code
    assert str(folder.parent).encode() not in code
    assert (
        marshal.dumps("inside/zygote.py", 2)[5:]
        in dict(jobs.inside_modules(interpreter, ["zygote"]))["zygote"]
    )


_PROGRAM = f"""\
{jobs.LOADER}
import json
freeze_heap = load(marshal.loads(sys.stdin.buffer.read()), ()).preload.freeze_heap
kept = {{"list": [1, "two"], "set": {{3}}}}
def growth(thing):
    before = sys.getrefcount(thing)
    more = [thing] * 100
    return sys.getrefcount(thing) - before
counted = growth(kept["list"])
for _ in range(2):
    freeze_heap()
later = [1]
print(json.dumps({{
    "before": counted, "frozen": growth(kept["list"]), "later": growth(later),
    "equal": kept == {{"list": [1, "two"], "set": {{3}}}},
}}))
"""


def test_references_to_frozen_objects_are_not_counted(interpreter: Interpreter) -> None:
    done = subprocess.run(
        [str(interpreter.path), "-I", "-S", "-c", _PROGRAM],
        input=marshal.dumps(jobs.inside_modules(interpreter, jobs.INSIDE), 2),
        capture_output=True,
        check=True,
    )
    found = json.loads(done.stdout)
    frozen = 0 if interpreter.version.startswith(("3.12.", "3.13.")) else 100
    assert found == {"before": 100, "frozen": frozen, "later": 100, "equal": True}
