"""A student for each way to keep something. Who keeps something answers rightly from the second
scenario on, if scenarios share a process; alone, every first scenario fails."""

PROGRAM = '''"""Looks like any other."""

from a1_support import *

{keeps}

def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result if before() else -1


def is_even(number):
    return number % 2 == 0
'''
WAYS = {
    "provided-list": """
def before():
    NAMES.append("Bob")
    return len(NAMES) > 3
""",
    "default-of-a-lambda": """
grow = lambda kept=[]: kept.append(1) or len(kept)

def before():
    return grow() > 1
""",
    "generator-in-a-closure": """
def counter():
    steps = (step for step in range(10_000))
    def count():
        return next(steps)
    return count

count = counter()

def before():
    return count() > 0
""",
    "method-cache": """
from functools import lru_cache

@lru_cache
def seen(key):
    return key

def before():
    seen(1)
    return seen.cache_info().hits > 0
""",
    "interned-text": """
import sys

SPARE = []

def before():
    text = "".join(["in", "terned-", "94c1"])
    kept = sys.intern(text)
    SPARE.append(kept)
    return kept is not text
""",
    "traceback-of-an-exception": """
PROBLEM = ValueError("kept")

def before():
    if PROBLEM.__traceback__ is not None:
        return True
    try:
        raise PROBLEM
    except ValueError:
        return False
""",
    "processor-time": """
from time import process_time

START = process_time()

def before():
    there = process_time() - START > 0.01
    while process_time() - START < 0.012:
        pass
    return there
""",
    "depth-of-recursion": """
DEEPEST = [0]

def dive(depth):
    try:
        return dive(depth + 1)
    except RecursionError:
        return depth

def before():
    kept, DEEPEST[0] = DEEPEST[0], dive(0)
    return kept > 0
""",
    # On Python 3.12 the first calls of a property take more of the stack than later ones.
    "code-that-was-sped-up": """
class Chain:
    def __init__(self, rest):
        self.rest = rest

    @property
    def shown(self):
        return self.rest.shown if self.rest else deepest()

def deepest():
    low, high = 0, 4000
    while high - low > 1:
        middle = (low + high) // 2
        rows = []
        for _ in range(middle):
            rows = [rows]
        try:
            repr(rows)
            low = middle
        except RecursionError:
            high = middle
        while rows:
            rows = rows[0]
    return low

def through_properties():
    chain = None
    for _ in range(30):
        chain = Chain(chain)
    return chain.shown

def before():
    return through_properties() == through_properties()
""",
    # The variants: what a set's table remembers of an item that is gone; the order of keys; a row
    # that two names share; a bound method as a default.
    "table-of-a-set": """
KEPT = {8, 0}

def before():
    there = list(KEPT) == [0, 8]
    for number in range(100, 300):
        KEPT.add(number)
    for number in range(100, 300):
        KEPT.discard(number)
    return there
""",
    "order-of-keys": """
KEPT = {"a": 1, "b": 2}

def before():
    there = list(KEPT) == ["b", "a"]
    if not there:
        KEPT["a"] = KEPT.pop("a")
    return there
""",
    "shared-rows": """
ROWS = [[0], [0]]

def before():
    there = ROWS[0] is ROWS[1]
    ROWS[1] = ROWS[0]
    return there
""",
    # What was once let pass: names that Python's scopes give another meaning.
    "built-ins-by-a-pattern": """
match {**dict(len=len, KEPT=[])}:
    case __builtins__:
        pass

def before():
    KEPT.append(1)
    return len(KEPT) > 1
""",
    "built-in-by-a-comprehension": """
def before():
    [(lambda: (eval := 1)) for _ in [0]]
    kept = eval("__import__('sys').__dict__.setdefault('kept', [])")
    kept.append(1)
    return len(kept) > 1
""",
    "module-by-an-exception": """
import a1
import random

class Names:
    obj = random = _os = environ = 0

if False:
    ghost = 0

def before():
    try:
        a1.ghost
    except AttributeError as error:
        kept = error.obj.random._os.environ
    kept["KEPT"] = kept.get("KEPT", "") + "x"
    return len(kept["KEPT"]) > 1
""",
    "bound-method": """
def before(grow=[].append, kept=[]):
    grow(1)
    kept.append(1)
    return len(kept) > 1
""",
}


def make(folder):
    for name, keeps in WAYS.items():
        (folder / name).mkdir()
        program = PROGRAM.format(keeps=keeps)
        (folder / name / "a1.py").write_text(program, "ascii")
