"""Model values survive JSON, and what is no such value is refused with a reason."""

import json
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.common.serial import SerialError, dumps, from_plain, loads, to_plain
from harness.matchers.kinds.texts import Matches
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expected
from harness.model.observation import Ending, Observation, Raised, Turn
from harness.model.plan import Scenario, SourceFile
from harness.model.stimulus import Key, Limits, Stimulus, Typed
from harness.model.values import Value, ValueKind
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests import plans
from tests.tiny_course import ran

SCENARIO = plans.scenario(
    "f/one",
    points=Fraction(1, 3),
    limits=Limits(cpu_seconds=0.5),
    stimuli=(
        Stimulus(action=Call(expression="f(1)")),
        Stimulus(
            action=Run(program="a1.py"), inputs=(Typed(text="a"), Typed(key=Key.CTRL_D)), seed=3
        ),
    ),
    stated=Expected(returns=Exactly(value=Value.of([1, {"a": 2.5}])), prints=Matches(pattern="x")),
)

WHOLE = [
    SCENARIO,
    SourceFile(name="a1.py", data=b"\xff\x00 bytes"),
    Value.of((None, True, -1, 0.5, "\ud800", b"x", [[]], {1: "a"}, {3, 1}, frozenset(), ...)),
    Observation(
        ending=Ending.ANSWERED,
        raised=Raised(type_name="ValueError", message="no", bases=("ValueError", "Exception")),
        turns=(Turn(printed="? ", typed=Typed(text="1")), Turn(printed="")),
        exit_status=1,
    ),
]


@pytest.mark.parametrize("value", WHOLE, ids=lambda value: type(value).__name__)
def test_written_data_is_read_back(value: object) -> None:
    assert loads(type(value), dumps(value)) == value


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda parts: st.lists(parts) | st.tuples(parts) | st.dictionaries(st.text(), parts),
    max_leaves=12,
)


@given(literals)
def test_any_plain_value_survives(thing: object) -> None:
    value = Value.of(thing)
    assert loads(Value, dumps(value)) == value


@given(literals)
def test_a_value_shows_as_python_shows_it(thing: object) -> None:
    assert Value.of(thing).source() == repr(thing)


def test_a_bool_is_not_the_int_it_equals() -> None:
    assert Value.of(True) != Value.of(1)
    assert Value.of(1.0) != Value.of(1)
    assert Value.of([True]) != Value.of([1])


def test_a_foreign_type_is_refused_by_of() -> None:
    class Mine(int):
        pass

    with pytest.raises(TypeError, match="Mine"):
        Value.of(Mine(3))


BROKEN = [
    ("not JSON", "{", "not JSON"),
    ("a list for an object", "[]", "expected a Scenario, got list"),
    ("an unknown field", json.dumps({**to_plain(SCENARIO), "pionts": "1"}), "no field 'pionts'"),
    ("a missing field", "{}", "lacks its field"),
    ("a wrong type", json.dumps({**to_plain(SCENARIO), "id": 3}), "expected str, got int"),
    ("no fraction", json.dumps({**to_plain(SCENARIO), "points": "x"}), "expected a fraction"),
    ("no enum", json.dumps({**to_plain(SCENARIO), "visibility": "maybe"}), "expected a Visibility"),
]


@pytest.mark.parametrize(("what", "text", "message"), BROKEN, ids=[row[0] for row in BROKEN])
def test_text_of_another_type_is_refused(what: str, text: str, message: str) -> None:
    with pytest.raises(SerialError, match=message):
        loads(Scenario, text)


NO_VALUES = (
    "[]",
    "{}",
    '{"kind": "str", "text": 1}',
    '{"kind": "str", "test": ""}',
    '{"kind": 1}',
    '{"kind": "strings"}',
    '{"kind": "list", "items": null}',
    '{"kind": "list", "items": {}}',
    '{"kind": "list", "items": [{"kind": "int", "text": 1}]}',
    json.dumps({"kind": "strings", "text": "x" * 100}),
)


@pytest.mark.parametrize("text", NO_VALUES)
def test_a_value_is_read_as_strictly(text: str) -> None:
    with pytest.raises(SerialError, match="Value"):
        loads(Value, text)


def test_a_union_needs_its_member_named() -> None:
    with pytest.raises(SerialError, match="expected one of Call, Session, Steps, Run"):
        from_plain(Stimulus, {"action": {"expression": "f()"}})


def test_values_of_a_cycle_are_named() -> None:
    assert Value(ValueKind.LIST, items=(Value(ValueKind.CYCLE),)).source() == "[...]"


@pytest.mark.process
def test_a_reader_of_plans_need_not_import_the_matchers() -> None:
    program = (
        "import sys; from harness.common.serial import loads; "
        "from harness.model.expectation import Expected; "
        "assert 'harness.matchers' not in sys.modules; "
        """print(loads(Expected, '{"prints": {"is": "Contains", "text": "x"}}').prints)"""
    )
    assert ran([sys.executable, "-c", program], check=True).stdout == "Contains(text='x')\n"


def test_a_value_outside_an_open_union_is_refused() -> None:
    with pytest.raises(SerialError, match=r"expected one of .*Contains.*, got 'Elsewhere'"):
        loads(Expected, '{"prints": {"is": "Elsewhere"}}')
