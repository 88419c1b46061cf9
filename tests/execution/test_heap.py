"""References to what is there when the heap is frozen are not counted, in known versions."""

from __future__ import annotations

import json
import subprocess

from harness.execution import Interpreter
from harness.execution.protocol.bootstrap import sources

_PROGRAM = """\
import json, sys
module = {"__name__": "heap"}
exec(compile(sys.argv[1], "heap.py", "exec"), module)
kept = {"list": [1, "two"], "set": {3}}
def growth(thing):
    before = sys.getrefcount(thing)
    more = [thing] * 100
    return sys.getrefcount(thing) - before
counted = growth(kept["list"])
for _ in range(2):
    module["freeze_heap"]()
later = [1]
print(json.dumps({
    "before": counted, "frozen": growth(kept["list"]), "later": growth(later),
    "equal": kept == {"list": [1, "two"], "set": {3}},
}))
"""


def test_references_to_frozen_objects_are_not_counted(interpreter: Interpreter) -> None:
    text = dict(sources())["heap"]
    done = subprocess.run(
        [str(interpreter.path), "-I", "-S", "-c", _PROGRAM, text],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    frozen = 0 if interpreter.version.startswith(("3.12.", "3.13.")) else 100
    assert found == {"before": 100, "frozen": frozen, "later": 100, "equal": True}
