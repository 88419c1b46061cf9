"""Ctrl-C in a game that is recorded: it ends the game whenever it comes."""

import io
import signal
import sys

import pytest

from harness.model.stimulus import Typed
from harness.study.transcripts import _TypingPerson


class _InterruptedLate(_TypingPerson):
    """Somebody who presses Ctrl-C just after it was looked whether they had."""

    @property
    def interrupted(self) -> bool:
        was_interrupted, self._was = self._was, True
        if not was_interrupted:
            self._break_off(signal.SIGINT, None)
        return was_interrupted

    @interrupted.setter
    def interrupted(self, value: bool) -> None:
        self._was = value


@pytest.mark.parametrize(("person", "line"), [(_TypingPerson, "1"), (_InterruptedLate, None)])
def test_ctrl_c_before_the_line_is_read_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, person: type[_TypingPerson], line: str | None
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    expected = None if line is None else Typed(text=line)
    assert person().reply([""]) == expected
