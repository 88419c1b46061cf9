"""What a test may do to a program of another process, idiom by idiom."""

import copy
import inspect
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, Mock, patch

import pytest

from harness.execution.inside.remote.client import RemoteProgram, is_remote
from harness.execution.inside.remote.sending import SentNames
from harness.execution.inside.remote.values import MAX_TEXT
from tests.execution.remote_pair import remote_program

PROGRAM = '''
import enum, random
from collections import namedtuple
from dataclasses import dataclass

DATA = [1, 2, 3]
Point = namedtuple("Point", "x y")

class Color(enum.Enum):
    RED = 1
    BLUE = 2

class BankError(ValueError):
    """Too little money."""
    def __init__(self, message, missing):
        super().__init__(message)
        self.missing = missing

class Account:
    """An account."""
    rate = 3
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []
        self._secret = "s"
    def deposit(self, amount: int, note="") -> int:
        if amount <= 0:
            raise BankError("not positive", -amount)
        self.balance += amount
        self.history.append(amount)
        return self.balance
    @property
    def doubled(self):
        return 2 * self.balance
    @classmethod
    def empty(cls):
        return cls("nobody")
    def __eq__(self, other):
        return isinstance(other, Account) and self.balance == other.balance
    def __hash__(self):
        return hash(self.balance)
    def __lt__(self, other):
        return self.balance < other.balance
    def __add__(self, more):
        return Account(self.owner, self.balance + more)
    def __len__(self):
        return len(self.history)
    def __iter__(self):
        return iter(self.history)
    def __contains__(self, item):
        return True
    def __getitem__(self, index):
        return self.history[index]
    def __enter__(self):
        self.history.append("entered")
        return self
    def __exit__(self, kind, error, trace):
        self.history.append("left")
        return kind is KeyError
    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"
    def __str__(self):
        return "an account"
    def __call__(self, x):
        return x + self.balance

class Savings(Account):
    pass

class Stack(list):
    def push(self, item):
        self.append(item)

class Yes:
    def __eq__(self, other):
        return True

@dataclass
class Card:
    rank: int
    suit: str

def same(value):
    return value

def kind(value):
    return type(value).__name__

def fill(items):
    items.append(4)

def swap(pair):
    pair["a"], pair["b"] = pair["b"], pair["a"]

def helper(x):
    return x + 1

def uses_helper(x):
    return helper(x) * 10

def divide(a, b):
    return a / b

def count(n):
    for i in range(n):
        yield i

def apply(function, *values, **named):
    return function(*values, **named)

def roll():
    return random.randint(1, 6)

def ends():
    raise SystemExit(3)

def board(n=3):
    """Return a board."""
    row = [0] * n
    return [row for _ in range(n)]

def reads(file):
    with file as f:
        return f.read()

def deep(n):
    return deep(n)

def peek(thing, name):
    return getattr(thing, name)
'''


@pytest.fixture(scope="module")
def program() -> Iterator[RemoteProgram]:
    with remote_program(PROGRAM) as found:
        yield found


@pytest.fixture(scope="module")
def a1(program: RemoteProgram) -> Any:
    return program.module("a1_remote")


VALUES = [
    None, True, 0, -7, 10**40, 1.5, float("inf"), 2j, "", "text ü \ud800", b"\x00\xff", ...,
    NotImplemented, (1, (2,)), [1, [2, []]], {"a": {1: None}}, {1, 2}, frozenset({3}),
    range(1, 9, 2), slice(1, None), bytearray(b"ab"), Counter("aab"), OrderedDict(a=1),
    deque([1, 2], 5), Decimal("1.10"), Fraction(1, 3), date(2026, 3, 1),
    datetime(2026, 3, 1, 12), timedelta(1, 2, 3), Path("a/b"), len, int,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_values_travel_both_ways(a1: Any, value: Any) -> None:
    back = a1.same(value)
    assert type(back) is type(value)
    assert back == value
    assert a1.kind(value) == type(value).__name__


def test_a_container_that_is_passed_and_returned_is_the_same_object(a1: Any) -> None:
    items = [1]
    assert a1.same(items) is items
    a1.fill(items)
    assert items == [1, 4]
    pair = {"a": [1], "b": [2]}
    first = pair["a"]
    a1.swap(pair)
    assert pair == {"a": [2], "b": [1]}
    assert pair["b"] is first


def test_containers_that_hold_themselves_travel(a1: Any) -> None:
    items: list[Any] = [1]
    items.append(items)
    assert a1.same(items)[1] is items


def test_shared_parts_of_a_value_stay_shared(a1: Any) -> None:
    board = a1.board()
    board[0][1] = 5
    assert board == [[0, 5, 0]] * 3
    assert board[0] is board[2]


def test_a_list_of_the_program_is_one_list_on_both_sides(a1: Any) -> None:
    account = a1.Account("Ann")
    account.history.append(7)
    assert account[0] == 7
    account.deposit(5)
    assert account.history == [7, 5]
    history = account.history
    account.deposit(6)
    assert history == [7, 5, 6]
    a1.DATA.append(9)
    assert a1.same(a1.DATA) == [1, 2, 3, 9]
    a1.DATA.pop()


def test_factories_and_lengths_of_collections_travel(a1: Any) -> None:
    counts: defaultdict[str, int] = defaultdict(int)
    assert a1.peek(counts, "default_factory") is int
    assert a1.same(deque(maxlen=3)).maxlen == 3


def test_classes_are_real_classes(a1: Any) -> None:
    account = a1.Savings("Ann", 5)
    assert isinstance(account, a1.Savings)
    assert isinstance(account, a1.Account)
    assert not isinstance(account, a1.Card)
    assert issubclass(a1.Savings, a1.Account)
    assert type(account) is a1.Savings
    assert type(account).__name__ == "Savings"
    assert a1.Account.__doc__ == "An account."
    assert isinstance(a1.Account.empty(), a1.Account)
    assert a1.Account.rate == 3


def test_attributes_of_objects_are_read_and_written(a1: Any) -> None:
    account = a1.Account("Ann", balance=5)
    assert (account.owner, account.balance, account.doubled, account._secret) == ("Ann", 5, 10, "s")
    account.balance = 7
    assert account.doubled == 14
    assert vars(account)["balance"] == 7
    assert hasattr(account, "owner")
    assert not hasattr(account, "nothing")
    assert "deposit" in dir(account)
    del account._secret
    assert not hasattr(account, "_secret")
    with pytest.raises(AttributeError):
        account.doubled = 3


def test_an_object_is_the_same_object_each_time(a1: Any) -> None:
    account = a1.Account("Ann")
    assert a1.same(account) is account
    assert a1.same([account])[0] is account
    assert a1.Color.RED is a1.Color.RED
    assert a1.Account is a1.Account


def test_special_methods_work(a1: Any) -> None:
    account = a1.Account("Ann", 5)
    account.deposit(2)
    assert repr(account) == "Account('Ann', 7)"
    assert str(account) == "an account"
    assert f"{account}" == "an account"
    assert len(account) == 1
    assert list(account) == [2]
    assert account[0] == 2
    assert (account + 3).balance == 10
    assert account(1) == 8
    assert account < a1.Account("Bob", 8)
    assert account == a1.Account("Bob", 7)
    assert account != a1.Account("Bob", 8)
    assert hash(account) == hash(a1.Account("Bob", 7))
    assert max([account, a1.Account("Bob", 9)]).owner == "Bob"
    with account as entered:
        assert entered is account
    with account:
        raise KeyError("swallowed")
    assert account.history == [2, "entered", "left", "entered", "left"]
    with pytest.raises(TypeError):
        account["a"]
    with pytest.raises(TypeError):
        account - 1


def test_objects_are_copied_in_the_program(a1: Any) -> None:
    account = a1.Account("Ann", 5)
    other, deep = copy.copy(account), copy.deepcopy(account)
    other.deposit(1)
    assert account.history == [1]
    assert deep.history == []


def test_an_expected_value_is_not_sent_to_be_compared(a1: Any) -> None:
    assert a1.Yes() != 5
    assert (a1.Yes() == "anything") is False
    assert a1.Yes() != [1]
    assert (a1.Yes() == None) is False  # noqa: E711
    assert (a1.Account("Ann") == None) is False  # noqa: E711
    assert 99 not in a1.Account("Ann")
    assert a1.Card(1, "h") == a1.Card(1, "h")


LIARS = """
heard = []
class Liar:
    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return lambda *values: heard.append(values) or True
    def _always(self, other):
        heard.append(other)
        return 0
    __sub__ = __rsub__ = __add__ = __mul__ = __truediv__ = __mod__ = _always
    def _true(self, other):
        heard.append(other)
        return True
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _true
    __hash__ = None
class Text(str):
    def startswith(self, other): return heard.append(other) or True
    def __contains__(self, other): return heard.append(other) or True
    def __lt__(self, other): return heard.append(other) or True
class Kind:
    startswith = staticmethod(lambda text: heard.append(text) or True)
def function(): pass
function.startswith = Kind.startswith
def startswith(text): return heard.append(text) or True
class Box:
    def __init__(self, size): self.size = size
    def __mul__(self, n): return Box(self.size * n)
    def __lt__(self, n): return self.size < n
    def __contains__(self, n): return n < self.size
    def count(self, n): return n
"""
WAYS: list[Callable[[Any], Any]] = [
    lambda thing: thing.startswith("secret"),
    lambda thing: "secret" in thing,
    lambda thing: thing < "secret",
    lambda thing: thing == "secret",
    lambda thing: abs(thing - 4711) < 0.1,
    lambda thing: thing == pytest.approx(4711),
    lambda thing: thing + "secret" == 0,
    lambda thing: "secret" + thing == 0,
    lambda thing: thing.index("secret"),
    lambda thing: thing.endswith("secret"),
    lambda thing: thing < 4711,
    lambda thing: ["secret"].index(thing) == 0,
]


@pytest.fixture(scope="module")
def liars() -> Iterator[Any]:
    names = SentNames(("__mul__", "count"), ("function", "heard"))
    with remote_program(LIARS, "liars", names) as found:
        yield found.module("liars")


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_expected_values_are_not_sent_to_an_object_that_lies(liars: Any, way: int) -> None:
    for thing in (liars.Liar(), liars.Text("x"), liars.Kind, liars.function, liars):
        try:
            outcome = WAYS[way](thing)
        except (TypeError, AttributeError, ValueError):
            outcome = False
        assert not outcome or outcome in (1, "xsecret")
    said = [value for value in liars.heard if "secret" in str(value) or "4711" in str(value)]
    assert said == []


def test_operators_of_the_reference_are_sent_values(liars: Any) -> None:
    assert (liars.Box(2) * 3).size == 6
    assert liars.Box(2).count(5) == 5
    with pytest.raises(TypeError, match="no class of the reference has it"):
        liars.Box(2) < 4  # noqa: B015
    with pytest.raises(TypeError, match="no class of the reference has it"):
        4 in liars.Box(2)  # noqa: B015


def test_classes_that_derive_from_built_in_ones_have_their_content(a1: Any) -> None:
    point = a1.Point(1, y=2)
    assert point == (1, 2)
    assert point.x == 1
    assert sorted([a1.Point(2, 1), point])[0] is point
    stack = a1.Stack()
    stack.push(3)
    assert stack == [3]
    assert list(stack) == [3]
    assert len(stack) == 1
    assert 3 in stack


def test_enums_work(a1: Any) -> None:
    assert [each.name for each in a1.Color] == ["RED", "BLUE"]
    assert a1.Color(2) is a1.Color.BLUE
    assert a1.Color["RED"].value == 1
    assert len(a1.Color) == 2


def test_exceptions_keep_their_type_and_arguments(a1: Any, program: RemoteProgram) -> None:
    with pytest.raises(ZeroDivisionError, match="division by zero") as found:
        a1.divide(1, 0)
    assert program.of_program(found.value)["frames"][-1]["function"] == "divide"
    with pytest.raises(a1.BankError, match="not positive") as own:
        a1.Account("Ann").deposit(-3)
    assert isinstance(own.value, ValueError)
    assert own.value.missing == 3
    assert own.value.args == ("not positive",)
    with pytest.raises(SystemExit) as ended:
        a1.ends()
    assert ended.value.code == 3
    with pytest.raises(RecursionError):
        a1.deep(1)
    with pytest.raises(AttributeError):
        a1.nothing  # noqa: B018
    with pytest.raises(TypeError):
        a1.Account()


def test_generators_are_iterated_one_value_at_a_time(a1: Any) -> None:
    numbers = a1.count(10**9)
    assert [next(numbers), next(numbers)] == [0, 1]
    assert list(a1.count(3)) == [0, 1, 2]
    with pytest.raises(StopIteration):
        next(a1.count(0))


def test_functions_and_objects_of_the_test_are_called_back(a1: Any) -> None:
    assert a1.apply(lambda x, y: x * y, 6, y=7) == 42
    assert a1.apply(len, [1, 2]) == 2
    assert a1.apply(a1.helper, 1) == 2
    seen: list[Any] = []
    a1.apply(seen.append, "x")
    assert seen == ["x"]
    mock = Mock(return_value=5)
    assert a1.apply(mock, 1, two=2) == 5
    mock.assert_called_once_with(1, two=2)

    class OwnError(Exception):
        pass

    error = OwnError("mine")

    def fails() -> None:
        raise error

    with pytest.raises(OwnError) as found:
        a1.apply(fails)
    assert found.value is error


def test_a_file_of_the_test_is_read_by_the_program(a1: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    assert a1.reads(path.open()) == "hello"
    opened = MagicMock()
    opened.__enter__.return_value.read.return_value = "mocked"
    assert a1.reads(opened) == "mocked"


def test_the_program_sees_no_more_of_an_object_than_it_may(a1: Any) -> None:
    class Holder:
        module = pytest
        _private = 1
        public = 2

    for name in ("module", "_private", "__class__", "__globals__"):
        if name == "__class__":
            assert a1.peek(Holder(), name) is not Holder
            continue
        with pytest.raises(AttributeError):
            a1.peek(Holder(), name)
    assert a1.peek(Holder(), "public") == 2
    with pytest.raises((AttributeError, KeyError)):
        a1.peek(a1.peek, "__globals__")["expected"]


def test_the_text_of_an_assertion_does_not_reach_the_program(a1: Any) -> None:
    def checks(value: int) -> None:
        assert value == 5, "secret"

    with pytest.raises(AssertionError, match="secret"):
        a1.apply(checks, 4)


def test_names_of_the_program_are_patched(a1: Any) -> None:
    with patch.object(a1, "helper", return_value=5) as mock:
        assert a1.uses_helper(1) == 50
    mock.assert_called_once_with(1)
    assert a1.uses_helper(1) == 20
    with patch.object(a1.Account, "deposit", lambda self, amount: amount * 100):
        assert a1.Account("Ann").deposit(2) == 200
    assert a1.Account("Ann").deposit(2) == 2
    with patch.object(a1.random, "randint", side_effect=[6, 1]):
        assert [a1.roll(), a1.roll()] == [6, 1]
    with patch.object(a1.random, "randint", side_effect=[]), pytest.raises(StopIteration):
        a1.roll()


def test_functions_can_be_inspected(a1: Any) -> None:
    assert list(inspect.signature(a1.Account.deposit).parameters) == ["self", "amount", "note"]
    assert inspect.signature(a1.board).parameters["n"].default == 3
    assert inspect.getdoc(a1.board) == "Return a board."
    assert a1.board.__name__ == "board"
    assert callable(a1.board)


def test_oversized_values_are_refused_by_name(a1: Any) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        a1.apply("x".__mul__, MAX_TEXT + 1)
    assert a1.same(1) == 1


def test_a_test_cannot_derive_a_class_from_one_of_the_program(a1: Any) -> None:
    with pytest.raises(TypeError, match="cannot derive"):

        class Own(a1.Account):
            pass


def test_many_values_are_forgotten_when_nobody_needs_them(a1: Any, program: RemoteProgram) -> None:
    kept = a1.same([1])
    for number in range(1000):
        assert a1.same([number]) == [number]
    assert len(program._graph._containers) < 400
    assert a1.same(kept) is kept


def test_an_object_of_the_test_is_known_when_it_comes_back(a1: Any) -> None:
    mock = Mock()
    assert a1.same(mock) is mock
    assert is_remote(a1.helper)
