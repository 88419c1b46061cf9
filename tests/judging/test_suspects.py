"""The lines that a cause is most likely in, by what runs where it shows and where it does not."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from harness.common import serial
from harness.judging.causes.suspects import (
    Line,
    SuspectProgram,
    Suspicion,
    deciding,
    literals,
    where_none_was_returned,
    why_none,
    with_deciding,
)
from harness.judging.causes.traces import Event, read_trace
from harness.model.explanation.facts import (
    FaultyHelper,
    NoReturn,
    OtherConstant,
    Reason,
    ReturnedNone,
)
from harness.model.policy import OutlinePart
from harness.model.verdict import (
    Cause,
    CodePlace,
    Explanation,
    Suspect,
    stated,
)
from tests.judging.test_causes import outline

PROGRAM = """\
LIMIT = 3
def helper(x):
    if x > 1:
        y = x
        return y + 1
    return 0
def outer(x):
    return helper(x) + other(x)
def other(x):
    return deeper(x)
def deeper(x):
    return x
print(outer(LIMIT))
"""


def program_of(
    text: str = PROGRAM,
    sheet: Iterable[str] = ("outer",),
    constants: Mapping[str, object] | None = None,
) -> SuspectProgram:
    """A submission of this text, where the sheet asks for these functions."""
    return SuspectProgram(
        outline=outline(text),
        texts={"a1.py": text.splitlines()},
        sheet=frozenset(sheet),
        constants=constants or {},
    )


def functions_of(
    function: str, text: str = PROGRAM, sheet: Iterable[str] = ("outer",)
) -> tuple[OutlinePart, ...]:
    return program_of(text, sheet).functions_of(cause(function)) or ()


def cause(function: str) -> Cause:
    return Cause(function=function, explanation=stated("wrong_value", ""))


def lines(*traces: str, passing: tuple[str, ...] = ()) -> list[int]:
    """The most suspect lines of failing runs, beside those that pass."""
    found = program_of().most_suspect(
        [read_trace(text) for text in traces],
        [read_trace(text) for text in passing],
        lambda line: True,
    )
    return [line.number for line in found]


def test_a_trace_holds_the_lines_that_ran_the_order_and_the_returned_values() -> None:
    line = Line("a1.py", 3)
    assert read_trace("a1.py:3:0\na1.py:4:3\na1.py:4:True") == {
        Event(line),
        Event(line, ">4"),
        Event(Line("a1.py", 4)),
        Event(Line("a1.py", 4), "True"),
    }


@pytest.mark.parametrize("said", ["", "a1.py", "a1.py:x:0", "a1.py:3:7x", "a1.py:3:Maybe", ":3:0"])
def test_other_messages_of_a_process_are_left_out(said: str) -> None:
    assert read_trace(said) == frozenset()


def test_lines_that_run_only_where_it_fails_come_first() -> None:
    failing, passing = "a1.py:3:0\na1.py:4:3\na1.py:5:4", "a1.py:3:0\na1.py:6:3"
    # The condition too: what comes after it differs. Of equal ones those with more that can be
    # wrong come first.
    assert lines(failing, passing=(passing,)) == [3, 5, 4]


def test_a_line_that_runs_in_both_is_less_suspect_and_one_that_never_fails_is_none() -> None:
    failing, passing = "a1.py:5:0\na1.py:3:0", "a1.py:3:0\na1.py:6:0"
    assert lines(failing, passing=(passing, passing)) == [5, 3]


def test_of_a_line_that_always_runs_what_comes_back_tells() -> None:
    false = "a1.py:8:0\na1.py:10:0\na1.py:10:False"
    true = "a1.py:8:0\na1.py:10:0\na1.py:10:True"
    assert lines(false, passing=(true, true))[0] == 10
    assert lines(false, true, passing=(false, true))[0] == 8  # it says nothing: 8 has an operator


@pytest.mark.parametrize(
    ("others", "without", "shown"), [(5, 0, 0), (5, 8, 0), (5, 9, 5), (4, 0, 5)]
)
def test_where_lines_hardly_differ_none_is_chosen(others: int, without: int, shown: int) -> None:
    """Two runs fail and 21 pass, in so many of which line 4 does not run. Five lines are all that
    are shown: of no more none is left out."""
    one = "\n".join(f"a1.py:{5 + number}:0" for number in range(others))
    both = one + "\na1.py:4:0"
    assert len(lines(both, both, passing=(*[one] * without, *[both] * (21 - without)))) == shown


def test_at_most_five_lines_and_none_without_text() -> None:
    assert len(lines("\n".join(f"a1.py:{number}:0" for number in range(1, 40)))) == 5
    assert lines("a1.py:39:0") == []


@pytest.mark.parametrize(
    ("function", "sheet", "names"),
    [
        ("outer", {"outer"}, ["deeper", "helper", "other", "outer"]),
        ("outer", {"outer", "other"}, ["helper", "outer"]),  # `other` would be to blame itself
        ("helper", {"outer"}, ["helper"]),
        ("a1.py", set(), ["deeper", "helper", "other", "outer"]),
        ("a1.py", {"outer"}, []),
        ("LIMIT", set(), []),
        ("nobody", set(), []),
    ],
)
def test_where_a_cause_may_be(function: str, sheet: set[str], names: list[str]) -> None:
    assert sorted(part.name for part in functions_of(function, PROGRAM, sheet)) == names


def test_a_cause_of_a_helper_may_be_in_another_that_the_same_functions_use() -> None:
    """Two functions of the sheet fail, and both use `first` and `whole`; `alone` only one does."""
    program = """\
def first(x):
    return x[0]
def whole(x):
    return x == int(x)
def alone(x):
    return x
def one(x):
    return first(x) if whole(x) else alone(x)
def two(x):
    return whole(x) and first(x)
"""
    found = functions_of("first", program, {"one", "two"})
    assert sorted(part.name for part in found) == ["first", "whole"]


def test_the_head_of_a_function_and_code_outside_all_belong_to_no_function() -> None:
    functions = functions_of("outer")
    numbers = [n for n in range(1, 14) if program_of().within(Line("a1.py", n), functions)]
    assert numbers == [3, 4, 5, 6, 8, 10, 12]
    program = [n for n in range(1, 14) if program_of().within(Line("a1.py", n), (), "a1.py")]
    assert program == [1, 13]
    assert not program_of().within(Line("other.py", 3), functions)


def test_the_text_that_begins_a_file_is_never_suspect() -> None:
    program = program_of('"""Reports."""\nimport sys\n"never mind".strip()\nprint(sys.argv)\n')
    numbers = [n for n in range(1, 5) if program.within(Line("a1.py", n), (), "a1.py")]
    assert numbers == [2, 3, 4]


def test_lines_stand_by_function_the_most_suspect_first() -> None:
    functions = functions_of("outer")
    lines = [Line("a1.py", number) for number in (5, 8, 3, 13)]
    assert program_of().by_function(lines, functions) == (
        Suspect(function="helper", place=CodePlace(file="a1.py", first=2, last=6), lines=(3, 5)),
        Suspect(function="outer", place=CodePlace(file="a1.py", first=7, last=8), lines=(8,)),
        Suspect(function="", place=CodePlace(file="a1.py", first=1, last=13), lines=(13,)),
    )


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("a1.py:8:0\na1.py:8:None", 8),
        ("a1.py:8:None\na1.py:10:None\nother.py:8:None", 8),
        ("a1.py:7:None\na1.py:8:None", 8),  # the file comes back at its last line
        ("a1.py:8:True", None),
        ("a1.py:10:None", None),
        ("", None),
    ],
)
def test_where_a_function_gave_none_is_known_of_one_line(said: str, line: int | None) -> None:
    functions = functions_of("outer")
    found = where_none_was_returned(read_trace(said), "outer", functions)
    assert found == (None if line is None else Line("a1.py", line))
    assert where_none_was_returned(read_trace(said), "nobody", functions) is None


def test_where_one_call_came_back_here_and_another_there_no_line_is_known() -> None:
    functions = functions_of("helper")
    trace = read_trace("a1.py:5:None\na1.py:6:None")
    assert where_none_was_returned(trace, "helper", functions) is None


def none(text: str, *, who: str = "f", where: str = "") -> Reason | None:
    """Why None came back where True should be, by a line of this text, in a cause of f."""
    facts = ReturnedNone(where=where, function=who, wanted="True")
    explanation = Explanation(rule="returned_none", facts=facts)
    return why_none(Cause(function="f", explanation=explanation), text)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (none("    row += 1"), NoReturn()),
        (none("    returned = 1"), NoReturn()),
        (none("    return  # done"), None),
        (none("    return None"), None),
        (none("    return found"), None),
        (none("    row += 1", who="g"), None),
        (none("    row += 1", where="in step 2 (f(3))"), None),
    ],
)
def test_a_return_may_be_missing_where_none_came_back_without_one(
    reason: Reason | None, expected: Reason | None
) -> None:
    assert reason == expected


CALLER, HELPER = "a1.py:8:0", "a1.py:3:0\na1.py:4:3\na1.py:5:4"  # of outer, and of helper


@pytest.mark.parametrize(
    ("failing", "passing", "name"),
    [
        ([HELPER], [CALLER], "helper"),
        ([f"{HELPER}\n{CALLER}"], [CALLER], "helper"),
        ([HELPER, HELPER, HELPER, CALLER], [CALLER] * 4, "helper"),
        # The caller decides as well, or nobody does.
        ([f"{HELPER}\n{CALLER}"], ["a1.py:10:0"], ""),
        ([f"{HELPER}\n{CALLER}"], [f"{HELPER}\n{CALLER}"], ""),
        ([f"{HELPER}\n{CALLER}"] * 9, [*[f"{HELPER}\n{CALLER}"] * 8, CALLER], ""),  # hardly
        # Nothing passes, or the runs say nothing.
        ([HELPER], [], ""),
        ([], [CALLER], ""),
        ([""], [CALLER], ""),
    ],
)
def test_which_function_decides(failing: list[str], passing: list[str], name: str) -> None:
    functions = functions_of("outer")
    traces = list(map(read_trace, failing)), list(map(read_trace, passing))
    assert deciding(*traces, lambda line: True, functions) == name


def marked(*lines: int) -> Cause:
    place = CodePlace(file="a1.py", first=2, last=6)
    suspects = (Suspect(function="helper", place=place, lines=lines),)
    return replace(cause("outer").stating("outer returned 1."), suspects=suspects)


def test_the_deciding_helper_is_named_first() -> None:
    several = with_deciding(marked(3, 4, 5), "helper").explanation
    assert several.lead == FaultyHelper(function="helper", first=3, last=5)
    one = with_deciding(marked(4), "helper").explanation
    assert one.lead == FaultyHelper(function="helper", first=4, last=4)


@pytest.mark.parametrize("name", ["", "outer", "other"])
def test_no_line_is_suspected_where_the_function_itself_decides_or_has_no_lines(name: str) -> None:
    assert with_deciding(marked(4), name) == marked(4)


def test_a_known_exception_line_is_the_only_suspect() -> None:
    raised = replace(marked(4), line=8)
    assert with_deciding(raised, "helper") == raised


@pytest.mark.parametrize("decides", ["", "helper"])
@pytest.mark.parametrize("none", [None, Line("a1.py", 7)])
@pytest.mark.parametrize("lines", [(), (Line("a1.py", 3), Line("b.py", 4))])
def test_a_suspicion_is_written(decides: str, none: Line | None, lines: tuple[Line, ...]) -> None:
    suspicion = Suspicion(lines=lines, deciding_function=decides, returned_none_at=none)
    assert serial.loads(Suspicion, serial.dumps(suspicion)) == suspicion


CONSTANTS = """\
WIN = 3
DOWN: tuple[int, int] = (2, 1)
STEPS = (DOWN, (0, 1))
WORD = "x"
TABLE = [
    1,
]
SUM = 1 + 1
def win():
    return WIN + len(STEPS)
def say():
    return WORD + str(TABLE) + str(SUM)
def other():
    return 1
"""


@pytest.mark.parametrize(
    ("function", "reference", "name"),
    [
        ("win", {"WIN": 4}, "WIN"),
        ("win", {"DOWN": (1, 1)}, "DOWN"),  # by way of STEPS
        ("say", {"WORD": "y", "WIN": 4}, "WORD"),
        # The same, of another type, of several lines, computed, unknown, not used, or two.
        ("win", {"WIN": 3, "DOWN": (2, 1)}, None),
        ("win", {"WIN": 4.0}, None),
        ("say", {"TABLE": [2]}, None),
        ("say", {"SUM": 3}, None),
        ("win", {}, None),
        ("other", {"WIN": 4}, None),
        ("win", {"WIN": 4, "DOWN": (1, 1)}, None),
    ],
)
def test_the_only_constant_that_differs_is_named(
    function: str, reference: dict[str, object], name: str | None
) -> None:
    program = program_of(CONSTANTS, {function}, reference)
    found = program.other_constant(functions_of(function, CONSTANTS, {function}))
    assert (found and found.name) == name


def test_a_constant_is_named_and_shown_first() -> None:
    program = program_of(CONSTANTS.replace("(2, 1)\n", "(2, 1)  # steps\n"))
    part = program.outline.part("DOWN")
    assert part is not None
    found = program.with_constant(marked(4), part)
    assert found.explanation.lead == OtherConstant(name="DOWN", value="(2, 1)", line=2)
    assert [each.function for each in found.suspects] == ["DOWN", "helper"]


def test_only_literals_at_the_top_level_count() -> None:
    text = "A = 1\nB: int = 2\nC: int\nD = A\nE = F = 3\nif A:\n    G = 4\nH = {}[1]\nA = 5\n"
    assert literals(text) == {"A": 5, "B": 2}
    assert literals("A = = 1") == {}
