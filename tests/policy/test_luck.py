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
    ("import random\nrandom.seed(1)\nprint(random.random(), random.Random(3))", []),
    ("import time\ntime.sleep(1)\nprint(time.gmtime(0))", []),
    ("def id(x):\n    return 1\nprint(id(2))", []),
    ("time = 3\nprint(time)", []),
]  # fmt: skip


@pytest.mark.parametrize(("program", "calls"), FOUND)
def test_calls_that_differ_from_run_to_run(program: str, calls: list[str]) -> None:
    assert [each.call for each in outline(a1=program).lucky_calls] == calls


def test_the_line_is_known() -> None:
    (call,) = outline(a1="import time\n\nprint(time.time())\n").lucky_calls
    assert (call.file, call.line) == ("a1.py", 3)
