"""A size written out is told from other faults that show at other sizes only; the branch that a
call should have taken, or should not have."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from harness.common import serial
from harness.judging.causes.suspects import SuspectProgram
from harness.judging.causes.traces import read_trace
from harness.judging.explain.siblings import RULE, refine
from harness.judging.judge import judge
from harness.model.explanation.facts import OtherConstant, WrongBranch
from harness.model.explanation.probes import BranchTaken, Line, Suspicion
from harness.model.observation import Ending, Observation
from harness.model.plan import ProvidedVariant, SourceFile, Visibility
from harness.model.stimulus import Binding, Stimulus
from harness.model.verdict import Cause, Verdict, stated
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests import plans
from tests.judging.judging_cases import called, ended, expecting, raised, ran
from tests.judging.test_causes import fails, outline

SUPPORT = b"BOARD_SIZE: int = 8\nWIN = 4\nTITLE = 'x'\nROWS = BOARD_SIZE\n"
Behaviour = Callable[[int], Observation]


def bound(size: int | None) -> tuple[Binding, ...]:
    return () if size is None else (Binding(name="BOARD_SIZE", literal=str(size)),)


class Swept:
    """A group of scenarios, swept over sizes, with a reference and a submission for each."""

    def __init__(
        self,
        reference: Behaviour,
        submission: Behaviour,
        *,
        stimulus: str = "f(BOARD_SIZE)",
        sizes: tuple[int | None, ...] = (4, 7, 8, 10),
        function: str = "f",
        group: str = "f/one",
        visibility: Visibility = Visibility.HIDDEN,
    ) -> None:
        action = Run(program="a1.py") if stimulus == "run" else Call(expression=stimulus)
        self.scenarios = {
            size: plans.scenario(
                f"{group}[BOARD_SIZE={size}]",
                group=group,
                function=function,
                stimuli=(Stimulus(action=action, constants=bound(size)),),
                visibility=visibility,
            )
            for size in sizes
        }
        self.seen = {s.id: submission(size or 8) for size, s in self.scenarios.items()}
        self.right = {s.id: reference(size or 8) for size, s in self.scenarios.items()}

    def verdicts(self) -> dict[str, Verdict]:
        """As judged one by one."""
        return {
            one.id: judge(self.seen[one.id], expecting(self.right[one.id]), one.stimuli[0])
            for one in self.scenarios.values()
        }


def refined(*groups: Swept) -> Mapping[str, Verdict]:
    """All groups' verdicts, refined together."""
    scenarios = [one for group in groups for one in group.scenarios.values()]
    provided = SourceFile(name="a1_support.py", data=SUPPORT)
    variants = (ProvidedVariant(constants=(), files=(provided,)),)
    plan = plans.plan(*scenarios, assignment=plans.assignment(variants=variants))
    key = plans.key({name: answer for group in groups for name, answer in group.right.items()})
    verdicts = {name: one for group in groups for name, one in group.verdicts().items()}
    seen = {name: (one,) for group in groups for name, one in group.seen.items()}
    assert refine(plan, verdicts, seen, None) == verdicts
    found = refine(plan, verdicts, seen, key)
    assert {name: one.kind for name, one in found.items()} == {
        name: one.kind for name, one in verdicts.items()
    }
    return found


def told(*groups: Swept) -> set[str]:
    """The scenarios of which it is said that they look hard-coded."""
    found = refined(*groups).items()
    return {name for name, v in found if v.explanation and v.explanation.rule == RULE}


def board(size: int) -> Observation:
    return called(["-" * size] * size)


def shown(size: int, columns: int | None = None) -> Observation:
    row = "|" + "-|" * (columns or size)
    labels = " " + "".join(f"{i} " for i in range(1, (columns or size) + 1))
    return called(None, f"{row}\n" * size + labels + "\n")


def game(size: int) -> Observation:
    return ran(shown(size).printed + "Move: ", "q", "Again? ")


def failing(*sizes: int, group: str = "f/one") -> set[str]:
    return {f"{group}[BOARD_SIZE={size}]" for size in sizes}


def invalid_column(size: int, says: int | None = None) -> Observation:
    return called(False, f"Invalid column, enter a number between 1 and {says or size}\n")


BOARDS = Swept(board, lambda _: board(8))
HARD_CODED = {
    "returns a board of the default size": (BOARDS, (4, 7, 10)),
    "shows a board of the default size": (Swept(shown, lambda _: shown(8)), (4, 7, 10)),
    "shows as many columns as by default": (
        Swept(shown, lambda size: shown(size, columns=8)),
        (4, 7, 10),
    ),
    "the number stands in a text": (
        Swept(invalid_column, lambda size: invalid_column(size, says=8)),
        (4, 7, 10),
    ),
    "the column after the last is good up to the default": (
        Swept(
            invalid_column,
            lambda size: called(True) if size + 1 <= 8 else invalid_column(size),
            stimulus='check_input(f"a{BOARD_SIZE + 1}")',
        ),
        (4, 7),
    ),
    "an index beyond every smaller board": (
        Swept(
            lambda _: called("X"),
            lambda size: raised("IndexError", line=3, source="b[7]") if size < 8 else called("X"),
            sizes=(4, 5, 7, 8, 10),
        ),
        (4, 5, 7),
    ),
    "the last column is bad from the next size on": (
        Swept(
            lambda _: called(True),
            lambda size: called(True) if size <= 8 else invalid_column(size),
            stimulus='check_input(f"a{BOARD_SIZE}")',
            sizes=(4, 8, 9, 10),
        ),
        (9, 10),
    ),
    "a game on a board of the default size, at another size only": (
        Swept(game, lambda _: game(8), stimulus="run", sizes=(4,)),
        (4,),
    ),
}


@pytest.mark.parametrize("name", HARD_CODED)
def test_a_number_written_out_is_told(name: str) -> None:
    group, sizes = HARD_CODED[name]
    assert told(group) == failing(*sizes)


ANOTHER_FAULT = {
    "one digit of a column is read": Swept(
        lambda _: called(True),
        lambda size: called(True) if size < 10 else invalid_column(size),
        stimulus='check_input(f"a{BOARD_SIZE}")',
    ),
    "labels of two digits run together": Swept(
        shown, lambda size: called(None, shown(size).printed.replace("9 10", "910"))
    ),
    "too slow at the largest size": Swept(
        lambda _: called(True), lambda size: ended(Ending.CPU_LIMIT) if size == 10 else called(True)
    ),
    "wrong at every size": Swept(board, lambda size: board(size + 1)),
    "a board of the default size at every size, which is one too many at 7": Swept(
        board, lambda size: board(size + 1), sizes=(7,)
    ),
    "no check of the column at all, a question that does not move": Swept(
        lambda size: called(True) if size >= 8 else invalid_column(size),
        lambda _: called(True),
        stimulus='check_input("a8")',
    ),
    "an index that is out of range at the smallest size alone": Swept(
        lambda _: called("X"),
        lambda size: raised("IndexError", line=1, source="b[4]") if size == 4 else called("X"),
    ),
    "everything right": Swept(board, board),
    "wrong at one size in the middle": Swept(
        lambda _: called("X"), lambda size: called("O" if size == 7 else "X")
    ),
}


@pytest.mark.parametrize("name", ANOTHER_FAULT)
def test_another_fault_is_not_taken_for_a_number_written_out(name: str) -> None:
    assert told(ANOTHER_FAULT[name]) == set()


def sentence(verdicts: Mapping[str, Verdict], name: str) -> str:
    """What is said beside which number it is, and what to use in its place."""
    before, after = "This looks hard-coded to 8: ", "; use BOARD_SIZE instead of the number."
    message = verdicts[f"f/{name}"].message
    assert message.startswith(before) and message.endswith(after)
    return message.removeprefix(before).removesuffix(after)


def test_the_sentence_names_the_constant_and_both_sizes() -> None:
    verdicts = refined(BOARDS)
    expected = "it is right when BOARD_SIZE is 8 and wrong when it is 4"
    assert sentence(verdicts, "one[BOARD_SIZE=4]") == expected
    game_alone = refined(Swept(game, lambda _: game(8), stimulus="run", sizes=(4,)))
    expected = "it shows a board of that size though BOARD_SIZE is 4"
    assert sentence(game_alone, "one[BOARD_SIZE=4]") == expected


def test_an_index_beyond_a_smaller_board_is_the_same_fault_in_the_same_function() -> None:
    beyond = Swept(
        board, lambda _: raised("IndexError", line=3, source="b[7]"), sizes=(4, 10), group="f/two"
    )
    assert told(BOARDS, beyond) == failing(4, 7, 10) | failing(4, 10, group="f/two")
    assert told(beyond) == set()
    expected = "an index is out of range when BOARD_SIZE is 4"
    assert sentence(refined(BOARDS, beyond), "two[BOARD_SIZE=4]") == expected


def test_a_scenario_without_overrides_stands_for_the_default() -> None:
    assert told(Swept(board, lambda _: board(8), sizes=(None, 4))) == failing(4)


def test_other_failures_of_the_same_function_have_the_same_cause() -> None:
    last = Swept(
        lambda _: called(True),
        lambda size: called(size <= 8),
        stimulus='f(f"a{BOARD_SIZE}")',
        group="f/two",
    )
    elsewhere = Swept(
        lambda _: called(True), lambda size: called(size <= 8), function="g", group="g/one"
    )
    expected = failing(4, 7, 10) | failing(10, group="f/two")
    assert told(BOARDS, last, elsewhere) == expected


def test_a_failure_also_at_the_default_size_has_another_cause() -> None:
    broken = Swept(board, lambda _: called(None), group="f/two")
    assert told(BOARDS, broken) == failing(4, 7, 10)


def test_a_size_that_is_tried_alone_counts_where_all_else_is_right_by_default() -> None:
    alone = Swept(lambda _: called(True), lambda _: called(False), sizes=(10,), group="f/ten")
    assert told(alone) == set()
    assert told(BOARDS, alone) == failing(4, 7, 10) | failing(10, group="f/ten")
    expected = "it is right when BOARD_SIZE is 8 and wrong when it is 10"
    assert sentence(refined(BOARDS, alone), "ten[BOARD_SIZE=10]") == expected
    broken = Swept(board, lambda _: called(None), sizes=(8,), group="f/broken")
    assert told(BOARDS, alone, broken) == failing(4, 7, 10)


def test_hidden_sizes_do_not_change_the_explanation_of_a_visible_failure() -> None:
    """Its explanation is a student's to read, and would tell what hidden ones showed."""
    alone = Swept(
        lambda _: called(True),
        lambda _: called(False),
        sizes=(10,),
        group="f/ten",
        visibility=Visibility.VISIBLE,
    )
    assert told(BOARDS, alone) == failing(4, 7, 10)
    shown = Swept(board, lambda _: board(8), group="f/shown", visibility=Visibility.VISIBLE)
    assert told(BOARDS, alone, shown) == (
        failing(4, 7, 10) | failing(10, group="f/ten") | failing(4, 7, 10, group="f/shown")
    )


@pytest.mark.parametrize("size", [4, 7, 8, 10])
def test_a_group_is_not_spoken_of_where_one_of_it_was_too_large_to_keep(size: int) -> None:
    group = Swept(board, lambda _: board(8))
    verdicts = group.verdicts()
    group.seen[group.scenarios[size].id] = replace(ended(Ending.ANSWERED), full_digest="digest")
    group.verdicts = lambda: verdicts  # type: ignore[method-assign]  # as judged when it arrived
    assert told(group) == set()


PROGRAM = """\
OWN = "no"
def is_ok(x):
    seen = x
    return x > 1
def f(x):
    if not is_ok(x):
        print(OWN)
        return None
    if x == 3:  # no is_ok(x) here
        print("three")

        print(COURSES)  # twice
    elif x == 4:
        print(COURSES)
    print("end")
    return x
"""
TEXTS = {"a1.py": PROGRAM.splitlines()}
OUTLINE = outline(PROGRAM)
FUNCTIONS = tuple(part for part in OUTLINE.parts if part.callable)
SUSPECT = SuspectProgram(
    outline=OUTLINE, texts=TEXTS, sheet=frozenset({"f"}), constants={"COURSES": "four\n", "OWN": 1}
)


def trace(*numbers: int) -> str:
    pairs = zip(numbers, (0, *numbers), strict=False)
    return "\n".join(f"a1.py:{line}:{before}" for line, before in pairs)


@pytest.mark.parametrize(
    ("expected", "printed", "ran", "found"),
    [
        ("no", "", (6, 9, 15), (7, 6, False)),
        ("", "no", (6, 7, 8), (7, 6, True)),
        ("three", "no", (6, 7, 8), (7, 6, True)),  # whether it is 3 was not asked
        ("no", "three", (6, 9, 10), (7, 6, False)),  # this was asked first
        ("three", "end", (6, 9, 13, 15), (10, 9, False)),
        ("other", "no", (6, 7, 8), (7, 6, True)),  # a text of the course, in the wrong place
        ("other", "three", (6, 9, 10), None),  # the text may be what is wrong
        ("", "three", (6, 9, 10), (10, 9, True)),
        ("no", "", (6, 7, 8), None),  # it was printed after all
        ("no", "", (), None),
        ("four", "", (6, 9, 13, 15), None),  # two lines print it
        ("end", "", (6, 7, 8), None),  # no condition is above it
        ("other", "more", (6, 9, 13, 15), None),
        ("", "", (6, 9, 13, 15), None),
    ],
)
def test_which_branch_went_wrong(
    expected: str, printed: str, ran: tuple[int, ...], found: tuple[int, int, bool] | None
) -> None:
    program = replace(SUSPECT, constants={"OWN": "no", "COURSES": "four\n"})
    lines = {Line("a1.py", number) for number in ran}
    seen = program.wrong_branch((expected, printed), lines, FUNCTIONS)
    assert (seen and (seen.prints.number, seen.condition.number, seen.taken)) == found


def of_rule(rule: str) -> Cause:
    return Cause(function="f", explanation=stated(rule, "It is wrong."))


def branch(condition: int, prints: int, *, taken: bool, asked: str = "") -> WrongBranch:
    return WrongBranch(condition=condition, prints=prints, taken=taken, asked=asked)


@pytest.mark.parametrize(
    ("different", "numbers", "lead", "shown"),
    [
        (("no", ""), (6, 3, 4, 9, 15, 16), branch(6, 7, taken=False, asked="is_ok"), ["is_ok"]),
        (("", "no"), (6, 3, 4, 7, 8), branch(6, 7, taken=True, asked="is_ok"), ["is_ok"]),
        (("three", ""), (6, 3, 4, 9, 13, 15), branch(9, 10, taken=False), ["f"]),
        (("", ""), (6, 3, 4, 9, 13, 15), None, []),
    ],
)
def test_a_cause_names_who_decides_about_it(
    different: tuple[str, str],
    numbers: tuple[int, ...],
    lead: WrongBranch | None,
    shown: list[str],
) -> None:
    example = fails("f")
    name = example.scenario.id
    cause = replace(of_rule("wrong_value"), scenarios=(name,), example=name)
    passing = {"other": read_trace(trace(6, 3, 4, 9, 13, 15, 16))}
    failing = {name: read_trace(trace(*numbers))}
    suspicion = SUSPECT.suspicion(cause, FUNCTIONS, failing, passing, different)
    assert serial.loads(Suspicion, serial.dumps(suspicion)) == suspicion
    found = SUSPECT.explained(cause, FUNCTIONS, suspicion)
    assert found.explanation.lead == lead
    assert [each.function for each in found.suspects][:1] == shown


TAKEN = BranchTaken(Line("a1.py", 7), Line("a1.py", 6), taken=True)
SUSPICION = Suspicion(lines=(Line("a1.py", 6),), branch=TAKEN)


def test_a_different_constant_explains_more() -> None:
    program, cause = replace(SUSPECT, constants={"OWN": "yes"}), of_rule("wrong_value")
    found = program.explained(cause, FUNCTIONS, SUSPICION)
    assert found.explanation.lead == OtherConstant(name="OWN", value='"no"', line=1)
    raised = program.explained(replace(cause, line=8), FUNCTIONS, SUSPICION)
    assert raised.explanation.lead == branch(6, 7, taken=True, asked="is_ok")


@pytest.mark.parametrize(
    "rule",
    [
        "hard_coded_size",  # says more
        # The line only has to be written otherwise.
        *("printed_instead_of_returned", "printed_to_stdout", "only_case", "only_whitespace"),
    ],
)
def test_branches_get_no_remark(rule: str) -> None:
    found = SUSPECT.explained(of_rule(rule), FUNCTIONS, SUSPICION)
    assert found.explanation.lead is None
