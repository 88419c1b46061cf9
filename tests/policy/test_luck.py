"""Calls whose result differs from run to run, as a program's text names them."""

import pytest

from tests.policy.test_outline import outline

FOUND = [
    ("import time\nprint(time.time())", ["time.time()"]),
    ("import time as t\nprint(t.perf_counter())", ["t.perf_counter()"]),
    ("from time import time as now\nprint(now())", ["now()"]),
    ("from datetime import datetime\nprint(datetime.now().hour)", ["datetime.now()"]),
    ("import datetime\nprint(datetime.date.today())", ["datetime.date.today()"]),
    ("import random\nrandom.seed()\nprint(random.random())", ["random.seed()"]),
    ("from random import SystemRandom\nr = SystemRandom()", ["SystemRandom()"]),
    ("import os, uuid, secrets\nos.urandom(4)\nuuid.uuid4()\nsecrets.choice('ab')", [
        "os.urandom()", "uuid.uuid4()", "secrets.choice()",
    ]),
    ("print(id([]))", ["id()"]),
    ("import time\nstamps = list(map(str, [time.time]))", ["time.time()"]),
    ("things = sorted([[], {}], key=id)", ["id()"]),
    ("from dataclasses import field\nimport uuid\nname = field(default_factory=uuid.uuid4)", [
        "uuid.uuid4()",
    ]),
    ("def f(id):\n    return sorted([id], key=str)", []),
    ("import random\nrandom.seed(1)\nprint(random.random(), random.Random(3))", []),
    ("import time\ntime.sleep(1)\nprint(time.gmtime(0))", []),
    ("def id(x):\n    return 1\nprint(id(2))", []),
    ("time = 3\nprint(time)", []),
]  # fmt: skip


@pytest.mark.parametrize(("program", "calls"), FOUND)
def test_calls_that_differ_from_run_to_run(program: str, calls: list[str]) -> None:
    assert [each.call for each in outline(a1=program).lucky_calls] == calls


ORDER = "the order of a set"
SHOWN = [
    ("for word in {'a', 'b'}:\n    print(word)", [ORDER]),
    ("seen = set()\nseen.add('a')\nprint(seen)", [ORDER]),
    ("seen = set()\nother = seen | {'b'}\nprint(' '.join(other))", [ORDER]),
    ("def f(words: set[str]) -> list[str]:\n    return list(words)", [ORDER]),
    ("def f() -> set[str]:\n    return {'a'}\nfirst = next(iter(f()))", [ORDER]),
    ("def f(text):\n    return set(text)\nfor letter in f('ab'):\n    print(letter)", [ORDER]),
    ("class A:\n    def __init__(self):\n        self.seen = set()\n"
     "    def take(self):\n        return self.seen.pop()", [ORDER]),
    ("words = {w.lower() for w in 'A B'.split()}\nprint(f'{words} {len(words)}')", [ORDER]),
    ("print(*frozenset('ab'))", [ORDER]),
    ("import random\nprint(random.choice(tuple({'a', 'b'})))", [ORDER]),
    ("print('%s of %d' % ({'a'}, 1))", [ORDER]),
    ("print(hash('ab') % 2)", ["hash()"]),
    ("print(sorted('ab', key=hash))", ["hash()"]),
    # The same in every order, or of numbers, whose hashes have no seed:
    ("for word in sorted({'a', 'b'}):\n    print(word)", []),
    ("print(len({'a', 'b'}), max(set('ab')), sum(len(w) for w in {'a', 'bc'}))", []),
    ("seen = set()\nif 'a' in seen:\n    seen.add('b')", []),
    ("print(sorted(list(set('ab'))), set(x for x in {'a'}) == {'a'})", []),
    ("for number in {1, 2.5}:\n    print(number)", []),
    ("def f(numbers: set[int]):\n    return list(numbers)", []),
    ("class A:\n    def __hash__(self):\n        return hash(('a', 1))", []),
    ("def hash(text):\n    return 1\nprint(hash('a'))", []),
    ("for key in {'a': 1}:\n    print(key)", []),
]  # fmt: skip


@pytest.mark.parametrize(("program", "calls"), SHOWN)
def test_calls_that_show_a_hash_or_set_order_are_found(program: str, calls: list[str]) -> None:
    found = outline(a1=program).lucky_calls
    assert list(dict.fromkeys(each.call for each in found)) == calls


def test_the_line_is_known() -> None:
    (call,) = outline(a1="import time\n\nprint(time.time())\n").lucky_calls
    assert (call.file, call.line) == ("a1.py", 3)
