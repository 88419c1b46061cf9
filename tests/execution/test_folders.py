"""A scenario's own folder: what is written, what cannot be, and that all of it is bounded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.execution import Driver
from harness.model.observation import Ending, Observation
from harness.model.policy import SourceFile
from harness.model.stimulus import Binding, Limits, Stimulus
from tests.execution.small_world import assignment, call, run, source

LIMITS = Limits(cpu_seconds=1, wall_seconds=4, memory_mib=128, output_kib=8)
GIVEN = SourceFile(name="in.txt", data="käse\n".encode())


def watch(driver: Driver, program: str, *stimuli: Stimulus) -> list[Observation]:
    with driver.submission(replace(assignment(), writes_files=True), (source(program),)) as server:
        return [
            server.observe(replace(one, folder=True, files=(GIVEN,)), LIMITS) for one in stimuli
        ]


def files(seen: Observation) -> dict[str, str]:
    return {file.name: file.value.source(80) for file in seen.files}


def test_what_is_written_is_there_and_the_next_scenario_begins_anew(one_driver: Driver) -> None:
    program = """
def f(name):
    with open(name, "a") as file:
        file.write("one\\n")
    return open("in.txt").read()
"""
    first, second = watch(one_driver, program, call("f('a.txt')"), call("f('b.txt')"))
    assert first.value is not None
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
def test_what_lies_there_is_named(one_driver: Driver, case: str) -> None:
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
def test_what_is_not_allowed_raises(one_driver: Driver, case: str) -> None:
    (seen,) = watch(one_driver, f"def f():\n    {REFUSED[case]}\n", call("f()"))
    assert seen.raised is not None
    assert "OSError" in (seen.raised.type_name, *seen.raised.bases)


def test_without_a_folder_nothing_is_written(one_driver: Driver) -> None:
    program = "def f():\n    open('x', 'w')\n"
    writing = replace(assignment(), writes_files=True)
    with one_driver.submission(writing, (source(program),)) as server:
        seen = server.observe(call("f()"), LIMITS)
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
    assert len(seen.files) <= 301
    (after,) = watch(one_driver, "def f():\n    return 1\n", call("f()"))
    assert files(after) == {"in.txt": "'käse\\n'"}


def test_a_file_left_open_is_named_and_finished_at_the_end_of_a_program_alone(
    one_driver: Driver,
) -> None:
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


def test_what_is_piped_is_no_terminal(one_driver: Driver) -> None:
    program = "import sys\nprint(input(), sys.stdin.isatty(), sys.stdin.read().split())\n"
    (seen,) = watch(one_driver, program, replace(run(), stdin="a\nb\nc\n"))
    assert seen.printed == "a False ['b', 'c']\n"


def test_the_environment_is_as_stated(one_driver: Driver) -> None:
    program = "import os\ndef f():\n    return os.environ['LEVEL']\n"
    level = (Binding(name="LEVEL", literal="3"),)
    (seen,) = watch(one_driver, program, replace(call("f()"), environment=level))
    assert seen.value is not None
    assert seen.value.text == "3"
