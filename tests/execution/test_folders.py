"""A scenario's own folder, bounded in all that is written; directories of our own, of which none is
left behind; stderr told apart; input by a generator of the course's."""

import fcntl
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from harness.common.errors import HarnessError
from harness.execution import AnyDriver, Driver
from harness.execution.course_replies import RememberedAnswers
from harness.execution.folder import remove_tree, scratch_directory
from harness.execution.piped import PipedDriver
from harness.execution.protocol.answers import is_complete
from harness.execution.protocol.replies import FinalReply, Reply
from harness.model.observation import Ending, Filled, Observation, OutputLimit, Phase
from harness.model.policy import SourceFile
from harness.model.stimulus import Binding, Limits, Replies, Stimulus
from harness.stimuli.run import Run
from tests.execution.small_world import (
    assignment,
    call,
    observe,
    plain,
    run,
    source,
    turns,
    typed,
)

LIMITS = Limits(cpu_seconds=1, wall_seconds=4, memory_mib=128, output_kib=8)
GIVEN = SourceFile(name="in.txt", data="käse\n".encode())


def watch(driver: Driver, program: str, *stimuli: Stimulus) -> list[Observation]:
    with driver.submission(replace(assignment(), writes_files=True), (source(program),)) as server:
        return [
            server.observe(replace(one, folder=True, files=(GIVEN,)), LIMITS) for one in stimuli
        ]


def files(seen: Observation) -> dict[str, str]:
    return {file.name: file.value.source(80) for file in seen.files}


def test_written_files_exist_and_the_next_scenario_begins_anew(one_driver: Driver) -> None:
    program = """
def f(name):
    with open(name, "a") as file:
        file.write("one\\n")
    return open("in.txt").read()
"""
    first, second = watch(one_driver, program, call("f('a.txt')"), call("f('b.txt')"))
    assert first.value.text == "käse\n"
    assert files(first) == {"a.txt": "'one\\n'", "in.txt": "'käse\\n'"}
    assert files(second) == {"b.txt": "'one\\n'", "in.txt": "'käse\\n'"}


ODD = {
    "a folder": (
        "import os; os.mkdir('d'); open('d/x', 'w').close()",
        {"d": "a folder", "d/x": "''", "in.txt": "'käse\\n'"},
    ),
    "a name with a newline": (
        "open('a\\nb', 'w').close()",
        {"a\nb": "''", "in.txt": "'käse\\n'"},
    ),
    "a binary file": (
        "open('in.txt', 'wb').write(b'\\xff\\0')",
        {
            "in.txt": "2 bytes, SHA-256 "
            "ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f"
        },
    ),
    "a file that is removed": ("import os; os.remove('in.txt')", {}),
}


@pytest.mark.parametrize("case", ODD)
def test_unusual_files_are_named(one_driver: Driver, case: str) -> None:
    line, expected = ODD[case]
    (seen,) = watch(one_driver, f"def f():\n    {line}\n", call("f()"))
    assert seen.raised is None
    assert files(seen) == expected


REFUSED = {
    "a symbolic link": "import os; os.symlink('/etc/passwd', 'link')",
    "a hard link": "import os; os.link('in.txt', 'link')",
    "a file above": "open('../x', 'w')",
    "a file elsewhere": "open('/tmp/harness-test-x', 'w')",
    "a large file": "open('x', 'w').write('a' * 3_000_000)",
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_forbidden_act_raises(one_driver: Driver, case: str) -> None:
    (seen,) = watch(one_driver, f"def f():\n    {REFUSED[case]}\n", call("f()"))
    assert "OSError" in (seen.raised.type_name, *seen.raised.bases)


LOCKS = """
import fcntl, sqlite3
def f():
    with open("in.txt", "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with sqlite3.connect("a.db") as database:
        database.execute("create table kept (n)")
        database.execute("insert into kept values (3)")
    return sqlite3.connect("a.db").execute("select n from kept").fetchall()
"""


def test_locks_in_a_folder_are_granted_as_a_database_needs_them(one_driver: Driver) -> None:
    (seen,) = watch(one_driver, LOCKS, call("f()"))
    assert plain(seen.value) == "[(3,)]"


PRETENDS = """
import colorsys, fcntl, os, struct
RECORD = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0)
def f():
    before = os.stat("in.txt")
    os.utime("in.txt", (5, 5))
    os.chmod("in.txt", 0)
    after = os.stat("in.txt")
    said = [before.st_mode == after.st_mode, before.st_mtime == after.st_mtime]
    with open(colorsys.__file__) as library:
        fcntl.flock(library, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for ask in (fcntl.F_GETLK, fcntl.F_OFD_GETLK, fcntl.F_SETLEASE, fcntl.F_GETLEASE):
            try:
                said.append(fcntl.fcntl(library, ask, RECORD))
            except PermissionError:
                said.append(True)
    return said
"""


def test_granted_acts_change_nothing_and_reveal_nothing_about_others(one_driver: Driver) -> None:
    modules = (one_driver.interpreter.path.resolve().parents[1] / "lib").glob(
        "python3*/colorsys.py"
    )
    library = list(modules)
    assert library
    with ExitStack() as held:
        for path in library:
            # If a process of a scenario asked for this lock, it would be refused.
            fcntl.flock(held.enter_context(path.open()), fcntl.LOCK_EX)
        (seen,) = watch(one_driver, PRETENDS, call("f()"))
    assert seen.raised is None
    assert plain(seen.value) == str([True] * 6)


TIMES = """
import os
PLACES = [".", "..", "../.."]
def f(do, first):
    return [attempt(do, place) for place in PLACES[first:]]
def attempt(do, place):
    try:
        return os.listdir(place) if do == "list" else os.stat(place).st_atime_ns
    except OSError:
        return 0
"""


@pytest.mark.parametrize("one_driver", ["best", "standard"], indirect=True)
@pytest.mark.parametrize("has_folder", [True, False])
def test_listing_folders_leaves_no_time_of_access(one_driver: Driver, has_folder: bool) -> None:
    first = int(has_folder)  # its own folder is removed
    texts = [f"f({do!r}, {first})" for do in ("look", "list", "look")]
    stimuli = [replace(call(text), folder=has_folder) for text in texts]
    with one_driver.submission(replace(assignment(), writes_files=True), (source(TIMES),)) as one:
        before, _, after = [one.observe(stimulus, LIMITS) for stimulus in stimuli]
    assert before.value is not None, before.raised
    assert before.value == after.value


def test_without_a_folder_nothing_is_written(one_driver: Driver) -> None:
    program = "def f():\n    open('x', 'w')\n"
    writing = replace(assignment(), writes_files=True)
    seen = observe(one_driver, program, call("f()"), LIMITS, writing)
    assert seen.raised is not None
    assert seen.files == ()


FILLING = {
    "thousands of files": "for n in range(10**9): open(str(n), 'w').close()",
    "many large files": "for n in range(10**9): open(str(n), 'w').write('a' * 1_000_000)",
    "folders in folders": "import os\n    for n in range(10**9): os.mkdir(f'{n}')",
    "deep folders": "import os\n    for n in range(10**9): os.mkdir('d'); os.chdir('d')",
    "large files deep below": (
        "import os\n    for n in range(40): os.mkdir('d' * 250); os.chdir('d' * 250)\n"
        "    for n in range(10**9): open(str(n), 'w').write('a' * 1_000_000)"
    ),
}


@pytest.mark.parametrize("case", FILLING)
def test_a_folder_does_not_grow_without_end(one_driver: Driver, case: str) -> None:
    (seen,) = watch(one_driver, f"def f():\n    {FILLING[case]}\n", call("f()"))
    assert seen.ending in (Ending.OUTPUT_LIMIT, Ending.CPU_LIMIT)
    if seen.ending is Ending.OUTPUT_LIMIT:
        assert seen.output_limit == OutputLimit(filled=Filled.FOLDER, kib=4096)
    assert len(seen.files) <= 301
    (after,) = watch(one_driver, "def f():\n    return 1\n", call("f()"))
    assert files(after) == {"in.txt": "'käse\\n'"}


def test_an_open_file_is_named_and_only_finished_at_the_programs_end(one_driver: Driver) -> None:
    program = """
def f():
    global file
    file = open("x", "w")
    file.write("text")
if __name__ == "__main__":
    f()
"""
    called, ran = watch(one_driver, program, call("f()"), run())
    assert (files(called)["x"], called.left_open) == ("''", ("x",))
    assert (files(ran)["x"], ran.left_open) == ("'text'", ("x",))


def test_files_left_open_are_named_as_in_their_folder(one_driver: Driver) -> None:
    program = """
import os
def f():
    global kept
    kept = [open(name, "w") for name in ("x", "./y", "\\udcff", "gone")]
    os.remove("gone")
"""
    (seen,) = watch(one_driver, program, call("f()"))
    assert list(files(seen)) == ["\\udcff", "in.txt", "x", "y"]
    assert seen.left_open == ("\\udcff", "x", "y")


def test_files_left_open_are_named_beside_one_that_cannot_be_written(one_driver: Driver) -> None:
    program = """
import os
first = open("first", "w")
second = open("second", "w")
third = open("third", "w")
second.write("lost")
os.close(second.fileno())
"""
    (ran,) = watch(one_driver, program, run())
    assert ran.left_open == ("first", "second", "third")


def test_a_pipe_is_not_a_terminal(one_driver: Driver) -> None:
    program = "import sys\nprint(input(), sys.stdin.isatty(), sys.stdin.read().split())\n"
    (seen,) = watch(one_driver, program, replace(run(), stdin="a\nb\nc\n"))
    assert seen.printed == "a False ['b', 'c']\n"


def test_the_environment_is_as_stated(one_driver: Driver) -> None:
    program = "import os\ndef f():\n    return os.environ['LEVEL']\n"
    level = (Binding(name="LEVEL", literal="3"),)
    (seen,) = watch(one_driver, program, replace(call("f()"), environment=level))
    assert seen.value.text == "3"


_HOLDER = """
import sys
if "without locks" in sys.argv: sys.modules["fcntl"] = None
from harness.execution.folder import scratch_directory
with scratch_directory() as path:
    (path / "left").write_text("")
    print(path, flush=True)
    sys.stdin.read()
"""


def _holder(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    """Another process that has a directory, below `tmp_path`."""
    return subprocess.Popen(
        [sys.executable, "-c", _HOLDER, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )


def test_leftovers_of_a_killed_process_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with _holder(tmp_path) as holder:
        theirs = Path(holder.stdout.readline().strip())
        with scratch_directory() as ours:
            assert ours.is_dir()
            assert (theirs / "left").exists(), "it is in use"
        assert not ours.exists()
        holder.kill()
    with scratch_directory() as ours:
        assert list(tmp_path.iterdir()) == [ours]


_STOPPED = """
import os, signal, sys
from harness.execution import folder
def stop(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit()
def count(frame, event, argument):
    global lines
    if frame.f_code.co_filename != folder.__file__:
        return None
    if event == "line":
        lines += 1
        if lines == last:
            signal.raise_signal(signal.SIGTERM)
    return count
for last in range(1, 200):
    lines = 0
    signal.signal(signal.SIGTERM, stop)
    sys.settrace(count)
    try:
        with folder.scratch_directory() as path:
            (path / "left").write_text("")
        break
    except SystemExit:
        pass
    finally:
        sys.settrace(None)
    assert not os.listdir(os.environ["TMPDIR"]), last
print(last)
"""


def test_a_signal_at_any_line_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _STOPPED]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    assert 30 < int(ended.stdout) < 199, "it went through all lines"


def test_one_without_locks_keeps_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with _holder(tmp_path, "without locks") as holder:
        theirs = Path(holder.stdout.readline().strip())
        with scratch_directory():
            assert (theirs / "left").exists()
        holder.communicate()
    assert not list(tmp_path.iterdir())


def test_only_our_own_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "scenario-notes").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("", "utf-8")
    (tmp_path / "harness-scenario-link").symlink_to(elsewhere)
    with scratch_directory():
        pass
    assert (elsewhere / "kept").exists()
    names = {"elsewhere", "harness-scenario-link", "scenario-notes"}
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize(("name", "levels"), [("d", 3000), ("d" * 250, 40)])
def test_a_folder_is_removed_however_deep_it_is(tmp_path: Path, name: str, levels: int) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (top / "link").symlink_to(tmp_path)
    (tmp_path / "stays").write_text("x")
    at = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.mkdir("closed", mode=0, dir_fd=at)
    os.close(at)
    remove_tree(top)
    assert not top.exists()
    assert (tmp_path / "stays").read_text() == "x"


def ran(driver: AnyDriver, program: str, *lines: str, apart: bool = True) -> Observation:
    stimulus = Stimulus(action=Run(program="a1.py"), inputs=typed(*lines), stderr_apart=apart)
    return observe(driver, program, stimulus, Limits())


BOTH = """\
import logging, sys
print("out")
print("é err", file=sys.stderr)
sys.stderr.write("more\\n")
logging.warning("careful")
name = input("name? ")
print("to", name)
sys.exit("no such file")
"""
SHOWN = "out\nname? to Ada\n"
WRITTEN = "é err\nmore\nWARNING:root:careful\nno such file\n"


def test_stderr_does_not_belong_to_the_screen(driver: Driver, pipes: PipedDriver) -> None:
    for way in (driver, pipes):
        seen = ran(way, BOTH, "Ada")
        assert (seen.printed, seen.stderr, seen.exit_status) == (SHOWN, WRITTEN, 1)
    together = ran(driver, BOTH, "Ada", apart=False)
    assert (together.stderr, together.exit_status) == (None, 1)
    assert sorted(together.printed.split("\n")) == sorted((SHOWN + WRITTEN).split("\n"))


def test_a_call_and_what_is_written_at_import(one_driver: Driver) -> None:
    program = (
        "import sys\nprint('loading', file=sys.stderr)\n"
        "def f():\n    print('out')\n    print('err', file=sys.stderr)\n    return 1\n"
    )
    seen = observe(one_driver, program, call("f()", stderr_apart=True), Limits())
    assert (seen.printed, seen.stderr) == ("out\n", "loading\nerr\n")


AWKWARD = {
    "sys.stderr.close()\n": "a\n",
    "sys.stderr.detach()\n": "a\n",
    "sys.stderr = sys.stdout\nprint('b', file=sys.stderr)\n": "a\n",
    "print('b', file=sys.__stderr__)\n": "a\nb\n",
    "sys.stderr.buffer.write(b'\\xff')\n": "a\n\ufffd",
    "print(chr(0xD800), file=sys.stderr)\n": "a\n\\ud800\n",
}


@pytest.mark.parametrize("lines", AWKWARD)
def test_a_program_that_does_odd_things_with_it(lines: str, one_driver: Driver) -> None:
    seen = ran(one_driver, "import sys\nprint('a', file=sys.stderr)\n" + lines)
    assert (seen.ending, seen.stderr) == (Ending.ANSWERED, AWKWARD[lines])


def test_of_much_the_beginning_is_kept(one_driver: Driver) -> None:
    seen = ran(one_driver, "import sys\nfor _ in range(200_000):\n    sys.stderr.write('x')\n")
    assert (seen.ending, seen.stderr) == (Ending.ANSWERED, "x" * 100_000)


def test_who_leaves_it_out_of_the_answer_did_not_use_our_code() -> None:
    with_it, without = (
        Reply(final=FinalReply(phase=Phase.STIMULUS, exit=0, stderr=text)) for text in ("", None)
    )
    plain = Stimulus(action=Run(program="a1.py"))
    apart = Stimulus(action=Run(program="a1.py"), stderr_apart=True)
    assert is_complete(apart, with_it, None)
    assert is_complete(plain, without, None)
    assert not is_complete(apart, without, None)
    assert not is_complete(plain, with_it, None)


ECHO = "text = input('> ')\nwhile text != 'stop':\n    text = input(text + '? ')\n"
UP = """
def f(printed, LIMIT):
    number = 0
    while number < LIMIT:
        number += 1
        printed = yield printed.strip("? >") + str(number)
    yield "stop"
"""


def answered(source: str, *constants: Binding, most: int = 20) -> Stimulus:
    made = Replies(file="guesses.py", function="f", source=source, constants=constants, most=most)
    return replace(run(), replies=made)


def test_each_line_answers_what_was_printed(one_driver: Driver) -> None:
    seen = observe(one_driver, ECHO, answered(UP, Binding(name="LIMIT", literal="3")))
    lines = [("> ", "1"), ("1? ", "12"), ("12? ", "123"), ("123? ", "stop"), ("", None)]
    assert turns(seen) == lines
    assert seen.ending is Ending.ANSWERED


def test_it_types_over_pipes_too(piped_driver: PipedDriver) -> None:
    seen = observe(piped_driver, ECHO, answered(UP, Binding(name="LIMIT", literal="1")))
    assert turns(seen) == [("> ", "1"), ("1? ", "stop"), ("", None)]


def test_a_program_that_asks_on_asks_for_more(one_driver: Driver) -> None:
    ends = observe(one_driver, ECHO, answered("def f(printed):\n    yield 'a'\n"))
    assert (ends.ending, ends.reads) == (Ending.ASKED_FOR_MORE, 1)
    endless = "def f(printed):\n    while True:\n        yield 'a'\n"
    bounded = observe(one_driver, ECHO, answered(endless, most=5))
    assert (bounded.ending, bounded.reads) == (Ending.ASKED_FOR_MORE, 5)


FAULTS = {
    "raises": ("def f(printed):\n    yield 1 / 0\n", "guesses.py: f raised ZeroDivisionError"),
    "gives no text": ("def f(printed):\n    yield 3\n", "must yield one line of text"),
    "gives two lines": ("def f(printed):\n    yield 'a\\nb'\n", "must yield one line of text"),
    "does not end": ("def f(printed):\n    while True: pass\n    yield 'a'\n", "gives no reply"),
}


@pytest.mark.parametrize("case", [case for case in FAULTS if case != "does not end"])
def test_a_fault_of_the_generator_is_the_courses(one_driver: Driver, case: str) -> None:
    source, words = FAULTS[case]
    with pytest.raises(HarnessError, match=words):
        observe(one_driver, ECHO, answered(source))
    assert observe(one_driver, "print('on')", run()).printed == "on\n"


def test_an_answer_is_remembered_once_it_was_given_twice() -> None:
    asked: list[str] = []

    class Counting:
        def run(self, payload: str) -> str:
            asked.append(payload)
            return "same" if payload == "a" else str(len(asked))

    ask = partial(RememberedAnswers().ask, Counting)
    assert [ask("a") for _ in range(4)] == ["same"] * 4
    assert asked == ["a", "a"]
    assert ask("b") == "3"
    with pytest.raises(HarnessError, match="different replies"):
        ask("b")


def test_a_reply_by_chance_is_the_courses_fault(one_driver: Driver) -> None:
    source = "import random\ndef f(printed):\n    yield str(random.random())\n"
    with pytest.raises(HarnessError, match=r"guesses\.py: f: .* different replies"):
        for _ in range(2):
            observe(one_driver, ECHO, answered(source, most=1))


@pytest.mark.release
def test_a_generator_that_does_not_end_is_the_courses_fault(portable_driver: Driver) -> None:
    """It has its whole time first, so in one tier."""
    source, words = FAULTS["does not end"]
    with pytest.raises(HarnessError, match=words):
        observe(portable_driver, ECHO, answered(source))
