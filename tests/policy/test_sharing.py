"""What a program may name and share its process all the same: "yes", or a line and a reason.

Most of these programs were refused by the proof that once decided this. Those of them that no name
gives away are in `tests/shared_corpus.py`."""

import gc
import time

import pytest

from harness.model.plan import SourceFile
from harness.model.policy import Sharing
from harness.policy.checking import LIBRARY, check_sharing
from tests.shared_corpus import PROGRAMS, passes_names

SUPPORT = """\
import random
BOARD_SIZE = 8
HELP = "columns 1 to {}"
PEEK = "{0.__class__}"
BOARD = []
"""


def sharing(source: str, **others: str) -> Sharing:
    files = [SourceFile(name="a1.py", data=source.encode())]
    files += [SourceFile(name=f"{name}.py", data=text.encode()) for name, text in others.items()]
    return check_sharing(files, [SourceFile(name="a1_support.py", data=SUPPORT.encode())])


# What is named is marked; behind a bar, what else is said of it.
MARKED = {
    "a global": "count = 0\ndef f():\n    «global count»\n    count += 1\n",
    "a nonlocal": "def f():\n    n = 0\n    def g():\n        «nonlocal n»\n        n += 1\n"
    "    return g\n",
    "an attribute of a function": "def f():\n    «f.calls| is set» = 1\n",
    "an attribute of a class": "class A:\n    n = 0\n    def f(self):\n"
    "        «A.n| is set» = self.n + 1\n",
    "an attribute of an attribute": "class A:\n    def f(self):\n"
    "        «self.next.n| is set» = 1\n",
    "the class of an instance": "class A:\n    def f(self):\n        «self.__class__» = int\n",
    "a function in a method": "class A:\n    def f(self):\n        def g(self):\n"
    "            «self.n| is set» = 1\n        g(A)\n",
    "an attribute as the target of a loop": "def f():\n    for «f.n| is set» in [1, 2]:\n"
    "        pass\n",
    "an attribute in a tuple": "def f():\n    (a, «f.n| is set») = (1, 2)\n",
    "an attribute that grows": "class A:\n    n = 0\ndef f():\n    «A.n| is set» += 1\n",
    "an attribute that is deleted": "class A:\n    n = 0\ndef f():\n    del «A.n| is deleted»\n",
    "an attribute in a comprehension": "def f():\n    [0 for «f.n| is set» in [1]]\n",
    "a decorator": "«from functools import cache»\n@cache\ndef f(n):\n    return []\n",
    "__slots__": "class A:\n    «__slots__» = ('n',)\n",
    "__del__ bound as a name": "def f(self):\n    print(1)\nclass A:\n    «__del__» = f\n",
    "__match_args__": "class A:\n    «__match_args__» = ('tb_frame',)\n",
    "__builtins__ bound": "«__builtins__» = {}\n",
    "__builtins__ read": "def f():\n    return «__builtins__»\n",
    "a format that looks in": "def f(x):\n"
    "    return «'{0.n}'.format| looks into its arguments»(x)\n",
    "a format that looks up": "def f(x):\n"
    "    return «'{0[key]}'.format| looks into its arguments»(x)\n",
    "a format in a format": "def f(x):\n"
    "    return «'{0:{1.n}}'.format| looks into its arguments»(x, x)\n",
    "a format that is computed": "def f(x):\n"
    "    return «('{0' + '.n}').format| formats a text that is not a literal»(x)\n",
    "a format of a parameter": "def f(text, x):\n"
    "    return «text.format| formats a text that is not a literal»(x)\n",
    "a format by the class": "def f(text, x):\n"
    "    return «str.format| formats a text that is not a literal»(text, x)\n",
    "a format of a name bound twice": "TEXT = '{}'\nTEXT = '{0.n}'\ndef f(x):\n"
    "    return «TEXT.format| formats a text that is not a literal»(x)\n",
    "a provided format that looks in": "from a1_support import *\ndef f(x):\n"
    "    return «PEEK.format| formats a text that is not a literal»(x)\n",
    "format_map": "def f(x):\n    return «'{n}'.format_map»(x)\n",
    "open": "def f():\n    return «open»('x')\n",
    "open by another name": "o = «open»\n",
    "exec": "def f(t):\n    «exec»(t)\n",
    "eval": "def f(t):\n    return «eval»(t)\n",
    "getattr": "def f(x, n):\n    return «getattr»(x, n)\n",
    "setattr in map": "def f(x):\n    list(map(«setattr», [f], ['n'], [1]))\n",
    "globals": "def f():\n    «globals»()['n'] = 1\n",
    "vars": "def f():\n    «vars»()['n'] = 1\n",
    "vars under another name": "look = «vars»\n",
    "locals": "def f():\n    return «locals»()\n",
    "__import__": "def f():\n    return «__import__»('os')\n",
    "a built-in that a name may cover": "if False:\n    «open» = 1\ndef f():\n    return open\n",
    "a type made by a call": "T = «type»('T', (), {})\n",
    "type as a value": "def f(x):\n    t = «type»\n    return t(x)\n",
    "a hash by address": "def f(a):\n    return «hash»(a)\n",
    "a file": "«import io»\n",
    "the clock": "«import time»\n",
    "the interpreter": "«import sys»\n",
    "the garbage collector": "«import gc»\n",
    "a dotted import": "«import os.path»\n",
    "a relative import": "«from . import a1_support»\n",
    "a provided counter": "import a1_support\ndef f():\n    «a1_support.BOARD_SIZE| is set» += 1\n",
    "a traceback": "def f():\n    try:\n        f.x\n    except AttributeError as e:\n"
    "        return «e.__traceback__.tb_frame»\n",
    "a frame": "def f(e):\n    return «e.__traceback__»\n",
    "an exception with another's traceback": "def f(e, t):\n    return «e.with_traceback»(t)\n",
    "a generator's frame": "def f(g):\n    return «g.gi_frame»\n",
    "a generator's frame under a name of its own": "class A:\n    gi_frame = 1\ndef f(g):\n"
    "    return «g.gi_frame»\n",
    "a frame by a pattern": "class A:\n    n = 1\ndef f(x):\n    match x:\n"
    "        case «A(n=1)| matches attributes»:\n            pass\n",
    "__builtins__ bound by a pattern": "match {'len': len, 'kept': []}:\n"
    "    case «__builtins__»:\n        pass\ndef f():\n    kept.append(1)\n    return len(kept)\n",
    "__builtins__ bound by the rest of a pattern": "match {'kept': []}:\n"
    "    case «{**__builtins__}»:\n        pass\n",
    "__builtins__ bound by a star in a pattern": "match [0]:\n    case [«*__builtins__»]:\n"
    "        pass\n",
    "__builtins__ bound by an import": "«from a1_support import BOARD as __builtins__»\n",
    "__name__ bound by an import": "«import a1_support as __name__»\n",
    "a built-in that a lambda in a comprehension binds": "def f():\n"
    "    [(lambda: («eval» := 1)) for _ in [0]]\n    return eval('1')\n",
    "a format that a class binds anew": "TEXT = '{}'\nclass A:\n    TEXT = '{0.n}'\n"
    "    seen = «TEXT.format| formats a text that is not a literal»(len)\n",
    "a module that a class binds anew": "import a1_support\nclass A:\n"
    "    a1_support = (n for n in [1])\n    seen = «a1_support.gi_frame»\n",
    "a module by way of an exception": "import a1_support\nclass A:\n    obj = random = 0\n"
    "def f():\n    try:\n        a1_support.ghost\n    except AttributeError as e:\n"
    "        return «e.obj».random\n",
    "super with a class": "class A:\n    def f(self):\n        return «super»(A, self).f()\n",
    "super that sets": "class A:\n    def f(self):\n        «super().__setattr__»('n', 1)\n",
    "object's own methods": "def f(x):\n    return «x.__reduce__»()\n",
    "a base's __init__ by name": "class A:\n    def __init__(self):\n"
    "        «object.__init__»(self)\n",
    "a malformed format whose fields come first": "def f(x):\n"
    "    return «'{0.n} {'.format| looks into its arguments»(x)\n",
    "a malformed format": "def f(x):\n    return «'{0} }'.format| looks into its arguments»(x)\n",
    "a format below a format": "def f(x):\n"
    "    return «'{0:{1:{0.n}}}'.format| looks into its arguments»(x, 1)\n",
    "a format of an f-string": "def f(x):\n"
    "    return «f'{x}'.format| formats a text that is not a literal»(x)\n",
    "a format as a value": "def f(x):\n"
    "    return list(map(«str.format| formats a text that is not a literal», ['{0.n}'], [x]))\n",
    "the globals of a function, by a pattern": "def f(x):\n    match x:\n"
    "        case «object(__globals__=g)| matches attributes»:\n            return g\n",
    "the globals of a function": "def f():\n    return «f.__globals__»\n",
    "the generator behind random": "import random\nx = «random.choice.__self__»\n",
    "every exception": "def f():\n    try:\n        f()\n"
    "    except «Exception| may catch a limit»:\n        return 0\n",
    "every exception without a name": "def f():\n    try:\n        f()\n"
    "    «except: return 0| may catch a limit»\n",
    "a recursion that is too deep": "def f():\n    try:\n        f()\n"
    "    except (ValueError, «RecursionError| may catch a limit»):\n        return 0\n",
    "a recursion, among groups": "def f():\n    try:\n        f()\n"
    "    except* «RuntimeError| may catch a limit»:\n        pass\n",
    "a limit by another name": "KINDS = ValueError, «MemoryError| may catch a limit»\n",
    "a limit in what is raised": "def f():\n    try:\n"
    "        raise ValueError(«RuntimeError| may catch a limit»)\n"
    "    except ValueError as e:\n        return e.args\n",
    "a limit by what it is derived from": "KINDS = «ValueError.mro| may catch a limit»()[1]\n",
    "a context, which may catch": "class A:\n    def __enter__(self):\n        return self\n"
    "    «def __exit__(self, *args): return True| may catch a limit»\n",
    "a private module of random's, dotted": "«import random._os»\n",
    "a dunder of a module": "«from a1_support import __builtins__ as b»\n",
    "a parameter with Python's meaning": "def f(«__class__»):\n    pass\n",
    "a keyword with Python's meaning": "def f(g):\n    g(«__class__=1»)\n",
    "an ordinary method of anything": "def f(x):\n    «x.__init__»(1)\n",
    "super as a value": "x = «super»\n",
    "super of super": "class A:\n    def f(self):\n        return «super().__class__»\n",
    "a name that another spelling hides": "x = «\uff45val»\n",
    "breakpoint": "«breakpoint»()\n",
    "help": "«help»()\n",
    "memoryview": "x = «memoryview»(b'')\n",
    "delattr": "def f(x):\n    «delattr»(x, 'n')\n",
    "hasattr": "def f(x):\n    return «hasattr»(x, 'n')\n",
    "a built-in's name that the program binds": "def type(x):\n    return 1\nx = «type»(1)\n",
    "a name of Python's deleted": "del «__name__»\n",
    "a metaclass": "«class A(metaclass=type):\n    pass| has a keyword»\n",
    "__new__": "class A:\n    «def __new__(cls):\n        return cls.one»\n",
    "__del__, which a cycle delays": "class A:\n    def __init__(self):\n        self.me = self\n"
    "    «def __del__(self):\n        print('late')»\n",
    "__class_getitem__": ("class A:\n    «def __class_getitem__(cls, key):\n        return key»\n"),
    "__getattr__ of a module": "«def __getattr__(name):\n    return 1»\n",
    "__name__ bound by except": ("try:\n    pass\n«except ValueError as __name__:\n    pass»\n"),
    "a built-in below a class's name": "class A:\n    id = «id»\n",
    "type of a type": "def f(x):\n    return «type»(type(x))('A', (), {})\n",
    "identities": "def f(a, b):\n    return «id»(a) == id(b)\n",
    "async": "«async def f():\n    pass»\n",
    "await": "«async def f(x):\n    await x»\n",
    "a class called __spec__": "«class __spec__:\n    pass»\n",
    "a built-in as what a comprehension runs over": "def f():\n"
    "    return [«eval»('1') for eval in [eval]]\n",
    "a built-in that a comprehension may bind": (
        "kept = [«eval» for x in [1] if x or (eval := 1)]\n"
    ),
    "a class that defines format_map": "class A(dict):\n    «def format_map(self, x):\n"
    "        return x»\n",
    "a keyword of a class": (
        "class A:\n    pass\n«class B(A, kept=[]):\n    pass| has a keyword»\n"
    ),
    "__init_subclass__": "class A:\n    «def __init_subclass__(cls):\n        pass»\n",
    "__set_name__": "class A:\n    «def __set_name__(self, owner, name):\n        pass»\n",
    "an ordinary method outside a class": "«def __eq__(self, other):\n    pass»\n",
    "an asynchronous comprehension": "«async def f(x):\n    return [y async for y in x]»\n",
}


@pytest.mark.parametrize("name", MARKED)
def test_marked_constructs_are_refused_by_name(name: str) -> None:
    before, _, rest = MARKED[name].partition("«")
    marked, _, after = rest.partition("»")
    named, _, said = marked.partition("|")
    first, more, _ = named.partition("\n")
    line, shown = before.count("\n") + 1, first + " …" * bool(more)
    answer = sharing(before + named + after)
    assert answer == Sharing(allowed=False, reason=f"line {line}: `{shown}`{said}")


def test_text_that_python_cannot_read_is_refused() -> None:
    assert sharing("def f(:\n") == Sharing(allowed=False, reason="a file cannot be read as Python")


ALLOWED = {
    "functions and loops": "def f(n):\n    while n > 0:\n        n -= 1\n    return n\n",
    "the course's names": "from a1_support import *\ndef f():\n    return [BOARD_SIZE] * 2\n",
    "numbers, formatted": "def f(x):\n    return '{:.2f} {0!r} {n}'.format(x, n=1)\n",
    "an f-string": "def f(x):\n    return f'{x!r:>{len(x)}}'\n",
    "a board at module level": "BOARD = [[0] * 3 for _ in range(3)]\ndef f():\n    return BOARD\n",
    "a main guard": "def main():\n    print(input('> '))\nif __name__ == '__main__':\n    main()\n",
    "a class": "class Game:\n    '''A game.'''\n    size = 3\n    def __init__(self, n):\n"
    "        self.n = n\n        self.__rows = []\n    def add(self, row):\n"
    "        self.__rows.append(row)\n        self.n += 1\n        return self\n"
    "    def __repr__(self):\n        return str(self.n)\nclass Long(Game):\n"
    "    def __init__(self):\n        super().__init__(9)\n    def add(self, row):\n"
    "        return super().add(row).add(row)\n",
    "an exception": "class Bad(ValueError):\n    pass\ndef f():\n    try:\n"
    "        raise Bad('x')\n    except Bad as error:\n        print(error.args)\n    finally:\n"
    "        print()\n",
    "exceptions of limits raised and derived from": "class Bad(Exception):\n    pass\n"
    "def f(n):\n    if n:\n        raise RuntimeError('n') from Bad()\n    raise StopIteration\n",
    "a finally that ends nothing": "def f():\n    try:\n        return 1\n    finally:\n"
    "        print('done')\n",
    "a recursion that nothing catches": "def f(n):\n    try:\n        return f(n - 1)\n"
    "    except ValueError:\n        return 1\n",
    "a closure": "def f(n):\n    def g(m):\n        return n + m\n    return g\n",
    "a generator": "def f(n):\n    for i in range(n):\n        yield i\n",
    "comprehensions": "def f(x):\n"
    "    return {k: [v for v in x] for k in x}, (i for i in x), 1 in {1}\n",
    "what is used up where it is made": "def f(x):\n    for i, v in enumerate(x):\n"
    "        print(f'{i}', *map(str, v))\n    count = len(x)\n    print(count)\n"
    "    a, b = zip(*x)\n    x.sort(key=lambda v: v[1])\n    x.append(1)\n"
    "    return ', '.join(str(v) for v in x), sum(v for v in a), 3 in reversed(b)\ndef count():\n"
    "    return 1\n",
    "types": "from typing import Optional, List\nimport typing\nBoard = List[List[str]]\n"
    "def f(x: Optional[Board], y: 'A' = None) -> typing.Dict[str, int] | None:\n    n: int = 1\n"
    "    return None\n",
    "object where it is harmless": "class A(object):\n    def __init__(self, x):\n"
    "        self.x = x\n    def __eq__(self, other: object) -> bool:\n"
    "        return isinstance(other, A) and self.x == other.x\n    def __repr__(self):\n"
    "        return f'A({self.x})'\n",
    "random numbers": "import random\ndef f():\n    return random.choice([1, 2])\n",
    "random numbers by name": "from random import randint as r\ndef f():\n    return r(1, 2)\n",
    "all of math": "from math import *\ndef f():\n    return floor(pi)\n",
    "None and types": "def f(x, y=None, z=-1, t=(1, 'a')):\n"
    "    if x is None or isinstance(x, int):\n        return isinstance(y, str)\n"
    "    return y is not True\n",
    "a built-in's name as a local one": "def f(id, open):\n    print = list = [0]\n"
    "    return list\n",
    "patterns": "def f(x):\n    match x:\n        case [1, *rest] | {'a': rest}:\n"
    "            return rest\n        case int() as n if n > 1:\n            return n\n"
    "        case _:\n            return None\n",
    "a table of functions": "def f():\n    return 1\nMOVES = {'f': f}\ndef g(k):\n"
    "    return MOVES[k]()\n",
    "metadata": "__author__ = 'me'\n__version__ = '1'\n",
    "deletions": "def f(x):\n    y = x\n    del y, x[0]\n",
    "unknown names": "def f():\n    return undefined_name\n",
    "a BOM and CRLF": "\ufeffdef f():\r\n    return 1\r\n",
    "future annotations": "from __future__ import annotations\ndef f(x: A) -> B:\n    return x\n",
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name: str) -> None:
    assert sharing(ALLOWED[name]) == Sharing(allowed=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_state_that_the_snapshot_checks_is_accepted(program: str) -> None:
    assert passes_names(sharing(program, support="NAMES = []\n"))


@pytest.mark.parametrize("leaving", ["return n", "break", "continue"])
def test_a_finally_that_ends_an_exception(leaving: str) -> None:
    attempt = f"        try:\n            f()\n        finally:\n            {leaving}\n"
    answer = sharing(f"def f():\n    for n in range(2):\n{attempt}")
    assert answer.reason == "line 3: `try: …` may catch a limit"


def test_modules_that_import_each_other() -> None:
    answer = sharing("from b import *\ndef f():\n    return g()\n", b="def g():\n    return 1\n")
    assert answer == Sharing(allowed=True)


@pytest.mark.parametrize("source", ["type Board = list[str]\n", "def f[T](x: T) -> T: return x\n"])
def test_newer_syntax_is_reported_as_unreadable(source: str) -> None:
    unreadable = "a file cannot be read as Python"
    assert sharing(source).reason in (unreadable, f"line 1: `{source.strip()}`")


def test_a_reason_names_the_file_where_there_are_two() -> None:
    answer = sharing("from b import *\n", b="def g():\n    global n\n    n = 1\n")
    assert answer.reason == "b.py, line 2: `global n`"


@pytest.mark.parametrize("name", [*sorted(LIBRARY), "os", "sys"])
def test_a_file_with_the_name_of_a_module_of_python(name: str) -> None:
    answer = sharing("import math\n", **{name: "x = 1\n"})
    assert answer.reason == f"{name}.py has the same name as a module of Python"


def test_a_file_that_takes_the_place_of_the_program() -> None:
    answer = sharing("x = 1\n", __main__="x = 1\n")
    assert answer.reason == "__main__.py has the same name as a module of Python"


def test_a_provided_file_is_held_to_the_same_rules() -> None:
    provided = SourceFile(name="support.py", data=b"import time\n")
    answer = check_sharing([SourceFile(name="a1.py", data=b"x = 1\n")], [provided])
    assert answer.reason == "support.py, line 1: `import time`"


def test_deep_nesting_is_an_answer() -> None:
    unread = ("the code is nested too deeply to be read", "a file cannot be read as Python")
    for source in (
        "x = " + "-" * 5000 + "1\n",
        "x = [0" + "".join(f"+{n}" for n in range(9000)) + "]\n",
        "x = y" + ".n" * 20_000 + "\n",
        "x = f" + "()" * 20_000 + "\n",
    ):
        answer = sharing(source)
        assert answer.allowed or answer.reason in unread


@pytest.mark.parametrize(
    "line",
    [
        "name_{n} = {n}\n",
        "def f_{n}(x):\n    return g_{n}\n",
        "x = y.f{n}.format\n",
        "'{{a}}'.format\n",
    ],
)
def test_the_time_grows_with_the_size_of_the_program(line: str) -> None:
    def seconds(count: int) -> float:
        source = "".join(line.format(n=n) for n in range(count))
        began = time.process_time()
        sharing(source)
        return time.process_time() - began

    gc.disable()  # what it costs depends on all that this process holds
    try:
        small, large = (min(seconds(count) for _ in range(3)) for count in (5_000, 20_000))
    finally:
        gc.enable()
    assert large < 10 * small  # 4 where it is linear, else 16
