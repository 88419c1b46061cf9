"""Passes messages between a program and a process with a student's tests, and checks each message
of the tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from harness.common.escaping import plain
from harness.execution.folder import ScenarioFolder
from harness.execution.inside.messages.protocol import MAX_MESSAGE, MAX_NAME, FromTests, split
from harness.execution.stand_in_process import StandInProcess, StandInUnusableError
from harness.execution.testing.course import END, MAX_SOURCE, ProcessOfTests
from harness.model.observation import CourseTestOutcome, CourseTestResult, Ending, SuiteTest

_MAX_TESTS = 500
_MAX_CALLS = 50  # of one test
_MAX_NUMBER = 10**9  # of a line or a call
_RESULTS = {result.value: result for result in CourseTestResult}


@dataclass(slots=True, kw_only=True)
class Heard:
    """The messages of the tests' process in one run: outcomes of tests."""

    files: tuple[str, ...]
    tests: list[SuiteTest] = field(default_factory=list)
    running: str = ""
    calls: dict[int, str] = field(default_factory=dict)
    not_loaded: str = ""
    is_over: bool = False

    def hear(self, kind: bytes, body: bytes) -> bool:
        """Record a message.

        Return whether it was the last one. Raise StandInUnusableError for a message that our code
        would not write.
        """
        try:
            self._take(kind, json.loads(body))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise StandInUnusableError(Ending.TAMPERED, "a message of the tests") from None
        return self.is_over

    def _take(self, kind: bytes, sent: Any) -> None:
        if kind in (FromTests.CALLED, FromTests.CAME_BACK):
            number, words = sent
            self._called(_whole(number), _text(words))
        elif kind == FromTests.BEGINS:
            self.running = _text(sent)
            self.calls = {}
        elif kind == FromTests.CAME_OUT:
            self._came_out(sent)
        elif kind == FromTests.OUTCOME:
            self.is_over = True
        else:
            raise ValueError("an unknown message")

    def _called(self, number: int, words: str) -> None:
        if len(self.calls) < _MAX_CALLS or number in self.calls:
            call = f"{self.calls.get(number, '')} {words}".strip()
            self.calls[number] = call[: 2 * MAX_NAME]

    def _came_out(self, sent: dict[str, Any]) -> None:
        name = _text(sent["name"])
        outcome = CourseTestOutcome(
            result=_RESULTS[sent["result"]],
            message=_text(sent.get("message", ""), MAX_MESSAGE),
            type_name=_text(sent.get("type_name", "")),
            line=_whole(sent.get("line", 0)),
            source=_text(sent.get("source", ""), MAX_SOURCE),
            calls=self._calls_in_words(),
        )
        self.running = ""
        if name in self.files:
            self.not_loaded = f"{name}: {outcome.type_name}: {outcome.message}"
            return
        self._add(SuiteTest(name=name, outcome=outcome))

    def _add(self, test: SuiteTest) -> None:
        known = [other.name for other in self.tests]
        if test.name in known or len(known) >= _MAX_TESTS:
            raise ValueError("a test that came out twice")
        self.tests.append(test)

    def ended(self) -> None:
        """Note that the running test did not finish, because its process ended."""
        if self.running:
            result = CourseTestResult.NOT_ENDED
            outcome = CourseTestOutcome(result=result, calls=self._calls_in_words())
            self.tests.append(SuiteTest(name=self.running, outcome=outcome))

    def _calls_in_words(self) -> tuple[str, ...]:
        return tuple(plain(call, limit=MAX_NAME) for call in self.calls.values())


def _text(value: object, most: int = MAX_NAME) -> str:
    if type(value) is not str:
        raise TypeError("a text is missing")
    return value[:most].encode("utf-8", "replace").decode("utf-8")


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError("a whole number is missing")
    if abs(value) > _MAX_NUMBER:
        raise ValueError("a number that is neither a line nor a call")
    return value


class TestConversation:
    """A process with a student's tests, while it talks to the program's process."""

    def __init__(self, process: StandInProcess, folder: ScenarioFolder, heard: Heard) -> None:
        self._process = ProcessOfTests(process, folder)
        self._heard = heard

    def exchange(self, message: bytes, deliver: Callable[[bytes], None]) -> bool:
        """Pass the program's message to the tests, and give their next request to `deliver`.

        Raise StandInUnusableError if the tests exceed their limits or break the protocol.
        """
        if self._heard.is_over:
            raise StandInUnusableError(Ending.TAMPERED, "it goes on after the tests")
        self._process.tell(message)
        while True:
            kind, body = split(self._process.next())
            if kind == FromTests.FOR_PROGRAM:
                deliver(body)
                return False
            if self._heard.hear(kind, body):
                deliver(END)
                return False
