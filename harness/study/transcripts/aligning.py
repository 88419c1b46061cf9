"""Finds what was typed in a transcript, by what the reference prints: pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_INPUTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What a person has seen after typing some inputs: `text`, typed lines included; and whether
    the program now waits for another input or has ended."""

    text: str
    waits: bool


class MisalignedError(Exception):
    """The transcript is not what the reference shows; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


def typed_lines(transcript: str, screen: Callable[[tuple[str, ...]], Screen]) -> tuple[str, ...]:
    """The inputs of a transcript in which prompts and typed lines are written as a person saw them.

    `screen` runs the reference with some inputs. Line ends may be those of any system, and at the
    end blank lines may be too many or missing. MisalignedError where the reference shows something
    else, ends earlier, or still waits when the transcript is over.
    """
    text = transcript.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    inputs: tuple[str, ...] = ()
    while True:
        seen = screen(inputs)
        if not text.startswith(seen.text):
            if not seen.waits and text.rstrip("\n") == seen.text.rstrip("\n"):
                return inputs
            raise _difference(text, seen.text)
        rest = text[len(seen.text) :]
        if not seen.waits:
            if rest.strip():
                at = _line(text, len(seen.text) + len(rest) - len(rest.lstrip()))
                raise MisalignedError(at, f"the reference has ended before {_quoted(text, at)}")
            return inputs
        if not rest:
            raise MisalignedError(
                _line(text, len(text)),
                "the transcript ends here, but the reference still asks for input",
            )
        if len(inputs) == MOST_INPUTS:
            raise MisalignedError(_line(text, len(seen.text)), f"more than {MOST_INPUTS} inputs")
        inputs = (*inputs, rest.split("\n", 1)[0])
        if "\n" not in rest:
            text += "\n"


def _difference(text: str, shown: str) -> MisalignedError:
    at = next(
        (
            place
            for place, (one, other) in enumerate(zip(text, shown, strict=False))
            if one != other
        ),
        min(len(text), len(shown)),
    )
    line = _line(text, at)
    if at == len(text):
        return MisalignedError(
            line, f"the transcript ends here, but the reference goes on with {_quoted(shown, line)}"
        )
    return MisalignedError(
        line,
        f"the transcript has {_quoted(text, line)}, the reference shows {_quoted(shown, line)}",
    )


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _quoted(text: str, line: int) -> str:
    lines = text.split("\n")
    found = lines[line - 1] if line <= len(lines) else ""
    return repr(found[:80] + "…" if len(found) > 80 else found)
