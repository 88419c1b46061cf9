"""The course's stand-in modules, run in a process of their own and called from a submission's.

A stand-in's process, as the monitor of the submission sees it; and what a submission's process
learns of the module: names, and nothing of its text.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.protocol.reply import FrameBuffer, TamperedError
from harness.model.assignment import SourceFile
from harness.model.observation import Ending

_LONGEST = 300  # characters of a reason
ProxyNames = tuple[tuple[str, ...], tuple[str, ...]]
"""The public functions of a module, and its other public names, whose values cannot travel."""


class StandInUnusableError(Exception):
    """The stand-in cannot be used in this scenario.

    `ending` says whether it does not apply to this submission or failed by itself, `str()` why.
    """

    def __init__(self, ending: Ending, why: str) -> None:
        self.ending = ending
        super().__init__(why)


class StandInProcess(Protocol):
    """Answers the calls of one scenario."""

    def send(self, message: bytes) -> None:
        """Pass a message on to it; nothing when it has ended."""

    def receive(self) -> bytes:
        """Its next message. StandInUnusableError when it ends, or runs into its limits."""


def next_message(received: FrameBuffer) -> bytes | None:
    """The next message among what a stand-in's process has written; None while it is not whole.
    StandInUnusableError for one that is too large."""
    try:
        return received.next()
    except TamperedError:
        raise StandInUnusableError(Ending.STAND_IN_FAILED, "its answer is too large") from None


_ANSWERS = (b"V", b"I")  # a call's outcome, a question for `input`


def exchange(process: StandInProcess, message: bytes, deliver: Callable[[bytes], None]) -> bool:
    """Pass on what a submission's process sends, and deliver what comes back, until it is the
    submission's turn again; True when that is to answer a question for `input`.

    StandInUnusableError when the stand-in does not apply, fails, or runs into its limits.
    """
    process.send(message)
    while True:
        answer = process.receive()
        if answer[:1] == b"N":
            raise StandInUnusableError(Ending.STAND_IN_INAPPLICABLE, reason(answer[1:]))
        deliver(answer)
        if answer[:1] in _ANSWERS:
            return answer[:1] == b"I"


def reason(text: bytes) -> str:
    """The reason in a process's message that the stand-in does not apply, escaped and bounded."""
    try:
        why = json.loads(text[:_LONGEST])
    except (ValueError, RecursionError):
        return ""
    return visible(why[:_LONGEST]) if isinstance(why, str) else ""


def proxy_names(file: SourceFile) -> ProxyNames:
    """Both kinds of names, sorted. HarnessError when the file is no Python."""
    try:
        body = ast.parse(file.data).body
    except (SyntaxError, ValueError):
        raise HarnessError(f"{file.name} is not Python") from None
    functions: set[str] = set()
    others: set[str] = set()
    for statement in _statements(body):
        if isinstance(statement, ast.FunctionDef):
            functions.add(statement.name)
        else:
            others.update(_bound(statement))
    return (
        tuple(sorted(name for name in functions if not name.startswith("_"))),
        tuple(sorted(name for name in others - functions if not name.startswith("_"))),
    )


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The module's own statements, those of its conditions among them."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, ()))


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.ClassDef | ast.AsyncFunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield (alias.asname or alias.name).partition(".")[0]
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.For):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    yield node.id
