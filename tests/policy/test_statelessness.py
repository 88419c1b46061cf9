"""The static half of the statelessness proof: programs in, "yes" or a line and a reason out.

What is refused here keeps something, or might. What is proved here and keeps something in a
container is seen by the dynamic half, which `tests/execution/test_shared_run.py` holds to.
"""

from __future__ import annotations

import pytest

from harness.model.plan import SourceFile
from harness.model.policy import Statelessness
from harness.policy import prove

SUPPORT = '''\
import os
import random
BOARD_SIZE = 8
HELP = "columns 1 to {}"
PEEK = "{0.__class__}"
BOARD = []
class Piece(Exception):
    """A piece, of a kind whose text holds no address."""
    def __init__(self, name):
        self.name = name
def fresh():
    return []
'''


def proved(source: str, **others: str) -> Statelessness:
    files = [SourceFile(name="a1.py", data=source.encode())]
    files += [SourceFile(name=f"{name}.py", data=text.encode()) for name, text in others.items()]
    support = "\n".join(line for line in SUPPORT.splitlines() if line != "import os")
    return prove(files, [SourceFile(name="a1_support.py", data=support.encode())])


REFUSED = {
    "a global": (
        "count = 0\ndef f():\n    global count\n    count += 1\n",
        "line 3: `global count`",
    ),
    "a nonlocal": (
        "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    return g\n",
        "line 4: `nonlocal n`",
    ),
    "a default that is a list": (
        "def f(seen=[]):\n    seen.append(1)\n    return len(seen)\n",
        "line 1: `[]` is a default that is not a constant",
    ),
    "a default of a lambda": (
        "f = lambda seen=[]: seen.append(1)\n",
        "line 1: `[]` is a default that is not a constant",
    ),
    "a default of a keyword": (
        "def f(*, seen={}):\n    return seen\n",
        "line 1: `{}` is a default that is not a constant",
    ),
    "a default by name": (
        "ROWS = []\ndef f(rows=ROWS):\n    rows.append(1)\n",
        "line 2: `ROWS` is a default that is not a constant",
    ),
    "a default in a tuple": (
        "def f(a=(1, [])):\n    return a\n",
        "line 1: `(1, [])` is a default that is not a constant",
    ),
    "an attribute of a function": (
        "def f():\n    f.calls = 1\n",
        "line 2: `f.calls` is set",
    ),
    "an attribute of a class": (
        "class A:\n    n = 0\n    def f(self):\n        A.n = self.n + 1\n",
        "line 4: `A.n` is set",
    ),
    "an attribute of an attribute": (
        "class A:\n    def f(self):\n        self.next.n = 1\n",
        "line 3: `self.next.n` is set",
    ),
    "the class of an instance": (
        "class A:\n    def f(self):\n        self.__class__ = int\n",
        "line 3: `self.__class__`",
    ),
    "a first parameter that is bound again": (
        "class A:\n    def f(self):\n        self = A\n        self.n = 1\n",
        "line 4: `self.n` is set",
    ),
    "a first parameter bound by a loop": (
        "class A:\n    def f(self):\n        for self in [A]:\n            self.n = 1\n",
        "line 4: `self.n` is set",
    ),
    "a first parameter bound by a pattern": (
        "class A:\n    def f(self):\n        match A:\n            case self:\n"
        "                self.n = 1\n",
        "line 5: `self.n` is set",
    ),
    "a first parameter bound by an assignment expression": (
        "class A:\n    def f(self):\n        print(self := A)\n        self.n = 1\n",
        "line 4: `self.n` is set",
    ),
    "a first parameter bound in a comprehension": (
        "class A:\n    def f(self):\n        [0 for x in [1] if (self := A)]\n        self.n = 1\n",
        "line 4: `self.n` is set",
    ),
    "a function in a method": (
        "class A:\n    def f(self):\n        def g(self):\n            self.n = 1\n        g(A)\n",
        "line 4: `self.n` is set",
    ),
    "an attribute as the target of a loop": (
        "def f():\n    for f.n in [1, 2]:\n        pass\n",
        "line 2: `f.n` is set",
    ),
    "an attribute in a tuple": (
        "def f():\n    (a, f.n) = (1, 2)\n",
        "line 2: `f.n` is set",
    ),
    "an attribute that grows": (
        "class A:\n    n = 0\ndef f():\n    A.n += 1\n",
        "line 4: `A.n` is set",
    ),
    "an attribute that is deleted": (
        "class A:\n    n = 0\ndef f():\n    del A.n\n",
        "line 4: `A.n` is deleted",
    ),
    "an attribute in a comprehension": (
        "def f():\n    [0 for f.n in [1]]\n",
        "line 2: `f.n` is set",
    ),
    "a decorator": (
        "from functools import cache\n@cache\ndef f(n):\n    return []\n",
        "line 1: `from functools import cache`",
    ),
    "a decorator of its own": (
        "def keep(f):\n    return f\n@keep\ndef f(n):\n    return n\n",
        "line 3: `keep` is a decorator",
    ),
    "a decorated class": (
        "def keep(c):\n    return c\n@keep\nclass A:\n    pass\n",
        "line 3: `keep` is a decorator",
    ),
    "a static method": (
        "class A:\n    @staticmethod\n    def f():\n        return 1\n",
        "line 2: `staticmethod` is a decorator",
    ),
    "a metaclass": (
        "class A(metaclass=type):\n    pass\n",
        "line 1: `class A(metaclass=type): …`",
    ),
    "a base that counts": (
        "class A(list):\n    pass\n",
        "line 1: `list` is a base class",
    ),
    "a base that is computed": (
        "def f():\n    return object\nclass A(f()):\n    pass\n",
        "line 2: `object`",
    ),
    "a class in a function": (
        "def f():\n    class A:\n        pass\n    return A\n",
        "line 2: `class A: …`",
    ),
    "a loop in a class": (
        "class A:\n    for i in range(3):\n        pass\n",
        "line 2: `for i in range(3): …` is in the body of a class",
    ),
    "__new__": (
        "class A:\n    def __new__(cls):\n        return cls.one\n",
        "line 2: `def __new__(cls): …`",
    ),
    "__del__, which a cycle delays": (
        "class A:\n    def __init__(self):\n        self.me = self\n"
        "    def __del__(self):\n        print('late')\n",
        "line 4: `def __del__(self): …`",
    ),
    "__class_getitem__": (
        "class A:\n    def __class_getitem__(cls, key):\n        return key\n",
        "line 2: `def __class_getitem__(cls, key): …`",
    ),
    "__getattr__ of a module": (
        "def __getattr__(name):\n    return 1\n",
        "line 1: `def __getattr__(name): …`",
    ),
    "__slots__": (
        "class A:\n    __slots__ = ('n',)\n",
        "line 2: `__slots__` is bound",
    ),
    "__del__ bound as a name": (
        "def f(self):\n    print(1)\nclass A:\n    __del__ = f\n",
        "line 4: `__del__` is bound",
    ),
    "__match_args__": (
        "class A:\n    __match_args__ = ('tb_frame',)\n",
        "line 2: `__match_args__` is bound",
    ),
    "__builtins__ bound": ("__builtins__ = {}\n", "line 1: `__builtins__` is bound"),
    "__builtins__ read": ("def f():\n    return __builtins__\n", "line 2: `__builtins__`"),
    "__name__ bound by except": (
        "try:\n    pass\nexcept ValueError as __name__:\n    pass\n",
        "line 3: `except ValueError as __name__: …`",
    ),
    "a format that looks in": (
        "def f(x):\n    return '{0.n}'.format(x)\n",
        "line 2: `'{0.n}'.format` looks into its arguments",
    ),
    "a format that looks up": (
        "def f(x):\n    return '{0[key]}'.format(x)\n",
        "line 2: `'{0[key]}'.format` looks into its arguments",
    ),
    "a format in a format": (
        "def f(x):\n    return '{0:{1.n}}'.format(x, x)\n",
        "line 2: `'{0:{1.n}}'.format` looks into its arguments",
    ),
    "a format that is computed": (
        "def f(x):\n    return ('{0' + '.n}').format(x)\n",
        "line 2: `('{0' + '.n}').format` formats a text that is not a constant",
    ),
    "a format of a parameter": (
        "def f(text, x):\n    return text.format(x)\n",
        "line 2: `text.format` formats a text that is not a constant",
    ),
    "a format by the class": (
        "def f(text, x):\n    return str.format(text, x)\n",
        "line 2: `str.format` formats a text that is not a constant",
    ),
    "a format of a name bound twice": (
        "TEXT = '{}'\nTEXT = '{0.n}'\ndef f(x):\n    return TEXT.format(x)\n",
        "line 4: `TEXT.format` formats a text that is not a constant",
    ),
    "a provided format that looks in": (
        "from a1_support import *\ndef f(x):\n    return PEEK.format(x)\n",
        "line 3: `PEEK.format` looks into its arguments",
    ),
    "format_map": (
        "def f(x):\n    return '{n}'.format_map(x)\n",
        "line 2: `'{n}'.format_map`",
    ),
    "open": ("def f():\n    return open('x')\n", "line 2: `open`"),
    "open by another name": ("o = open\n", "line 1: `open`"),
    "exec": ("def f(t):\n    exec(t)\n", "line 2: `exec`"),
    "eval": ("def f(t):\n    return eval(t)\n", "line 2: `eval`"),
    "getattr": ("def f(x, n):\n    return getattr(x, n)\n", "line 2: `getattr`"),
    "setattr in map": ("def f(x):\n    list(map(setattr, [f], ['n'], [1]))\n", "line 2: `setattr`"),
    "globals": ("def f():\n    globals()['n'] = 1\n", "line 2: `globals`"),
    "vars": ("def f():\n    vars()['n'] = 1\n", "line 2: `vars`"),
    "vars under another name": ("look = vars\n", "line 1: `vars`"),
    "locals": ("def f():\n    return locals()\n", "line 2: `locals`"),
    "__import__": ("def f():\n    return __import__('os')\n", "line 2: `__import__`"),
    "a built-in that a name may cover": (
        "if False:\n    open = 1\ndef f():\n    return open\n",
        "line 4: `open`",
    ),
    "a built-in below a class's name": (
        "class A:\n    id = id\n",
        "line 2: `id`",
    ),
    "a type made by a call": ("T = type('T', (), {})\n", "line 1: `type`"),
    "type as a value": ("def f(x):\n    t = type\n    return t(x)\n", "line 2: `type`"),
    "type of a type": ("def f(x):\n    return type(type(x))('A', (), {})\n", "line 2: `type`"),
    "identities": ("def f(a, b):\n    return id(a) == id(b)\n", "line 2: `id`"),
    "a hash by address": ("def f(a):\n    return hash(a)\n", "line 2: `hash`"),
    "interned text": (
        "def f(text):\n    return text is 'abc'\n",
        "line 2: `text is 'abc'` compares identities",
    ),
    "interned text, negated": (
        "def f(a, b):\n    return a is not b\n",
        "line 2: `a is not b` compares identities",
    ),
    "exit, which closes the input": ("def f():\n    exit()\n", "line 2: `exit`"),
    "quit": ("def f():\n    quit()\n", "line 2: `quit`"),
    "a file": ("import io\n", "line 1: `import io`"),
    "the clock": ("import time\n", "line 1: `import time`"),
    "the interpreter": ("import sys\n", "line 1: `import sys`"),
    "the garbage collector": ("import gc\n", "line 1: `import gc`"),
    "an import in a function": (
        "def f():\n    import random\n    return random.random()\n",
        "line 2: `import random`",
    ),
    "an import in a condition": (
        "if True:\n    import random\n",
        "line 2: `import random`",
    ),
    "a dotted import": ("import os.path\n", "line 1: `import os.path`"),
    "a relative import": ("from . import a1_support\n", "line 1: `from . import a1_support`"),
    "a module through a provided one": (
        "import a1_support\ndef f():\n    a1_support.random.seed(1)\n",
        "line 3: `a1_support.random`",
    ),
    "a provided counter": (
        "import a1_support\ndef f():\n    a1_support.BOARD_SIZE += 1\n",
        "line 3: `a1_support.BOARD_SIZE` is set",
    ),
    "a module as a value": (
        "import math\nclass A:\n    def f(self):\n        self.pi = 3\ndef g():\n    A.f(math)\n",
        "line 6: `math` is a module used as a value",
    ),
    "a module in a list": (
        "import random\nall_of_them = [random]\n",
        "line 2: `random` is a module used as a value",
    ),
    "the generator of random numbers": (
        "import random\ndef f():\n    return random.Random(1)\n",
        "line 3: `random.Random`",
    ),
    "the state of random numbers": (
        "import random\ndef f():\n    return random.getstate()\n",
        "line 3: `random.getstate`",
    ),
    "random numbers by the kernel": (
        "from random import *\ndef f():\n    return SystemRandom()\n",
        "line 3: `SystemRandom`",
    ),
    "a seed": ("from random import seed\ndef f():\n    seed(1)\n", "line 3: `seed`"),
    "a type of typing made at run time": (
        "from typing import List\ndef f(n):\n    return List[n]\n",
        "line 3: `List` is used outside an annotation",
    ),
    "a type alias as a value": (
        "from typing import List\nBoard = List[str]\ndef f():\n    return Board\n",
        "line 4: `Board` is used outside an annotation",
    ),
    "a named tuple": (
        "from typing import NamedTuple\nclass A(NamedTuple):\n    n: int\n",
        "line 2: `NamedTuple` is a base class",
    ),
    "typing by star": ("from typing import *\n", "line 1: `from typing import *`"),
    "an annotation that runs": (
        "SEEN = []\ndef f(x: SEEN.append(1)):\n    return x\n",
        "line 2: `SEEN.append(1)` is an annotation",
    ),
    "an annotation that binds": (
        "def f(x: (n := 1)):\n    return x\n",
        "line 1: `n := 1` is an annotation",
    ),
    "a traceback": (
        "def f():\n    try:\n        f.x\n    except Exception as e:\n"
        "        return e.__traceback__.tb_frame\n",
        "line 3: `f.x`",
    ),
    "a frame": (
        "def f(e):\n    return e.__traceback__\n",
        "line 2: `e.__traceback__`",
    ),
    "an exception with another's traceback": (
        "def f(e, t):\n    return e.with_traceback(t)\n",
        "line 2: `e.with_traceback`",
    ),
    "a generator's frame": ("def f(g):\n    return g.gi_frame\n", "line 2: `g.gi_frame`"),
    "a generator's frame under a name of its own": (
        "class A:\n    gi_frame = 1\ndef f(g):\n    return g.gi_frame\n",
        "line 4: `g.gi_frame`",
    ),
    "a frame by a pattern": (
        "class A:\n    n = 1\ndef f(x):\n    match x:\n        case A(n=1):\n            pass\n",
        "line 5: `A(n=1)` matches a class",
    ),
    "a generator that ends late": (
        "def f():\n    try:\n        yield 1\n    finally:\n        print('late')\n",
        "line 3: `yield 1` is inside try",
    ),
    "a context": ("def f(x):\n    with x:\n        pass\n", "line 2: `with x: …`"),
    "async": ("async def f():\n    pass\n", "line 1: `async def f(): …`"),
    "await": ("async def f(x):\n    await x\n", "line 1: `async def f(x): …`"),
    "how deep it may recurse": (
        "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n"
        "        return n\n",
        "line 4: `RecursionError`",
    ),
    "how deep it may recurse, with all exceptions caught": (
        "def f(n):\n    try:\n        return f(n + 1)\n    except:\n        return n\n",
        "line 4: `except: …` may catch a recursion that is too deep",
    ),
    "a recursion by way of another function": (
        "def f(n):\n    try:\n        return g(n)\n    except Exception:\n        return n\n"
        "def g(n):\n    return f(n + 1)\n",
        "line 4: `except Exception: …` may catch a recursion that is too deep",
    ),
    "a recursion by way of a parameter": (
        "def f(h, n):\n    return h(h, n + 1)\ndef g():\n    try:\n        f(f, 0)\n"
        "    except (ValueError, RuntimeError):\n        return 1\n",
        "line 6: `except (ValueError, RuntimeError): …` may catch a recursion that is too deep",
    ),
    "a recursion by way of an operator": (
        "class A:\n    def __eq__(self, other):\n        return [self] == [other]\n"
        "def g():\n    try:\n        return A() == A()\n    finally:\n        return 1\n",
        "line 5: `try: …` may catch a recursion that is too deep",
    ),
    "a recursion of a lambda": (
        "f = lambda n: f(n + 1)\nKINDS = Exception\ndef g():\n    try:\n        f(0)\n"
        "    except KINDS:\n        return 1\n",
        "line 6: `except KINDS: …` may catch a recursion that is too deep",
    ),
    "a recursion of a method": (
        "class A:\n    def go(self):\n        return self.go()\ndef g():\n    try:\n"
        "        A().go()\n    except Exception as e:\n        print(e)\n",
        "line 7: `except Exception as e: …` may catch a recursion that is too deep",
    ),
    "__builtins__ bound by a pattern": (
        "match {'len': len, 'kept': []}:\n    case __builtins__:\n        pass\n"
        "def f():\n    kept.append(1)\n    return len(kept)\n",
        "line 2: `__builtins__` is bound",
    ),
    "__builtins__ bound by the rest of a pattern": (
        "match {'kept': []}:\n    case {**__builtins__}:\n        pass\n",
        "line 2: `{**__builtins__}` is bound",
    ),
    "__builtins__ bound by a star in a pattern": (
        "match [0]:\n    case [*__builtins__]:\n        pass\n",
        "line 2: `*__builtins__` is bound",
    ),
    "__builtins__ bound by an import": (
        "from a1_support import BOARD as __builtins__\n",
        "line 1: `from a1_support import BOARD as __builtins__`",
    ),
    "__name__ bound by an import": (
        "import a1_support as __name__\n",
        "line 1: `import a1_support as __name__`",
    ),
    "a class called __spec__": ("class __spec__:\n    pass\n", "line 1: `class __spec__: …`"),
    "a built-in as what a comprehension runs over": (
        "def f():\n    return [eval('1') for eval in [eval]]\n",
        "line 2: `eval`",
    ),
    "a built-in that a lambda in a comprehension binds": (
        "def f():\n    [(lambda: (eval := 1)) for _ in [0]]\n    return eval('1')\n",
        "line 3: `eval`",
    ),
    "a built-in that a comprehension may bind": (
        "kept = [eval for x in [1] if x or (eval := 1)]\n",
        "line 1: `eval`",
    ),
    "a format that a class binds anew": (
        "TEXT = '{}'\nclass A:\n    TEXT = '{0.n}'\n    seen = TEXT.format(len)\n",
        "line 4: `TEXT.format` formats a text that is not a constant",
    ),
    "a module that a class binds anew": (
        "import a1_support\nclass A:\n    a1_support = (n for n in [1])\n"
        "    seen = a1_support.gi_frame\n",
        "line 4: `a1_support` is a module used as a value",
    ),
    "a module by way of an exception": (
        "import a1_support\nclass A:\n    obj = random = 0\ndef f():\n    try:\n"
        "        a1_support.ghost\n    except AttributeError as e:\n"
        "        return e.obj.random\n",
        "line 8: `e.obj`",
    ),
    "the address of an exception that is caught": (
        "def f():\n    try:\n        1 // 0\n    except ZeroDivisionError as e:\n"
        "        return {e, f}\n",
        "line 4: `except ZeroDivisionError as e: …` may show where it lies in memory",
    ),
    "the address of a float that is no number": (
        "def f():\n    inf = 1e400\n    return {(inf - inf, 1), (inf - inf, 2)}\n",
        "line 2: `1e400` may show where it lies in memory",
    ),
    "the address of a float by a division": (
        "def f(x):\n    return set([x / 3])\n",
        "line 2: `x / 3` may show where it lies in memory",
    ),
    "the address of what a class by another name makes": (
        "class A:\n    def __init__(self, n):\n        self.n = n\n"
        "    def __repr__(self):\n        return 'A'\n"
        "def f():\n    return {*map(A, range(9))}\n",
        "line 7: `A` may show where it lies in memory",
    ),
    "the address of what a built-in by another name makes": (
        "def f():\n    make = iter\n    return str(make([]))\n",
        "line 2: `iter` may show where it lies in memory",
    ),
    "the address of a method's generator": (
        "class A:\n    def __repr__(self):\n        return 'A'\n    def g(self):\n"
        "        yield 1\ndef f():\n    return str(A().g())\n",
        "line 7: `A().g()` may show where it lies in memory",
    ),
    "the address of an instance of a module's class": (
        "import a1_support\ndef f():\n    return {a1_support.Piece(1), 2}\n",
        "line 3: `a1_support.Piece(1)` may show where it lies in memory",
    ),
    "an address in a text that grows": (
        "def f():\n    text = '%s'\n    text %= [].append\n",
        "line 3: `[].append` may show where it lies in memory",
    ),
    "a set of a dictionary's keys": (
        "class A:\n    def __repr__(self):\n        return 'A'\n"
        "def f():\n    return {A(): 1}.keys() | []\n",
        "line 5: `A()` may show where it lies in memory",
    ),
    "a set that begins as a constant": (
        "class A:\n    def __repr__(self):\n        return 'A'\n"
        "def f():\n    return {1}.union([A(), A()])\n",
        "line 5: `A()` may show where it lies in memory",
    ),
    "the address of an instance": (
        "class P:\n    pass\ndef f():\n    return str(P()) > str(P())\n",
        "line 1: `class P: …` may show where it lies in memory",
    ),
    "the address of a lambda": (
        "def f():\n    return f'{(lambda: 0)}'\n",
        "line 2: `lambda: 0` may show where it lies in memory",
    ),
    "the address of an inner function": (
        "def f():\n    def g():\n        pass\n    return '%s' % g\n",
        "line 4: `g` may show where it lies in memory",
    ),
    "the address of a function that a program makes anew": (
        "g = lambda: 0\ndef f():\n    return 1\n"
        "if __name__ == '__main__':\n    print(str(f) > str(g))\n",
        "line 5: `g` may show where it lies in memory",
    ),
    "the address of an iterator": (
        "def f():\n    return '{}'.format(iter([]))\n",
        "line 2: `iter([])` may show where it lies in memory",
    ),
    "the address of a generator": (
        "def g():\n    yield 1\ndef f():\n    return repr(g())\n",
        "line 4: `g()` may show where it lies in memory",
    ),
    "the address of a list, by its method": (
        "def f(x):\n    return str(x.append)\n",
        "line 2: `x.append` may show where it lies in memory",
    ),
    "the order of functions in a set": (
        "def f():\n    return [g() for g in {lambda: 1, lambda: 2}]\n",
        "line 2: `lambda: 2` may show where it lies in memory",
    ),
    "the order of exceptions in a set": (
        "def f():\n    return {ValueError(n) for n in range(9)}\n",
        "line 2: `ValueError(n)` may show where it lies in memory",
    ),
    "how much memory there is": (
        "def f():\n    try:\n        return [0] * 9\n    except MemoryError:\n        return 1\n",
        "line 4: `MemoryError`",
    ),
    "memory that is not touched": ("def f():\n    return bytes(10**9)\n", "line 2: `bytes`"),
    "groups of exceptions": (
        "def f():\n    try:\n        pass\n    except* ValueError:\n        pass\n",
        "line 2: `try: …`",
    ),
    "an attribute of nothing known": ("def f(x):\n    return x.secret\n", "line 2: `x.secret`"),
    "super with a class": (
        "class A:\n    def f(self):\n        return super(A, self).f()\n",
        "line 3: `super(A, self).f`",
    ),
    "super that sets": (
        "class A:\n    def f(self):\n        super().__setattr__('n', 1)\n",
        "line 3: `super().__setattr__`",
    ),
    "object's own methods": (
        "def f(x):\n    return x.__reduce__()\n",
        "line 2: `x.__reduce__`",
    ),
    "a base's __init__ by name": (
        "class A:\n    def __init__(self):\n        object.__init__(self)\n",
        "line 3: `object`",
    ),
    "a file called random.py": ("import random\n", "random.py has the name of a module of Python"),
    "what Python cannot read": ("def f(:\n", "a file cannot be read as Python"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    source, reason = REFUSED[name]
    others = {"random": "x = 1\n"} if name == "a file called random.py" else {}
    answer = proved(source, **others)
    assert not answer.proved
    assert answer.reason.removeprefix("a1.py, ") == reason


PROVED = {
    "functions and loops": "def f(n):\n    while n > 0:\n        n -= 1\n    return n\n",
    "the course's names": "from a1_support import *\ndef f():\n    return [BOARD_SIZE] * 2\n",
    "the course's text, formatted": (
        "from a1_support import *\ndef f():\n    return HELP.format(BOARD_SIZE)\n"
    ),
    "numbers, formatted": "def f(x):\n    return '{:.2f} {0!r} {n}'.format(x, n=1)\n",
    "an f-string": "def f(x):\n    return f'{x!r:>{len(x)}}'\n",
    "a board at module level": "BOARD = [[0] * 3 for _ in range(3)]\ndef f():\n    return BOARD\n",
    "a main guard": "def main():\n    print(input('> '))\nif __name__ == '__main__':\n    main()\n",
    "a class": (
        "class Game:\n    '''A game.'''\n    size = 3\n    def __init__(self, n):\n"
        "        self.n = n\n        self.__rows = []\n    def add(self, row):\n"
        "        self.__rows.append(row)\n        self.n += 1\n        return self\n"
        "    def __repr__(self):\n        return str(self.n)\n"
        "class Long(Game):\n    def __init__(self):\n        super().__init__(9)\n"
        "    def add(self, row):\n        return super().add(row).add(row)\n"
    ),
    "an exception": (
        "class Bad(ValueError):\n    pass\ndef f():\n    try:\n        raise Bad('x')\n"
        "    except Bad as error:\n        print(error.args)\n    finally:\n        print()\n"
    ),
    "everything caught": (
        "def f():\n    try:\n        return int('x')\n    except:\n        return 0\n"
    ),
    "a recursion that nothing catches": (
        "def f(n):\n    try:\n        return f(n - 1)\n    except ValueError:\n        return 1\n"
    ),
    "a closure": "def f(n):\n    def g(m):\n        return n + m\n    return g\n",
    "a generator": "def f(n):\n    for i in range(n):\n        yield i\n",
    "comprehensions": (
        "def f(x):\n    return {k: [v for v in x] for k in x}, (i for i in x), 1 in {1}\n"
    ),
    "what is used up where it is made": (
        "def f(x):\n    for i, v in enumerate(x):\n        print(f'{i}', *map(str, v))\n"
        "    count = len(x)\n    print(count)\n    a, b = zip(*x)\n"
        "    x.sort(key=lambda v: v[1])\n    x.append(1)\n"
        "    return ', '.join(str(v) for v in x), sum(v for v in a), 3 in reversed(b)\n"
        "def count():\n    return 1\n"
    ),
    "types": (
        "from typing import Optional, List\nimport typing\nBoard = List[List[str]]\n"
        "def f(x: Optional[Board], y: 'A' = None) -> typing.Dict[str, int] | None:\n"
        "    n: int = 1\n    return None\n"
    ),
    "object where it is harmless": (
        "class A(object):\n    def __init__(self, x):\n        self.x = x\n"
        "    def __eq__(self, other: object) -> bool:\n"
        "        return isinstance(other, A) and self.x == other.x\n"
        "    def __repr__(self):\n        return f'A({self.x})'\n"
    ),
    "random numbers": "import random\ndef f():\n    return random.choice([1, 2])\n",
    "random numbers by name": "from random import randint as r\ndef f():\n    return r(1, 2)\n",
    "all of math": "from math import *\ndef f():\n    return floor(pi)\n",
    "None and types": (
        "def f(x, y=None, z=-1, t=(1, 'a')):\n    if x is None or type(x) == int:\n"
        "        return type(y) is str\n    return y is not True\n"
    ),
    "a built-in's name as a local one": (
        "def f(id, open):\n    vars = [id for dir in open]\n    return vars\n"
    ),
    "patterns": (
        "def f(x):\n    match x:\n        case [1, *rest] | {'a': rest}:\n            return rest\n"
        "        case int() as n if n > 1:\n            return n\n        case _:\n"
        "            return None\n"
    ),
    "a table of functions": (
        "def f():\n    return 1\nMOVES = {'f': f}\ndef g(k):\n    return MOVES[k]()\n"
    ),
    "metadata": "__author__ = 'me'\n__version__ = '1'\n",
    "deletions": "def f(x):\n    y = x\n    del y, x[0]\n",
    "unknown names": "def f():\n    return undefined_name\n",
    "a BOM and CRLF": "\ufeffdef f():\r\n    return 1\r\n",
    "future annotations": "from __future__ import annotations\ndef f(x: A) -> B:\n    return x\n",
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    assert proved(PROVED[name]) == Statelessness(proved=True)


def test_modules_that_import_each_other() -> None:
    answer = proved("from b import *\ndef f():\n    return g()\n", b="def g():\n    return 1\n")
    assert answer == Statelessness(proved=True)


@pytest.mark.parametrize("source", ["type Board = list[str]\n", "def f[T](x: T) -> T: return x\n"])
def test_what_only_newer_interpreters_can_read(source: str) -> None:
    unreadable = "a file cannot be read as Python"
    assert proved(source).reason in (unreadable, f"line 1: `{source.strip()}`")


def test_a_reason_names_the_file_where_there_are_two() -> None:
    answer = proved("from b import *\n", b="def g():\n    global n\n    n = 1\n")
    assert answer.reason == "b.py, line 2: `global n`"


def test_a_module_taken_out_of_another_one_stays_a_module() -> None:
    answer = proved("from b import random\nx = [random]\n", b="import random\n")
    assert answer.reason == "a1.py, line 2: `random` is a module used as a value"


def test_a_provided_file_is_held_to_the_same_rules() -> None:
    provided = SourceFile(name="support.py", data=b"import time\n")
    answer = prove([SourceFile(name="a1.py", data=b"x = 1\n")], [provided])
    assert answer.reason == "support.py, line 1: `import time`"


def test_deep_nesting_is_an_answer() -> None:
    assert not proved("x = " + "-" * 5000 + "1\n").proved
    assert not proved("x = [0" + "".join(f"+{n}" for n in range(9000)) + "]\n").proved
