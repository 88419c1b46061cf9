"""Notebooks run cell by cell: an exception ends its cell, and the next cell runs."""

import json

import pytest

from harness.execution import AnyDriver, Driver, SubmissionServer
from harness.execution.inside.cells import compile_tree
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.modules import ModuleSource
from harness.execution.piped import PipedDriver
from harness.execution.protocol.answers import Answerable, StimulusFacts
from harness.execution.protocol.observation import ProcessEnd, observation
from harness.execution.protocol.screen import ScreenParser
from harness.execution.sharing import SharedOutcome
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Limits, Stimulus
from tests.execution.small_world import ROOMY, assignment, call, observe, run

# Four cells. The second one raises, and a text across lines stays as it is.
CELLS = '''\
# %% cell 1
from __future__ import annotations
x = 1
# %% cell 2
y = 2
raise NotImplementedError("later")
y = 3
# %% cell 3
text = """
# %% cell 9
"""
def f():
    return x, y, text
# %% cell 4
print("the end")
'''
ENDS = (3, 7, 13, 15)


def in_cells(program: str, *ends: int) -> tuple[SourceFile, ...]:
    return (SourceFile(name="a1.py", data=program.encode(), cell_ends=ends),)


@pytest.fixture(params=["terminal", "pipes"])
def either(
    request: pytest.FixtureRequest, one_driver: Driver, piped_driver: PipedDriver
) -> AnyDriver:
    return one_driver if request.param == "terminal" else piped_driver


def seen(driver: AnyDriver, program: str, ends: tuple[int, ...], stimulus: Stimulus) -> Observation:
    return observe(driver, in_cells(program, *ends), stimulus, ROOMY)


@pytest.mark.process
def test_functions_of_later_cells_are_graded(either: AnyDriver) -> None:
    observed = seen(either, CELLS, ENDS, call("f()"))
    assert (observed.ending, observed.phase) == (Ending.ANSWERED, Phase.STIMULUS)
    assert observed.value is not None
    assert observed.value.source() == "(1, 2, '\\n# %% cell 9\\n')"
    assert observed.cell_error is not None
    assert observed.cell_error.type_name == "NotImplementedError"
    assert [frame.line for frame in observed.cell_error.frames] == [6]


@pytest.mark.process
def test_a_program_that_is_run_goes_on_after_the_cell(either: AnyDriver) -> None:
    observed = seen(either, CELLS, ENDS, run())
    assert (observed.printed, observed.raised, observed.exit_status) == ("the end\n", None, 0)
    assert observed.cell_error is not None


@pytest.mark.process
def test_the_same_text_as_a_program_stops_there(either: AnyDriver) -> None:
    observed = seen(either, CELLS, (), call("f()"))
    assert observed.phase is Phase.LOADING
    assert observed.cell_error is None


ENDINGS = {
    "memory": ("x = 'a' * (1 << 40)\n", Ending.MEMORY_LIMIT),
    "exit": ("raise SystemExit(3)\n", Ending.ANSWERED),
}


@pytest.mark.process
@pytest.mark.parametrize("what", ENDINGS)
def test_only_exceptions_of_the_cell_are_passed_over(either: AnyDriver, what: str) -> None:
    program, ending = ENDINGS[what]
    observed = seen(either, program + "def f(): return 1\n", (1, 2), call("f()"))
    assert (observed.ending, observed.value) == (ending, None)


@pytest.mark.process
def test_only_programs_whose_cells_all_end_share_a_process(one_driver: Driver) -> None:
    whole = "def f():\n    return 1\nx = f()\n"
    outcomes: list[SharedOutcome] = []
    for program in (whole, whole + "x / 0\n"):
        with one_driver.submission(assignment(), in_cells(program, 2, 3, 4)) as server:
            assert isinstance(server, SubmissionServer)
            (group,) = server.group({0: (call("f()"), ROOMY), 1: (call("f()"), ROOMY)})
            outcomes.append(server.observe_together(group, sorted(group.jobs)))
    shared, refused = outcomes
    assert (shared.refused, len(shared.answers)) == ("", 2)
    assert refused.refused == "a cell raises ZeroDivisionError"


ERROR = {"type_name": "E", "message": "", "frames": []}
PLACE = {"file": "a1.py", "line": 1, "function": "<module>"}
AT_LINE_1 = ERROR | {"frames": [PLACE]}


def ending(cell_error: object, *, has_cells: bool) -> Ending:
    """The ending of a process that answers None and says this of a cell."""
    fields = {"phase": "stimulus", "value": ["NoneType", "None"], "cell_error": cell_error}
    frames = (b"L", b'G"stimulus"', b"A" + json.dumps(fields).encode())
    screen = ScreenParser(sentinel=b"|", most_sentinels=3, raw=bytearray(b"|||"))
    end = ProcessEnd(reason=None, reply=frames)
    facts = StimulusFacts(frozenset(), None)
    answerable = Answerable(call("1"), facts, Sources({"a1.py": b"x\n"}), has_cells)
    return observation(answerable, Limits(), screen, end).ending


def test_a_cell_that_the_program_does_not_have_is_tampering() -> None:
    assert ending(AT_LINE_1, has_cells=True) is Ending.ANSWERED
    assert ending(AT_LINE_1, has_cells=False) is Ending.TAMPERED
    assert ending(ERROR, has_cells=True) is Ending.TAMPERED
    assert ending(ERROR | {"frames": [PLACE | {"line": 9}]}, has_cells=True) is Ending.TAMPERED


def body(program: str, *ends: int) -> list[str]:
    """The kinds of the statements that are compiled."""
    tree = ModuleSource("a1.py", program.encode()).tree()
    compile_tree(tree, "a1.py", ends)
    return [type(statement).__name__ for statement in tree.body]


def test_statements_of_a_cell_are_together() -> None:
    assert body("x = 1\ny = 2\nz = 3\n", 2, 3) == ["Try", "Try"]
    assert body("x = 1\ny = 2\n") == ["Assign", "Assign"]


def test_a_cell_without_statements_is_left_out() -> None:
    assert body("x = 1\n# nothing\n\ny = 2\n", 1, 2, 3, 4) == ["Try", "Try"]


def test_the_beginning_of_a_module_stays_there() -> None:
    program = '"""Doc."""\nfrom __future__ import annotations\nx = 1\n'
    assert body(program, 3) == ["Expr", "ImportFrom", "Try"]
