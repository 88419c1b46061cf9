"""A student's module beside the file asked for is found as plain Python finds it: in every way of
running, with any name, and never by our own code or the course's."""

from dataclasses import replace

import pytest

from harness.execution import AnyDriver
from harness.model.assignment import ExtraModules, SourceFile
from harness.model.observation import Observation
from harness.model.stimulus import Stimulus
from tests.execution.small_world import ROOMY, assignment, call, plain, run, source

EVERY = replace(assignment(), extra_modules=ExtraModules(allow=("*.py",)))


def observed(driver: AnyDriver, stimulus: Stimulus, *files: SourceFile) -> Observation:
    with driver.submission(EVERY, files) as server:
        return server.observe(stimulus, ROOMY)


def screen(seen: Observation) -> str:
    return "".join(turn.printed for turn in seen.turns)


def test_a_module_is_found_by_calls_and_programs(way: AnyDriver) -> None:
    program = source("from util import twice\ndef f(n):\n    return twice(n)\nprint(f(2))\n")
    module = source("def twice(n):\n    return 2 * n\n", "util.py")
    assert plain(observed(way, call("f(3)"), program, module).value) == "6"
    assert screen(observed(way, run(), program, module)) == "4\n"


def test_a_module_that_is_not_allowed_is_not_found(way: AnyDriver) -> None:
    program = source("import util\n")
    module = source("", "util.py")
    with way.submission(assignment(), (program, module)) as server:
        seen = server.observe(run(), ROOMY)
    assert seen.raised is not None
    assert seen.raised.type_name == "ModuleNotFoundError"


# A module handed in under this name, and whether Python finds it instead of its own: not if it has
# imported its own before it runs a program, or has it built in.
NAMES = {
    "random": True,
    "typing": True,
    "json": True,
    "select": True,
    "datetime": True,
    "threading": True,
    "inside": True,
    "os": False,
    "io": False,
    "abc": False,
    "codecs": False,
    "sys": False,
    "marshal": False,
    "_signal": False,
}


@pytest.mark.parametrize(("name", "is_own"), NAMES.items(), ids=NAMES)
def test_the_name_of_a_module_of_python(name: str, is_own: bool, way: AnyDriver) -> None:
    """The program finds what plain Python finds; what we observe of it is whole."""
    program = source(
        f"import {name}\nimport time\ntime.sleep(0.01)\n"
        f"def f(values: list) -> str:\n    return getattr({name}, 'HERE', 'python')\n"
        f"if __name__ == '__main__':\n    print(input('?'), f([]))\n"
    )
    module = source("HERE = 'own'\n", f"{name}.py")
    expected = "own" if is_own else "python"
    called = observed(way, call("f([1, {2: 0.5}])"), program, module)
    assert (called.raised, plain(called.value)) == (None, repr(expected))
    played = observed(way, run("x"), program, module)
    assert (played.raised, played.exit_status) == (None, 0)
    assert screen(played).endswith(f"x {expected}\n")


def test_a_provided_file_never_finds_a_students_module(way: AnyDriver) -> None:
    """What the course's file imports is Python's, whatever lies beside the program."""
    support = source("from random import Random\nSIZE = len(Random.__name__)\n", "support.py")
    course = replace(EVERY, variants=(replace(EVERY.variants[0], files=(support,)),))
    program = source("from support import SIZE\nimport random\ndef f(n):\n    return n, random.X\n")
    module = source("X = 1\n", "random.py")
    with way.submission(course, (program, module)) as server:
        seen = server.observe(call("f(SIZE)"), ROOMY)
    assert (seen.raised, plain(seen.value)) == (None, "(6, 1)")


def test_an_error_in_a_module_is_shown_at_its_line(way: AnyDriver) -> None:
    program = source("from util import half\ndef f(n):\n    return half(n)\n")
    module = source("def half(n):\n    return 1 / n\n", "util.py")
    seen = observed(way, call("f(0)"), program, module)
    assert seen.raised is not None
    assert [(frame.file, frame.line) for frame in seen.raised.frames][-1] == ("util.py", 2)
