"""Runs of the installed command, and what they wrote."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HARNESS = Path(sys.executable).with_name("harness")


def command(out: Path, *arguments: str | Path) -> list[str]:
    """`harness grade` into `out`."""
    return [str(HARNESS), "grade", *map(str, arguments), "--out", str(out)]


def environment(temporary: Path) -> dict[str, str]:
    """Ours, with a folder of its own for temporary files, to see what stays there."""
    temporary.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "TMPDIR": str(temporary), "COLUMNS": "200", "PYTHONUTF8": "1"}


def started(
    course: Path, out: Path, *arguments: str | Path, stderr: Any = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    """`harness grade` into `out`, while it runs; its temporary folder is beside that."""
    return subprocess.Popen(
        command(out, *arguments),
        cwd=course,
        env=environment(out.with_name(out.name + ".tmp")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
    )


def grade(course: Path, out: Path, *arguments: str | Path) -> str:
    """Run to the end; what it said on stderr. AssertionError unless the run is complete."""
    temporary = out.with_name(out.name + ".tmp")
    done = subprocess.run(
        command(out, *arguments),
        cwd=course,
        env=environment(temporary),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not any(temporary.iterdir()), sorted(temporary.iterdir())
    return done.stderr


def results(out: Path) -> dict[str, Any]:
    """results.json as it stands."""
    whole: dict[str, Any] = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return whole


def timeless(out: Path) -> bytes:
    """The bytes of results.json but for the moments of start and end."""
    return _without_times((out / "results.json").read_bytes(), results(out))


def pages(out: Path) -> dict[str, str]:
    """By name, a digest of every file of the report, the moments of start and end left out. The
    database and the secret that the audit is drawn by are not part of it."""
    whole = results(out)
    return {
        str(path.relative_to(out)): hashlib.sha256(
            _without_times(path.read_bytes(), whole)
        ).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.name.startswith(("run.sqlite", ".audit-secret"))
    }


def verdicts(out: Path, name: str) -> list[str]:
    """A submission's verdicts in the plan's order."""
    whole = results(out)
    (found,) = [s for s in whole["submissions"] if s["id"] == name]
    if found["status"] == "unreadable":
        return ["unreadable"] * len(whole["scenarios"])
    failed = found["failed"]
    ids = [scenario["id"] for scenario in whole["scenarios"]]
    return [failed[each]["verdict"] if each in failed else "passed" for each in ids]


def _without_times(data: bytes, whole: dict[str, Any]) -> bytes:
    for fact in ("started", "finished"):
        moment = whole["run"][fact].encode()
        if moment:
            data = data.replace(moment, b"TIME")
    return data
