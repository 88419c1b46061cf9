"""Our own modules as code of the grading interpreter, kept between runs; references to objects
that are there when the heap is frozen are not counted, in known versions."""

from __future__ import annotations

import json
import marshal
import subprocess
from pathlib import Path

import pytest

from harness.common.errors import HarnessError
from harness.execution import Interpreter
from harness.execution.protocol import jobs

TEXTS = {"rows": "", "rows.counting": "def run(text):\n    return str(len(text))\n"}
ENTRY = "rows.counting:run"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr(jobs, "_FOLDER", tmp_path / "kept")
    return tmp_path / "kept"


def modules(interpreter: Interpreter, texts: dict[str, str] = TEXTS) -> dict[str, bytes]:
    jobs._compiled.cache_clear()  # as in another process
    return jobs.tool_modules(interpreter, texts, ENTRY)


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> bytes:
        raise AssertionError("compiled anew")

    monkeypatch.setattr(jobs, "_compile", started)


def test_it_is_compiled_once(
    interpreter: Interpreter, folder: Path, request: pytest.FixtureRequest
) -> None:
    first = modules(interpreter)
    assert first.keys() == TEXTS.keys()
    assert [path.name for path in folder.iterdir()] == [f"rows.counting.{interpreter.version}.code"]
    request.getfixturevalue("never")
    assert modules(interpreter) == first


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_what_is_not_whole_is_compiled_again(
    interpreter: Interpreter, folder: Path, damage: str
) -> None:
    first = modules(interpreter)
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    damaged = {"cut": whole[:-9], "changed": whole[:-1] + b"?", "empty": b""}
    kept.write_bytes(damaged[damage])
    assert modules(interpreter) == first
    assert kept.read_bytes() == whole


def test_another_text_is_compiled_again(interpreter: Interpreter, folder: Path) -> None:
    before = modules(interpreter)
    after = modules(interpreter, {**TEXTS, "rows": "SIZE = 3\n"})
    assert after["rows"] != before["rows"]
    assert after["rows.counting"] == before["rows.counting"]


def test_where_nothing_may_be_written_nothing_is_kept(
    interpreter: Interpreter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("a file, so that no folder can be made here")
    assert modules(interpreter).keys() == TEXTS.keys()
    monkeypatch.setattr(jobs, "_FOLDER", folder.with_name("other"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert modules(interpreter).keys() == TEXTS.keys()
    assert not folder.with_name("other").exists()


def test_an_interpreter_that_does_not_work_is_told(folder: Path) -> None:
    for path, said in [("/bin/false", "does not work"), ("/none/python3", "did not start")]:
        broken = Interpreter(path=Path(path), version="3.12.1", build="none")
        with pytest.raises(HarnessError, match=f"{path} {said}"):
            modules(broken)


def test_names_in_tracebacks_are_no_paths_of_this_machine(
    interpreter: Interpreter, folder: Path
) -> None:
    code = modules(interpreter)["rows.counting"]
    assert b"rows/counting.py" in code
    assert str(folder.parent).encode() not in code
    assert (
        marshal.dumps("inside/base.py", 2)[5:]
        in dict(jobs.inside_modules(interpreter, ["base"]))["base"]
    )


_PROGRAM = f"""\
{jobs.LOADER}
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
    done = subprocess.run(
        [str(interpreter.path), "-I", "-S", "-c", _PROGRAM],
        input=marshal.dumps(jobs.inside_modules(interpreter, jobs.INSIDE), 2),
        capture_output=True,
        check=True,
    )
    found = json.loads(done.stdout)
    frozen = 0 if interpreter.version.startswith(("3.12.", "3.13.")) else 100
    assert found == {"before": 100, "frozen": frozen, "later": 100, "equal": True}
