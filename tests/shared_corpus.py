"""Programs that try to keep something, or to reach for more, and that no name gives away.

They are those of the tests of the proof that once decided who may share a process, and those that
got past it. Each has an expression to call. What its names alone refuse is in
`tests/policy/test_sharing.py`.
"""

from __future__ import annotations

_SET = "class A:\n    def keep(self):\n        self.kept = 1\n"

# Refused when it is loaded, or seen after the scenario: the reason.
SEEN = {
    "a default that is a list": (
        "def f(seen=[]):\n    seen.append(1)\n    return len(seen)\n",
        "f()",
        "`f`, a list at module level, was changed",
    ),
    "a default of a lambda": (
        "f = lambda seen=[]: seen.append(1)\n",
        "f()",
        "`f`, a list at module level, was changed",
    ),
    "a default of a keyword": (
        "def f(*, seen={}):\n    seen[1] = 1\n",
        "f()",
        "`f`, a dictionary at module level, was changed",
    ),
    "a default by name": (
        "ROWS = []\ndef f(rows=ROWS):\n    rows.append(1)\n",
        "f()",
        "`ROWS`, a list at module level, was changed",
    ),
    "a default in a tuple": (
        "def f(a=(1, [])):\n    a[1].append(1)\n",
        "f()",
        "`f`, a list at module level, was changed",
    ),
    "a first parameter that is bound again": (
        "class A:\n    def go(self):\n        self = A\n        self.n = 1\n"
        "def f():\n    A().go()\n",
        "f()",
        "`A`, a class, (`n`) was changed",
    ),
    "a first parameter bound by a pattern": (
        "class A:\n    def go(self):\n        match A:\n            case self:\n"
        "                self.n = 1\ndef f():\n    A().go()\n",
        "f()",
        "`A`, a class, (`n`) was changed",
    ),
    "a first parameter bound in a comprehension": (
        "class A:\n    def go(self):\n        [0 for x in [1] if (self := A)]\n"
        "        self.n = 1\ndef f():\n    A().go()\n",
        "f()",
        "`A`, a class, (`n`) was changed",
    ),
    "a decorator of its own that keeps": (
        "def keep(g):\n    seen = []\n    def f():\n        seen.append(1)\n"
        "        return len(seen)\n    return f\n@keep\ndef f():\n    pass\n",
        "f()",
        "`f`, a function with a closure at module level, may change unseen",
    ),
    "a static method with an attribute": (
        _SET + "    @staticmethod\n    def g():\n        pass\n    raw = [g]\n"
        "def f():\n    A.keep(A.raw[0])\n",
        "f()",
        "`A.g`, a staticmethod, (`kept`) was changed",
    ),
    "a property that keeps": (
        "def get(self, seen=[]):\n    seen.append(1)\n    return len(seen)\n"
        "class A:\n    n = property(get)\ndel get\ndef f():\n    return A().n\n",
        "f()",
        "`A.n`, a list in a class, was changed",
    ),
    "a generator at module level": (
        "steps = (n for n in range(9))\ndef f():\n    return next(steps)\n",
        "f()",
        "`steps`, a generator at module level, may change unseen",
    ),
    "a name of math": (
        "import math\n" + _SET + "def f():\n    A.keep(math)\n",
        "f()",
        "a name of math (`kept`) was changed",
    ),
    "a name of random in a list": (
        "import random\nall_of_them = [random]\n" + _SET + "def f():\n    A.keep(all_of_them[0])\n",
        "f()",
        "a name of random (`kept`) was changed",
    ),
    "a list in a name of math": (
        "import math\nclass A:\n    def keep(self):\n        self.kept = []\nA.keep(math)\n"
        "def f():\n    math.kept.append(1)\n    return len(math.kept)\n",
        "f()",
        "it changes math while it is loaded",
    ),
    "a class whose instances equal everything": (
        "class A:\n    def __eq__(self, other):\n        return True\n"
        "    def __hash__(self):\n        return hashed\n"
        "hashed = 1\nrows = [1]\ndef f():\n    rows[0] = A()\n",
        "f()",
        "`rows`, a list at module level, was changed",
    ),
    "an instance in a type alias": (
        "class A:\n    n = 0\n    def __eq__(self, other):\n        other.count()\n"
        "    def count(self):\n        self.n += 1\nkept = list[A()]\n"
        "def f():\n    return kept == list[A()]\n",
        "f()",
        "`kept`, an A at module level, may change unseen",
    ),
    "data that are nested too deeply to be looked at": (
        "rows = []\nfor n in range(5000):\n    rows = [rows]\ndef f():\n    return 1\n",
        "f()",
        "its data are nested too deeply to be looked at",
    ),
    "a module of typing's": (
        "import typing\nkept = typing.sys.modules['builtins']\ndef f():\n    return 1\n",
        "f()",
        "it does not load (AttributeError)",
    ),
    "a class of string's": (
        "from string import Formatter\ndef f(x):\n"
        "    return Formatter().get_field('0.x', [x], {})\n",
        "f(1)",
        "it does not load (ImportError)",
    ),
    "random numbers by the kernel": (
        "from random import SystemRandom\ndef f():\n    return SystemRandom().random()\n",
        "f()",
        "it does not load (ImportError)",
    ),
    "an import that cannot be foreseen": (
        "import \\\n random\ndef f():\n    return random._os\n",
        "f()",
        "it imports random where that cannot be foreseen",
    ),
    "a seed of its own": (
        "import random\nclass A:\n    def keep(self):\n        self.seed = seeds.append\n"
        "seeds = []\nA.keep(random)\ndef f():\n    return len(seeds)\n",
        "f()",
        "it changes random while it is loaded",
    ),
    "an own module that a function imports": (
        "def f():\n    import support\n    support.NAMES.append(1)\n",
        "f()",
        "`NAMES`, a list at module level, was changed",
    ),
    "an attribute of an exception's class": (
        "class E(Exception):\n    pass\n" + _SET + "def f():\n    A.keep(E)\n",
        "f()",
        "`E`, a class, (`kept`) was changed",
    ),
    "a named tuple": (
        "from typing import NamedTuple\nclass A(NamedTuple):\n    n: int\ndef f():\n    return 1\n",
        "f()",
        "it does not load (ImportError)",
    ),
}

# Does the same as alone, each time: there is nothing in it to keep.
NOTHING = {
    "a decorator of its own": (
        "def keep(g):\n    return g\n@keep\ndef f():\n    return 1\n",
        "f()",
    ),
    "a decorated class": (
        "def keep(c):\n    return c\n@keep\nclass A:\n    n = 1\ndef f():\n    return A.n\n",
        "f()",
    ),
    "a static method": (
        "class A:\n    @staticmethod\n    def g():\n        return 1\n    @classmethod\n"
        "    def h(cls):\n        return cls.g()\ndef f():\n    return A.h()\n",
        "f()",
    ),
    "a property": (
        "class A:\n    def __init__(self):\n        self._n = 1\n    @property\n    def n(self):\n"
        "        return self._n\n    @n.setter\n    def n(self, n):\n        self._n = n\n"
        "def f():\n    a = A()\n    return a.n\n",
        "f()",
    ),
    "a base that counts": (
        "class A(list):\n    pass\ndef f():\n    a = A()\n    a.append(1)\n    return len(a)\n",
        "f()",
    ),
    "a base that is computed": (
        "def g():\n    return object\nclass A(g()):\n    pass\ndef f():\n    return A() == 1\n",
        "f()",
    ),
    "a class in a function": (
        "def f():\n    class A:\n        n = 0\n        def add(self):\n            self.n += 1\n"
        "    A.add(A)\n    return A.n\n",
        "f()",
    ),
    "a loop in a class": (
        "class A:\n    for i in range(3):\n        pass\ndef f():\n    return A.i\n",
        "f()",
    ),
    "an import in a function": (
        "def f():\n    import random\n    return random.random()\n",
        "f()",
    ),
    "an import in a condition": (
        "if True: import random\ndef f():\n    return random.randint(1, 9)\n",
        "f()",
    ),
    "an import behind a semicolon": (
        "x = 1; import random\ndef f():\n    try:\n        return random.nothing\n"
        "    except AttributeError:\n        return random.random()\n",
        "f()",
    ),
    "an attribute of what is Python's own": (
        "import random\nL, M = list[int], int | None\n" + _SET + "def tried(x):\n    try:\n"
        "        A.keep(x)\n    except (AttributeError, TypeError) as error:\n"
        "        return str(error)\ndef f():\n"
        "    return list(map(tried, [L, M, len, object, NotImplemented, random.choice]))\n",
        "f()",
    ),
    "a seed": (
        "import random\ndef f():\n    was = random.random()\n    random.seed(1)\n"
        "    return was, random.random()\n",
        "f()",
    ),
    "types as values": (
        "from typing import List, Optional\nBoard = List[Optional[str]]\n"
        "def f(n: Board = None) -> 'int | Board':\n    return Board is None\n",
        "f()",
    ),
    "typing by star": ("from typing import *\ndef f() -> List[int]:\n    return [1]\n", "f()"),
    "future annotations": (
        "from __future__ import annotations\ndef f(x: A = 1) -> B:\n    return x\n",
        "f()",
    ),
    "the constants of string": (
        "import string\ndef f():\n    return string.ascii_letters + string.punctuation\n",
        "f()",
    ),
    "an annotation that runs once": (
        "seen = []\ndef f(x: seen.append(1) = 2):\n    return seen\n",
        "f()",
    ),
    "an annotation that binds": ("def f(x: (n := 1) = 2):\n    return n\n", "f()"),
    "a generator that ends late": (
        "def g():\n    me = []\n    me.append(steps(me))\n    next(me[0])\n"
        "def steps(me):\n    try:\n        yield 1\n    finally:\n        me.append(2)\n"
        "def f():\n    g()\n    return 1\n",
        "f()",
    ),
    "a context": (
        "class A:\n    def __enter__(self):\n        return self\n"
        "    def __exit__(self, kind, error, trace):\n        return True\n"
        "def f():\n    with A():\n        1 / 0\n    return 1\n",
        "f()",
    ),
    "groups of exceptions": (
        "def f():\n    try:\n        int('x')\n    except* ValueError as e:\n"
        "        return_value = 1\n    return 1\n",
        "f()",
    ),
    "names such as sys and modules": (
        "sys = [0]\nmodules = {'os': 1}\ndef f():\n    return sys[0] + modules['os']\n",
        "f()",
    ),
    "what names of a function's own hide": (
        "def f(list=1, print=2):\n    return list + print\n",
        "f()",
    ),
    "an attribute of nothing known": (
        "def f(x):\n    try:\n        return x.secret\n    except AttributeError as e:\n"
        "        return str(e)\n",
        "f(1)",
    ),
    "a module of random's": (
        "import random\ndef f():\n    try:\n        return random.nothing\n"
        "    except AttributeError as e:\n        return str(e)\n",
        "f()",
    ),
}

# Depends on its surroundings: where that shows, it is not what the reference does, and runs alone.
SURROUNDINGS = {
    "interned text": ("def f(text):\n    return text is 'abc'\n", "f('ab' + 'c')"),
    "identities": ("def f(a, b):\n    return a is not b\n", "f(1000, 1000)"),
    "how deep it may recurse": (
        "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n"
        "        return n\n",
        "f(0)",
    ),
    "how deep it may recurse, by way of an operator": (
        "class A:\n    def __eq__(self, other):\n        return [self] == [other]\n"
        "def f():\n    try:\n        return A() == A()\n    except:\n        return 1\n",
        "f()",
    ),
    "how deep it may recurse, by way of a lambda": (
        "g = lambda n: g(n + 1)\nKINDS = Exception\ndef f():\n    try:\n        g(0)\n"
        "    except KINDS:\n        return 1\n",
        "f()",
    ),
    "the address of an exception": (
        "def f():\n    try:\n        1 // 0\n    except ZeroDivisionError as e:\n"
        "        return [type_ for type_ in {e, f}] == []\n",
        "f()",
    ),
    "the address of a float that is no number": (
        "def f():\n    inf = 1e400\n    return len({(inf - inf, 1), (inf - inf, 2)})\n",
        "f()",
    ),
    "the address of an instance": ("class P:\n    pass\ndef f():\n    return str(P())\n", "f()"),
    "the address of a lambda": ("def f():\n    return f'{(lambda: 0)}'\n", "f()"),
    "the address of an iterator": ("def f():\n    return '{}'.format(iter([]))\n", "f()"),
    "the address of a generator": (
        "def g():\n    yield 1\ndef f():\n    return repr(g())\n",
        "f()",
    ),
    "the address of a list, by its method": ("def f(x):\n    return str(x.append)\n", "f([])"),
    "the order of functions in a set": (
        "def f():\n    return [g() for g in {lambda: 1, lambda: 2}]\n",
        "f()",
    ),
    "how much memory there is": (
        "def f():\n    try:\n        return len([0] * 10**12)\n    except MemoryError:\n"
        "        return 1\n",
        "f()",
    ),
    "memory that is not touched": ("def f():\n    return len(bytes(10**6))\n", "f()"),
}
