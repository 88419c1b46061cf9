"""What the head of a file states for all of its scenarios, and what a file holds afterwards."""

from __future__ import annotations

from pathlib import Path

from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.expectation import Expected
from harness.model.observation import Ending
from harness.model.plan import Scenario
from harness.model.values import NONE, Value, file_value
from harness.stimuli.run import Run
from tests.assignment.small_assignment import HEAD, plan_of, scenario_of


def loaded(root: Path, head: str, *bodies: str) -> tuple[Scenario, ...]:
    named = [f"name: s{number}\n{body}" for number, body in enumerate(bodies)]
    return plan_of(root, *named, head=head + HEAD).scenarios


def stated(root: Path, head: str, *bodies: str) -> list[Expected]:
    return [scenario.stated for scenario in loaded(root, head, *bodies)]


def test_a_default_is_for_each_scenario_that_states_nothing_else(tmp_path: Path) -> None:
    plain, own = stated(
        tmp_path,
        "prints: {any: true}\nreturns: true\n",
        "call: check_input('a')",
        "call: check_input('')\nprints: ''\nreturns: false",
    )
    assert plain == Expected(prints=AnyValue(), returns=Exactly(value=Value.of(True)))
    assert own == Expected(
        prints=Exactly(value=Value.of("")), returns=Exactly(value=Value.of(False))
    )


def test_a_default_is_for_the_stimuli_that_can_show_it(tmp_path: Path) -> None:
    call, session, run = loaded(
        tmp_path,
        "prints: {any: true}\nexit: 0\nargv: [a]\nreads: 1\n",
        "call: get_action()\ninput: [a1]",
        "session: |\n  >>> get_action()\n  Please enter action: a1\n  'a1'\ninput: [a1]",
        "run: a1.py\ninput: [a1]",
    )
    assert call.stated == Expected(prints=AnyValue(), reads=1)
    assert (session.stated.prints, session.stated.reads) == (None, 1)
    assert run.stated == Expected(prints=AnyValue(), exit=0, reads=1)
    assert run.stimuli[0].action == Run(program="a1.py", argv=("a",))


def test_a_default_gives_way_to_what_rules_it_out(tmp_path: Path) -> None:
    raising, turns = stated(
        tmp_path,
        "returns: true\nprints: {any: true}\n",
        "call: check_input('')\nraises: ValueError",
        "call: get_action()\ninput: [a1]\nturns: [{contains: action}]",
    )
    assert (raising.returns, raising.prints) == (None, AnyValue())
    assert turns.prints is None
    assert turns.turns is not None
    assert turns.turns.turns[0].printed == Contains(text="action")


def test_rows_state_their_own_in_place_of_a_default(tmp_path: Path) -> None:
    body = "call: check_input(text)\ncases: [{text: a}, {text: b, prints: ''}]"
    (scenario,) = loaded(tmp_path, "prints: {any: true}\n", body)
    prints = [each.prints for each in scenario.stated_cases]
    assert prints == [AnyValue(), Exactly(value=Value.of(""))]


def test_a_row_says_how_it_ends_and_what_it_writes(tmp_path: Path) -> None:
    scenario = scenario_of(
        tmp_path,
        "call: get_action()\ncases:\n"
        "  - {input: [a1], ends: answered, writes: unchanged}\n"
        "  - {input: [], ends: asks_for_more, writes: {a.txt: null}}",
    )
    first, second = scenario.stated_cases
    assert (first.ends, second.ends) == (Ending.ANSWERED, Ending.ASKED_FOR_MORE)
    assert first.writes_unchanged
    assert [leave.value for leave in second.writes] == [Exactly(value=NONE)]


def test_what_a_file_holds_is_stated_as_what_it_held(tmp_path: Path) -> None:
    scenario = scenario_of(
        tmp_path,
        "function: a1.py\nrun: a1.py\ninput: [a1]\nwrites:\n"
        "  by_path.csv: data/after.csv\n"
        "  picture: data/picture.png\n"
        '  lines: "one\\n"\n'
        "  one_line: {text: data/after.csv}\n"
        "  empty: ''",
        {
            "specs/small/data/after.csv": "a,{{ b }}\n",
            "specs/small/data/picture.png": b"\x89PNG\x00",
        },
    )
    assert {leave.name: leave.value for leave in scenario.stated.writes} == {
        "by_path.csv": Exactly(value=Value.of("a,{{ b }}\n")),
        "picture": Exactly(value=file_value(b"\x89PNG\x00")),
        "lines": Exactly(value=Value.of("one\n")),
        "one_line": Exactly(value=Value.of("data/after.csv")),
        "empty": Exactly(value=Value.of("")),
    }


def test_a_file_that_is_named_is_part_of_the_spec(tmp_path: Path) -> None:
    body = "function: a1.py\nrun: a1.py\nwrites: {a.csv: data/after.csv}"
    one, other = (
        plan_of(tmp_path, body, changes={"specs/small/data/after.csv": text}).spec_digest
        for text in ("a\n", "b\n")
    )
    assert one != other
