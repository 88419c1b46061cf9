"""`cases:` with what each row or draw types and states itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment.compile import load_for_fuzzing, record_draws
from harness.assignment.loading import SpecErrors, load
from harness.matchers.kinds.combinations import AllOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, Matches
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expected, StatedTurn, StatedTurns
from harness.model.plan import Scenario
from harness.model.stimulus import Run, Stimulus
from harness.model.values import Value
from tests.assignment.small_assignment import scenario_file, write

F = "specs/small/f.yaml"


def loaded(root: Path, *lines: str, **files: str) -> list[Scenario]:
    body = "\n".join(("name: s", *lines))
    write(root, {F: scenario_file(body), **files})
    return list(load(root, "small").plan.scenarios)


def typed(stimulus: Stimulus) -> list[str]:
    return [line.text for line in stimulus.inputs]


def test_names_of_a_row_are_typed_and_expected(tmp_path: Path) -> None:
    (scenario,) = loaded(
        tmp_path,
        "run: a1.py",
        "input: [Ada, '{{ year }}']",
        "turns: {2: {all_of: [{contains: '{{ PROMPT }}'}, {number: '{{ age }}'}]}}",
        "cases: [{year: 2023, age: 1}, {year: 1950, age: 74}]",
    )
    assert [typed(stimulus) for stimulus in scenario.stimuli] == [["Ada", "2023"], ["Ada", "1950"]]
    assert [scenario.stated_for(stimulus).turns for stimulus in scenario.stimuli] == [
        StatedTurns(
            turns=(
                StatedTurn(
                    index=2,
                    printed=AllOf(
                        matchers=(Contains(text="Please enter action: "), HasNumber(number=age))
                    ),
                ),
            ),
            all_turns=False,
        )
        for age in ("1", "74")
    ]


def test_a_row_types_and_states_its_own(tmp_path: Path) -> None:
    (scenario,) = loaded(
        tmp_path,
        "run: a1.py",
        "input: [a]",
        "prints: {any: true}",
        "cases:",
        "  - {prints: once, reads: 1}",
        "  - {input: [a, {key: ctrl-d}], turns: {1: b}, exit: 1}",
        "  - {input: [], argv: [x, y]}",
    )
    first, second, third = scenario.stimuli
    assert [len(stimulus.inputs) for stimulus in scenario.stimuli] == [1, 2, 0]
    assert third.action == Run(program="a1.py", argv=("x", "y"))
    stated = scenario.stated_for(first)
    assert (stated.prints, stated.reads) == (Exactly(value=Value.of("once")), 1)
    stated = scenario.stated_for(second)
    assert stated.turns is not None
    assert stated.exit == 1
    assert scenario.stated_for(third) == Expected(prints=scenario.stated_for(second).prints)


def test_rows_are_piped_in(tmp_path: Path) -> None:
    (scenario,) = loaded(tmp_path, "run: a1.py", 'cases: [{stdin: "1\\n"}, {stdin: "2\\n"}]')
    assert [stimulus.stdin for stimulus in scenario.stimuli] == ["1\n", "2\n"]


def test_rows_are_scenarios_of_their_own(tmp_path: Path) -> None:
    scenarios = loaded(
        tmp_path, "run: a1.py", "each: true", "cases: [{input: [a], prints: b}, {input: [c]}]"
    )
    assert [(one.id, typed(one.stimuli[0])) for one in scenarios] == [
        ("f/s[draw=1]", ["a"]),
        ("f/s[draw=2]", ["c"]),
    ]
    assert [one.stated.prints is not None for one in scenarios] == [True, False]


def test_a_name_of_a_row_hides_a_constant_and_a_pattern_quotes_it(tmp_path: Path) -> None:
    (scenario,) = loaded(
        tmp_path,
        "call: check_input(text)",
        "cases: [{text: a.b, PROMPT: 1}]",
        "prints: {matches: '^{{ text }} {{ PROMPT }}$'}",
    )
    assert scenario.stated.prints == Matches(pattern=r"^a\.b 1$")


def test_the_names_of_draws_are_typed(tmp_path: Path) -> None:
    heights = "def some():\n    for height in (1, 2):\n        yield {'height': height}\n"
    files = {"specs/small/heights.py": heights}
    lines = ("run: a1.py", "input: ['{{ height }}']", "cases: heights.some")
    with pytest.raises(SpecErrors) as caught:
        loaded(tmp_path, *lines, **files)
    (error,) = caught.value.errors
    assert error.endswith("is not there. Hint: run harness record.")
    record_draws(tmp_path, "small")
    (scenario,) = load(tmp_path, "small").plan.scenarios
    assert [typed(stimulus) for stimulus in scenario.stimuli] == [["1"], ["2"]]


def test_draws_of_which_a_program_is_given_nothing(tmp_path: Path) -> None:
    heights = "def some():\n    for height in (1, 2):\n        yield {'height': height}\n"
    body = "name: s\nrun: a1.py\ncases: heights.some"
    write(tmp_path, {F: scenario_file(body), "specs/small/heights.py": heights})
    with pytest.raises(SpecErrors) as caught:
        record_draws(tmp_path, "small")
        load(tmp_path, "small")
    assert caught.value.errors == (
        f"{F}:6:12: cases: the program is run alike with every draw. "
        'Hint: type what is drawn: input: ["{{ height }}"].',
    )


def test_a_sample_that_is_typed_is_not_drawn_anew_by_fuzz(tmp_path: Path) -> None:
    heights = (
        "from hypothesis import strategies as st\n\n\n"
        "def any_height():\n"
        "    return st.fixed_dictionaries({'height': st.integers(1, 9)})\n"
    )
    sample = "sample: {strategy: heights.any_height, count: 3}"
    body = f"name: s\nrun: a1.py\ninput: ['{{{{ height }}}}']\n{sample}"
    write(tmp_path, {F: scenario_file(body), "specs/small/heights.py": heights})
    record_draws(tmp_path, "small")
    specification, fuzzing = load_for_fuzzing(tmp_path, "small")
    assert len(specification.plan.scenarios[0].stimuli) == 3
    assert fuzzing.targets == ()
