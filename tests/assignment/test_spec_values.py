"""Any value under any key is read or refused in our own words, never a traceback; scalars that YAML
readers take differently; sessions; `clock:`; what the head of a file states for all of its
scenarios, and what a file holds afterwards."""

import re
from pathlib import Path

import pytest

from harness.assignment.document import HintedError, is_literal, resolve
from harness.assignment.loading import SpecErrors, load
from harness.assignment.scenarios.python_text import parse_session, typed_in
from harness.assignment.scenarios.stimulus import read_clock
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.expectation import Expected
from harness.model.observation import Ending
from harness.model.plan import Scenario
from harness.model.stimulus import Key, Typed
from harness.model.values import NONE, Value, file_value
from harness.stimuli.run import Run
from tests.assignment.small_assignment import (
    ASSIGNMENT,
    HEAD,
    POLICY,
    A,
    F,
    plan_of,
    scenario_file,
    scenario_of,
    write,
)

ODD = [
    "null", "true", "5", "-1", "1.5", "x", "''", "'{{ X }}'", "[]", "[1]", "[null]", "[[1]]",
    "['']", "{}", "{a: 1}", "{1: 2}", "{python: 5}", "{matches: 1}", "{one_of: 1}", "{type: []}",
    "{key: 1}", "{deduct: x}", "{approx: 1, within: a}", "{any: {}}", "{0: {contains: [1]}}",
    "{type: {a: 1}, message: 3}", "{allow: [1]}", "{BOARD_SIZE: {}}", "{BOARD_SIZE: [null]}",
    "{strategy: a, count: 1}", "{files: [1]}", "{? [a] : b}", "no", "~", "&a b", "!x y",
]  # fmt: skip
SCENARIO_KEYS = [
    "name", "function", "clause", "visible", "points", "informational", "extra_credit", "tags",
    "limits", "given", "constants", "ignore", "provide", "seed", "call", "session", "run", "argv",
    "input", "sample", "cases", "each", "returns", "prints", "turns", "transcript", "raises",
    "leaves", "exit", "reads", "ends", "exists", "class", "steps", "at_load", "over",
    "occur", "all_different", "share",
    "parameters", "attributes", "points_total", "marks", "scenarios", "zzz",
]  # fmt: skip
LINE = re.compile(r"(specs|reference)/small/[\w./]+:\d+:\d+: .+[.?]$")
JARGON = re.compile(r"pydantic|instance of|should be|Input|model_|_type|Traceback|<class")


def mistakes(root: Path, files: dict[str, str | None]) -> set[tuple[str, str]]:
    """The file and the key (or item) of every mistake, which is told in our own words."""
    write(root, dict(files))
    try:
        lines = load(root, "small", recording=True).mutant_mistakes
    except SpecErrors as errors:
        lines = errors.errors
        assert lines
    for line in lines:
        assert LINE.match(line), line
        assert not JARGON.search(line), line
    return {(line.split(":")[0], line.split(": ")[1]) for line in lines}


@pytest.mark.parametrize("key", SCENARIO_KEYS)
def test_a_scenarios_key(key: str, tmp_path: Path) -> None:
    base = {"name": "s", "call": "add_piece(['-'], 'X', 0)"}
    if key in ("session", "run"):
        del base["call"]
    if key == "argv":
        base = {"name": "s", "run": "a1.py"}
    bodies: list[str] = []
    for number, odd in enumerate(ODD):
        pairs = {**base, "name": f"s{number}", key: odd}
        bodies.append("\n".join(f"{name}: {value}" for name, value in pairs.items()))
    mistakes(tmp_path, {F: scenario_file(*bodies)})


@pytest.mark.parametrize("key", SCENARIO_KEYS)
def test_a_key_at_the_head(key: str, tmp_path: Path) -> None:
    files: dict[str, str | None] = {F: None}
    for number, odd in enumerate(ODD[::4]):
        head = f'function: check_input\nclause: "4.6"\n{key}: {odd}\nscenarios:\n'
        files[f"specs/small/f{number}.yaml"] = scenario_file("name: s\nrun: a1.py", head=head)
    for file in {file for file, _ in mistakes(tmp_path, files)} & files.keys():
        (tmp_path / file).unlink()
    mistakes(tmp_path, {F: None})  # what is right goes on to the end


@pytest.mark.parametrize("name", ["assignment", "policy", "clauses", "mutants"])
def test_the_keys_of_other_files(name: str, tmp_path: Path) -> None:
    texts = {"assignment": ASSIGNMENT, "policy": POLICY}
    lines = texts.get(name, f"{name}: []\n").splitlines(keepends=True)
    keys = [line.split(":")[0] for line in lines]
    file = f"specs/small/{name}.yaml"
    for first in range(len(ODD)):
        odd = [f"{key}: {ODD[(first + n) % len(ODD)]}\n" for n, key in enumerate(keys)]
        wrong = {
            re.split("[.,]", label)[0] for _, label in mistakes(tmp_path, {file: "".join(odd)})
        }
        for number, key in enumerate(keys):
            if key not in wrong:  # what is right goes on to the end, where all the rest is
                rest = [*lines[:number], odd[number], *lines[number + 1 :]]
                mistakes(tmp_path, {file: "".join(rest)})


@pytest.mark.parametrize("key", ["clauses", "mutants"])
def test_a_wrong_key_is_reported_with_its_item(key: str, tmp_path: Path) -> None:
    file = f"specs/small/{key}.yaml"
    items = [*ODD, *(f"{{id: {odd}}}" for odd in ODD)]
    for odd in ODD:
        pairs = ("clause", "file", "find", "replace", "why")
        items.append(f"{{{', '.join(f'{name}: {odd}' for name in pairs)}}}")
    labels = {label for _, label in mistakes(tmp_path, {file: f"{key}: [{', '.join(items)}]\n"})}
    for number, item in enumerate(items, 1):
        if not any(re.match(rf"{key}, item {number}\b", label) for label in labels):
            mistakes(tmp_path, {file: f"{key}: [{item}]\n"})


WORTH = [
    ("true", True), ("True", True), ("false", False), ("null", None),
    ("0", 0), ("12", 12), ("-3", -3), ("1.5", 1.5), ("-0.25", -0.25),
    ("r4", "r4"), ("y", "y"), ("n", "n"), ("a b", "a b"), ("-", "-"), ("r-1", "r-1"),
    ("X", "X"), ("nope", "nope"), ("check_input('a1')", "check_input('a1')"), ("1/3", "1/3"),
]  # fmt: skip
REFUSED = [
    "yes", "No", "ON", "off", "TRUE", "FALSE", "~", "Null", "NULL", "012", "017", "-07", "08",
    "0o17", "0x1F", "0b11", "1_000", "1_0.5", "1:30", "190:20:30.15", "2024-03-22",
    "2024-3-2 10:00:00", "1e3", "1.5e-3", "+1", "+1.5", ".5", "5.", "01.5", ".inf", "-.INF",
    ".nan", "=", "<<", "None", "(0, 0, 1)", "()", "1, 2", "b'x'", "1j", "...",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), WORTH)
def test_a_plain_scalar_is_worth(text: str, value: object) -> None:
    assert (type(resolve(text)), resolve(text)) == (type(value), value)


@pytest.mark.parametrize("text", REFUSED)
def test_an_ambiguous_scalar_is_refused(text: str) -> None:
    with pytest.raises(HintedError) as caught:
        resolve(text)
    assert str(caught.value).startswith(f"{text} ")
    assert caught.value.hint


def test_a_python_literal_is_welcome_where_code_is_expected() -> None:
    assert resolve("(0, 1)", code=True) == "(0, 1)"


@pytest.mark.parametrize("text", ["", "a", "f(1)", "1 +", "[", "x.y", "-", "True or False"])
def test_not_a_literal(text: str) -> None:
    assert not is_literal(text)


PARSED = [
    (">>> f(1)\nTrue\n", [("f(1)", "True\n")]),
    (">>> x = 1\n>>> x\n1\n", [("x = 1", ""), ("x", "1\n")]),
    (">>> f(1,\n... 2)\n3\n", [("f(1,\n2)", "3\n")]),
    (">>> f()\n\na\n\n>>> g()\n", [("f()", "\na\n\n"), ("g()", "")]),
    (">>> show()\n...\n... a\n", [("show()", "...\n... a\n")]),
    (
        ">>> for i in x:\n...     print(i)\n...\n...\n1\n",
        [("for i in x:\n    print(i)", "...\n1\n")],
    ),
    (">>> for i in x: print(i)\n1\n", [("for i in x: print(i)", "1\n")]),
    (">>> # why\n>>> f()\n>>>\n", [("f()", "")]),
    (">>> s = '''a\n...   b'''\n>>> s\n", [("s = '''a\n  b'''", ""), ("s", "")]),
    (">>> f(){{ x }}\n", None),
]


@pytest.mark.parametrize(("text", "steps"), PARSED)
def test_steps(text: str, steps: list[tuple[str, str]] | None) -> None:
    if steps is None:
        with pytest.raises(HintedError, match="is not Python"):
            parse_session(text)
    else:
        assert [(step.source, "".join(step.shown)) for step in parse_session(text)] == steps


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\n>>> f()\n", 1, "a session begins with '>>> '"),
        ("", 1, "a session needs a step"),
        (">>> # only this\n", 1, "a session needs a step"),
        (">>>\n1\n", 1, "there is output after an empty step"),
        (">>> f()\n>>>g()\n", 2, "'>>>g()' has a >>> that does not begin its line"),
        (">>> f()\n  >>> g()\n", 2, "'>>> g()' has a >>> that does not begin its line"),
    ],
)
def test_text_that_no_repl_shows_is_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(HintedError) as caught:
        parse_session(text)
    assert (caught.value.line, str(caught.value)) == (line, message)


def test_typed_text_stands_after_the_longest_prompt() -> None:
    steps = parse_session(">>> f()\nMove: a1\nMove: no: x y \nmoved\nMove: ^D\nMove:\n'a1'\n")
    typed = typed_in(steps, ["Move: ", "Move: no: ", 4])
    assert typed == [Typed(text="a1"), Typed(text="x y "), Typed(key=Key.CTRL_D), Typed()]
    assert "".join(steps[0].shown) == "Move: a1\nMove: no: x y \nmoved\nMove: ^D\nMove: \n'a1'\n"


@pytest.mark.parametrize("text", ["Mov", " ", "Move:", "a\n "])
def test_prompts_are_single_lines_that_end_in_a_space(text: str) -> None:
    assert typed_in(parse_session(">>> f()\nMove: a1\n  a\na\n b\n"), [text]) == []


READ = {
    ("2026-03-01T12:00", ""): "2026-03-01T12:00:00+00:00",
    ("2026-03-01 12:00:30", "UTC"): "2026-03-01T12:00:30+00:00",
    ("2026-03-01", "Australia/Brisbane"): "2026-03-01T00:00:00+10:00",
    ("2026-03-01T12:00Z", "Australia/Brisbane"): "2026-03-01T12:00:00+00:00",
    ("2026-03-01T12:00-03:30", "Australia/Brisbane"): "2026-03-01T12:00:00-03:30",
    ("2026-07-01T12:00", "Europe/London"): "2026-07-01T12:00:00+01:00",
    ("2028-02-29", "Europe/London"): "2028-02-29T00:00:00+00:00",
}
NO_TIMES = {
    ("2026-03-01T24:30", ""): (
        "2026-03-01T24:30 is not a valid time (hour must be in 0..23)",
        "write a date and a time that exist",
    ),
    ("2026-10-25T01:30", "Europe/London"): (
        "2026-10-25T01:30 occurs twice in Europe/London: the clocks are put back then",
        "write 2026-10-25T01:30+01:00 or 2026-10-25T01:30+00:00",
    ),
    ("1969-07-20", ""): (
        "1969-07-20 is outside the times that a computer's clock can show",
        "write a year from 1970 to 9998",
    ),
    ("2026-3-1", ""): (
        "expected a date and a time, got '2026-3-1'",
        "write one like 2026-03-01T12:00, or only a date for its midnight",
    ),
    ("noon", ""): (
        "expected a date and a time, got 'noon'",
        "write one like 2026-03-01T12:00, or only a date for its midnight",
    ),
}


@pytest.mark.parametrize("written", READ, ids=" ".join)
def test_a_time_is_read_in_its_zone(written: tuple[str, str]) -> None:
    assert read_clock(*written).time.isoformat() == READ[written]


@pytest.mark.usefixtures("no_zones")
def test_a_time_without_a_zone_is_utc_even_without_zone_data() -> None:
    assert read_clock("2026-03-01T12:00", "").time.isoformat() == "2026-03-01T12:00:00+00:00"


@pytest.mark.parametrize("written", NO_TIMES, ids=" ".join)
def test_times_that_no_clock_shows_are_refused(written: tuple[str, str]) -> None:
    with pytest.raises(HintedError) as refused:
        read_clock(*written)
    assert (str(refused.value), refused.value.hint) == NO_TIMES[written]


def at_times(root: Path, *lines: str, settings: str = "", head: str = "") -> tuple[Scenario, ...]:
    body = "\n".join(("call: check_input('a')", *lines))
    return plan_of(root, body, head=head + HEAD, changes={A: ASSIGNMENT + settings}).scenarios


ZONE = "time_zone: Australia/Brisbane\nclock: 2026-03-01T12:00\n"
NEXT_YEAR = "clock: 2027-01-01\n"
FIRST, SECOND = "2026-03-01T00:00:00+00:00", "2028-02-29T08:00:00+00:00"
# Lines of the scenario, of assignment.yaml and of the file's head; the times of its stimuli.
CLOCKS: dict[str, tuple[tuple[str, ...], str, str, dict[str, list[str]]]] = {
    "none": ((), "", "", {"f/s": [""]}),
    "of the assignment": ((), ZONE, "", {"f/s": ["2026-03-01T12:00:00+10:00"]}),
    "of the file": ((), ZONE, NEXT_YEAR, {"f/s": ["2027-01-01T00:00:00+10:00"]}),
    "of the scenario": (
        ("clock: 2028-02-29T08:00",),
        ZONE,
        NEXT_YEAR,
        {"f/s": ["2028-02-29T08:00:00+10:00"]},
    ),
    "of rows": (
        ("clock: 2026-03-01", "cases: [{clock: 2027-01-01}, {returns: true}]"),
        "",
        "",
        {"f/s": ["2027-01-01T00:00:00+00:00", FIRST]},
    ),
    "a list, swept with constants": (
        ("constants: {BOARD_SIZE: [4, 5]}", 'clock: [2026-03-01, "2028-02-29T08:00"]'),
        "",
        "",
        {
            "f/s[BOARD_SIZE=4,clock=2026-03-01]": [FIRST],
            "f/s[BOARD_SIZE=4,clock=2028-02-29T08:00]": [SECOND],
            "f/s[BOARD_SIZE=5,clock=2026-03-01]": [FIRST],
            "f/s[BOARD_SIZE=5,clock=2028-02-29T08:00]": [SECOND],
        },
    ),
}


@pytest.mark.parametrize("case", CLOCKS)
def test_the_clock_of_the_assignment_gives_way_to_nearer_ones(case: str, tmp_path: Path) -> None:
    lines, settings, head, times = CLOCKS[case]
    assert times == {
        scenario.id: [
            each.clock.time.isoformat() if each.clock else "" for each in scenario.stimuli
        ]
        for scenario in at_times(tmp_path, *lines, settings=settings, head=head)
    }


def test_the_time_that_is_swept_fills_in_texts(tmp_path: Path) -> None:
    (scenario,) = at_times(tmp_path, "clock: [2026-03-01]", 'prints: "{{ clock }}\\n"')
    assert scenario.stated.prints.exact_text == "2026-03-01\n"


def under(root: Path, head: str, *bodies: str) -> tuple[Scenario, ...]:
    named = [f"name: s{number}\n{body}" for number, body in enumerate(bodies)]
    return plan_of(root, *named, head=head + HEAD).scenarios


def stated(root: Path, head: str, *bodies: str) -> list[Expected]:
    return [scenario.stated for scenario in under(root, head, *bodies)]


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
    call, session, run = under(
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
    assert turns.turns.turns[0].printed == Contains(text="action")


def test_rows_state_their_own_in_place_of_a_default(tmp_path: Path) -> None:
    body = "call: check_input(text)\ncases: [{text: a}, {text: b, prints: ''}]"
    (scenario,) = under(tmp_path, "prints: {any: true}\n", body)
    prints = [each.prints for each in scenario.stated_cases]
    assert prints == [AnyValue(), Exactly(value=Value.of(""))]


def test_a_row_states_its_ending_and_the_files_it_writes(tmp_path: Path) -> None:
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


def test_a_files_content_is_stated_as_it_was(tmp_path: Path) -> None:
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
