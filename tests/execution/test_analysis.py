"""What is read off a stimulus's text, and in which part of it an exception was raised: alone,
together and over pipes."""

import ast
from dataclasses import replace

import pytest

from harness.execution import Driver
from harness.execution.inside.scenario.evaluate import analyse, call_in_parts
from harness.execution.piped import PipedDriver
from harness.execution.sharing import decoded
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Binding, Replies, Stimulus
from harness.stimuli.call import Call
from tests.execution.small_world import ROOMY, TEN, assignment, call, observe, run, session, source

FUNCTIONS = frozenset({"f", "g"})

# A call, its positional arguments, and its keyword arguments, as their own expressions
CALLS: dict[str, tuple[list[str], dict[str, str]]] = {
    "f()": ([], {}),
    "f(1, [2, (3,)])": (["1", "[2, (3,)]"], {}),
    "f((1, 2), (3), ((4)))": (["(1, 2)", "3", "4"], {}),
    "f(x for x in y)": (["(x for x in y)"], {}),
    "f((x := 3), lambda a, b: a)": (["(x := 3)", "lambda a, b: a"], {}),
    "f(1, key='é', other=g(2))": (["1"], {"key": "'é'", "other": "g(2)"}),
    "f('日本', 'é' 'b', 'x')": (["'日本'", "'é' 'b'", "'x'"], {}),
    "f(\n    [1,\n     2],  # with a word, and )\n    'a'\n    'b',\n)": (["[1, 2]", "'ab'"], {}),
    "f('''a\r\nb''',\r\n  '(')": (["'''a\\nb'''", "'('"], {}),
    "f('\\n', '\f', 1e400, -0.0)": (["'\\n'", "'\\x0c'", "1e400", "-0.0"], {}),
}
NOT_PLAIN = ["f", "f(*a)", "f(**k)", "h(1)", "f(1)(2)", "a.f(1)", "f(1) + 1", "(f)[0]", "f(", ""]


@pytest.mark.parametrize("expression", CALLS)
def test_a_plain_call_in_parts(expression: str) -> None:
    arguments, keywords = CALLS[expression]
    assert analyse("", expression, (), FUNCTIONS)[1] == len(arguments)
    named = [f"{name}=({value})" for name, value in keywords.items()]
    given = ", ".join([*(f"({each})" for each in arguments), *named])
    parts = call_in_parts(expression, FUNCTIONS)
    assert parts is not None
    expected = f"(f, *(lambda *a, **k: (a, k))({given}))"
    assert ast.dump(parts) == ast.dump(ast.parse(expected, mode="eval"))


@pytest.mark.parametrize("expression", NOT_PLAIN)
def test_expressions_that_are_not_plain_calls_are_not_analysed(expression: str) -> None:
    assert analyse("", expression, (), FUNCTIONS)[1] is None


NEEDS = {
    ("", "f(g(1))", ()): ["f", "g"],
    ("g = 1", "f(g)", ()): ["f"],
    ("", "", ("def f(): g()", "f()")): ["g"],
    ("", "", ("(lambda g: g)(f)",)): ["f"],
    ("class f: pass", "f()", ()): [],
    ("from other import g", "f(g())", ()): ["f"],
    ("", "", ("import other as f", "f.value")): [],
    ("", "", ("x = f()", "not a step (", "g()")): ["f", "g"],
}


@pytest.mark.parametrize("texts", NEEDS)
def test_the_needed_functions_of_a_stimulus_are_found(
    texts: tuple[str, str, tuple[str, ...]],
) -> None:
    assert analyse(*texts, FUNCTIONS)[0] == NEEDS[texts]


def test_a_text_that_only_the_grading_interpreter_can_read_is_read_there(driver: Driver) -> None:
    """Quotes of the same kind inside an f-string: from 3.12 on."""
    seen = observe(driver, "def f(text): return text * 2\n", call("""f(f"{"a" + "b"}")"""))
    if driver.interpreter.version.startswith("3.11"):
        assert seen.raised.type_name == "SyntaxError"
    else:
        assert seen.value.source() == "'abab'"
        assert [each.source() for each in seen.arguments_before] == ["'ab'"]


def test_an_expression_that_does_not_compile_is_an_error_of_its_own(driver: Driver) -> None:
    seen = observe(driver, "def f(x): return x\n", call("f((yield))"))
    assert seen.raised.type_name == "SyntaxError"


PROGRAM = """
class Stack:
    def __init__(self, size):
        if size < 1:
            raise ValueError("no room")
        self.size = size
    def put(self, value):
        if value == 13:
            raise ValueError("unlucky")
        return value
def f(value):
    if value == 13:
        raise ValueError("unlucky")
    return value
def g(value):
    raise ValueError("always")
def ask(value):
    yield value
    raise ValueError("late")
def add(stack, value):
    return stack.put(value)
def size():
    return Stack(0)
class Box:
    @property
    def stack(self):
        return Stack(0)
    @property
    def put(self):
        raise ValueError("unlucky")
if __name__ == "__main__":
    f(13)
"""
OF_STACK = "from a1 import Stack\n"
OF_BOX = "from a1 import Box\nb = Box()\n"
DRAWN = (Binding(name="n", literal="13"),)
REPLIES = Replies(
    file="talk.py", function="f", source="def f(printed):\n    yield 'no'\n", constants=(), most=5
)

# What is asked, and in which part of it ValueError is raised
ROWS: dict[str, tuple[Stimulus, Phase]] = {
    "the call": (call("f(13)"), Phase.STIMULUS),
    "a call in the call": (call("add(s, 13)", given=OF_STACK + "s = Stack(1)\n"), Phase.STIMULUS),
    "given": (call("f(13)", given="x = g(1)\n"), Phase.GIVEN),
    "a constructor that is given": (
        call("s.put(13)", given=OF_STACK + "s = Stack(0)\n"),
        Phase.GIVEN,
    ),
    "an argument": (call("f(g(1))"), Phase.ARGUMENTS),
    "a keyword argument": (call("f(value=g(1))"), Phase.ARGUMENTS),
    "an argument among others": (call("f(*[g(1)])"), Phase.ARGUMENTS),
    "a named argument among others": (call("f(**{'value': g(1)})"), Phase.ARGUMENTS),
    "a star itself": (call("f(*[13])"), Phase.STIMULUS),
    "two stars themselves": (call("f(**{'value': 13})"), Phase.STIMULUS),
    "an argument of one size of a sweep": (
        call("f(g(BOARD_SIZE))", constants=TEN),
        Phase.ARGUMENTS,
    ),
    "an argument of a draw": (call("f(g(n))", bindings=DRAWN), Phase.ARGUMENTS),
    "an object as an argument": (call("f(Stack(0))", given=OF_STACK), Phase.ARGUMENTS),
    "a comprehension as an argument": (call("f([g(x) for x in [1]][0])"), Phase.ARGUMENTS),
    "a property in an argument": (call("f(b.stack)", given=OF_BOX), Phase.ARGUMENTS),
    "a property on the way": (call("b.stack.put(13)", given=OF_BOX), Phase.ARGUMENTS),
    "a chain": (call("Box().stack.put(13)", given=OF_BOX), Phase.ARGUMENTS),
    "the look-up of a method": (call("b.put(13)", given=OF_BOX), Phase.ARGUMENTS),
    "a method of the class": (call("Stack.put(Stack(0), 13)", given=OF_STACK), Phase.ARGUMENTS),
    "what a method is called on": (call("f(g(1)).put(13)"), Phase.ARGUMENTS),
    "an argument of a method": (
        call("s.put(g(1))", given=OF_STACK + "s = Stack(1)\n"),
        Phase.ARGUMENTS,
    ),
    "the method": (call("s.put(13)", given=OF_STACK + "s = Stack(1)\n"), Phase.STIMULUS),
    "a method of what a call gives": (call("f(size).__call__()"), Phase.STIMULUS),
    "an expression that is not a call": (call("f(13) + 1"), Phase.STIMULUS),
    "a built-in around the call": (call("str(f(13))"), Phase.STIMULUS),
    "what is read of the result": (call("ask(1)"), Phase.RESULT),
    "the result read in the call": (call("list(ask(1))"), Phase.STIMULUS),
    "an object to compare with": (
        Stimulus(action=Call(expression="f(1)", equals="Stack(0)"), given=OF_STACK),
        Phase.RESULT,
    ),
    "a program": (run(), Phase.STIMULUS),
    "given before a line is typed": (call("f(13)", "no", given="x = g(1)\n"), Phase.GIVEN),
    "given before replies": (
        replace(call("f(13)", given="x = g(1)\n"), replies=REPLIES),
        Phase.GIVEN,
    ),
    "given of a session": (session("y = 1", given="x = g(1)\n"), Phase.GIVEN),
    "given of one size of a sweep": (
        call("f(13)", given="x = f(BOARD_SIZE + 3)\n", constants=TEN),
        Phase.GIVEN,
    ),
    "the call of another size": (call("f(13)", given="x = f(BOARD_SIZE + 3)\n"), Phase.STIMULUS),
    "given of a draw": (call("f(13)", given="x = f(n)\n", bindings=DRAWN), Phase.GIVEN),
}


def where(seen: Observation) -> tuple[Ending, str, Phase]:
    return seen.ending, seen.raised.type_name, seen.phase


def asked(name: str) -> tuple[Stimulus, tuple[Ending, str, Phase]]:
    stimulus, phase = ROWS[name]
    return stimulus, (Ending.ANSWERED, "ValueError", phase)


def test_in_a_process_of_its_own(driver: Driver, piped_driver: PipedDriver) -> None:
    for way in (driver, piped_driver):
        with way.submission(assignment(), (source(PROGRAM),)) as server:
            for name in ROWS:
                stimulus, expected = asked(name)
                assert where(server.observe(stimulus, ROOMY)) == expected, name


# What asks about one function alone may share a process; everything else is observed alone.
SHARED = (
    "a call in the call",
    "an argument of a method",
    "the call",
    "a star itself",
    "two stars themselves",
    "an expression that is not a call",
    "a built-in around the call",
    "what is read of the result",
    "the result read in the call",
    "given of one size of a sweep",
    "the call of another size",
    "given of a draw",
)


def test_in_a_shared_process(driver: Driver) -> None:
    with driver.submission(assignment(), (source(PROGRAM),)) as server:
        for name in SHARED:
            stimulus, expected = asked(name)
            (group,) = server.group({0: (stimulus, ROOMY)})
            outcome = server.observe_together(group, [0])
            arguments = group.jobs[0].arguments
            seen = decoded(
                outcome.answers[0], stimulus, ROOMY, arguments=arguments, raised_in=server.sources
            )
            assert seen is not None, name
            assert where(seen) == expected, name


ASKING = """
def f(value):
    return input("f? ") if value == 13 else value
def g(value):
    return input("g? ")
"""
ENDS = {
    "given": (call("f(13)", given="x = g(1)\n"), Phase.GIVEN),
    "given of a session": (session("f(13)", given="x = g(1)\n"), Phase.GIVEN),
    "an argument": (call("f(g(1))"), Phase.ARGUMENTS),
    "the call": (call("f(13)", given="x = f(1)\n"), Phase.STIMULUS),
    "a step": (session("f(13)", given="x = f(1)\n"), Phase.STIMULUS),
    "an expression": (call("f(13) + 'a'"), Phase.STIMULUS),
}


def test_who_asks_for_more_than_there_is(driver: Driver, piped_driver: PipedDriver) -> None:
    for way in (driver, piped_driver):
        with way.submission(assignment(), (source(ASKING),)) as server:
            for name, (stimulus, phase) in ENDS.items():
                seen = server.observe(stimulus, ROOMY)
                assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, phase), name
