"""A spec folder that is right, and the model it becomes."""

from fractions import Fraction
from pathlib import Path

import pytest

from harness.assignment.loading import available, find_root, load
from harness.common.errors import UserError
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, NoneOf, OneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, LinesUnordered, Matches
from harness.matchers.kinds.values import AnyValue, Approximately, Exactly, OfType, PythonValue
from harness.model.assignment import FunctionSignature, SourceFile
from harness.model.expectation import (
    Expected,
    Floats,
    Ignore,
    Matcher,
    StatedLeave,
    StatedRaise,
    StatedTurn,
    StatedTurns,
    TextRules,
)
from harness.model.observation import Ending
from harness.model.plan import Mutant, Place, TranscriptFile, Visibility
from harness.model.policy import (
    Condition,
    Consequence,
    FileImports,
    ImportPolicy,
    NameList,
    Policy,
    Severity,
)
from harness.model.stimulus import Binding, Key, Limits, StandIn, Typed
from harness.model.values import NONE, Value
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests.assignment.small_assignment import (
    ASSIGNMENT,
    HEAD,
    SUPPORT,
    A,
    Changes,
    F,
    errors_of,
    plan_of,
    scenario_file,
    scenario_of,
    write,
)


def turns(*printed: Matcher, every: bool) -> StatedTurns:
    stated = tuple(StatedTurn(index=index, printed=each) for index, each in enumerate(printed))
    return StatedTurns(turns=stated, all_turns=every)


@pytest.mark.parametrize(
    ("line", "isolate_all"),
    [
        ("", False),
        ("isolation: auto\n", False),
        ("isolation: proved\n", False),
        ("isolation: all\n", True),
    ],
)
def test_isolation_takes_its_former_name_too(tmp_path: Path, line: str, isolate_all: bool) -> None:
    write(tmp_path, {A: ASSIGNMENT + line})
    assert load(tmp_path, "small").plan.assignment.isolate_all is isolate_all


def test_the_assignment_is_loaded(tmp_path: Path) -> None:
    text = ASSIGNMENT + "limits: {cpu_seconds: 2, output_kib: 64}\n"
    write(tmp_path, {A: text})
    specification = load(tmp_path, "small")
    assignment = specification.plan.assignment
    assert (assignment.id, assignment.title, assignment.course) == ("small", "Small", "A course")
    assert (assignment.python, assignment.submission_files) == ("3.12", ("a1.py",))
    assert assignment.limits == Limits(cpu_seconds=2.0, output_kib=64)
    assert [clause.id for clause in assignment.clauses] == ["4.6", "table-2.column", "imports"]
    assert assignment.functions == (
        FunctionSignature(name="check_input", parameters=("command",)),
        FunctionSignature(name="get_action", parameters=()),
        FunctionSignature(name="add_piece", parameters=("board", "piece", "column_index")),
        FunctionSignature(name="check_win", parameters=("board",)),
        FunctionSignature(name="main", parameters=()),
    )
    support = SourceFile(name="a1_support.py", data=SUPPORT.encode())
    assert [variant.files for variant in assignment.variants] == [(support,)]
    assert [file.name for file in specification.reference] == ["a1.py"]
    assert specification.folder == str(tmp_path / "specs" / "small")


def test_the_policy(tmp_path: Path) -> None:
    policy = plan_of(tmp_path, "call: check_input('')").assignment.policy
    exactly = ("from typing import Optional", "from a1_support import *")
    names = "BLANK_PIECE BOARD_SIZE COLUMN_MESSAGE FULL_MESSAGE LEFT PROMPT RIGHT SIZES TWICE"
    assert policy == Policy(
        imports=ImportPolicy(exactly=exactly),
        lists=(
            NameList(key="syntax", allow=("FunctionDef", "Return")),
            NameList(key="builtins", allow=("print", "input")),
            NameList(key="methods", allow=("append",)),
            NameList(key="module_level", allow=("imports", "functions", "main_guard")),
        ),
        provided_modules=("a1_support",),
        provided_names=tuple(names.split()),
        imports_clause="imports",
        on_imports=Consequence(severity=Severity.DEDUCT, marks=Fraction(3, 2)),
        on_techniques=Consequence(severity=Severity.NOTE),
        on_structure=Consequence(severity=Severity.ZERO),
    )


def test_a_policy_of_what_parts_must_have(tmp_path: Path) -> None:
    text = (
        "structure:\n  - {main_guard: true, avoids: [global, .sort]}\n"
        "  - {in: check_input, lines: 10, uses: while}\n  - {in: _private, recursive: false}\n"
    )
    write(tmp_path, {"specs/small/policy.yaml": text})
    policy = load(tmp_path, "small").plan.assignment.policy
    assert policy is not None
    file, function, private = policy.requirements
    assert (file.scope, function.scope, private.scope) == ("", "check_input", "_private")
    assert set(file.conditions) == {
        Condition(key="avoids", names=("global", ".sort")),
        Condition(key="main_guard", wanted=True),
    }
    assert set(function.conditions) == {
        Condition(key="uses", names=("while",)),
        Condition(key="lines", count=10),
    }
    assert private.conditions == (Condition(key="recursive", wanted=False),)
    assert file.consequence is None


def test_a_requirement_has_its_own_parts_cost_and_clause(tmp_path: Path) -> None:
    text = (
        "structure:\n  - {lines: {at_most: 300}}\n"
        '  - {in: [check_input, _private], prints: 1, severity: {deduct: 2}, clause: "4.6"}\n'
    )
    write(tmp_path, {"specs/small/policy.yaml": text})
    policy = load(tmp_path, "small").plan.assignment.policy
    assert policy is not None
    file, *functions = policy.requirements
    assert file.conditions == (Condition(key="lines", count=300),)
    costs = Consequence(severity=Severity.DEDUCT, marks=Fraction(2), entry=1)
    for function, name in zip(functions, ("check_input", "_private"), strict=True):
        assert (function.scope, function.clause, function.consequence) == (name, "4.6", costs)


def test_a_policy_of_forbidden_names_is_loaded(tmp_path: Path) -> None:
    text = (
        "imports: {files: {a1.py: {forbid: [os]}}}\nsyntax: {forbid: [FunctionDef]}\n"
        "builtins: {forbid: [sum]}\nmethods: {forbid: [sort]}\n"
    )
    write(tmp_path, {"specs/small/policy.yaml": text})
    policy = load(tmp_path, "small").plan.assignment.policy
    rules = (FileImports(file="a1.py", imports=ImportPolicy(forbid=("os",))),)
    assert (policy.imports, policy.file_imports) == (None, rules)
    assert policy.lists == (
        NameList(key="syntax", forbid=("FunctionDef",)),
        NameList(key="builtins", forbid=("sum",)),
        NameList(key="methods", forbid=("sort",)),
    )


def test_mutants_get_their_indentation_back(tmp_path: Path) -> None:
    assert load(write(tmp_path), "small").mutants == (
        Mutant(
            clause="4.6",
            file="a1.py",
            find="        print(COLUMN_MESSAGE)\n        return False\n",
            replace="        return False\n",
            why="the message is left out",
        ),
    )


def test_a_scenario(tmp_path: Path) -> None:
    body = 'visible: after_due_date\ncall: check_input("a1")\nreturns: true\nseed: 3'
    scenario = scenario_of(tmp_path, body + "\npoints: 0.1\ntags: [size]\nextra_credit: true")
    assert (scenario.id, scenario.group, scenario.name) == ("f/s", "f/s", "s")
    assert (scenario.function, scenario.clauses) == ("check_input", ("4.6",))
    assert scenario.visibility is Visibility.AFTER_DUE_DATE
    assert scenario.points == Fraction(1, 10)
    assert scenario.place == Place(file=F, line=4, column=5)
    flags = (scenario.extra_credit, scenario.informational)
    assert (scenario.tags, flags) == (("size",), (True, False))
    (stimulus,) = scenario.stimuli
    assert (stimulus.action, stimulus.seed) == (Call(expression='check_input("a1")'), 3)
    assert scenario.stated.returns == Exactly(value=Value.of(True))


@pytest.mark.parametrize(
    ("written", "points"),
    [("1.10", "11/10"), ("0.00001", "1/100000"), ("'2/6'", "1/3"), ("'0.5'", "1/2"), ("3", "3")],
)
def test_points_are_exact(written: str, points: str, tmp_path: Path) -> None:
    assert scenario_of(tmp_path, f"call: check_input('')\npoints: {written}").points == Fraction(
        points
    )


def test_a_sweep_multiplies_and_rewrites_the_provided_file(tmp_path: Path) -> None:
    body = (
        "name: Ünder the Last, column!\n"
        "constants: {BOARD_SIZE: [4, 10], BLANK_PIECE: ['.', '_'], SIZES: [[1]]}\n"
        "call: check_input(f'a{BOARD_SIZE + 1}')\n"
        'prints: "{{ COLUMN_MESSAGE }}{{ BLANK_PIECE }}{{ SIZES }}\\n"'
    )
    plan = plan_of(tmp_path, body)
    assert [scenario.id for scenario in plan.scenarios] == [
        f"f/under-the-last-column[BOARD_SIZE={size},BLANK_PIECE={piece},SIZES=[1]]"
        for size in (4, 10)
        for piece in "._"
    ]
    assert {scenario.group for scenario in plan.scenarios} == {"f/under-the-last-column"}
    last = plan.scenarios[-1]
    assert last.stated.prints == Exactly(value=Value.of("Choose a column from 1 to 10_(1,)\n"))
    constants = last.stimuli[0].constants
    literals = {"BLANK_PIECE": "'_'", "BOARD_SIZE": "10", "SIZES": "(1,)"}
    assert [(each.name, each.literal) for each in constants] == list(literals.items())
    variants = plan.assignment.variants
    assert (len(variants), variants[0].constants) == (5, ())
    assert b"BOARD_SIZE = 10\n" in plan.assignment.variant(constants).files[0].data


def test_dictionaries_and_sets_are_overridden(tmp_path: Path) -> None:
    shop = "PRICES = {\n    'tea': 2,\n}\nSEEN = {'a'}\n"
    changes = {"reference/small/a1_support.py": SUPPORT + shop}
    body = (
        "name: n\nconstants: {PRICES: {tea: 3, 4: null}, SEEN: [[b, a], []]}\n"
        "call: check_input('')\nprints: '{{ PRICES }}'"
    )
    plan = plan_of(tmp_path, body, changes=changes)
    assert [scenario.id for scenario in plan.scenarios] == ["f/n[SEEN=['b', 'a']]", "f/n[SEEN=[]]"]
    bound = [scenario.stimuli[0].constants for scenario in plan.scenarios]
    prices = Binding(name="PRICES", literal="{'tea': 3, 4: None}")
    assert bound == [
        (prices, Binding(name="SEEN", literal="{'a', 'b'}")),
        (prices, Binding(name="SEEN", literal="set()")),
    ]
    first, last = plan.scenarios
    assert first.stated.prints == Exactly(value=Value.of(prices.literal))
    file, *_ = plan.assignment.variant(last.stimuli[0].constants).files
    assert file.data.endswith(b"PRICES = ({'tea': 3, 4: None}\n\n)\nSEEN = set()\n")


def test_one_override_is_not_a_sweep(tmp_path: Path) -> None:
    scenario = scenario_of(tmp_path, "constants: {BOARD_SIZE: 4}\ncall: check_input('')")
    assert scenario.id == "f/s"
    assert scenario.stimuli[0].constants == (Binding(name="BOARD_SIZE", literal="4"),)
    stated = (scenario.visibility, scenario.points, scenario.stated.returns)
    assert stated == (Visibility.HIDDEN, 1, None)  # nothing else is stated


def test_a_tolerance_is_the_nearest_that_is_stated(tmp_path: Path) -> None:
    own = "name: b\ncall: check_input('a')\nfloats: {within: 0.5}"
    first = "name: a\ncall: check_input('a')\nreturns: {python: '1.5', approx: 2}"
    head = "function: check_input\nfloats: {within: 0.1, in_text: true}\nscenarios:\n"
    a, b = plan_of(tmp_path, first, own, head=head).scenarios
    assert a.stated.floats == Floats(within=0.1, in_text=True)
    returned = PythonValue(expression="1.5", floats=Floats(within=2, in_text=True))
    assert a.stated.returns == returned
    assert b.stated.floats == Floats(within=0.5)
    assert a.stated.rules == TextRules(within=0.1)
    assert b.stated.rules == TextRules()


def test_the_head_of_a_file_gives_defaults(tmp_path: Path) -> None:
    head = (
        'function: check_input\nclause: ["4.6", imports]\nvisible: true\npoints: 2\ntags: a\n'
        "limits: {cpu_seconds: 2, memory_mib: 64}\ngiven: x = 1\nconstants: {BOARD_SIZE: 4}\n"
        "informational: true\nignore: case\nseed: 5\nscenarios:\n"
    )
    first = "name: a\ncall: check_input(x)"
    second = (
        "name: b\nfunction: check_win\nclause: table-2.column\nvisible: false\npoints: '1/3'\n"
        "tags: []\nlimits: {cpu_seconds: 3}\ngiven: |\n  y = [x]\nconstants: {BOARD_SIZE: [9]}\n"
        "informational: false\nignore: []\nseed: 6\ncall: check_win(y)"
    )
    a, b = plan_of(tmp_path, first, second, head=head).scenarios
    assert (a.function, a.clauses, a.visibility) == ("check_input", ("4.6", "imports"), "visible")
    assert (a.points, a.tags, a.informational) == (2, ("a",), True)
    assert a.limits == Limits(cpu_seconds=2.0, memory_mib=64)
    assert a.stated.ignore == (Ignore.CASE,)
    assert (a.stimuli[0].given, a.stimuli[0].seed) == ("x = 1\n", 5)
    assert a.stimuli[0].constants == (Binding(name="BOARD_SIZE", literal="4"),)
    assert (b.function, b.clauses, b.visibility) == ("check_win", ("table-2.column",), "hidden")
    assert (b.points, b.tags, b.informational) == (Fraction(1, 3), (), False)
    assert (b.limits, b.stated.ignore) == (Limits(cpu_seconds=3.0, memory_mib=64), ())
    assert (b.stimuli[0].given, b.stimuli[0].seed) == ("x = 1\ny = [x]\n", 6)
    assert b.id == "f/b[BOARD_SIZE=9]"


def test_points_total_rescales_what_counts(tmp_path: Path) -> None:
    call = "call: check_input('')"
    bodies = (
        f"name: a\npoints: 2\n{call}",
        f"name: b\nconstants: {{BOARD_SIZE: [4, 5]}}\n{call}",
        f"name: c\nextra_credit: true\n{call}",
        f"name: d\ninformational: true\n{call}",
    )
    plan = plan_of(tmp_path, *bodies, head=f"points_total: 10\n{HEAD}")
    points = [scenario.points for scenario in plan.scenarios]
    assert points == [5, Fraction(5, 2), Fraction(5, 2), Fraction(5, 2), Fraction(5, 2)]


@pytest.mark.parametrize(
    ("heads", "shares"),
    [
        (("marks: 2\n", ""), (2, 4)),
        (("marks: 2\n", "marks: 4\n"), (2, 4)),
        (("marks: 1/2\n", "points_total: 3\n"), (Fraction(1, 2), Fraction(11, 2))),
    ],
)
def test_marks_of_a_file_are_marks_of_the_assignment(
    tmp_path: Path, heads: tuple[str, str], shares: tuple[Fraction, Fraction]
) -> None:
    call = "call: check_input('')"
    one = (f"name: a\npoints: 2\n{call}", f"name: b\n{call}")
    two = (f"name: c\n{call}", f"name: d\nextra_credit: true\n{call}")
    other = scenario_file(*two, head=heads[1] + HEAD)
    plan = plan_of(tmp_path, *one, head=heads[0] + HEAD, changes={"specs/small/g.yaml": other})
    points = {each.id: each.points for each in plan.scenarios}
    whole = points["f/a"] + points["f/b"] + points["g/c"]
    assert (points["f/a"], points["g/c"]) == (2 * points["f/b"], points["g/d"])
    out_of = plan.assignment.functionality_marks
    assert (points["f/a"] + points["f/b"]) / whole * out_of == shares[0]
    assert points["g/c"] / whole * out_of == shares[1]


RETURNS: list[tuple[str, Matcher]] = [
    ("null", Exactly(value=NONE)),
    ("r4", Exactly(value=Value.of("r4"))),
    ("'{{ BLANK_PIECE }}'", Exactly(value=Value.of("-"))),
    ("[1, [true, 'a'], 2.5]", Exactly(value=Value.of([1, [True, "a"], 2.5]))),
    ("1.0", Exactly(value=Value.of(1.0))),
    ("{python: 'BOARD_SIZE * 2'}", PythonValue(expression="BOARD_SIZE * 2")),
    ("\n  python: (0, 0, 1)   # a tuple", PythonValue(expression="(0, 0, 1)")),
    ("{any: true}", AnyValue()),
    ("{type: float}", OfType(name="float")),
    ("{approx: 3, within: 0.5}", Approximately(number=3.0, within=0.5)),
    ("{matches: '^{{ PROMPT }}a+$'}", Matches(pattern=r"^Please\ enter\ action:\ a+$")),
    ("{contains: '{{ BOARD_SIZE }}'}", Contains(text="8")),
    ("{number: 4}", HasNumber(number="4")),
    ('{number: "2.50"}', HasNumber(number="2.50")),
    ("{number: '{{ BOARD_SIZE }}'}", HasNumber(number="8")),
    (
        "{a_line: {all_of: [{contains: tries}, {number: '{{ BOARD_SIZE }}'}]}}",
        ALine(matcher=AllOf(matchers=(Contains(text="tries"), HasNumber(number="8")))),
    ),
    ("{last_line: {contains: tries}}", LastLine(matcher=Contains(text="tries"))),
    ("{one_of: [1, null]}", OneOf(values=(Value.of(1), NONE))),
    (
        "{all_of: [{type: str}, {none_of: [{contains: '{{ BOARD_SIZE }}'}, {python: 'TWICE'}]}]}",
        AllOf(
            matchers=(
                OfType(name="str"),
                NoneOf(matchers=(Contains(text="8"), PythonValue(expression="TWICE"))),
            )
        ),
    ),
]


def test_every_other_channel_of_a_call(tmp_path: Path) -> None:
    body = (
        "call: add_piece(['-'], 'X', column_index=0)\n"
        "prints: {matches: a}\n"
        "input: [a1, ' b ', -0, '4,6', {key: ctrl-d}]\n"
        'turns: {0: "{{ PROMPT }}", 5: {any: true}}\n'
        "leaves: {board: ['X']}\n"
        "reads: 5\nends: asks_for_more\nignore: [case, blank-lines]"
    )
    scenario = scenario_of(tmp_path, body)
    stated = scenario.stated
    assert stated.prints == Matches(pattern="a")
    prompt = Exactly(value=Value.of("Please enter action: "))
    first, last = StatedTurn(index=0, printed=prompt), StatedTurn(index=5, printed=AnyValue())
    assert stated.turns == StatedTurns(turns=(first, last), all_turns=False)
    assert stated.leaves == (StatedLeave(name="board", value=Exactly(value=Value.of(["X"]))),)
    assert (stated.reads, stated.ends) == (5, Ending.ASKED_FOR_MORE)
    assert stated.ignore == (Ignore.CASE, Ignore.BLANK_LINES)
    assert scenario.stimuli[0].inputs == (
        Typed(text="a1"), Typed(text=" b "), Typed(text="-0"), Typed(text="4,6"),
        Typed(key=Key.CTRL_D),
    )  # fmt: skip


TWO_FILES = {
    A: ASSIGNMENT.replace("[a1.py]", "[a1.py, b.py]"),
    "reference/small/b.py": "import a1\n",
    "reference/small/spare.py": "x = 1\n",
    "specs/small/s.py": "x = 2\n",
}


def test_stand_ins_of_a_scenario_replace_those_of_the_head(tmp_path: Path) -> None:
    call = "call: check_input('')"
    bodies = (
        f"name: a\n{call}",
        f"name: b\nstand_in: {{a1.py: spare.py}}\n{call}",
        f"name: c\nstand_in: {{}}\n{call}",
    )
    head = f"stand_in: {{a1.py: s.py}}\n{HEAD}"
    plan = plan_of(tmp_path, *bodies, head=head, changes={**TWO_FILES})
    assert [scenario.stand_ins for scenario in plan.scenarios] == [
        (StandIn(module="a1.py", file="s.py"),),
        (StandIn(module="a1.py", file="spare.py"),),
        (),
    ]
    assert plan.assignment.stand_in_files == (
        SourceFile(name="s.py", data=b"x = 2\n"),
        SourceFile(name="spare.py", data=b"x = 1\n"),
    )
    first = plan.scenarios[0]
    assert first.stimuli[0].stand_ins == ()
    assert first.standing_in().stimuli[0].stand_ins == first.stand_ins
    changes: Changes = {**TWO_FILES, "specs/small/s.py": "x = 3\n"}
    changed = plan_of(tmp_path, *bodies, head=head, changes=changes)
    assert changed.spec_digest != plan.spec_digest


NONE_OF_A, ALL_OF_A = NoneOf(matchers=(Contains(text="a"),)), AllOf(matchers=(Contains(text="a"),))
STATED: list[tuple[str, Expected]] = [
    *((f"returns: {written}", Expected(returns=matcher)) for written, matcher in RETURNS),
    ("raises: ValueError", Expected(raises=StatedRaise(type_name="ValueError"))),
    (
        "raises: {type: ValueError, message: {contains: '{{ BOARD_SIZE }}'}}",
        Expected(raises=StatedRaise(type_name="ValueError", message=Contains(text="8"))),
    ),
    (
        "raises: {type: MyError, is_a: ValueError}",
        Expected(raises=StatedRaise(type_name="MyError", is_a="ValueError")),
    ),
    (
        "raises: {type: E, message: {all_of: [{contains: a}]}}",
        Expected(raises=StatedRaise(type_name="E", message=ALL_OF_A)),
    ),
    ("prints: {none_of: [{contains: a}]}", Expected(prints=NONE_OF_A)),
    ("turns: {0: {all_of: [{contains: a}]}}", Expected(turns=turns(ALL_OF_A, every=False))),
    (
        "input: [a]\nturns: [{none_of: [{contains: a}]}, {all_of: [{contains: a}]}]",
        Expected(turns=turns(NONE_OF_A, ALL_OF_A, every=True)),
    ),
    (
        "leaves: {board: {none_of: [{contains: a}]}}",
        Expected(leaves=(StatedLeave(name="board", value=NONE_OF_A),)),
    ),
    ("leaves: unchanged", Expected(leaves_unchanged=True)),
    ("prompts: {any: true}", Expected(prompts_any=True)),
    ("prompts: exact", Expected()),
    ("reads: {any: true}", Expected(reads_any=True)),
    ("reads: {at_most: 2}", Expected(reads_at_most=2)),
    ("ends: {any: true}", Expected(ends_any=True)),
    ("writes: {any: true}", Expected(writes_any=True)),
    ("prints: {lines_unordered: [b, a]}", Expected(prints=LinesUnordered(lines=("b", "a")))),
]


def test_prompts_of_an_assignment_are_free_unless_a_scenario_states_them(tmp_path: Path) -> None:
    free = {A: ASSIGNMENT + "prompts: {any: true}\n"}
    call = "call: check_input('')"
    scenario = scenario_of(tmp_path / "free", call, free)
    assert scenario.stated.prompts_any
    assert scenario.stimuli[0].marks_prompts
    scenario = scenario_of(tmp_path / "exact", f"{call}\nprompts: exact", free)
    assert not scenario.stated.prompts_any
    assert not scenario.stimuli[0].marks_prompts


@pytest.mark.parametrize(("written", "expected"), STATED)
def test_stated_results_of_a_call_are_read(
    written: str, expected: Expected, tmp_path: Path
) -> None:
    assert scenario_of(tmp_path, f"call: add_piece(['-'], 'X', 0)\n{written}").stated == expected


def test_a_pattern_in_words(tmp_path: Path) -> None:
    patterns = "patterns: {a prompt for an action: '^{{ PROMPT }}a+$'}\n"
    stated = "prints: {none_of: [{shows: a prompt for an action}]}\nexit: {any: true}"
    scenario = scenario_of(tmp_path, f"run: a1.py\n{stated}", {A: ASSIGNMENT + patterns})
    pattern = Matches(pattern=r"^Please\ enter\ action:\ a+$", words="a prompt for an action")
    assert scenario.stated.prints == NoneOf(matchers=(pattern,))
    assert (scenario.stated.exit, scenario.stated.exit_any) == (None, True)


def test_a_program_with_a_transcript_for_each_size(tmp_path: Path) -> None:
    body = (
        "name: game\nrun: a1.py\nargv: [-x]\nprovide: extra/note.txt\ninput: [a1, n]\nexit: 0\n"
        "constants: {BOARD_SIZE: [4, 10]}\ntranscript: gameplay/size_{{ BOARD_SIZE }}.txt"
    )
    text = "{{ PROMPT }}a1\r\n{{ COLUMN_MESSAGE }}\r\n"
    texts = {f"specs/small/gameplay/size_{size}.txt": text for size in (4, 10)}
    plan = plan_of(tmp_path, body, changes={**texts, "specs/small/extra/note.txt": "note"})
    last = plan.scenarios[-1]
    assert last.stimuli[0].action == Run(program="a1.py", argv=("-x",))
    assert last.stimuli[0].provide == ("extra/note.txt",)
    assert plan.assignment.extra_files == (SourceFile(name="extra/note.txt", data=b"note"),)
    assert [file.name for file in plan.assignment.shown_extra_files()] == ["note.txt"]
    screen = "Please enter action: a1\nChoose a column from 1 to 10\n"
    assert (last.stated.transcript, last.stated.exit) == (screen, 0)
    assert load(tmp_path, "small").transcripts == (
        TranscriptFile(scenario_id="f/game[BOARD_SIZE=4]", path="gameplay/size_4.txt"),
        TranscriptFile(scenario_id="f/game[BOARD_SIZE=10]", path="gameplay/size_10.txt"),
    )


def test_a_transcript_may_be_missing_while_recording(tmp_path: Path) -> None:
    write(tmp_path, {F: scenario_file("name: s\nrun: a1.py\ntranscript: gameplay/t.txt")})
    specification = load(tmp_path, "small", recording=True)
    (scenario,) = specification.plan.scenarios
    assert scenario.stated.transcript is None
    assert specification.transcripts == (TranscriptFile(scenario_id="f/s", path="gameplay/t.txt"),)


def test_a_session_as_on_the_sheet(tmp_path: Path) -> None:
    body = (
        "given: |\n  >>> start = 'a9'\nsession: |\n"
        "  >>> f'{{start}}'\n  '{start}'\n  >>> board = get_action()\n  {{ PROMPT }}a9\n"
        "  {{ COLUMN_MESSAGE }}\n  Please enter action: a1\n  >>> board\n  'a1'\n"
        "leaves: {board: a1}"
    )
    scenario = scenario_of(tmp_path, body)
    (stimulus,) = scenario.stimuli
    assert stimulus.action == Session(steps=("f'{{start}}'", "board = get_action()", "board"))
    assert stimulus.given == "start = 'a9'\n"
    assert stimulus.inputs == (Typed(text="a9"), Typed(text="a1"))
    shown = "Please enter action: a9\nChoose a column from 1 to 8\nPlease enter action: a1\n"
    assert scenario.stated.shown == ("'{start}'\n", shown, "'a1'\n")


def test_typed_text_may_stand_in_input_instead(tmp_path: Path) -> None:
    body = "input: [b2]\nsession: |\n  >>> get_action()\n  Please enter action: a1\n  'a1'\n"
    assert scenario_of(tmp_path, body).stimuli[0].inputs == (Typed(text="b2"),)


def test_support_files_take_the_place_of_ours(tmp_path: Path) -> None:
    write(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "a1_support.py").write_text(SUPPORT.replace("BOARD_SIZE = 8", "BOARD_SIZE = 6"))
    ours, theirs = load(tmp_path, "small").plan, load(tmp_path, "small", support=other).plan
    assert b"BOARD_SIZE = 6" in theirs.assignment.variants[0].files[0].data
    assert ours.spec_digest != theirs.spec_digest
    assert ours.reference_digest == theirs.reference_digest
    assert load(tmp_path, "small").plan == ours


def test_without_a_reference_only_what_is_stated_counts(tmp_path: Path) -> None:
    body = "call: nobody_knows(1)\nfunction: nobody_knows\nreturns: 1\nleaves: {x: 1}"
    write(tmp_path, {F: scenario_file(f"name: s\n{body}"), "reference/small/a1.py": None})
    specification = load(tmp_path, "small")
    assert (specification.reference, specification.mutants) == ((), ())
    assert specification.plan.assignment.functions == ()
    assert specification.plan.scenarios[0].function == "nobody_knows"


def test_digests_follow_what_they_are_of(tmp_path: Path) -> None:
    before = load(write(tmp_path), "small").plan
    (tmp_path / "specs/small/README.md").write_text("no part of the plan")
    (tmp_path / "specs/small/mutants.yaml").write_text("mutants: []\n")
    assert load(tmp_path, "small").plan.spec_digest == before.spec_digest
    (tmp_path / F).write_text(scenario_file("name: t\ncall: check_input('')"))
    changed = load(tmp_path, "small").plan
    assert changed.spec_digest != before.spec_digest
    assert changed.reference_digest == before.reference_digest
    with (tmp_path / "reference/small/a1.py").open("a") as file:
        file.write("\n\ndef more():\n    pass\n")
    again = load(tmp_path, "small").plan
    assert again.spec_digest == changed.spec_digest
    assert again.reference_digest != changed.reference_digest


def test_the_root_and_its_assignments(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no specs/<assignment>/assignment\.yaml in "):
        find_root(tmp_path)
    write(tmp_path, {"specs/other/assignment.yaml": ASSIGNMENT, "specs/notes/a.txt": "x"})
    deep = tmp_path / "submissions" / "small"
    deep.mkdir(parents=True)
    assert find_root(deep) == tmp_path.resolve()
    assert available(tmp_path) == ("other", "small")


def test_a_students_upload_is_not_a_course(tmp_path: Path) -> None:
    theirs = tmp_path / "submissions" / "small" / "eve"
    write(write(tmp_path) / "submissions" / "small" / "eve")
    assert available(theirs) == ("small",)
    assert find_root(theirs / "reference") == tmp_path.resolve()


def test_an_assignment_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        load(write(tmp_path), "smal")
    expected = "specs/ has no assignment 'smal'. Hint: did you mean small?"
    assert str(caught.value) == expected


def test_a_support_folder_must_be_there_and_hold_something(tmp_path: Path) -> None:
    write(tmp_path)
    other = tmp_path / "other"
    with pytest.raises(UserError, match=r"other does not exist\. Hint: correct --support"):
        load(tmp_path, "small", support=other)
    other.mkdir()
    what = "holds none of the provided files (a1_support.py). Hint: correct --support."
    assert errors_of(tmp_path, support=other) == (f"other:1:1: {what}",)


def test_leftovers_of_editors_are_not_specs(tmp_path: Path) -> None:
    write(tmp_path, {"specs/small/.hidden.yaml": "no spec at all"})
    (tmp_path / "specs/small/.#f.yaml").symlink_to("someone@somewhere.1234")
    (tmp_path / "specs/small/dangling.txt").symlink_to("nowhere")
    assert load(tmp_path, "small") == load(tmp_path, "small")


def test_a_byte_order_mark_and_crlf_are_accepted(tmp_path: Path) -> None:
    text = scenario_file("name: s\nsession: |\n  >>> check_input('é')\n  True\nleaves: unchanged")
    write(tmp_path, {F: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()})
    (scenario,) = load(tmp_path, "small").plan.scenarios
    assert scenario.stated.shown == ("True\n",)
    assert scenario.stimuli[0].action == Session(steps=("check_input('é')",))
