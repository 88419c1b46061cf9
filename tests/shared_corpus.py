"""Programs that try to keep something, or to reach for more, and that no name gives away.

They are those of the tests of the proof that once decided who may share a process, and those that
got past it. Each is asked for `f()`. What its names alone refuse is in
`tests/policy/test_sharing.py`.
"""

from harness.model.policy import Sharing


def passes_names(sharing: Sharing) -> bool:
    """Whether names let the program share; those that may catch a limit are tried all the same, for
    what holds then must hold without that wall."""
    return sharing.allowed or sharing.reason.endswith("may catch a limit")


_SET = "class A:\n    def keep(self):\n        self.kept = 1\n"
_LATE = (
    "def late(*held):\n    try:\n        yield 1\n    finally:\n        print('late')\n"
    "class Held:\n    def __init__(self):\n        self._steps = late()\n"
    "        next(self._steps)\n"
)

# Refused when it is loaded, or seen after the scenario: the reason, which may end with its kind:
# what is at module level "was changed".
SEEN = {
    "a default that is a list": (
        "def f(seen=[]):\n    seen.append(1)\n    return len(seen)\n",
        "`f`, a list",
    ),
    "a default of a lambda": ("f = lambda seen=[]: seen.append(1)\n", "`f`, a list"),
    "a default of a keyword": ("def f(*, seen={}):\n    seen[1] = 1\n", "`f`, a dictionary"),
    "a default by name": ("ROWS = []\ndef f(rows=ROWS):\n    rows.append(1)\n", "`ROWS`, a list"),
    "a default in a tuple": ("def f(a=(1, [])):\n    a[1].append(1)\n", "`f`, a list"),
    "a dictionary out of which an item was taken": (
        "rows = {n: n for n in range(4)}\ndel rows[3]\ndef f():\n    return 1\n",
        "`rows`, a dictionary at module level, lost items while it was loaded, "
        "and may change unseen",
    ),
    "a dictionary too large to be filled anew": (
        "rows = dict.fromkeys(range(10_001))\ndef f():\n    return 1\n",
        "`rows`, a dictionary at module level, is too large to be restored",
    ),
    "a first parameter that is bound again": (
        "class A:\n    def go(self):\n        self = A\n        self.n = 1\n"
        "def f():\n    A().go()\n",
        "`A`, a class, (`n`) was changed",
    ),
    "a first parameter bound by a pattern": (
        "class A:\n    def go(self):\n        match A:\n            case self:\n"
        "                self.n = 1\ndef f():\n    A().go()\n",
        "`A`, a class, (`n`) was changed",
    ),
    "a first parameter bound in a comprehension": (
        "class A:\n    def go(self):\n        [0 for x in [1] if (self := A)]\n"
        "        self.n = 1\ndef f():\n    A().go()\n",
        "`A`, a class, (`n`) was changed",
    ),
    "a decorator of its own that keeps": (
        "def keep(g):\n    seen = []\n    def f():\n        seen.append(1)\n"
        "        return len(seen)\n    return f\n@keep\ndef f():\n    pass\n",
        "`f`, a function with a closure at module level, may change unseen",
    ),
    "a static method with an attribute": (
        _SET + "    @staticmethod\n    def g():\n        pass\n    raw = [g]\n"
        "def f():\n    A.keep(A.raw[0])\n",
        "`A.g`, a staticmethod, (`kept`) was changed",
    ),
    "a property that keeps": (
        "def get(self, seen=[]):\n    seen.append(1)\n    return len(seen)\n"
        "class A:\n    n = property(get)\ndel get\ndef f():\n    return A().n\n",
        "`A.n`, a list in a class, was changed",
    ),
    "a generator at module level": (
        "steps = (n for n in range(9))\ndef f():\n    return next(steps)\n",
        "`steps`, a generator at module level, may change unseen",
    ),
    "a name of math": (
        "import math\n" + _SET + "def f():\n    A.keep(math)\n",
        "a name of math (`kept`) was changed",
    ),
    "a name of random in a list": (
        "import random\nall_of_them = [random]\n" + _SET + "def f():\n    A.keep(all_of_them[0])\n",
        "a name of random (`kept`) was changed",
    ),
    "a name of exit": (
        _SET + "def f():\n    A.keep(exit)\n",
        "`exit` (`kept`) was changed",
    ),
    "a list in a name of math": (
        "import math\nclass A:\n    def keep(self):\n        self.kept = []\nA.keep(math)\n"
        "def f():\n    math.kept.append(1)\n    return len(math.kept)\n",
        "it changes math while it is loaded",
    ),
    "a class whose instances equal everything": (
        "class A:\n    def __eq__(self, other):\n        return True\n"
        "    def __hash__(self):\n        return hashed\n"
        "hashed = 1\nrows = [1]\ndef f():\n    rows[0] = A()\n",
        "`rows`, a list",
    ),
    "an instance in a type alias": (
        "class A:\n    n = 0\n    def __eq__(self, other):\n        other.count()\n"
        "    def count(self):\n        self.n += 1\nkept = list[A()]\n"
        "def f():\n    return kept == list[A()]\n",
        "`kept`, an A at module level, may change unseen",
    ),
    "data that are nested too deeply to be looked at": (
        "rows = []\nfor n in range(5000):\n    rows = [rows]\ndef f():\n    return 1\n",
        "its data are nested too deeply to be examined",
    ),
    "a module of typing's": (
        "import typing\nkept = typing.sys.modules['builtins']\ndef f():\n    return 1\n",
        "it does not load (AttributeError)",
    ),
    "a class of string's": (
        "from string import Formatter\ndef f(x):\n"
        "    return Formatter().get_field('0.x', [x], {})\n",
        "it does not load (ImportError)",
    ),
    "random numbers by the kernel": (
        "from random import SystemRandom\ndef f():\n    return SystemRandom().random()\n",
        "it does not load (ImportError)",
    ),
    "an import that cannot be foreseen": (
        "import \\\n random\ndef f():\n    return random._os\n",
        "it imports random in a place that cannot be predicted",
    ),
    "a name of random for a while": (
        "import random\nclass A:\n    def keep(self, x):\n        self.choice = x\n"
        "def f():\n    was = random.choice\n    A.keep(random, 1)\n    now = random.choice\n"
        "    A.keep(random, was)\n    return now\n",
        "a name of random (`choice`) was changed",
    ),
    "a seed of its own": (
        "import random\nclass A:\n    def keep(self):\n        self.seed = seeds.append\n"
        "seeds = []\nA.keep(random)\ndef f():\n    return len(seeds)\n",
        "it changes random while it is loaded",
    ),
    "an own module that a function imports": (
        "def f():\n    import support\n    support.NAMES.append(1)\n",
        "`NAMES`, a list",
    ),
    "an attribute of an exception's class": (
        "class E(Exception):\n    pass\n" + _SET + "def f():\n    A.keep(E)\n",
        "`E`, a class, (`kept`) was changed",
    ),
    "a named tuple": (
        "from typing import NamedTuple\nclass A(NamedTuple):\n    n: int\ndef f():\n    return 1\n",
        "it does not load (ImportError)",
    ),
    "a property made anew": (
        "class Reach:\n    def anew(self, made, get):\n        super().__init__(made, get)\n"
        "class Made(Reach, property):\n    pass\nclass A:\n    n = property(lambda self: 0)\n"
        "def f():\n    Reach.anew(Made, A.n, lambda self: 1)\n",
        "`A.n`, a property, was changed",
    ),
    "a static method made anew": (
        "class Reach:\n    def anew(self, made, get):\n        super().__init__(made, get)\n"
        "class Made(Reach, staticmethod):\n    pass\n"
        "def make(n):\n    return lambda n=n: n\n"
        "class A:\n    n = staticmethod(make(0))\n    raw = (n,)\n"
        "def f():\n    Reach.anew(Made, A.raw[0], make(1))\n",
        "`A.n`, a staticmethod, (`__annotations__`) was changed",
    ),
    "a class by its order of resolution": (
        "class A(ValueError):\n    n = 0\n    def keep(self):\n        self.n = 1\n"
        "def f():\n    A.keep(A.mro()[0])\n",
        "`A`, a class, (`n`) was changed",
    ),
    "a dictionary by its keys' mapping": (
        "rows = {'a': []}\ndef f():\n    rows.keys().mapping['a'].append(1)\n",
        "`rows`, a list",
    ),
    "a name of math that is deleted": (
        "import math\nclass A:\n    def drop(self):\n        del self.sqrt\n"
        "def f():\n    A.drop(math)\n",
        "a name of math (`sqrt`) was changed",
    ),
    "a method whose class was never made": (
        "kept = []\ntry:\n    class A:\n        def g(self):\n            return super().n\n"
        "        kept.append(g)\n        1 / 0\nexcept ZeroDivisionError:\n    pass\n"
        "def f():\n    return 1\n",
        "`kept`, a method at module level, has no class",
    ),
    "what prints when it ends, once it is loaded": (
        _LATE + "def make():\n    me = []\n    me.append(late(me))\n    next(me[0])\nmake()\n"
        "def f():\n    return 1\n",
        "it prints while it is loaded",
    ),
    "a seed of the random numbers, while it is loaded": (
        "import random\nrandom.seed(0)\ndef f():\n    return random.random()\n",
        "it draws or seeds random numbers while it is loaded",
    ),
    "a name of math in a loop that catches everything": (
        "import math\nclass A:\n    def keep(self):\n        try:\n"
        "            for self.pi in [3]:\n                pass\n"
        "        except BaseException:\n            pass\ndef f():\n    A.keep(math)\n",
        "a name of math (`pi`) was changed",
    ),
    "what changed before a question without an answer": (
        "board = [1000, 0]\ndef f():\n    input()\n    board[0] = 9\n    try:\n"
        "        input(str(board))\n    finally:\n        board[0] = int('1000')\n",
        "`board`, a list",
    ),
}

# Does the same as alone, each time: there is nothing in it to keep.
NOTHING = {
    "a decorator of its own": ("def keep(g):\n    return g\n@keep\ndef f():\n    return 1\n"),
    "a decorated class": (
        "def keep(c):\n    return c\n@keep\nclass A:\n    n = 1\ndef f():\n    return A.n\n"
    ),
    "a static method": (
        "class A:\n    @staticmethod\n    def g():\n        return 1\n    @classmethod\n"
        "    def h(cls):\n        return cls.g()\ndef f():\n    return A.h()\n"
    ),
    "a property": (
        "class A:\n    def __init__(self):\n        self._n = 1\n    @property\n    def n(self):\n"
        "        return self._n\n    @n.setter\n    def n(self, n):\n        self._n = n\n"
        "def f():\n    a = A()\n    return a.n\n"
    ),
    "a base that counts": (
        "class A(list):\n    pass\ndef f():\n    a = A()\n    a.append(1)\n    return len(a)\n"
    ),
    "a base that is computed": (
        "def g():\n    return object\nclass A(g()):\n    pass\ndef f():\n    return A() == 1\n"
    ),
    "a class in a function": (
        "def f():\n    class A:\n        n = 0\n        def add(self):\n            self.n += 1\n"
        "    A.add(A)\n    return A.n\n"
    ),
    "a loop in a class": (
        "class A:\n    for i in range(3):\n        pass\ndef f():\n    return A.i\n"
    ),
    "an import in a function": ("def f():\n    import random\n    return random.random()\n"),
    "an import in a condition": (
        "if True: import random\ndef f():\n    return random.randint(1, 9)\n"
    ),
    "an import behind a semicolon": (
        "x = 1; import random\ndef f():\n    try:\n        return random.nothing\n"
        "    except AttributeError:\n        return random.random()\n"
    ),
    "an attribute of what is Python's own": (
        "import random\nL, M = list[int], int | None\n" + _SET + "def tried(x):\n    try:\n"
        "        A.keep(x)\n    except (AttributeError, TypeError) as error:\n"
        "        return str(error)\ndef f():\n"
        "    return list(map(tried, [L, M, len, object, NotImplemented, random.choice]))\n"
    ),
    "a seed": (
        "import random\ndef f():\n    was = random.random()\n    random.seed(1)\n"
        "    return was, random.random()\n"
    ),
    "types as values": (
        "from typing import List, Optional\nBoard = List[Optional[str]]\n"
        "def f(n: Board = None) -> 'int | Board':\n    return Board is None\n"
    ),
    "typing by star": ("from typing import *\ndef f() -> List[int]:\n    return [1]\n"),
    "future annotations": (
        "from __future__ import annotations\ndef f(x: A = 1) -> B:\n    return x\n"
    ),
    "the constants of string": (
        "import string\ndef f():\n    return string.ascii_letters + string.punctuation\n"
    ),
    "an annotation that runs once": ("seen = []\ndef f(x: seen.append(1) = 2):\n    return seen\n"),
    "an annotation that binds": ("def f(x: (n := 1) = 2):\n    return n\n"),
    "a generator that ends late": (
        "def g():\n    me = []\n    me.append(steps(me))\n    next(me[0])\n"
        "def steps(me):\n    try:\n        yield 1\n    finally:\n        me.append(2)\n"
        "def f():\n    g()\n    return 1\n"
    ),
    "a context": (
        "class A:\n    def __enter__(self):\n        return self\n"
        "    def __exit__(self, kind, error, trace):\n        return True\n"
        "def f():\n    with A():\n        1 / 0\n    return 1\n"
    ),
    "groups of exceptions": (
        "def f():\n    try:\n        int('x')\n    except* ValueError as e:\n"
        "        return_value = 1\n    return 1\n"
    ),
    "names such as sys and modules": (
        "sys = [0]\nmodules = {'os': 1}\ndef f():\n    return sys[0] + modules['os']\n"
    ),
    "what names of a function's own hide": ("def f(list=1, print=2):\n    return list + print\n"),
    "an attribute of nothing known": (
        "def f(x):\n    try:\n        return x.secret\n    except AttributeError as e:\n"
        "        return str(e)\n"
    ),
    "a module of random's": (
        "import random\ndef f():\n    try:\n        return random.nothing\n"
        "    except AttributeError as e:\n        return str(e)\n"
    ),
    "an instance as a base, whose class is called": (
        "class Meta:\n    kept = ()\n    def __init__(self, *parts):\n        self.kept = parts\n"
        "def f():\n    class A(Meta()):\n        n = 1\n    A.kept[2]['more'] = 1\n"
        "    return list(A.kept[2])\n"
    ),
    "a module as a base": (
        "import math\ndef f():\n    try:\n        class A(math):\n            pass\n"
        "    except TypeError as e:\n        return str(e)\n"
    ),
    "an exit": (
        "def f():\n    try:\n        exit()\n    except SystemExit as e:\n"
        "        try:\n            return input()\n        except ValueError as why:\n"
        "            return str(e), str(why)\n"
    ),
    "a traceback that a context gets": (
        "class A:\n    def __enter__(self):\n        return self\n"
        "    def __exit__(self, kind, error, trace):\n        self.trace = trace\n"
        "        return True\ndef f():\n    a = A()\n    with a:\n        1 / 0\n    try:\n"
        "        class B(a.trace):\n            pass\n    except TypeError as e:\n"
        "        return str(e)\n"
    ),
    "notes of an exception": (
        "class E(Exception):\n    pass\ndef f():\n    try:\n        raise E\n"
        "    except E as e:\n        e.add_note('kept')\n        return str(e.args)\n"
    ),
    "a file of its own to print to": (
        "class A:\n    def __init__(self):\n        self.texts = []\n"
        "    def write(self, text):\n        self.texts.append(text)\n"
        "def f():\n    a = A()\n    print(1, file=a, end='')\n    return a.texts\n"
    ),
    "a file that an exception names": (
        "try:\n    from support import nothing\nexcept ImportError as e:\n    place = e.path\n"
        "def f():\n    return place\n"
    ),
    "handlers of codecs": (
        "def f():\n    return ['\\u00e9'.encode('ascii', way) for way in\n"
        "        ('replace', 'ignore', 'xmlcharrefreplace', 'backslashreplace')]\n"
    ),
    "more memory than there is": (
        "def f():\n    try:\n        return len(bytes(300_000_000))\n"
        "    except MemoryError:\n        return 0\n"
    ),
    "what ends in a cycle and says nothing": (
        "def steps(me):\n    try:\n        yield 1\n    finally:\n        me = 1\n"
        "def f():\n    me = []\n    me.append(steps(me))\n    next(me[0])\n    return 1\n"
    ),
    "what a module cannot do": (
        "import math, random\ndef tried(use):\n    try:\n        return use()\n"
        "    except TypeError as e:\n        return str(e)\ndef f():\n"
        "    return list(map(tried, [\n"
        "        lambda: random(1, 6), lambda: [*math], lambda: math + 1, lambda: math < 1,\n"
        "        lambda: math[0], lambda: f'{math:5}']))\n"
    ),
    "a module beside what equals everything": (
        "import math\nclass A:\n    def __eq__(self, other):\n        return other.pi\n"
        "    def __ror__(self, other):\n        return other.e\ndef f():\n    match math:\n"
        "        case list() | dict() | [*_] | {}:\n            return 1\n"
        "    return math == A(), A() == math, math | A(), [math].count(A())\n"
    ),
    "what runs after a question without an answer": (
        "board = [1, 2]\nclass A:\n    def __enter__(self):\n        return self\n"
        "    def __exit__(self, kind, error, trace):\n        print('gone')\n"
        "        return True\ndef steps():\n    try:\n        yield input('one')\n"
        "        yield input('two')\n    finally:\n        print('late')\n"
        "        board.reverse()\ndef f():\n    board.reverse()\n    with A():\n"
        "        for line in steps():\n            print(line, board)\n    return 1\n"
    ),
    "a question without an answer, amid a sort": (
        "rows = [3, 1, 2]\nclass K:\n    def __init__(self, n):\n        self.n = n\n"
        "    def __lt__(self, other):\n        input(str(rows))\n"
        "        return self.n < other.n\ndef f():\n    try:\n        rows.sort(key=K)\n"
        "    except BaseException:\n        return rows\n"
    ),
    "a question without an answer, in what holds itself": (
        "class E(Exception):\n    pass\ndef steps():\n    try:\n        input()\n"
        "        input('more')\n    except EOFError as e:\n        yield e\n"
        "        print('late')\ndef f():\n    held = steps()\n    error = next(held)\n"
        "    raise E(error, [held]) from error\n"
    ),
    "an exit after a question without an answer": (
        "if __name__ == '__main__':\n    print(input('one'), end='')\n    try:\n"
        "        input('two')\n    except:\n        print('bye')\n        exit(3)\n"
    ),
}

# Depends on its surroundings: where that shows, it is not what the reference does, and runs alone.
SURROUNDINGS = {
    "interned text": ("def f(text):\n    return text is 'abc'\n"),
    "identities": ("def f(a, b):\n    return a is not b\n"),
    "how deep it may recurse": (
        "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n"
        "        return n\n"
    ),
    "how deep it may recurse, by way of an operator": (
        "class A:\n    def __eq__(self, other):\n        return [self] == [other]\n"
        "def f():\n    try:\n        return A() == A()\n    except:\n        return 1\n"
    ),
    "how deep it may recurse, by way of a lambda": (
        "g = lambda n: g(n + 1)\nKINDS = Exception\ndef f():\n    try:\n        g(0)\n"
        "    except KINDS:\n        return 1\n"
    ),
    "how deep it may recurse before it asks": (
        "def deep(n):\n    return deep(n - 1) if n else input()\ndef f():\n    input()\n"
        "    for n in range(999, 900, -1):\n        try:\n            return deep(n)\n"
        "        except RecursionError:\n            print(n)\n"
    ),
    "the address of an exception": (
        "def f():\n    try:\n        1 // 0\n    except ZeroDivisionError as e:\n"
        "        return [type_ for type_ in {e, f}] == []\n"
    ),
    "the address of a float that is not a number": (
        "def f():\n    inf = 1e400\n    return len({(inf - inf, 1), (inf - inf, 2)})\n"
    ),
    "the address of an instance": ("class P:\n    pass\ndef f():\n    return str(P())\n"),
    "the address of a lambda": ("def f():\n    return f'{(lambda: 0)}'\n"),
    "the address of an iterator": ("def f():\n    return '{}'.format(iter([]))\n"),
    "the address of a generator": ("def g():\n    yield 1\ndef f():\n    return repr(g())\n"),
    "the address of a list, by its method": ("def f(x):\n    return str(x.append)\n"),
    "the order of functions in a set": (
        "def f():\n    return [g() for g in {lambda: 1, lambda: 2}]\n"
    ),
    "how much memory there is": (
        "def f():\n    try:\n        return len([0] * 10**12)\n    except MemoryError:\n"
        "        return 1\n"
    ),
    "how much memory is left, by failed allocations": (
        "def f():\n    low, high = 0, 900\n    while high - low > 1:\n"
        "        middle = (low + high) // 2\n        try:\n            bytes(middle << 20)\n"
        "            low = middle\n        except MemoryError:\n            high = middle\n"
        "    return low // 4\n"
    ),
    "memory that is not touched": ("def f():\n    return len(bytes(10**6))\n"),
    "the order in which memory is free": (
        "def place(block):\n    return int(str(block.upper).split('0x')[1].rstrip('>'), 16)\n"
        "def f():\n    blocks = [bytes(440 + n % 2) for n in range(64)]\n"
        "    places = [*map(place, blocks)]\n"
        "    falls = [a > b for a, b in zip(places, places[1:])]\n"
        "    for n in sorted(range(64), key=lambda n: places[n]):\n        blocks[n] = None\n"
        "    return sum(falls) > 50\n"
    ),
    "an address by its hash": (
        "class A:\n    def place(self):\n        return super().__hash__()\n"
        "def f():\n    return A().place()\n"
    ),
    "the text of a facade": ("import math\ndef f():\n    return str(math)\n"),
    "forms of typing that are one": (
        "from typing import List\ndef f():\n    return List[int] is List[str]\n"
    ),
    "what a caught recursion says": (
        "def g(n):\n    return n\ndef f(n):\n    try:\n        g(n)\n"
        "        return f(n + 1)\n    except RecursionError as e:\n        return n, str(e)\n"
    ),
}

# Leaves something to end, which speaks, asks or goes on when it does: its scenario is observed
# alone, and nothing of it reaches the next one. `run` is the program itself.
ENDS_LATE = {
    "what a name of the stimulus holds": (_LATE + "def f():\n    return Held()\n"),
    "what the frame of an exception holds": (_LATE + "def f():\n    held = Held()\n    1 / 0\n"),
    "what a cycle holds": (
        _LATE + "def f():\n    me = []\n    me.append(late(me))\n    next(me[0])\n"
    ),
    "what a name of the program holds": (
        _LATE + "if __name__ == '__main__':\n    held = Held()\n    print('early')\n"
    ),
    "what a name of the program holds alone": (
        _LATE + "if __name__ == '__main__':\n    held = late()\n    next(held)\n"
        "    del late, Held\n"
    ),
    "what asks when it ends": (
        "def late(me):\n    try:\n        yield 1\n    finally:\n        me.append(input())\n"
        "def f():\n    me = []\n    me.append(late(me))\n    next(me[0])\n    return 1\n"
    ),
    "what leaves another when it ends": (
        "def late(me):\n    try:\n        yield 1\n    finally:\n        again = []\n"
        "        again.append(late(again))\n        next(again[0])\n"
        "def f():\n    me = []\n    me.append(late(me))\n    next(me[0])\n    return 1\n"
    ),
    "what raises when it ends": (
        "def late(me):\n    try:\n        yield 1\n    finally:\n        1 / 0\n"
        "def f():\n    me = []\n    me.append(late(me))\n    next(me[0])\n    return 1\n"
    ),
    "a prompt that prints": (
        "class P:\n    def __str__(self):\n        print('x', end='')\n        return 'y'\n"
        "def f():\n    return input(P())\n"
    ),
    "codecs that are not loaded": ("def f():\n    return str('x'.encode('cp1252'))\n"),
    "memory that a process alone does not have": ("def f():\n    return len(bytes(300_000_000))\n"),
}

# What is asked of those that are asked for more than `f()`.
CALLS = {
    "a class of string's": "f(1)",
    "an attribute of nothing known": "f(1)",
    "interned text": "f('ab' + 'c')",
    "identities": "f(1000, 1000)",
    "how deep it may recurse": "f(0)",
    "the address of a list, by its method": "f([])",
    "what a caught recursion says": "f(0)",
    "what a name of the stimulus holds": "[a := f(), 1][1]",
    "an exit after a question without an answer": "run",
    "what a name of the program holds": "run",
    "what a name of the program holds alone": "run",
}

PROGRAMS = [program for program, _ in SEEN.values()]
PROGRAMS += (NOTHING | SURROUNDINGS | ENDS_LATE).values()
