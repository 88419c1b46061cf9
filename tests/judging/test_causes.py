"""Who is to blame, by what a substitution changes or, in classes, by what fails and what passes;
failures put together into causes."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from harness.judging.causes.blame import find_blame
from harness.judging.causes.deriving import derive, unreadable, unsettled
from harness.judging.causes.endless import with_loops
from harness.judging.causes.failed_scenarios import FailedScenario
from harness.judging.causes.places import with_texts
from harness.model.explanation.facts import HardCoded, NotHandedIn
from harness.model.explanation.probes import SubstitutionOutcome
from harness.model.observation import Ending, Frame, Observation, Phase
from harness.model.plan import Scenario, Visibility
from harness.model.policy import Loop, Outline, Recursion, Unparsable
from harness.model.stimulus import Binding, Stimulus, Typed
from harness.model.verdict import (
    Blame,
    Cause,
    Channel,
    CodePlace,
    Comparison,
    Explanation,
    StandInOutcome,
    Verdict,
    VerdictKind,
    stated,
)
from harness.policy.checking import check
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from harness.stimuli.suite import SuiteQuestion, SuiteRun
from tests import plans
from tests.execution.small_world import source
from tests.judging.judging_cases import raised

PROGRAM = """\
SIZE = 8
def inner(x):
    return helper(x)
def helper(x):
    return x
def middle(x):
    return inner(x) + other(x)
def other(x):
    return SIZE + x
def outer():
    print(middle(1))
if __name__ == "__main__":
    outer()
"""
SHEET = frozenset({"inner", "middle", "other", "outer"})


def outline(program: str = PROGRAM) -> Outline:
    return check([source(program)], None).outline


def fails(
    function: str,
    *,
    rule: str = "wrong_value",
    stimulus: str | None = None,
    number: int = 0,
    visible: bool = True,
    kind: VerdictKind = VerdictKind.FAILED,
    typed: str = "",
    observation: Observation | None = None,
    stand_in: StandInOutcome | None = None,
) -> FailedScenario:
    """A failing scenario of a function; `run` for its stimulus is a run of the program."""
    call = Call(expression=stimulus or f"{function}(x)".ljust(12))  # all of one length
    action = Run(program="a1.py") if stimulus == "run" else call
    scenario = plans.scenario(
        f"{function}/{rule}-{number}",
        function=function,
        clauses=(f"clause of {function}",),
        visibility=Visibility.VISIBLE if visible else Visibility.HIDDEN,
        stimuli=(Stimulus(action=action, inputs=(Typed(text=typed),) if typed else ()),),
    )
    verdict = Verdict(kind=kind, explanation=stated(rule, f"{rule} {number}"), stand_in=stand_in)
    return FailedScenario(
        index=number,
        scenario=scenario,
        verdict=verdict,
        observation=observation or Observation(ending=Ending.ANSWERED),
    )


def inapplicable(failure: FailedScenario, names: Blame) -> SubstitutionOutcome:
    return SubstitutionOutcome.INAPPLICABLE


def blamed(
    failures: Iterable[FailedScenario], *right: str, program: str = PROGRAM
) -> dict[str, Blame]:
    """Who is to blame where a scenario passes as soon as one of `right` is substituted, or, for
    "a+b", both are."""
    runs: list[Blame] = []

    def substitute(each: FailedScenario, names: Blame) -> SubstitutionOutcome:
        runs.append(names)
        if "travel" in right:
            return SubstitutionOutcome.INAPPLICABLE
        if any(set(needed.split("+")) <= set(names) for needed in right):
            return SubstitutionOutcome.PASSED
        return SubstitutionOutcome.FAILED

    found = find_blame(tuple(failures), outline(program), SHEET, frozenset({"SIZE"}), substitute)
    assert len(runs) < 40
    return found


def test_a_function_that_fails_by_itself_is_to_blame_without_a_run() -> None:
    found = find_blame((fails("inner"),), outline(), SHEET, frozenset(), None)
    assert found == {"inner/wrong_value-0": ("inner",)}


INNER, MIDDLE, OTHER = fails("inner"), fails("middle"), fails("other")
RUNS = fails("outer", stimulus="run")
WITH_OURS = fails("game.py", stimulus="run", stand_in=StandInOutcome.FAILED)


@pytest.mark.parametrize(
    ("failures", "right", "expected"),
    [
        pytest.param([INNER, MIDDLE, RUNS], "inner", [("inner",)] * 3, id="callee-of-all"),
        pytest.param([INNER, MIDDLE], "nobody", [("inner",), ("middle",)], id="no-callee-helps"),
        pytest.param(
            [INNER, OTHER, MIDDLE],
            "inner+other",
            [("inner",), ("other",), ("inner", "other")],
            id="only-together",
        ),
        pytest.param([MIDDLE], "other", [("other",)], id="callee-without-a-failure-of-its-own"),
        pytest.param([OTHER, MIDDLE], "SIZE", [("SIZE",)] * 2, id="constant-in-the-way"),
        pytest.param([RUNS], "nobody", [()], id="program-whatever-is-substituted"),
        pytest.param([WITH_OURS], "inner", [("game.py",)], id="program-with-our-modules-too"),
        pytest.param([INNER, MIDDLE], "travel", [("inner",)] * 2, id="cannot-be-substituted"),
        pytest.param([MIDDLE], "travel", [("middle",)], id="and-is-the-only-one-that-fails"),
        pytest.param(
            [INNER, *(fails("middle", number=n) for n in range(100))],
            "inner",
            [("inner",)] * 101,
            id="many-of-which-a-few-are-run",
        ),
    ],
)
def test_who_is_to_blame(failures: list[FailedScenario], right: str, expected: list[Blame]) -> None:
    found = blamed(failures, right)
    assert found == dict(zip((each.scenario.id for each in failures), expected, strict=True))


def test_one_helper_is_to_blame_where_all_that_use_it_are() -> None:
    program = PROGRAM.replace("SIZE + x", "SIZE + helper(x)")
    found = blamed([fails("inner"), fails("other")], "nobody", program=program)
    assert set(found.values()) == {("helper",)}
    used_elsewhere = program.replace("def outer():\n", "def outer():\n    helper(1)\n")
    found = blamed([fails("inner"), fails("other")], "nobody", program=used_elsewhere)
    assert set(found.values()) == {("inner",), ("other",)}


def causes(
    *failures: FailedScenario, blame: dict[str, Blame] | None = None, on: str = ""
) -> tuple[Cause, ...]:
    """The causes where `blame` is known, or where this function is to blame for all."""
    known: dict[str, Blame] = {each.scenario.id: (on,) for each in failures if on}
    return derive(failures, outline(), blame or known)


def own(failures: Iterable[FailedScenario]) -> dict[str, Blame]:
    """Each function is to blame for its failures."""
    return {each.scenario.id: (each.scenario.function,) for each in failures}


def test_the_example_is_the_one_with_the_least_to_type() -> None:
    longer, shorter = fails("inner", number=1, typed="abc"), fails("inner", number=2, typed="ab")
    assert [cause.example for cause in causes(longer, shorter)] == [shorter.scenario.id]


def test_faults_that_tests_do_not_notice_have_a_cause_for_each_clause() -> None:
    action = SuiteRun(question=SuiteQuestion.NOTICES, files=("test_a1.py",), against="fault 1")
    failures = []
    for number, clause in enumerate(("1.1", "1.1", "1.2")):
        failure = fails("test_a1.py", rule="fault_not_noticed", number=number)
        asked = replace(
            failure.scenario, clauses=(clause,), stimuli=(Stimulus(action=action, folder=True),)
        )
        failures.append(replace(failure, scenario=asked))
    found = [(cause.clauses, len(cause.scenarios)) for cause in causes(*failures)]
    assert found == [(("1.1",), 2), (("1.2",), 1)]


LOADING = raised(
    "ZeroDivisionError", "division by zero", line=1, source="SIZE = 1 / 0", phase=Phase.LOADING
)


def test_a_file_that_does_not_load_is_the_only_cause() -> None:
    failures = [
        fails("inner", rule="ran_at_import", number=1, observation=LOADING),
        fails("other", rule="ran_at_import", number=2, observation=LOADING),
        fails("outer", number=3),
    ]
    (cause,) = causes(*failures)
    assert (cause.function, len(cause.scenarios)) == ("", 3)
    assert (cause.place.first, cause.place.text) == (1, ("SIZE = 1 / 0",))
    assert unsettled(tuple(failures), outline()) == ()


def test_a_file_that_does_not_load_is_told_the_line_in_the_file_that_it_imports() -> None:
    frames = (
        Frame(file="game.py", line=3, function="<module>", source="import a1"),
        Frame(file="a1.py", line=12, function="<module>", source="SIZE = half(0)"),
        Frame(file="a1.py", line=4, function="half", source="return 1 / n"),
    )
    seen = replace(LOADING, raised=replace(LOADING.raised, frames=frames))  # type: ignore[type-var]
    (cause,) = causes(fails("game.py", rule="ran_at_import", observation=seen))
    assert (cause.place.file, cause.place.first) == ("a1.py", 12)


def explained(failed: FailedScenario, why: Explanation) -> FailedScenario:
    return replace(failed, verdict=replace(failed.verdict, explanation=why))


def test_a_file_that_was_not_handed_in_is_one_cause_and_no_part_is_to_blame() -> None:
    absent = raised("ModuleNotFoundError", "No module named 'game'", phase=Phase.GIVEN)
    why = Explanation(rule="not_handed_in", facts=NotHandedIn(file="game.py"))
    failures = [
        explained(fails("game.py", stimulus="run", observation=absent), why),
        explained(fails("table", observation=absent), why),
        fails("inner"),
    ]
    first, second = causes(*failures, on="inner")
    assert (first.function, len(first.scenarios), first.place) == ("game.py", 2, None)
    assert second.scenarios == ("inner/wrong_value-0",)
    assert unsettled(tuple(failures), outline()) == (failures[2],)


def test_a_file_that_cannot_be_imported_by_what_is_given_blames_no_part() -> None:
    seen = replace(LOADING, phase=Phase.GIVEN)
    failures = [fails("inner", observation=seen), fails("other", observation=seen)]
    (cause,) = causes(*failures, on="middle")
    assert len(cause.scenarios) == 2


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "import math\nsize = int(input())\ndef inner(x):\n    return x\n",
            "Line 2 asks for input as soon as the file is loaded: "
            "move it into a function such as main().",
        ),
        (
            "def main():\n    pass\nsize = input()\n",
            "Line 3 asks for input as soon as the file is loaded: move it into main().",
        ),
        (
            "def ask():\n    return input()\ndef main():\n    ask()\nmain()\n",
            "Line 5 calls main, which asks for input, as soon as the file is loaded: "
            'put it below `if __name__ == "__main__":`.',
        ),
        (
            "def inner(x,\n    size=input()):\n    return x\n",
            "Line 2 asks for input as soon as the file is loaded: "
            "move it into a function such as main().",
        ),
        (
            "class Game:\n    size = input()\n    def play(self):\n        input()\n",
            "Line 2 asks for input as soon as the file is loaded: "
            "move it into a function such as main().",
        ),
        (  # what is seen of the text says nothing: the rule's own words stay
            "import builtins\nbuiltins.input()\nif __name__ == '__main__':\n    input()\n",
            "ran_at_import 1",
        ),
    ],
)
@pytest.mark.parametrize(
    "seen",
    [
        Observation(ending=Ending.ASKED_FOR_MORE, phase=Phase.LOADING),
        raised("EOFError", "EOF when reading a line", phase=Phase.LOADING),
    ],
    ids=["asks for more", "reads the end of input"],
)
def test_a_program_that_asks_for_input_while_loading_is_one_cause(
    program: str, message: str, seen: Observation
) -> None:
    failure = fails("inner", rule="ran_at_import", number=1, observation=seen)
    (cause,) = derive([failure], outline(program), {})
    assert cause.message == message
    assert (cause.line is None) == (cause.place is None) == message.startswith("ran_at_import")


def of_loop(failure: FailedScenario, program: str) -> str:
    """What is said of a failure that hangs in the first loop of this program."""
    (cause,) = derive([failure], outline(program), {})
    loops = {cause.example: outline(program).loops[0]}
    (told,) = with_loops([cause], loops, [failure], outline(program))
    return told.message


def test_a_file_that_loops_while_it_loads_is_told_the_loops_line() -> None:
    program = "n = 0\nwhile n < 3:\n    m = 1\ndef inner(x):\n    return x\n"
    seen = Observation(ending=Ending.CPU_LIMIT, phase=Phase.LOADING)
    failure = fails("inner", rule="ran_at_import", number=1, observation=seen)
    assert of_loop(failure, program).endswith("The loop in line 2 does not end.")


def test_a_loop_that_prints_too_much_may_end_later() -> None:
    program = "def inner(x):\n    for y in x:\n        print(y)\n"
    failure = fails("inner", rule="printed_without_end", kind=VerdictKind.OUTPUT_LIMIT)
    assert of_loop(failure, program).endswith("The loop in line 2 of inner was still running.")


def test_a_loop_that_ends_in_twice_the_limit_is_not_called_endless() -> None:
    program = "def inner(x):\n    for y in x:\n        pass\n"
    slow = Observation(ending=Ending.CPU_LIMIT, ends_in_double=True)
    failure = fails("inner", rule="takes_too_long", kind=VerdictKind.CPU_LIMIT, observation=slow)
    assert of_loop(failure, program).endswith("The loop in line 2 of inner was still running.")


def test_a_function_that_calls_itself_is_not_a_loop() -> None:
    program = "n = 0\ndef inner(x):\n    return inner(x)\n"
    failure = fails("inner", rule="did_not_end", kind=VerdictKind.CPU_LIMIT)
    (cause,) = derive([failure], outline(program), {})
    endless = {cause.example: Recursion(file="a1.py", first=2)}
    (told,) = with_loops([cause], endless, [failure], outline(program))
    assert told.message.endswith("inner (line 2) calls itself again and again.")


def test_a_loop_in_a_scenario_that_measures_time_may_be_too_slow_only() -> None:
    program = "def inner(x):\n    for y in x:\n        pass\n"
    failure = fails("inner", rule="did_not_end", kind=VerdictKind.CPU_LIMIT)
    timed = replace(failure, scenario=replace(failure.scenario, faster_than=5))
    told = "The loop in line 2 of inner does not end, or takes too long for so much."
    assert of_loop(timed, program).endswith(told)


def missing(name: str, number: int) -> FailedScenario:
    gone = Observation(ending=Ending.MISSING, detail=name)
    return fails(
        name, rule="missing_function", number=number, kind=VerdictKind.MISSING, observation=gone
    )


def test_a_missing_function_is_one_cause_with_the_nearest_name() -> None:
    crash = raised("NameError", "name 'iner' is not defined")
    (cause,) = causes(missing("iner", 1), missing("iner", 2), fails("outer", observation=crash))
    assert len(cause.scenarios) == 3
    assert cause.message == "The function iner is missing. You have inner on line 2: is that it?"


def test_nothing_is_near_to_a_name_that_is_unlike_all() -> None:
    (cause,) = causes(missing("quite_another", 1))
    assert (cause.message, cause.place) == ("missing_function 1", None)


def raises(function: str, number: int, line: int, type_name: str = "ValueError") -> FailedScenario:
    """A failure of a function by an exception at this line, visible where the number is odd."""
    rule, visible, seen = "raised_unexpectedly", number % 2 == 1, raised(type_name, line=line)
    return fails(function, rule=rule, number=number, observation=seen, visible=visible)


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ((raises("outer", 1, 3), raises("outer", 2, 3), raises("outer", 3, 5)), [2, 1]),
        ((fails("outer", number=1), fails("outer", number=2, rule="returned_none")), [1, 1]),
        (
            (
                fails("outer", number=1, kind=VerdictKind.CPU_LIMIT, rule="did_not_end"),
                fails("outer", number=2, kind=VerdictKind.STOPPED_EARLY, rule="cut_short"),
            ),
            [2],
        ),
    ],
)
def test_failures_that_nothing_is_blamed_for_are_grouped(
    failures: tuple[FailedScenario, ...], expected: list[int]
) -> None:
    assert [len(cause.scenarios) for cause in causes(*failures)] == expected


def test_far_down_in_a_long_function_the_line_alone_is_shown() -> None:
    program = "def inner(x):\n" + "    x += 1\n" * 300 + "    return x[9]\n"
    seen = raised("TypeError", line=302, source="    return x[9]")
    failure = fails("inner", rule="raised_unexpectedly", number=1, observation=seen)
    (cause,) = derive([failure], outline(program), {})
    place = CodePlace(file="a1.py", first=302, last=302, text=("    return x[9]",))
    assert (cause.line, cause.place) == (302, place)


def test_the_text_of_a_place_is_bounded() -> None:
    (cause,) = causes(fails("inner"), on="inner")
    assert cause.place.text == ()
    long = replace(cause, place=replace(cause.place, last=101), raised_in=cause.place)
    (shown,) = with_texts([long], lambda file: ["x" * 300] * 500 if file == "a1.py" else [])
    assert shown.place is not None and shown.raised_in is not None
    assert (len(shown.place.text), len(shown.place.text[0])) == (100, 200)
    assert shown.raised_in.text == ("x" * 200,) * 2


def test_a_blamed_function_has_one_cause_whatever_its_symptoms() -> None:
    first, second = fails("inner", number=1), fails("inner", number=2, rule="returned_none")
    (cause,) = causes(first, second, fails("middle", number=3, visible=False), on="inner")
    assert (cause.function, cause.blamed) == ("inner", True)
    assert (cause.place.first, cause.place.last) == (2, 3)
    assert cause.example == second.scenario.id  # its rule names a mistake
    assert [each.rule for each in cause.symptoms] == ["returned_none", "wrong_value"]
    assert cause.clauses == ("clause of inner", "clause of middle")


def test_a_visible_example_comes_before_a_hidden_one() -> None:
    hidden = fails("inner", rule="returned_none", number=1, visible=False)
    shown = fails("inner", number=2, stimulus="inner([1, 2, 3])")
    (cause,) = causes(hidden, shown, on="inner")
    assert cause.example == shown.scenario.id


def test_hidden_failures_have_no_say_in_which_visible_one_is_the_example() -> None:
    shown = [fails("inner", rule="returned_none", number=number) for number in (1, 2)]
    other, *hidden = (
        fails("inner", rule="argument_changed", number=number, visible=number == 3)
        for number in range(3, 9)
    )
    (cause,) = causes(*shown, other, *hidden, on="inner")
    assert (cause.rule, cause.example) == ("returned_none", shown[0].scenario.id)


def test_of_two_rules_as_frequent_the_one_seen_in_fewer_steps_is_the_example() -> None:
    later = fails("inner", rule="returned_none", number=1)
    session = Stimulus(action=Session(steps=("inner(x)", "inner(x)")))
    later = replace(later, scenario=replace(later.scenario, stimuli=(session,)))
    at_once = fails("inner", rule="argument_changed", number=2, stimulus="inner([[1, 2, 3], [4]])")
    (cause,) = causes(later, at_once, on="inner")
    assert (cause.rule, cause.example) == ("argument_changed", at_once.scenario.id)


@pytest.mark.parametrize(("rule", "chosen"), [("asked_for_more", False), ("stopped_early", True)])
def test_that_more_input_is_asked_for_names_no_mistake(rule: str, chosen: bool) -> None:
    ends = fails("outer", rule=rule, number=1, stimulus="run")
    shows = [fails("outer", rule="line_differs", number=number) for number in (2, 3)]
    (cause,) = causes(ends, *shows, on="outer")
    assert cause.example == (ends if chosen else shows[0]).scenario.id


def test_exceptions_on_a_line_of_the_blamed_function_are_one_cause() -> None:
    """Line 9 is in `other`, which is to blame itself."""
    failures = (raises("middle", 1, 9), raises("other", 2, 9), raises("outer", 3, 9))
    (cause,) = causes(*failures, blame=own(failures))
    assert (cause.function, cause.line) == ("other", 9)
    assert cause.scenarios == tuple(each.scenario.id for each in failures)
    assert cause.example == failures[0].scenario.id  # which may be seen


@pytest.mark.parametrize(
    "failures",
    [
        (raises("middle", 1, 9), raises("outer", 2, 9)),  # `other` is not to blame
        (raises("middle", 1, 9), raises("other", 2, 9, "TypeError")),
        (raises("middle", 1, 7), raises("other", 2, 9)),
        (raises("middle", 1, 9), raises("other", 2, 9), fails("other", number=3)),
        (raises("middle", 1, 9), fails("middle", number=3), raises("other", 2, 9)),
    ],
)
def test_other_exceptions_stay_apart(failures: tuple[FailedScenario, ...]) -> None:
    found = causes(*failures, blame=own(failures))
    assert {cause.function for cause in found} == {each.scenario.function for each in failures}


def test_an_example_without_other_faults_comes_before_a_shorter_one() -> None:
    both = fails("inner", number=1)
    alone = fails("inner", number=2, stimulus="inner([1, 2, 3])")
    names: dict[str, Blame] = {both.scenario.id: ("inner", "other"), alone.scenario.id: ("inner",)}
    cause, _ = causes(both, alone, blame=names)
    assert (cause.function, cause.example) == ("inner", alone.scenario.id)


def test_a_file_that_cannot_be_read_is_one_cause_worth_everything() -> None:
    broken = Unparsable(file="a1.py", reason="invalid syntax", line=7, source="def f(:")
    cause = unreadable("", broken, Fraction(6))
    assert (cause.line, cause.marks_at_stake, cause.scenarios) == (7, Fraction(6), ())
    assert unreadable("found x.py", None, Fraction(6)).message == "found x.py"


def test_failures_in_one_endless_loop_are_one_cause() -> None:
    whole = outline(PROGRAM.replace("return SIZE + x", "while x: pass"))
    (loop,) = [part for part in whole.loops if part.first == 9]
    kind = VerdictKind.CPU_LIMIT
    failures = [
        fails(function, rule="did_not_end", kind=kind, number=number)
        for number, function in enumerate(("middle", "other", "outer", "inner"))
    ]
    separate = derive(failures, whole, {})
    assert len(separate) == 4
    first, second, third, _ = (cause.example for cause in separate)
    one, left = with_loops(separate, dict.fromkeys((first, second, third), loop), failures, whole)
    assert (one.function, one.scenarios) == ("other", (first, second, third))
    assert one.message.endswith("The loop in line 9 of other does not end.")
    assert [(each.rule, each.scenarios) for each in one.symptoms] == [("did_not_end", 3)]
    assert one.clauses[0] == "clause of other"
    assert left == separate[3]
    elsewhere = Loop(file=loop.file, first=5, last=5)
    assert len(with_loops(separate, {first: loop, second: elsewhere}, failures, whole)) == 4


BANK = """\
LEAST = 10
class Account:
    def __init__(self, owner):
        self.owner = owner
    def deposit(self, amount):
        return amount
    def withdraw(self, amount):
        return amount
class Savings(Account):
    def __init__(self, owner):
        super().__init__(owner)
    def withdraw(self, amount):
        return max(LEAST, super().withdraw(amount))
def transfer(one, other, amount):
    one.withdraw(amount)
    other.deposit(amount)
def opened(owners):
    return [Account(owner) for owner in owners]
"""
# Of each kind of scenario what it is about, and what it does.
KINDS = {
    "account": ("Account", "Account('Ada')"),
    "deposit": ("Account.deposit", "Account('Ada').deposit(1)"),
    "withdraw": ("Account.withdraw", "Account('Ada').withdraw(1)"),
    "savings": ("Savings", "Savings('Ada')"),
    "least": ("Savings.withdraw", "Savings('Ada').withdraw(1)"),
    "transfer": ("transfer", "transfer(Account('Ada'), Account('Alan'), 1)"),
    "opened": ("opened", "opened(['Ada'])"),
}


ON_SHEET = frozenset({"transfer", "opened"})


def of_bank(kinds: str, rule: str = "") -> list[FailedScenario]:
    return [
        fails(KINDS[kind][0], stimulus=KINDS[kind][1], number=number, rule=rule or kind)
        for number, kind in enumerate(kinds.split())
    ]


def scenarios(kinds: str) -> list[Scenario]:
    return [each.scenario for each in of_bank(kinds)]


@pytest.mark.parametrize(
    ("failing", "passing", "blamed"),
    [
        ("account deposit withdraw savings least transfer opened", "", {"Account"}),
        ("deposit deposit transfer", "account account withdraw transfer", {"Account.deposit"}),
        ("withdraw least transfer", "account deposit savings opened", {"Account.withdraw"}),
        ("savings savings least", "account deposit withdraw transfer", {"Savings"}),
        ("least least", "savings account withdraw withdraw", {"Savings.withdraw"}),
        ("transfer", "account deposit deposit withdraw withdraw opened", {"transfer"}),
        ("opened", "account deposit withdraw transfer", {"opened"}),
        # Two faults: that both are in what `account` begins with explains less.
        (
            "opened opened opened deposit deposit deposit deposit",
            "account account account account withdraw withdraw withdraw withdraw savings",
            {"opened", "Account.deposit"},
        ),
    ],
)
def test_a_function_used_only_by_failing_scenarios_is_blamed(
    failing: str, passing: str, blamed: set[str]
) -> None:
    failures = of_bank(failing)
    for substitute in (None, inapplicable):
        found = find_blame(
            failures, outline(BANK), ON_SHEET, frozenset(), substitute, passed=scenarios(passing)
        )
        assert len(found) == len(failures)
        assert {name for names in found.values() for name in names} == blamed


def test_a_text_from_repr_is_put_to_the_class_whatever_methods_were_called_before() -> None:
    failures = of_bank("deposit deposit transfer", rule="repr_differs")
    passing = scenarios("account account withdraw transfer savings")
    found = find_blame(failures, outline(BANK), ON_SHEET, frozenset(), None, passed=passing)
    assert set(found.values()) == {("Account",)}


def test_a_function_that_cannot_be_substituted_is_explained_by_a_wrong_one() -> None:
    program = "def words(x):\n    return [x]\ndef report(x):\n    return words(x)\n"
    failures = [fails("words", stimulus="words(1)"), fails("report", stimulus="report(1)")]
    sheet = frozenset({"words", "report"})
    found = find_blame(failures, outline(program), sheet, frozenset(), inapplicable, passed=[])
    assert set(found.values()) == {("words",)}
    assert find_blame([fails("nobody")], outline("x = 1\n"), frozenset(), frozenset(), None) == {
        "nobody/wrong_value-0": ()
    }


@pytest.mark.parametrize(
    ("with_words", "with_report", "blame"),
    [
        (SubstitutionOutcome.WRONG_BEFORE, SubstitutionOutcome.PASSED, ("report",)),
        (SubstitutionOutcome.WRONG_BEFORE, SubstitutionOutcome.INAPPLICABLE, ()),
        (SubstitutionOutcome.INAPPLICABLE, SubstitutionOutcome.PASSED, ("words",)),
    ],
)
def test_a_function_is_not_to_blame_for_a_wrong_text_before_its_call(
    with_words: SubstitutionOutcome, with_report: SubstitutionOutcome, blame: Blame
) -> None:
    program = "def words(x):\n    return [x]\ndef report():\n    print(words(1))\nreport()\n"
    run = fails("report", stimulus="run", number=2)
    failures = [fails("words", stimulus="words(1)"), run]

    def substitute(failure: FailedScenario, names: Blame) -> SubstitutionOutcome:
        if failure is not run:
            return SubstitutionOutcome.INAPPLICABLE
        return with_words if names == ("words",) else with_report

    sheet = frozenset({"words", "report"})
    found = find_blame(failures, outline(program), sheet, frozenset(), substitute)
    assert found[run.scenario.id] == blame


REPORT = """\
import sys
def words(x):
    return -x
def main():
    words(1)
    sys.exit(0)
main()
"""


def test_a_wrong_status_alone_is_not_put_to_a_function_that_only_raises() -> None:
    """Had the program come to that exception, it would have printed another text, or raised."""

    def found(direct: FailedScenario) -> dict[str, Blame]:
        words = frozenset({"words"})
        return find_blame([direct, ended], outline(REPORT), words, frozenset(), inapplicable)

    run = fails("a1.py", rule="wrong_exit_status", stimulus="run", number=2)
    status = Comparison(channel=Channel.EXIT, subject="exit status", rows=())
    ended = replace(run, verdict=replace(run.verdict, differences=(status,)))
    raising, returning = raises("words", 1, 3, "TypeError"), fails("words", number=1)
    assert found(raising) == {raising.scenario.id: ("words",), ended.scenario.id: ()}
    assert found(returning) == dict.fromkeys(
        (each.scenario.id for each in (returning, ended)), ("words",)
    )


def _of_size(function: str, number: int, *, size: int = 4, **named: Any) -> FailedScenario:
    """A failing scenario that is said to have 8 instead of SIZE, at another size."""
    failed = fails(function, number=number, rule=named.pop("rule", "hard_coded_size"), **named)
    if failed.rule == "hard_coded_size":
        facts = HardCoded(number=8, constant="SIZE", size=4)
        explanation = Explanation(rule=failed.rule, facts=facts)
        failed = replace(failed, verdict=replace(failed.verdict, explanation=explanation))
    stimulus = replace(failed.stimulus, constants=(Binding(name="SIZE", literal=str(size)),))
    return replace(failed, scenario=replace(failed.scenario, stimuli=(stimulus,)))


def test_a_number_written_out_in_several_functions_is_one_cause() -> None:
    failures = [
        _of_size("middle", 0, size=5),
        _of_size("inner", 1),
        _of_size("middle", 2, rule="text_differs"),
    ]
    (cause,) = causes(*failures, blame=own(failures))
    assert (cause.function, cause.rule) == ("middle", "hard_coded_size")
    assert cause.scenarios == tuple(each.scenario.id for each in failures)
    facts = HardCoded(number=8, constant="SIZE", size=4, also_in=("inner",))
    assert cause.explanation.facts == facts
    assert [each.function for each in cause.suspects] == ["inner"]
    assert [each.scenarios for each in cause.symptoms] == [2, 1]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(_of_size("inner", 1, rule="wrong_value"), id="another-mistake"),
        pytest.param(_of_size("inner", 1, size=8), id="wrong-at-the-usual-size-too"),
        pytest.param(_of_size("inner", 1, visible=False), id="known-by-hidden-ones-alone"),
    ],
)
def test_a_possibly_different_mistake_stays_its_own_cause(other: FailedScenario) -> None:
    causes = derive([_of_size("middle", 0), other], outline(), {})
    assert [cause.function for cause in causes] == ["middle", "inner"]
