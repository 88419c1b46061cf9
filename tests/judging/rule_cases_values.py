"""Returned values and arguments: what each rule fires on, says, and leaves alone."""

from __future__ import annotations

from dataclasses import replace

from harness.judging.explain.failure import Failure
from harness.matchers.kinds.combinations import AllOf, OneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import Matches
from harness.matchers.kinds.values import AnyValue, OfType, Yields
from harness.model.expectation import Expected, StatedLeave
from harness.model.observation import Observation
from harness.model.stimulus import Call, Stimulus
from harness.model.values import Value, ValueKind
from tests.judging.judging_cases import (
    RUN,
    called,
    case,
    exactly,
    ran,
    session,
    step,
    steps,
    variable,
)

EMPTY = ["----", "----", "----", "----"]
PLACED = ["----", "---X", "----", "----"]
BESIDE = ["----", "----", "---X", "----"]
FIRST = ["---X", "----", "----", "----"]
LAST = ["----", "----", "----", "---X"]
TURNED = ["----", "----", "----", "-X--"]
BOARD = "|-|-|-|\n|-|-|-|\n|X|O|-|\n 1 2 3 \n"

GENERATOR = Value(ValueKind.FOREIGN, "generator")
ONE_BY_ONE = Value(ValueKind.ITERATOR, "generator", (Value.of(1), Value.of(2)))
FILTERED = replace(ONE_BY_ONE, text="filter")
OTHERS = replace(FILTERED, items=FILTERED.items[:1])
YIELDED = Expected(returns=Yields(values=ONE_BY_ONE.items))
HUGE = Value(ValueKind.TOO_LARGE, "an int of 1000000 digits")


def by_repr(name: str, text: str) -> Value:
    """A value of the standard library's, of which the `repr` is known."""
    return Value(ValueKind.FOREIGN, name, (Value.of(text),))


def derived(name: str, content: object, /, **attributes: object) -> Value:
    """An object of a class that is derived from a built-in one."""
    return note(name, **{"": content}, **attributes)


def note(name: str = "Note", /, **attributes: object) -> Value:
    """An object with these attributes."""
    parts = [Value.of(part) for pair in attributes.items() for part in pair]
    return Value(ValueKind.OBJECT, name, tuple(parts))


def listed(*items: Value) -> Value:
    """A list of these."""
    return Value(ValueKind.LIST, items=items)


def accounts(*balances: float) -> Value:
    """A list of objects with one attribute."""
    return Value(
        ValueKind.LIST, items=tuple(note("Account", balance=balance) for balance in balances)
    )


def gave_interest(after: Value, value: object = None) -> Observation:
    """A call that changed the accounts of 100 and 50 dollars that it was given."""
    observed = called(value)
    return replace(observed, arguments_before=(accounts(100.0, 50.0),), arguments=(after,))


SHOW = steps("board = ['--', '--']", "add_piece(board, 'X', 0)", "board")

FIRES: list[tuple[str, Failure, str]] = [
    (
        "too_large",
        case(called(1), called(HUGE)),
        "add_piece returned a value that is too large to compare (an int of 1000000 digits).",
    ),
    (
        "printed_instead_of_returned",
        case(called(True), called(None, "True\n")),
        "add_piece printed True instead of returning it.",
    ),
    (
        "printed_instead_of_returned",
        case(called(["ab", "cd"]), called(None, "ab\ncd\n")),
        "add_piece printed ['ab', 'cd'] instead of returning it.",
    ),
    (
        "returned_instead_of_printed",
        case(called(None, BOARD), called(BOARD.rstrip("\n"))),
        "add_piece returned the text instead of printing it.",
    ),
    (
        "iterator_instead_of_generator",
        case(None, called(FILTERED), stated=YIELDED),
        "add_piece returned a filter object instead of a generator: write yield.",
    ),
    (
        "iterator_instead_of_generator",
        case(called(ONE_BY_ONE), called(FILTERED)),
        "add_piece returned a filter object instead of a generator: write yield.",
    ),
    (
        "returned_a_function",
        case(called(1), called(Value(ValueKind.FUNCTION, "check_win"))),
        "add_piece returned the function check_win itself: are its parentheses missing?",
    ),
    (
        "returned_none",
        case(called(False), called(None)),
        "add_piece returned None instead of False: is a return missing?",
    ),
    (
        "returned_none",
        case(called("O"), called(None)),
        "add_piece returned None instead of 'O'.",
    ),
    (
        "returned_none",
        case(session(step(True)), session(step()), steps("f()")),
        "f returned None instead of True: is a return missing?",
    ),
    (
        "returned_none",
        case(None, called(None), stated=Expected(returns=OfType(name="int"))),
        "add_piece returned None instead of an int: is a return missing?",
    ),
    (
        "wrong_type",
        case(called(True), called(1)),
        "add_piece returned 1 (an int) instead of True (a bool).",
    ),
    (
        "wrong_type",
        case(called(True), called("True")),
        "add_piece returned 'True' (a str) instead of True (a bool).",
    ),
    (
        "wrong_type",
        case(called(2), called(2.0)),
        "add_piece returned 2.0 (a float) instead of 2 (an int).",
    ),
    (
        "wrong_type",
        case(called([1, 2]), called([1, "2"])),
        "Item [1] of the result is '2' (a str) instead of 2 (an int).",
    ),
    (
        "wrong_type",
        case(called([1]), called(GENERATOR)),
        "add_piece returned <generator object> (a generator) instead of [1] (a list).",
    ),
    (
        "wrong_type",
        case(called(1), called(Value(ValueKind.FOREIGN, "int"))),
        "add_piece returned <int object> (an object of the program's own class int) "
        "instead of 1 (an int).",
    ),
    (
        "wrong_type",
        case(called({"a": 2}), called(by_repr("Counter", "Counter({'a': 2})"))),
        "add_piece returned Counter({'a': 2}) (a Counter) instead of {'a': 2} (a dict): dict(…) "
        "makes a dict of it.",
    ),
    (
        "wrong_type",
        case(called([{"a": 2}]), called(listed(by_repr("OrderedDict", "OrderedDict()")))),
        "Item [0] of the result is OrderedDict() (an OrderedDict) instead of {'a': 2} (a dict): "
        "dict(…) makes a dict of it.",
    ),
    (
        "wrong_type",
        case(called([1, 2]), called(by_repr("deque", "deque([1, 2])"))),
        "add_piece returned deque([1, 2]) (a deque) instead of [1, 2] (a list): list(…) makes a "
        "list of it.",
    ),
    (
        "wrong_type",
        case(called(("a",)), called(Value(ValueKind.FOREIGN, "dict_keys"))),
        "add_piece returned <dict_keys object> (a dict_keys) instead of ('a',) (a tuple): tuple(…) "
        "makes a tuple of it.",
    ),
    (
        "wrong_type",
        case(called({"a": 1}), called(Value(ValueKind.FOREIGN, "dict_items"))),
        "add_piece returned <dict_items object> (a dict_items) instead of {'a': 1} (a dict): "
        "dict(…) makes a dict of it.",
    ),
    (
        "wrong_type",
        case(called({"a": 1}), called(Value(ValueKind.FOREIGN, "dict_keys"))),
        "add_piece returned <dict_keys object> (a dict_keys) instead of {'a': 1} (a dict).",
    ),
    (
        "wrong_type",
        case(called({"a": 2}), called(derived("Counts", {"a": 2}))),
        "add_piece returned Counts({'a': 2}) (a Counts, derived from dict) instead of {'a': 2} (a "
        "dict): dict(…) makes a dict of it.",
    ),
    (
        "wrong_type",
        case(called("hello"), called(derived("Word", "hello", length=5))),
        "add_piece returned Word('hello', length=5) (a Word, derived from str) instead of 'hello' "
        "(a str): str(…) makes a str of it.",
    ),
    (
        "wrong_type",
        case(called("red"), called(derived("Colour", "red", name="RED", value="red"))),
        "add_piece returned Colour('red', name='RED', value='red') (a Colour, derived from str) "
        "instead of 'red' (a str): its attribute value is a str.",
    ),
    (
        "wrong_type",
        case(called([("a", 2)]), called(listed(derived("Pair", ("a", 2))))),
        "Item [0] of the result is Pair(('a', 2)) (a Pair, derived from tuple) instead of ('a', 2) "
        "(a tuple): tuple(…) makes a tuple of it.",
    ),
    (
        "wrong_type",
        case(called((1, 2)), called(derived("Row", [1, 2]))),
        "add_piece returned Row([1, 2]) (a Row, derived from list) instead of (1, 2) (a tuple): "
        "tuple(…) makes a tuple of it.",
    ),
    (
        "wrong_type",
        case(called(5), called(derived("Word", "five"))),
        "add_piece returned Word('five') (a Word, derived from str) instead of 5 (an int).",
    ),
    (
        "wrong_type",
        case(called("hello"), called(note(content="hello"))),
        "add_piece returned Note(content='hello') (a Note) instead of 'hello' (a str).",
    ),
    (
        "wrong_value",
        case(
            called(listed(derived("Counts", {"a": 2}))), called(listed(derived("Counts", {"a": 3})))
        ),
        "add_piece returned a different list: item [0]['a'] is 3, it should be 2.",
    ),
    (
        "wrong_value",
        case(called(derived("Word", "a")), called(derived("Word", "b"))),
        "add_piece returned Word('b') instead of Word('a').",
    ),
    (
        "wrong_value",
        case(called(derived("Word", "a")), called(Value(ValueKind.OBJECT, "Word"))),
        "add_piece returned <Word object> instead of Word('a').",
    ),
    (
        "wrong_type",
        case(None, called("2"), stated=Expected(returns=OfType(name="float"))),
        "add_piece returned '2' (a str) instead of a float.",
    ),
    (
        "argument_not_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(PLACED, before=(EMPTY,), after=(EMPTY,)),
        ),
        "board is not changed: a new list is returned. Change the list that is given, and return "
        "True.",
    ),
    (
        "argument_not_changed",
        case(
            called(None, before=(EMPTY,), after=(PLACED,)),
            called((PLACED, [2, 6]), before=(EMPTY,), after=(EMPTY,)),
        ),
        "board is not changed: a new list is returned. Change the list that is given, and return "
        "None.",
    ),
    (
        "argument_not_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(EMPTY,)),
        ),
        "board is not changed: item [1] is '----', it should be '---X'. Is a copy changed in its "
        "place?",
    ),
    (
        "argument_not_changed",
        case(
            session(step(), step(True), step(["-X", "--"])),
            session(step(), step(["-X", "--"]), step(["--", "--"])),
            SHOW,
        ),
        "In step 2 (add_piece(board, 'X', 0)), board is not changed: a new list is returned. "
        "Change the list that is given, and return True.",
    ),
    (
        "argument_not_changed",
        case(
            session(step(), step(True), step(True), step(["XX", "--"])),
            session(step(), step(["-X", "--"]), step(["-X", "--"]), step(["--", "--"])),
            steps("board = ['--', '--']", "add(board, 'X', 0)", "add(board, 'X', 0)", "board"),
        ),
        "In step 2 (add(board, 'X', 0)), board is not changed: in the end item [0] is '--', "
        "it should be 'XX'. Is a copy changed in its place?",
    ),
    (
        "argument_not_changed",
        case(gave_interest(accounts(100.001, 50.0)), gave_interest(accounts(100.0, 50.0))),
        "board is not changed: item [0].balance is 100.0, it should be 100.001. Is the result "
        "rounded, or is a copy changed in its place?",
    ),
    (
        "wrong_value_afterwards",
        case(
            gave_interest(accounts(101.1, 51.0)),
            gave_interest(accounts(101.10000001, 60.0)),
            within=0.001,
        ),
        "board is not as expected afterwards: item [1].balance is 60.0, it should be 51.0.",
    ),
    (
        "wrong_value",
        case(called([101.1, 51.0, 2.5]), called([101.10000001, 60.0, 2.50000001]), within=0.001),
        "add_piece returned a different list: item [1] is 60.0, it should be 51.0.",
    ),
    (
        "wrong_value",
        case(called({"a": 0.3, "b": 1}), called({"b": 2, "a": 0.30000000000000004}), within=0.001),
        "add_piece returned a different dict: item ['b'] is 2, it should be 1.",
    ),
    (
        "argument_changed",
        case(
            called(False, before=(EMPTY,), after=(EMPTY,)),
            called(True, before=(EMPTY,), after=(PLACED,)),
        ),
        "board is changed and should not be: item [1] is '---X', it should stay '----'. It also "
        "returned True instead of False.",
    ),
    (
        "argument_changed",
        case(
            session(step(), step(None), variables=(variable("board", ["--", "--"]),)),
            session(step(), step(None), variables=(variable("board", ["-X", "--"]),)),
            steps("board = ['--', '--']", "check_win(board)"),
        ),
        "board is changed and should not be: item [0] is '-X', it should stay '--'.",
    ),
    (
        "argument_changed",
        case(
            called(None, before=(EMPTY,), after=(EMPTY,)),
            called(None, before=(EMPTY,), after=([*EMPTY, "----"],)),
        ),
        "board is changed and should not be: it has 5 items, it should stay 4.",
    ),
    (
        "argument_changed",
        case(None, called(1, before=([1],), after=([2],)), stated=Expected(leaves_unchanged=True)),
        "board is changed and should not be: item [0] is 2, it should stay 1.",
    ),
    (
        "rows_and_columns_swapped",
        case(called(["ab", "cd"]), called(["ac", "bd"])),
        "The returned board has rows and columns swapped.",
    ),
    (
        "rows_and_columns_swapped",
        case(called([[1, 2, 3], [4, 5, 6]]), called([[1, 4], [2, 5], [3, 6]])),
        "The returned board has rows and columns swapped.",
    ),
    (
        "rows_and_columns_swapped",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(TURNED,)),
        ),
        "board has rows and columns swapped.",
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(BESIDE,)),
        ),
        "board is changed one column off: at index 2 instead of 1.",
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(FIRST,)),
            called(True, before=(EMPTY,), after=(LAST,)),
        ),
        "board is changed one column off: at index 3 instead of 0.",
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=([[".", "."], [".", "."]],), after=([[".", "."], ["X", "."]],)),
            called(True, before=([[".", "."], [".", "."]],), after=([[".", "."], [".", "X"]],)),
        ),
        "board is changed one column off: at index 1 instead of 0.",
    ),
    (
        "wrong_value",
        case(called(3), called(4), Stimulus(action=Call(expression="len(moves(board))"))),
        "It returned 4 instead of 3.",
    ),
    (
        "wrong_value",
        case(
            None,
            called(3),
            stated=Expected(
                returns=AllOf(matchers=(OfType(name="int"), OneOf(values=(Value.of(1),))))
            ),
        ),
        "add_piece returned 3, expected one of 1.",
    ),
    (
        "wrong_type",
        case(
            None,
            called(3),
            stated=Expected(returns=AllOf(matchers=(AnyValue(), OfType(name="str")))),
        ),
        "add_piece returned 3 (an int) instead of a str.",
    ),
    (
        "wrong_value",
        case(called("X"), called("O")),
        "add_piece returned 'O' instead of 'X'.",
    ),
    (
        "wrong_value",
        case(called([1, 2, 3]), called([1, 2, 4])),
        "add_piece returned a different list: item [2] is 4, it should be 3.",
    ),
    (
        "wrong_value",
        case(called([[1], [2]]), called([[1], [2, 3]])),
        "add_piece returned a different list: item [1] has too many items.",
    ),
    (
        "wrong_value",
        case(called([1, [2, 3], 4, 5]), called([1, [3, 2], 4, 6])),
        "add_piece returned a different list: item [1][0] is 3, it should be 2, and 2 more items "
        "are wrong.",
    ),
    (
        "wrong_value",
        case(called((0, 0, 1)), called((1, 1, 1))),
        "add_piece returned a different tuple: item [0] is 1, it should be 0, and 1 more item is "
        "wrong.",
    ),
    (
        "wrong_value",
        case(called([(2, 1), (2, 2), (3, 1)]), called([(2, 1), (3, 1), (2, 2)])),
        "add_piece returned the right items in another order: item [1] is (3, 1), it should be "
        "(2, 2).",
    ),
    (
        "wrong_value",
        case(called([["a", "b"]] * 3), called([["a", "b", "c"]] * 2)),
        "add_piece returned a different list: it has 2 rows of 3 items instead of 3 rows of 2 "
        "items.",
    ),
    (
        "wrong_value",
        case(
            session(step(), step(), step([["a", "b"], ["b", "b"]])),
            session(step(), step(), step([["a", "a"], ["a", "a"]])),
            steps("grid = make(2)", "grid[0][0] = 'a'", "grid"),
        ),
        "In step 3, grid is then a different list: item [0][1] is 'a', it should be 'b', and 2 "
        "more items are wrong.",
    ),
    (
        "wrong_value",
        case(session(step(), step(3)), session(step(), step(4)), steps("n = f()", "n")),
        "In step 2, n is then 4 instead of 3.",
    ),
    (
        "wrong_value",
        case(session(step(3)), session(step(4)), steps("count(board)")),
        "count returned 4 instead of 3.",
    ),
    (
        "wrong_value",
        case(called([1, 2]), called([1])),
        "add_piece returned a different list: it has 1 item instead of 2 items.",
    ),
    (
        "wrong_value",
        case(None, called("abc"), stated=Expected(returns=Matches(pattern="^x"))),
        "add_piece returned 'abc', expected text that matches the pattern \"^x\".",
    ),
    (
        "wrong_value",
        case(
            None,
            called("abc"),
            stated=Expected(returns=Matches(pattern="^x", words="a word that starts with x")),
        ),
        "add_piece returned 'abc', expected a word that starts with x.",
    ),
    (
        "wrong_value",
        case(
            None, called("abc"), stated=Expected(returns=Contains(text="|  |0\n|X |1\n+--+\n 01"))
        ),
        'add_piece returned \'abc\', expected text that contains 4 lines, from "|  |0" to " 01".',
    ),
    (
        "wrong_value_afterwards",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(["X---", "X---", "----", "----"],)),
        ),
        "board is not as expected afterwards: item [0] is 'X---', it should be '----', "
        "and 1 more item is wrong.",
    ),
    (
        "wrong_value_afterwards",
        case(
            None,
            session(step()),
            steps("x = 1"),
            Expected(leaves=(StatedLeave(name="y", value=exactly(1)),)),
        ),
        "The variable y does not exist afterwards.",
    ),
    (
        "wrong_exit_status",
        case(ran("bye"), ran("bye", status=1), RUN),
        "The program ended with status 1 instead of 0.",
    ),
    (
        "differs",
        case(called(1), called(2)),
        "What it returned is not what is expected.",
    ),
]

# The neighbours of a case: near enough to be taken for it.
LEAVES_ALONE: list[tuple[str, Failure]] = [
    ("too_large", case(called(1), called(2))),
    ("printed_instead_of_returned", case(called(True), called(False, "True\n"))),
    ("printed_instead_of_returned", case(called(True), called(None, "False\n"))),
    ("printed_instead_of_returned", case(called(True), called(None, "Is it True?\n"))),
    ("printed_instead_of_returned", case(called("ok", "ok\n"), called(None, "ok\n"))),
    ("returned_instead_of_printed", case(called(None, BOARD), called("nothing"))),
    ("returned_instead_of_printed", case(called(None, BOARD), called(BOARD, BOARD))),
    ("returned_a_function", case(called(1), called(GENERATOR))),
    ("iterator_instead_of_generator", case(None, called(OTHERS), stated=YIELDED)),
    ("iterator_instead_of_generator", case(called(ONE_BY_ONE), called(OTHERS))),
    ("iterator_instead_of_generator", case(called([1, 2]), called(FILTERED))),
    ("returned_none", case(called(None), called(True))),
    ("returned_none", case(called(True), called(False))),
    ("wrong_type", case(called(None), called(True))),
    ("wrong_type", case(called(True), called(None))),
    ("wrong_type", case(called(1), called(2))),
    ("wrong_type", case(called([1, 2]), called([1]))),
    (
        "argument_not_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(BESIDE,)),
        ),
    ),
    (
        "argument_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(EMPTY,)),
        ),
    ),
    (
        "argument_not_changed",
        case(
            gave_interest(accounts(100.00000001, 50.0)),
            gave_interest(accounts(100.0, 50.0), value=1),
            within=0.001,
        ),
    ),
    (
        "argument_not_changed",
        case(
            session(step(), step([101.1]), step(101.1), step([101.1])),
            session(step(), step([101.10000001]), step(3), step([101.10000001])),
            steps("a = pay([])", "a", "total(a)", "a"),
            within=0.001,
        ),
    ),
    (
        "argument_not_changed",
        case(
            session(step(), step([101.1]), step(1), variables=(variable("a", [101.1]),)),
            session(step(), step([101.1001]), step(1), variables=(variable("a", [101.1001]),)),
            steps("a = pay([])", "a", "total(a)"),
            within=0.001,
            stated=Expected(prints=exactly("x")),
        ),
    ),
    (
        "argument_changed",
        case(
            gave_interest(accounts(100.0, 50.0)),
            gave_interest(accounts(100.00000001, 50.0), value=1),
            within=0.001,
        ),
    ),
    ("rows_and_columns_swapped", case(called(["ab", "cd"]), called(["ab", "dc"]))),
    ("rows_and_columns_swapped", case(called(["ab", "c"]), called(["ac", "b"]))),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(LAST,)),
        ),
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(EMPTY,)),
        ),
    ),
    ("wrong_value", case(called(None, "a"), called(None, "b"))),
    ("wrong_value_afterwards", case(called(1), called(2))),
    (
        "argument_changed",
        case(
            session(step(), step(), variables=(variable("board", ["--", "--"]),)),
            session(step(), step(), variables=(variable("board", ["-X", "--"]),)),
            steps("board = ['--', '--']", "board = list(board)"),
        ),
    ),
    ("wrong_exit_status", case(called(1), called(2))),
]
