"""Samples and cases: what each row or draw types and states itself; drawn and frozen by
`record_draws`, only read when grading."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from harness.assignment.compile import compile_assignment, record_draws
from harness.assignment.loading import SpecErrors, load
from harness.common.errors import UserError
from harness.matchers.kinds.combinations import AllOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, Matches
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expected, StatedTurn, StatedTurns
from harness.model.stimulus import Binding, Stimulus
from harness.model.values import Value
from harness.stimuli.run import Run
from tests.assignment.small_assignment import (
    BOARDS,
    F,
    errors_of,
    plan_of,
    scenario_file,
    scenario_of,
    write,
)
from tests.tiny_course import ran

DRAWS = "specs/small/draws"
CASES = "name: every column\ncall: check_win(board)\ncases: boards.every_column"
SAMPLE = (
    "name: boards\ncall: add_piece(board, piece, 0)\n"
    "sample: {strategy: boards.any_board, count: 20, seed: 7}"
)


def recorded(root: Path, body: str, **files: str) -> tuple[Path, ...]:
    """The draws of a scenario, written; their files."""
    write(root, {F: scenario_file(body), **files})
    return record_draws(root, "small")


def test_cases_are_one_scenario_with_a_stimulus_each(tmp_path: Path) -> None:
    paths = recorded(tmp_path, CASES + "\nconstants: {BOARD_SIZE: [2, 3]}")
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        f"{DRAWS}/f.every-column.BOARD_SIZE=2.json",
        f"{DRAWS}/f.every-column.BOARD_SIZE=3.json",
    ]
    two, three = load(tmp_path, "small").plan.scenarios
    assert (two.id, two.is_sample) == ("f/every-column[BOARD_SIZE=2]", True)
    assert [stimulus.bindings for stimulus in two.stimuli] == [
        (Binding(name="board", literal="['--']"),),
        (Binding(name="board", literal="['--', '--']"),),
    ]
    assert {stimulus.constants for stimulus in three.stimuli} == {
        (Binding(name="BOARD_SIZE", literal="3"),)
    }


def test_each_draw_may_be_a_scenario_of_its_own(tmp_path: Path) -> None:
    recorded(tmp_path, CASES + "\neach: true\nconstants: {BOARD_SIZE: [2, 3]}")
    scenarios = load(tmp_path, "small").plan.scenarios
    assert [scenario.id for scenario in scenarios[:3]] == [
        "f/every-column[BOARD_SIZE=2,draw=1]",
        "f/every-column[BOARD_SIZE=2,draw=2]",
        "f/every-column[BOARD_SIZE=3,draw=1]",
    ]
    assert {(len(scenario.stimuli), scenario.is_sample) for scenario in scenarios} == {(1, False)}


def test_a_sample_is_drawn_the_same_again_and_smallest_first(tmp_path: Path) -> None:
    (path,) = recorded(tmp_path, SAMPLE)
    first = path.read_bytes()
    path.unlink()
    record_draws(tmp_path, "small")
    assert path.read_bytes() == first
    (scenario,) = load(tmp_path, "small").plan.scenarios
    assert len(scenario.stimuli) == 20
    names = {tuple(binding.name for binding in each.bindings) for each in scenario.stimuli}
    assert names == {("board", "piece")}
    sizes = [sum(len(binding.literal) for binding in each.bindings) for each in scenario.stimuli]
    assert sizes == sorted(sizes)
    assert len({each.bindings for each in scenario.stimuli}) == 20
    recorded(tmp_path, SAMPLE.replace("seed: 7", "seed: 8"))
    assert json.loads(path.read_text())["draws"] != json.loads(first)["draws"]


AGAIN = "Hint: run harness record."


def test_draws_of_another_request_are_refused(tmp_path: Path) -> None:
    recorded(tmp_path, SAMPLE)
    for change, what in (
        ("count: 21, seed: 7}", "another count"),
        ("count: 20, seed: 8}", "another seed"),
        ("count: 20, seed: 7}\nconstants: {BOARD_SIZE: 4}", "other constants"),
    ):
        said = f"{F}:6:24: sample.strategy: draws/f.boards.json was recorded with {what}. {AGAIN}"
        changed = scenario_file(SAMPLE.replace("count: 20, seed: 7}", change))
        assert errors_of(tmp_path, {F: changed}) == (said,)


FROZEN = f"{DRAWS}/f.every-column.json"


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("specs/small/boards.py", BOARDS + "# new\n", "was recorded with another boards.py."),
        (FROZEN, "{", "is damaged (JSONDecodeError"),
        (FROZEN, '{"request": {}, "draws": [{"board": "f(x)"}]}', "is damaged (ValueError"),
        (FROZEN, '{"request": 3, "draws": []}', "is damaged (TypeError"),
        (FROZEN, '{"request": {}, "draws": [{"board": "1"}]}', "was recorded with another kind."),
    ],
)
def test_bad_and_old_draws_are_refused(file: str, text: str, what: str, tmp_path: Path) -> None:
    recorded(tmp_path, CASES)
    (error,) = errors_of(tmp_path, {F: scenario_file(CASES), file: text})
    assert what in error
    assert error.endswith(AGAIN)


def test_draws_that_nothing_asks_for_are_removed(tmp_path: Path) -> None:
    (path,) = recorded(tmp_path, CASES, **{f"{DRAWS}/f.old.json": "{}"})
    assert list((tmp_path / DRAWS).iterdir()) == [path]
    assert not list(tmp_path.rglob("*.pyc"))  # of the course's file, which was run


def test_while_recording_draws_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path, {F: scenario_file(CASES, "name: other\ncall: check_input('')")})
    scenarios = load(tmp_path, "small", recording=True).plan.scenarios
    assert [scenario.id for scenario in scenarios] == ["f/other"]


GENERATORS = [
    ("yield {'board': object()}", "which is not a Python literal"),
    ("yield [1]", "must return dicts with names as keys, but returned list"),
    ("yield {}", "must return dicts with names as keys, but returned dict"),
    ("yield {'a b': 1}", "gave 'a b', which is not a name"),
    ("yield {'board': float('nan')}", "which is not a Python literal"),
    ("yield {'board': 1}; yield {'bored': 1}", "gave different names in different draws"),
    ("return []", "generated no value"),
    ("return 1 / 0", "failed (ZeroDivisionError: division by zero)"),
]


@pytest.mark.parametrize(("body", "what"), GENERATORS)
def test_invalid_results_of_a_generator_are_refused(body: str, what: str, tmp_path: Path) -> None:
    source = f"def make():\n    {body}\n"
    body = "name: s\ncall: check_win(board)\ncases: bad.make"
    with pytest.raises(UserError) as caught:
        recorded(tmp_path, body, **{"specs/small/bad.py": source})
    assert str(caught.value).startswith("bad.py: bad.make ")
    assert what in str(caught.value)


def test_a_set_is_frozen_in_one_order_and_odd_values_make_safe_file_names(tmp_path: Path) -> None:
    body = "name: s\ncall: check_win(board)\ncases: sets.make\nconstants: {BLANK_PIECE: ['/', a]}"
    source = "def make():\n    yield {'board': {'b', 'a', 'c'}}\n"
    first, second = recorded(tmp_path, body, **{"specs/small/sets.py": source})
    assert first.name == "f.s.BLANK_PIECE=%27%2F%27.json"
    assert second.name == "f.s.BLANK_PIECE=a.json"
    assert json.loads(first.read_text())["draws"] == [{"board": "{'a', 'b', 'c'}"}]
    assert len(load(tmp_path, "small").plan.scenarios) == 2


PROGRAM = """
import sys
from pathlib import Path
from harness.assignment.scenarios.draws import DrawRequest, draw, load_module
from harness.model.plan import Place
from harness.model.study import CourseFunction
folder = Path(sys.argv[1])
place = Place(file="s.py", line=2, column=1)
function = CourseFunction(source="s.any_text", parameters=(), constants=(), place=place)
request = DrawRequest(kind="sample", function=function, count=40, seed=3, generator="")
print(draw(request, load_module(folder, "s.py").any_text))
"""


@pytest.mark.process
def test_loaded_modules_do_not_change_the_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.py").write_text(
        "from hypothesis import strategies as st\n"
        "def any_text():\n"
        "    return st.fixed_dictionaries({'word': st.text(), 'number': st.integers()})\n"
    )
    (tmp_path / "loaded.py").write_text("WORDS = ['zebra', 'quagga']\nNUMBER = 987654321\n")
    plain = ran([sys.executable, "-c", PROGRAM, str(tmp_path)], check=True).stdout
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path)])
    importlib.import_module("loaded")  # beside all that tests load
    exec(PROGRAM, {})
    assert capsys.readouterr().out == plain


def typed(stimulus: Stimulus) -> list[str]:
    return [line.text for line in stimulus.inputs]


def test_names_of_a_row_are_typed_and_expected(tmp_path: Path) -> None:
    scenario = scenario_of(
        tmp_path,
        "run: a1.py\n"
        "input: [Ada, '{{ year }}']\n"
        "turns: {2: {all_of: [{contains: '{{ PROMPT }}'}, {number: '{{ age }}'}]}}\n"
        "cases: [{year: 2023, age: 1}, {year: 1950, age: 74}]",
    )
    assert [typed(stimulus) for stimulus in scenario.stimuli] == [["Ada", "2023"], ["Ada", "1950"]]
    for stimulus, age in zip(scenario.stimuli, ("1", "74"), strict=True):
        both = AllOf(matchers=(Contains(text="Please enter action: "), HasNumber(number=age)))
        turns = (StatedTurn(index=2, printed=both),)
        assert scenario.stated_for(stimulus).turns == StatedTurns(turns=turns, all_turns=False)


def test_a_row_types_and_states_its_own(tmp_path: Path) -> None:
    scenario = scenario_of(
        tmp_path,
        "run: a1.py\ninput: [a]\nprints: {any: true}\ncases:\n"
        "  - {prints: once, reads: 1}\n"
        "  - {input: [a, {key: ctrl-d}], turns: {1: b}, exit: 1}\n"
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
    scenario = scenario_of(tmp_path, 'run: a1.py\ncases: [{stdin: "1\\n"}, {stdin: "2\\n"}]')
    assert [stimulus.stdin for stimulus in scenario.stimuli] == ["1\n", "2\n"]


def test_rows_are_scenarios_of_their_own(tmp_path: Path) -> None:
    body = "run: a1.py\neach: true\ncases: [{input: [a], prints: b}, {input: [c]}]"
    first, second = plan_of(tmp_path, body).scenarios
    assert (first.id, typed(first.stimuli[0])) == ("f/s[draw=1]", ["a"])
    assert (second.id, typed(second.stimuli[0])) == ("f/s[draw=2]", ["c"])
    assert (first.stated.prints is None, second.stated.prints is None) == (False, True)


def test_a_name_of_a_row_hides_a_constant_and_a_pattern_quotes_it(tmp_path: Path) -> None:
    cases = "cases: [{text: a.b, PROMPT: 1}]\nprints: {matches: '^{{ text }} {{ PROMPT }}$'}"
    scenario = scenario_of(tmp_path, f"call: check_input(text)\n{cases}")
    assert scenario.stated.prints == Matches(pattern=r"^a\.b 1$")


HEIGHTS = {
    "specs/small/heights.py": "def some():\n    for height in (1, 2):\n"
    "        yield {'height': height}\n"
}


def test_the_names_of_draws_are_typed(tmp_path: Path) -> None:
    body = "name: s\nrun: a1.py\ninput: ['{{ height }}']\ncases: heights.some"
    (error,) = errors_of(tmp_path, {F: scenario_file(body), **HEIGHTS})
    assert error.endswith("is not there. Hint: run harness record.")
    record_draws(tmp_path, "small")
    (scenario,) = load(tmp_path, "small").plan.scenarios
    assert [typed(stimulus) for stimulus in scenario.stimuli] == [["1"], ["2"]]


def test_draws_of_which_a_program_is_given_nothing(tmp_path: Path) -> None:
    with pytest.raises(SpecErrors) as caught:
        recorded(tmp_path, "name: s\nrun: a1.py\ncases: heights.some", **HEIGHTS)
        load(tmp_path, "small")
    assert caught.value.errors == (
        f"{F}:6:12: cases: the program runs the same way with every draw. "
        'Hint: use the drawn value as input, for example: input: ["{{ height }}"].',
    )


def test_a_sample_that_is_typed_is_not_drawn_anew_by_fuzz(tmp_path: Path) -> None:
    heights = (
        "from hypothesis import strategies as st\n\n\n"
        "def any_height():\n"
        "    return st.fixed_dictionaries({'height': st.integers(1, 9)})\n"
    )
    sample = "sample: {strategy: heights.any_height, count: 3}"
    body = f"name: s\nrun: a1.py\ninput: ['{{{{ height }}}}']\n{sample}"
    recorded(tmp_path, body, **{"specs/small/heights.py": heights})
    compilation = compile_assignment(tmp_path, "small")
    assert len(compilation.specification.plan.scenarios[0].stimuli) == 3
    assert compilation.fuzzing.targets == ()
