"""The usual way: `pexpect.spawn` a Python for each scenario, all delays switched off."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pexpect

RUN_CALL = "import a1; value = {expression}; print(repr(value), end='\\0')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Seconds for all calls and all games, and what each printed."""

    call_seconds: float
    game_seconds: float
    call_answers: tuple[str, ...]
    game_answers: tuple[str, ...]


def _spawn(python: Path, arguments: list[str], folder: Path) -> pexpect.spawn[str]:
    child: pexpect.spawn[str] = pexpect.spawn(
        str(python), arguments, cwd=str(folder), encoding="utf-8", echo=False, timeout=30
    )
    child.delaybeforesend = None
    child.delayafterread = None
    child.delayafterclose = 0
    child.delayafterterminate = 0
    child.ptyproc.delayafterclose = 0
    child.ptyproc.delayafterterminate = 0
    return child


def measure(
    python: Path, folder: Path, calls: tuple[str, ...], games: tuple[tuple[str, ...], ...]
) -> Outcome:
    """Run the workload one process a scenario, waiting for each prompt before typing."""
    started = time.perf_counter()
    call_answers = []
    for expression in calls:
        code = RUN_CALL.replace("{expression}", f"a1.{expression}")
        child = _spawn(python, ["-S", "-c", code], folder)
        child.expect(pexpect.EOF)
        call_answers.append((child.before or "").replace("\r\n", "\n"))
        child.close()
    call_seconds = time.perf_counter() - started
    started = time.perf_counter()
    game_answers = []
    for game in games:
        child = _spawn(python, ["-S", "a1.py"], folder)
        printed = []
        for line in game:
            child.expect_exact(": ")
            printed.append(f"{child.before}{child.after}")
            child.sendline(line)
        child.expect(pexpect.EOF)
        printed.append(child.before or "")
        game_answers.append("".join(printed).replace("\r\n", "\n"))
        child.close()
    return Outcome(
        call_seconds=call_seconds,
        game_seconds=time.perf_counter() - started,
        call_answers=tuple(call_answers),
        game_answers=tuple(game_answers),
    )
