"""Every field of a reply is checked against what its stimulus can answer, where it arrives."""

import json
from dataclasses import replace

import pytest

from harness.execution import Driver
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.piped import PipedDriver
from harness.execution.protocol.answers import Answerable, StimulusFacts, stand_in_reason
from harness.execution.protocol.observation import ProcessEnd, observation, with_files
from harness.execution.protocol.replies import TamperedError, value_from
from harness.execution.protocol.screen import ScreenParser
from harness.model.observation import Ending, NamedValue, Observation, Raised
from harness.model.stimulus import Limits, Stimulus
from harness.model.values import NONE, Value, ValueKind
from tests.execution.small_world import FRAMES, call, observe, run, session

PROGRAM = b"class Board:\n    def play(self):\n        return self.plac\ndef ff():\n    pass\n"
SOURCES = Sources({"a1.py": PROGRAM})
FACTS = StimulusFacts(frozenset({"f", "g"}), None)
WORDS = "it was asked code('secret-1')"
SURROGATE = "\ud800"
INT = ["int", "1"]
ERROR = {"type_name": "E", "message": ""}
PLACE = {"file": "a1.py", "line": 3, "function": "Board.play"}
HINT = {"kind": "nearest", "name": "plac", "owner": "Board", "near": "play"}
CALL, PROGRAM_RUN, STEPS = call("f(g(1))"), run(), session("x = f(1)", "x")
LOOPING = replace(CALL, finds_loop=True)
TRACED = replace(CALL, traces_lines=True)
FOLDER = replace(CALL, folder=True)


def answered(fields: dict[str, object], *frames: str, stimulus: Stimulus = CALL) -> Observation:
    """What is observed of an answer with these fields, after these other frames."""
    final = "A" + json.dumps({"phase": "stimulus"} | fields)
    return heard("L", *frames, final, stimulus=stimulus)


def heard(*bodies: str, stimulus: Stimulus = CALL) -> Observation:
    screen = ScreenParser(sentinel=b"|", most_sentinels=3, raw=bytearray(b"|||"))
    end = ProcessEnd(reason=None, reply=tuple(map(str.encode, bodies)))
    return observation(Answerable(stimulus, FACTS, SOURCES), Limits(), screen, end)


def test_an_honest_reply_is_taken_as_it_is() -> None:
    fields = {"raised": ERROR | {"bases": ["ValueError"], "frames": [PLACE], "names": HINT}}
    raised = answered(fields).raised
    assert raised is not None
    assert [frame.source for frame in raised.frames] == ["        return self.plac"]
    assert raised.names is not None
    assert answered({"missing": "g", "near": "ff"}).nearest == "ff"
    assert answered({"missing": "g"}).detail == "g"


@pytest.mark.parametrize("words", [WORDS, SURROGATE, "code", "x" * 2000, "\n"])
@pytest.mark.parametrize(
    "field",
    [
        lambda words: {"missing": words},
        lambda words: {"raised": ERROR | {"frames": [PLACE | {"file": words}]}},
        lambda words: {"raised": ERROR | {"names": HINT | {"kind": words}}},
        lambda words: {"value": [words, "1"]},
        lambda words: {"value": ["int", words]},
        lambda words: {"value": ["list", [["float", words]]]},
        lambda words: {"value": INT, "loop": words},
        lambda words: {"value": INT, "open": [words]},
        lambda words: {"value": INT, "near": words},
        lambda words: {"value": INT, "stderr": words},
        lambda words: {"phase": words, "value": INT},
        lambda words: {"value": INT, "missing": words},
        lambda words: {"value": INT, words: 1},
    ],
    ids=range(13),
)
def test_words_in_place_of_a_fact_are_tampered(field: object, words: str) -> None:
    seen = answered(field(words))  # type: ignore[operator]
    assert seen.ending is Ending.TAMPERED
    assert words not in repr(seen)


@pytest.mark.parametrize(
    "fields",
    [
        {"raised": ERROR | {"type_name": SURROGATE}},
        {"raised": ERROR | {"bases": [SURROGATE]}},
        {"raised": ERROR | {"frames": [PLACE | {"function": SURROGATE}]}},
        {"raised": ERROR | {"frames": [PLACE | {"function": WORDS}]}},
        {"raised": ERROR | {"frames": [PLACE | {"line": 0}]}},
        {"raised": ERROR | {"frames": [PLACE | {"line": 7}]}},
        {"raised": ERROR | {"frames": [PLACE | {"source": WORDS}]}},
        {"raised": ERROR | {"names": HINT | {"near": SURROGATE}}},
        {"value": ["object", SURROGATE, []]},
        {"value": ["function", SURROGATE]},
        {"value": ["foreign", SURROGATE]},
        {"value": ["unreadable", SURROGATE]},
        {"value": ["cycle", WORDS]},
        {"value": ["too_large", WORDS]},
        {"value": ["foreign", "T", [INT]]},
        {"missing": "f", "near": WORDS},
        {"missing": "f", "open": ["x"]},
        {"memory": True, "missing": "f"},
        {"memory": True, "near": "ff"},
    ],
)
def test_an_answer_that_no_call_can_give_is_tampered(fields: dict[str, object]) -> None:
    assert answered(fields).ending is Ending.TAMPERED


@pytest.mark.parametrize("near", ["secret_1", "self_dot"])
def test_a_nearest_name_that_no_file_has_is_left_out(near: str) -> None:
    assert answered({"missing": "f", "near": near}).nearest == ""


@pytest.mark.parametrize(
    "change", [{"near": "code"}, {"owner": "Secret"}, {"name": "secret_1"}, {"name": WORDS}]
)
def test_a_hint_about_names_that_no_file_has_is_left_out(change: dict[str, str]) -> None:
    seen = answered({"raised": ERROR | {"names": HINT | change}})
    assert seen.raised == Raised(type_name="E", message="")


@pytest.mark.parametrize("exit_status", [-1, 256, 10**30])
def test_an_exit_status_is_a_byte(exit_status: int) -> None:
    fields = {"exit": exit_status}
    assert answered(fields, stimulus=PROGRAM_RUN).ending is Ending.TAMPERED
    assert answered({"exit": 255}, stimulus=PROGRAM_RUN).exit_status == 255
    failed = {"exit": 0, "raised": ERROR}
    assert answered(failed, stimulus=PROGRAM_RUN).ending is Ending.TAMPERED


@pytest.mark.parametrize(
    ("name", "known"),
    [("x", True), ("y", False), (WORDS, False), (SURROGATE, False), ("f(1)", False)],
)
def test_a_variable_is_one_that_a_step_binds(name: str, known: bool) -> None:
    seen = answered({"variables": [[name, INT]]}, "S{}", "S{}", stimulus=STEPS)
    assert (seen.ending is Ending.ANSWERED) is known


def test_a_variable_has_one_value() -> None:
    twice = [["x", INT], ["x", INT]]
    assert answered({"variables": twice}, "S{}", "S{}", stimulus=STEPS).ending is Ending.TAMPERED


def test_names_that_a_star_imports_are_variables() -> None:
    stimulus = session("from support import *")
    assert answered({"variables": [["x", INT]]}, "S{}", stimulus=stimulus).variables


@pytest.mark.parametrize(
    "step",
    [
        {"shown": WORDS},
        {"value": INT, "shown": "x" * 10_001},
        {"value": INT, "raised": ERROR},
        {"raised": ERROR | {"frames": [PLACE | {"file": WORDS}]}},
        {"raised": ERROR | {"type_name": SURROGATE}},
    ],
)
def test_a_step_that_no_process_has_is_tampered(step: dict[str, object]) -> None:
    steps = "S" + json.dumps(step), "S{}"
    assert answered({"variables": []}, *steps, stimulus=STEPS).ending is Ending.TAMPERED


def test_more_steps_than_a_session_has_are_tampered() -> None:
    assert heard("L", "S{}", "S{}", "S{}", stimulus=STEPS).ending is Ending.TAMPERED
    assert heard("L", "S{}").ending is Ending.TAMPERED


@pytest.mark.parametrize(
    ("stimulus", "phases"),
    [
        (PROGRAM_RUN, ["stimulus"]),
        (STEPS, ["given"]),
        (CALL, ["loading"]),
        (CALL, ["result"]),
    ],
)
def test_an_impossible_phase_is_reported_as_tampering(
    stimulus: Stimulus, phases: list[str]
) -> None:
    frames = [f'G"{phase}"' for phase in phases]
    assert heard("L", *frames, stimulus=stimulus).ending is Ending.TAMPERED


@pytest.mark.parametrize(
    ("loop", "known"),
    [
        ("a1.py:1-3", True),
        ("", True),
        ("a1.py:3-1", False),
        ("a1.py:1-7", False),
        ("a1.py:0-1", False),
        ("b.py:1-1", False),
        (WORDS, False),
        (f"{WORDS}:1-2", False),
    ],
)
def test_a_loop_is_in_the_submissions_files(loop: str, known: bool) -> None:
    seen = heard("L", "A" + json.dumps({"loop": loop}), stimulus=LOOPING)
    assert seen.ending is (Ending.CPU_LIMIT if known else Ending.TAMPERED)
    assert heard("L", "A" + json.dumps({"loop": loop})).ending is Ending.TAMPERED
    seen = heard("L", "A" + json.dumps({"recursion": loop}), stimulus=LOOPING)
    is_allowed = known and loop != ""
    assert seen.ending is (Ending.CPU_LIMIT if is_allowed else Ending.TAMPERED)
    assert seen.calls_itself is is_allowed
    assert heard("L", "A" + json.dumps({"recursion": loop})).ending is Ending.TAMPERED


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("a1.py:3:2", True),
        ("a1.py:3:None", True),
        ("a1.py:1:0", True),
        ("a1.py:7:1", False),
        ("a1.py:1:7", False),
        ("b.py:1:0", False),
        ("a1.py:1:code", False),
        (WORDS, False),
        (SURROGATE, False),
    ],
)
def test_a_traced_line_is_in_the_submissions_files(line: str, known: bool) -> None:
    traced = "X" + json.dumps(line)
    seen = answered({"value": INT}, traced, stimulus=TRACED)
    assert seen.ending is (Ending.ANSWERED if known else Ending.TAMPERED)
    assert answered({"value": INT}, traced, traced, stimulus=TRACED).ending is Ending.TAMPERED
    assert answered({"value": INT}, traced).ending is Ending.TAMPERED


def test_a_file_that_is_open_lies_in_the_folder() -> None:
    seen = answered({"value": INT, "open": ["x"]}, stimulus=FOLDER)
    assert seen.left_open == ("x",)
    assert with_files(seen, (NamedValue(name="x", value=NONE),)).left_open == ("x",)
    assert with_files(seen, (NamedValue(name="y", value=NONE),)).ending is Ending.TAMPERED


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, ..., 0, -12, 10**4199, 1.5, -0.0, 1e300, float("nan"), float("-inf")),
        *(1j, complex("nan+infj"), complex(-0.0, -0.0), complex(1e200, 3)),
        *("", "\ud800", "x\0\n", b"", b"'\"\\\xff", range(3), range(9, -1, -2)),
    ],
)
def test_a_returned_value_is_read_back(value: object) -> None:
    text = value if isinstance(value, str) else repr(value)
    assert value_from([type(value).__name__, text]) == Value.of(value)


@pytest.mark.parametrize(
    "plain",
    [
        *(["NoneType", ""], ["bool", "1"], ["int", "01"], ["int", "1_0"], ["int", " 1"]),
        *(["int", "-0"], ["int", "9" * 4301], ["int", "\u0661"], ["float", "1"], ["float", "1.50"]),
        *(["float", "Infinity"], ["complex", "1"], ["complex", "1 + 2j"], ["bytes", "'x'"]),
        *(["bytes", "b'x' b'y'"], ["bytes", "b" + "(" * 900], ["range", "range(1)"]),
        *(["ellipsis", "..."], ["object", "x"], ["iterator", "x"], ["cycle", "x"]),
    ],
)
def test_a_spelling_that_python_does_not_give_is_tampered(plain: list[str]) -> None:
    with pytest.raises(TamperedError):
        value_from(plain)


def test_a_text_with_surrogates_is_a_value_and_a_message() -> None:
    seen = answered({"value": ["str", SURROGATE]})
    assert seen.value == Value(ValueKind.STR, SURROGATE)
    assert answered({"raised": ERROR | {"message": SURROGATE}}).ending is Ending.ANSWERED


@pytest.mark.parametrize(
    ("reason", "known"),
    [
        ("board.SIZE is not a function", True),
        ("SIZE is not a function", True),
        ("play.py is the program that is run", True),
        ("f() was given a value that is not plain data", True),
        ("f() was given a value too large", True),
        ("an answer has a number", True),
        ("Full is not an exception here", True),
        (WORDS, False),
        (SURROGATE, False),
        (f"{WORDS} is not a function", False),
        ("f() was given code('secret-1')", False),
        ("x" * 2000 + " is not a function", False),
    ],
)
def test_a_stand_in_is_refused_for_our_reasons(reason: str, known: bool) -> None:
    body = json.dumps(reason).encode()
    if known:
        assert stand_in_reason(body) == reason
        return
    with pytest.raises(TamperedError):
        stand_in_reason(body)


STRANGE_NAMES = """
class Odd:
    def __init__(self):
        vars(self)["\\ud800"] = 1
def f():
    pass
f.__name__ = "\\ud800"
globals()["\\udfff it"] = f
def g(value):
    return [f, Odd(), "\\ud800"]
def main():
    exec(compile("\\n" * 90 + "raise ValueError('\\ud800')", "a1.py", "exec"))
"""


def test_names_that_are_not_text_are_escaped_when_they_are_sent(
    one_driver: Driver, piped_driver: PipedDriver
) -> None:
    for driver in (one_driver, piped_driver):
        seen = observe(driver, STRANGE_NAMES, call("g(1)"))
        assert seen.value is not None
        assert [part.text for part in seen.value.items] == ["\\ud800", "Odd", "\ud800"]
        raised = observe(driver, STRANGE_NAMES, call("main()")).raised
        assert raised is not None
        assert [frame.line for frame in raised.frames] == [12]
        assert observe(driver, STRANGE_NAMES, call("add(1)")).ending is Ending.MISSING


FORGES = f"""{FRAMES}
def f(value):
    write(frame(b'A{{"phase":"stimulus","missing":' + value.encode() + b'}}'))
    os._exit(0)
"""


@pytest.mark.parametrize("missing", ['"\\\\ud800"', '"it was asked"', '"g"'])
def test_a_forged_name_of_a_missing_function_is_tampered(one_driver: Driver, missing: str) -> None:
    seen = observe(one_driver, FORGES, call(f"f('{missing}')"))
    assert seen.ending is Ending.TAMPERED
    assert seen.detail == "an answer that this stimulus cannot have" or "name" in seen.detail
