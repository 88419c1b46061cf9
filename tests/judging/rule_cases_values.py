"""Values, arguments, classes and generators: what each rule fires on, says, and leaves alone."""

from dataclasses import replace
from typing import Any

from harness.judging.explain.failure import Failure
from harness.matchers.kinds.chance import ByChance, Share
from harness.matchers.kinds.combinations import AllOf, OneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.signature import HasSignature
from harness.matchers.kinds.texts import Matches
from harness.matchers.kinds.values import AnyValue, OfType, Yields
from harness.model.expectation import Expected, StatedLeave
from harness.model.observation import NameHint, NameHintKind, Observation, StepOutcome
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.stimuli.call import Call
from harness.stimuli.exists import Exists
from tests.judging.judging_cases import (
    RUN,
    Neighbours,
    Sentences,
    breaks,
    called,
    case,
    changed,
    exactly,
    prints,
    raised,
    ran,
    returns,
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
    return replace(called(value), arguments_before=(accounts(100.0, 50.0),), arguments=(after,))


def found(
    what: str, *parameters: str, attributes: list[str] | None = None, unknown: bool = False
) -> Value:
    """What a program has under a name."""
    told = None if unknown else list(parameters)
    return Value.of({"is": what, "parameters": told, "attributes": attributes or []})


def by_chance(results: list[int], **stated: Any) -> Failure:
    """The case of three calls with these results."""
    wanted = ByChance(calls=3, **stated)
    return case(None, called(results), stated=Expected(returns=wanted))


def named(value: Value, wanted: HasSignature) -> Failure:
    """The case of a name that is not what it should be."""
    stimulus = Stimulus(action=Exists(expression="Pet.feed"))
    return case(None, called(value), stimulus, Expected(returns=wanted))


SHOW = steps("board = ['--', '--']", "add(board, 'X', 0)", "board")
EQUALS_ADA = "== Account('Ada')"


def account(**attributes: object) -> Value:
    """An object of the class Account."""
    parts = [Value.of(part) for pair in attributes.items() for part in pair]
    return Value(ValueKind.OBJECT, "Account", tuple(parts))


def answering(answer: Value) -> Value:
    """An object of which only the answer of its `==` is known."""
    return Value(ValueKind.OBJECT, "Account", (Value(ValueKind.STR, EQUALS_ADA), answer))


def about(kind: NameHintKind, near: str, error: str = "AttributeError") -> Observation:
    """An exception about the name deposit of the class Account."""
    seen = raised(error, "oh", line=4, source="balance += 1")
    assert seen.raised is not None
    names = NameHint(kind=kind, name="deposit", owner="Account", near=near)
    return replace(seen, raised=replace(seen.raised, names=names))


def shown(text: str) -> Observation:
    """A session that shows an account as this text."""
    return session(StepOutcome(value=account(owner="Ada"), shown=text))


DEFAULT_REPR = "<a1.Account object at 0x…>"
SHOW_ACCOUNT = steps("account")
NO_EQ = Value(ValueKind.FOREIGN, "no __eq__")
EQUAL = Expected(returns=EqualTo(expression="Account('Ada')"))
YIELDS = Value(ValueKind.ITERATOR, "generator", (Value.of(1),))
WRONG_NAME = case(called(1), raised("AttributeError", "oh", line=4, source="x.y"))
FIRES: Sentences = {
    "too_large": {
        "add returned a value that is too large to compare (an int of 1000000 digits).": returns(
            1, HUGE
        )
    },
    "printed_instead_of_returned": {
        "add printed True instead of returning it.": case(called(True), called(None, "True\n")),
        "add printed ['ab', 'cd'] instead of returning it.": case(
            called(["ab", "cd"]), called(None, "ab\ncd\n")
        ),
        # With blanks at the ends of lines.
        "add printed 'a b' instead of returning it.": case(called("a b"), called(None, "a b  \n")),
        "add printed 'ab\\ncd' instead of returning it.": case(
            called("ab\ncd"), called(None, "ab \ncd\n")
        ),
        "richest printed Account(owner='Ada') instead of returning it. At the >>> prompt, a "
        "printed value and a returned value can look the same.": case(
            shown("Account('Ada')"),
            session(step(None, "Account('Ada')\n")),
            steps("richest([ada])"),
        ),
    },
    "returned_instead_of_printed": {
        "add returned the text instead of printing it.": case(
            called(None, BOARD), called(BOARD.rstrip("\n"))
        )
    },
    "iterator_instead_of_generator": {
        "add returned a filter object instead of a generator: write yield.": [
            case(None, called(FILTERED), stated=YIELDED),
            returns(ONE_BY_ONE, FILTERED),
        ]
    },
    "returned_a_function": {
        "add returned the function check_win itself: are its parentheses missing?": returns(
            1, Value(ValueKind.FUNCTION, "check_win")
        )
    },
    "returned_none": {
        "add returned None instead of False.": returns(False, None),
        "add returned None instead of 'O'.": returns("O", None),
        "add returned None instead of True.": case(called(True), called(None, "No move.\n")),
        "f returned None instead of True.": case(
            session(step(True)), session(step()), steps("f()")
        ),
        "add returned None instead of an int.": case(
            None, called(None), stated=Expected(returns=OfType(name="int"))
        ),
    },
    "wrong_type": {
        "add returned 1 (an int) instead of True (a bool).": returns(True, 1),
        "add returned 'True' (a str) instead of True (a bool).": returns(True, "True"),
        "add returned 2.0 (a float) instead of 2 (an int).": returns(2, 2.0),
        "Item [1] of the result is '2' (a str) instead of 2 (an int).": returns([1, 2], [1, "2"]),
        "add returned <generator object> (a generator) instead of [1] (a list).": returns(
            [1], GENERATOR
        ),
        "add returned <int object> (an object of the program's own class int) "
        "instead of 1 (an int).": returns(1, Value(ValueKind.FOREIGN, "int")),
        "add returned Counter({'a': 2}) (a Counter) instead of {'a': 2} (a dict): dict(…) "
        "turns it into a dict.": returns({"a": 2}, by_repr("Counter", "Counter({'a': 2})")),
        "Item [0] of the result is OrderedDict() (an OrderedDict) instead of {'a': 2} (a dict): "
        "dict(…) turns "
        "it into a dict.": returns([{"a": 2}], listed(by_repr("OrderedDict", "OrderedDict()"))),
        "add returned deque([1, 2]) (a deque) instead of [1, 2] (a list): list(…) turns "
        "it into a list.": returns([1, 2], by_repr("deque", "deque([1, 2])")),
        "add returned <dict_keys object> (a dict_keys) instead of ('a',) (a tuple): tuple(…) "
        "turns it into a tuple.": returns(("a",), Value(ValueKind.FOREIGN, "dict_keys")),
        "add returned <dict_items object> (a dict_items) instead of {'a': 1} (a dict): "
        "dict(…) turns it into a dict.": returns({"a": 1}, Value(ValueKind.FOREIGN, "dict_items")),
        "add returned <dict_keys object> (a dict_keys) instead of {'a': 1} (a dict).": returns(
            {"a": 1}, Value(ValueKind.FOREIGN, "dict_keys")
        ),
        "add returned Counts({'a': 2}) (a Counts, derived from dict) instead of {'a': 2} (a "
        "dict): dict(…) turns it into a dict.": returns({"a": 2}, derived("Counts", {"a": 2})),
        "add returned Word('hello', length=5) (a Word, derived from str) instead of 'hello' "
        "(a str): str(…) turns it into a str.": returns(
            "hello", derived("Word", "hello", length=5)
        ),
        "add returned Colour('red', name='RED', value='red') (a Colour, derived from str) "
        "instead of 'red' (a str): its attribute value "
        "is a str.": returns("red", derived("Colour", "red", name="RED", value="red")),
        "Item [0] of the result is Pair(('a', 2)) (a Pair, derived from tuple) instead of ('a', 2) "
        "(a tuple): tuple(…) turns "
        "it into a tuple.": returns([("a", 2)], listed(derived("Pair", ("a", 2)))),
        "add returned Row([1, 2]) (a Row, derived from list) instead of (1, 2) (a tuple): "
        "tuple(…) turns it into a tuple.": returns((1, 2), derived("Row", [1, 2])),
        "add returned Word('five') (a Word, derived from str) instead of 5 (an int).": returns(
            5, derived("Word", "five")
        ),
        "add returned Note(content='hello') (a Note) instead of 'hello' (a str).": returns(
            "hello", note(content="hello")
        ),
        "add returned '2' (a str) instead of a float.": breaks(OfType(name="float"), "2"),
        "add returned 3 (an int) instead of a str.": breaks(
            AllOf(matchers=(AnyValue(), OfType(name="str"))), 3
        ),
        "add returned 'Ada' (a str) instead of Account(owner='Ada') (an Account).": returns(
            account(owner="Ada"), "Ada"
        ),
    },
    "wrong_value": {
        "add returned <function str.lower> instead of <function str.upper>.": returns(
            Value(ValueKind.FUNCTION, "str.upper"), Value(ValueKind.FUNCTION, "str.lower")
        ),
        "add returned 2 instead of 1.": case(called(1), called(2, "debug\n")),
        "add returned a different list: item [0]['a'] is 3, it should be 2.": returns(
            listed(derived("Counts", {"a": 2})), listed(derived("Counts", {"a": 3}))
        ),
        "add returned Word('b') instead of Word('a').": returns(
            derived("Word", "a"), derived("Word", "b")
        ),
        "add returned <Word object> instead of Word('a').": returns(
            derived("Word", "a"), Value(ValueKind.OBJECT, "Word")
        ),
        "add returned a different list: item [1] is 60.0, it should be 51.0.": returns(
            [101.1, 51.0, 2.5], [101.10000001, 60.0, 2.50000001], within=0.001
        ),
        "add returned a different dict: item ['b'] is 2, it should be 1.": returns(
            {"a": 0.3, "b": 1}, {"b": 2, "a": 0.30000000000000004}, within=0.001
        ),
        "It returned 4 instead of 3.": returns(
            3, 4, Stimulus(action=Call(expression="len(moves(board))"))
        ),
        "add returned 3, expected one of 1.": case(
            None,
            called(3),
            stated=Expected(
                returns=AllOf(matchers=(OfType(name="int"), OneOf(values=(Value.of(1),))))
            ),
        ),
        "add returned 'O' instead of 'X'.": returns("X", "O"),
        "add returned a different list: item [2] is 4, it should be 3.": returns(
            [1, 2, 3], [1, 2, 4]
        ),
        "add returned a different list: item [1] has too many items.": returns(
            [[1], [2]], [[1], [2, 3]]
        ),
        "add returned a different list: item [1][0] is 3, it should be 2, and 2 more items "
        "are wrong.": returns([1, [2, 3], 4, 5], [1, [3, 2], 4, 6]),
        "add returned a different tuple: item [0] is 1, it should be 0, and 1 more item is "
        "wrong.": returns((0, 0, 1), (1, 1, 1)),
        "add returned the right items in another order: item [1] is (3, 1), it should be "
        "(2, 2).": returns([(2, 1), (2, 2), (3, 1)], [(2, 1), (3, 1), (2, 2)]),
        "add returned a different list: it has 2 rows of 3 items instead of 3 rows of 2 "
        "items.": returns([["a", "b"]] * 3, [["a", "b", "c"]] * 2),
        "In step 3, grid is then a different list: item [0][1] is 'a', it should be 'b', and 2 "
        "more items are wrong.": case(
            session(step(), step(), step([["a", "b"], ["b", "b"]])),
            session(step(), step(), step([["a", "a"], ["a", "a"]])),
            steps("grid = make(2)", "grid[0][0] = 'a'", "grid"),
        ),
        "In step 2, n is then 4 instead of 3.": case(
            session(step(), step(3)), session(step(), step(4)), steps("n = f()", "n")
        ),
        "count returned 4 instead of 3.": case(
            session(step(3)), session(step(4)), steps("count(board)")
        ),
        "add returned a different list: it has 1 item instead of 2 items.": returns([1, 2], [1]),
        "add returned 'abc', expected text that matches the pattern \"^x\".": breaks(
            Matches(pattern="^x"), "abc"
        ),
        "add returned 'abc', expected a word that starts with x.": breaks(
            Matches(pattern="^x", words="a word that starts with x"), "abc"
        ),
        'add returned \'abc\', expected text that contains 4 lines, from "|  |0" to " 01".': breaks(
            Contains(text="|  |0\n|X |1\n+--+\n 01"), "abc"
        ),
        "add returned a different Account: attribute balance is 2, it should be 1.": returns(
            account(owner="Ada", balance=1), account(owner="Ada", balance=2)
        ),
    },
    "argument_not_changed": {
        "board is not changed: item [0] is '---', it should be '--X'. Does it change a copy "
        "instead?": case(changed(["---"], ["--X"]), changed(["---"], ["---"], None)),
        "add refuses a valid call: it returned False and left board as it was (item [0] is '---', "
        "it should be '--X').": case(changed(["---"], ["--X"]), changed(["---"], ["---"], False)),
        "board is not changed: item [0] is '---', it should be '--X'. It also returned True "
        "instead "
        "of False.": case(changed(["---"], ["--X"], False), changed(["---"], ["---"], True)),
        # It did change something.
        "board is not changed: it has 0 items, it should be 1. It also returned False instead of "
        "True.": case(
            called(True, before=([], ["a"]), after=(["b"], ["a"])),
            called(False, before=([], ["a"]), after=([], ["c"])),
        ),
        "board is not changed: a new list is returned. Change the list that is given, and return "
        "True.": case(changed(EMPTY, PLACED), changed(EMPTY, EMPTY, PLACED)),
        "board is not changed: a new list is returned. Change the list that is given, and return "
        "None.": case(changed(EMPTY, PLACED, None), changed(EMPTY, EMPTY, (PLACED, [2, 6]))),
        "board is not changed: item [1] is '----', it should be '---X'. Does it change a copy "
        "instead?": case(changed(EMPTY, PLACED), changed(EMPTY, EMPTY)),
        "In step 2 (add(board, 'X', 0)), board is not changed: a new list is returned. "
        "Change the list that is given, and return True.": case(
            session(step(), step(True), step(["-X", "--"])),
            session(step(), step(["-X", "--"]), step(["--", "--"])),
            SHOW,
        ),
        "In step 2 (add(board, 'X', 0)), board is not changed: in the end item [0] is '--', "
        "it should be 'XX'. Does it change a copy instead?": case(
            session(step(), step(True), step(True), step(["XX", "--"])),
            session(step(), step(["-X", "--"]), step(["-X", "--"]), step(["--", "--"])),
            steps("board = ['--', '--']", "add(board, 'X', 0)", "add(board, 'X', 0)", "board"),
        ),
        "board is not changed: item [0].balance is 100.0, it should be 100.001. Does it round "
        "the result, or change a copy instead?": case(
            gave_interest(accounts(100.001, 50.0)), gave_interest(accounts(100.0, 50.0))
        ),
    },
    "wrong_value_afterwards": {
        "board is not as expected afterwards: item [1].balance is 60.0, it should be 51.0.": case(
            gave_interest(accounts(101.1, 51.0)),
            gave_interest(accounts(101.10000001, 60.0)),
            within=0.001,
        ),
        "board is not as expected afterwards: item [0] is 'X---', it should be '----', "
        "and 1 more item "
        "is wrong.": case(changed(EMPTY, PLACED), changed(EMPTY, ["X---", "X---", "----", "----"])),
        "The variable y does not exist afterwards.": case(
            None,
            session(step()),
            steps("x = 1"),
            Expected(leaves=(StatedLeave(name="y", value=exactly(1)),)),
        ),
    },
    "argument_changed": {
        "board is changed and should not be: item [1] is '---X', it should stay '----'. It also "
        "returned True instead "
        "of False.": case(changed(EMPTY, EMPTY, False), changed(EMPTY, PLACED)),
        "board is changed and should not be: item [0] is '-X', it should stay '--'.": case(
            session(step(), step(None), variables=(variable("board", ["--", "--"]),)),
            session(step(), step(None), variables=(variable("board", ["-X", "--"]),)),
            steps("board = ['--', '--']", "check_win(board)"),
        ),
        "board is changed and should not be: it has 5 items, it should stay 4.": case(
            changed(EMPTY, EMPTY, None), changed(EMPTY, [*EMPTY, "----"], None)
        ),
        "board is changed and should not be: item [0] is 2, it should stay 1.": case(
            None, changed([1], [2], 1), stated=Expected(leaves_unchanged=True)
        ),
    },
    "rows_and_columns_swapped": {
        "The returned board has rows and columns swapped.": [
            returns(["ab", "cd"], ["ac", "bd"]),
            returns([[1, 2, 3], [4, 5, 6]], [[1, 4], [2, 5], [3, 6]]),
        ],
        "board has rows and columns swapped.": case(changed(EMPTY, PLACED), changed(EMPTY, TURNED)),
    },
    "wrong_exit_status": {
        "The program ended with status 1 instead of 0.": case(ran("bye"), ran("bye", status=1), RUN)
    },
    "differs": {"The returned value is not the expected one.": returns(1, 2)},
    "forgotten_self": {
        "deposit is a method: its first parameter must be self (now it is amount).": case(
            called(1), about(NameHintKind.NO_SELF, "amount", "TypeError")
        ),
        "deposit is a method: its first parameter must be self.": case(
            called(1), about(NameHintKind.NO_SELF, "", "TypeError")
        ),
    },
    "forgotten_self_dot": {
        "add uses deposit without self (line 4: balance += 1): it is an attribute of "
        "Account, so write "
        "self.deposit.": case(called(1), about(NameHintKind.SELF_DOT, "self", "NameError"))
    },
    "method_outside_its_class": {
        "deposit is outside the class Account: indent it, so that it is inside.": case(
            called(1), about(NameHintKind.OUTSIDE, "")
        )
    },
    "missing_method": {
        "Account has no deposit. You have depositt: is that it?": case(
            called(1), about(NameHintKind.NEAREST, "depositt")
        )
    },
    "no_repr": {
        "The value is shown as <a1.Account object at 0x…>: Account has no __repr__.": case(
            shown("Account('Ada')"), shown(DEFAULT_REPR), SHOW_ACCOUNT
        ),
        "add returned Python's default text for an object: Account has no __repr__.": returns(
            "Account('Ada')", "<a1.Account object at 0x7f00>"
        ),
    },
    "repr_differs": {
        'The value is shown as "Account(Ada)", it should be shown as "Account(\'Ada\')": that text '
        "comes from __repr__.": case(shown("Account('Ada')"), shown("Account(Ada)"), SHOW_ACCOUNT),
        "The value is shown as an empty text, it should be shown as \"Account('Ada')\": that text "
        "comes from __repr__.": case(shown("Account('Ada')"), shown(""), SHOW_ACCOUNT),
    },
    "no_eq": {
        "add returned an object that is not equal to Account('Ada'): Account has no __eq__.": case(
            None, called(answering(NO_EQ)), stated=EQUAL
        ),
        "add returned an object that is not equal (==) to Account('Ada').": case(
            None, called(answering(Value.of(False))), stated=EQUAL
        ),
    },
    "unlikely_results": {
        "add returned 7 in call 2 of 3, expected 1.": by_chance([1, 7, 1], each=exactly(1)),
        "add never returned 3 in 3 calls, and each of 1 and 3 should occur.": by_chance(
            [1, 2, 2], occur=(Value.of(1), Value.of(3))
        ),
        "add returned 2 2 times in 3 calls, all should be different.": by_chance(
            [1, 2, 2], all_different=True
        ),
        "add returned 1 in 33.3 % of 3 calls, it should be 50 % ± 10 %.": by_chance(
            [1, 2, 2], shares=(Share(value=Value.of(1), about=0.5, within=0.1),)
        ),
    },
    "other_signature": {
        "Pet.feed should be a function, it is a value.": named(
            found("value"), HasSignature(what="function")
        ),
        "Pet has no feed.": named(found("nothing"), HasSignature()),
        "Pet.feed has the parameters (food), it should have no parameters.": named(
            found("function", "food"), HasSignature(parameters=())
        ),
        "Pet.feed has unknown parameters, it should have the parameters (food, *, much=1).": named(
            found("function", unknown=True), HasSignature(parameters=("food", "*", "much=1"))
        ),
        "Pet.feed does not set the attribute age and size.": named(
            found("class", attributes=["name"]), HasSignature(attributes=("age", "name", "size"))
        ),
    },
    "generator_instead_of_list": {
        "add returned a generator instead of a list: list(…) turns it into a list.": returns(
            [1], YIELDS
        )
    },
}
LEAVES_ALONE: Neighbours = {
    "too_large": [returns(1, 2)],
    "printed_instead_of_returned": [
        case(called(True), called(False, "True\n")),
        case(called(True), called(None, "False\n")),
        case(called(True), called(None, "Is it True?\n")),
        case(called("ok", "ok\n"), called(None, "ok\n")),
        case(called("a b"), called(None, " a b\n")),
        case(called("a b"), called(None, "a  b\n")),
    ],
    "returned_instead_of_printed": [
        case(called(None, BOARD), called("nothing")),
        case(called(None, BOARD), called(BOARD, BOARD)),
    ],
    "returned_a_function": [returns(1, GENERATOR)],
    "iterator_instead_of_generator": [
        case(None, called(OTHERS), stated=YIELDED),
        returns(ONE_BY_ONE, OTHERS),
        returns([1, 2], FILTERED),
    ],
    "returned_none": [returns(None, True), returns(True, False)],
    "wrong_type": [returns(None, True), returns(True, None), returns(1, 2), returns([1, 2], [1])],
    "argument_not_changed": [
        case(changed(EMPTY, PLACED), changed(EMPTY, BESIDE)),
        case(
            gave_interest(accounts(100.00000001, 50.0)),
            gave_interest(accounts(100.0, 50.0), value=1),
            within=0.001,
        ),
        case(
            session(step(), step([101.1]), step(101.1), step([101.1])),
            session(step(), step([101.10000001]), step(3), step([101.10000001])),
            steps("a = pay([])", "a", "total(a)", "a"),
            within=0.001,
        ),
        case(
            session(step(), step([101.1]), step(1), variables=(variable("a", [101.1]),)),
            session(step(), step([101.1001]), step(1), variables=(variable("a", [101.1001]),)),
            steps("a = pay([])", "a", "total(a)"),
            within=0.001,
            stated=Expected(prints=exactly("x")),
        ),
    ],
    "argument_changed": [
        case(changed(EMPTY, PLACED), changed(EMPTY, EMPTY)),
        case(
            gave_interest(accounts(100.0, 50.0)),
            gave_interest(accounts(100.00000001, 50.0), value=1),
            within=0.001,
        ),
        case(
            session(step(), step(), variables=(variable("board", ["--", "--"]),)),
            session(step(), step(), variables=(variable("board", ["-X", "--"]),)),
            steps("board = ['--', '--']", "board = list(board)"),
        ),
    ],
    "rows_and_columns_swapped": [
        returns(["ab", "cd"], ["ab", "dc"]),
        returns(["ab", "c"], ["ac", "b"]),
    ],
    "wrong_value": [prints("a", "b")],
    "wrong_value_afterwards": [returns(1, 2)],
    "wrong_exit_status": [returns(1, 2)],
    "forgotten_self": [WRONG_NAME, case(called(1), about(NameHintKind.OUTSIDE, ""))],
    "forgotten_self_dot": [WRONG_NAME],
    "method_outside_its_class": [WRONG_NAME],
    "missing_method": [case(called(1), about(NameHintKind.NO_SELF, ""))],
    "no_repr": [
        case(shown("Account('Ada')"), shown("Account(Ada)"), SHOW_ACCOUNT),
        returns("a", "b"),
    ],
    "repr_differs": [
        returns("a", "b"),
        case(shown("Account('Ada')"), session(step(5)), SHOW_ACCOUNT),
        case(None, session(step(6)), SHOW_ACCOUNT, stated=Expected(shown=("5\n",))),
    ],
    "no_eq": [
        returns(account(owner="Ada"), account(owner="Alan")),
        case(None, called(1), stated=Expected(returns=exactly(2))),
    ],
    "unlikely_results": [returns([1, 2], [1, 1])],
    "other_signature": [
        returns({"is": "value", "parameters": None, "attributes": []}, 1),
        case(None, called(1), stated=Expected(returns=exactly(2))),
    ],
    "generator_instead_of_list": [returns([1], (1,))],
}
