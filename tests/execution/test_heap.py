"""References to what is there when the heap is frozen are not counted, in known versions."""

from __future__ import annotations

import json
import marshal
import subprocess

from harness.execution import Interpreter
from harness.execution.protocol.bootstrap import INSIDE, LOADER, inside_modules

_PROGRAM = f"""\
{LOADER}
import json
freeze_heap = load(marshal.loads(sys.stdin.buffer.read()), ()).warm_up.freeze_heap
kept = {{"list": [1, "two"], "set": {{3}}}}
def growth(thing):
    before = sys.getrefcount(thing)
    more = [thing] * 100
    return sys.getrefcount(thing) - before
counted = growth(kept["list"])
for _ in range(2):
    freeze_heap()
later = [1]
print(json.dumps({{
    "before": counted, "frozen": growth(kept["list"]), "later": growth(later),
    "equal": kept == {{"list": [1, "two"], "set": {{3}}}},
}}))
"""


def test_references_to_frozen_objects_are_not_counted(interpreter: Interpreter) -> None:
    modules = inside_modules(interpreter)
    done = subprocess.run(
        [str(interpreter.path), "-I", "-S", "-c", _PROGRAM],
        input=marshal.dumps([(name, modules[name]) for name in INSIDE], 2),
        capture_output=True,
        check=True,
    )
    found = json.loads(done.stdout)
    frozen = 0 if interpreter.version.startswith(("3.12.", "3.13.")) else 100
    assert found == {"before": 100, "frozen": frozen, "later": 100, "equal": True}
