"""Transcripts as courses hand them out, against what a program really shows."""

from __future__ import annotations

import pytest

from harness.study.transcripts import MisalignedError, Screen, typed_lines

GOOD = "Welcome\nName: Ada\nHello, Ada!\nAgain? n\nBye.\n"


def screen(inputs: tuple[str, ...]) -> Screen:
    """A program that asks for a name, greets, and asks whether to go on."""
    text, left = "Welcome\n", list(inputs)
    while True:
        text += "Name: "
        if not left:
            return Screen(text=text, waits=True)
        name = left.pop(0)
        text += f"{name}\nHello, {name}!\nAgain? "
        if not left:
            return Screen(text=text, waits=True)
        answer = left.pop(0)
        text += f"{answer}\n"
        if answer != "y":
            return Screen(text=text + "Bye.\n", waits=False)


@pytest.mark.parametrize(
    ("transcript", "inputs"),
    [
        (GOOD, ("Ada", "n")),
        (GOOD.replace("\n", "\r\n"), ("Ada", "n")),
        (GOOD.replace("\n", "\r"), ("Ada", "n")),
        ("\ufeff" + GOOD, ("Ada", "n")),
        (GOOD.rstrip("\n"), ("Ada", "n")),
        (GOOD + "\n\n", ("Ada", "n")),
        (GOOD.replace("Ada", ""), ("", "n")),
        (GOOD.replace("Ada", "Name: "), ("Name: ", "n")),
        (GOOD[: GOOD.index("Bye")].replace(" n\n", " y\n") + GOOD[8:], ("Ada", "y", "Ada", "n")),
    ],
    ids=[
        "as printed", "of Windows", "of old Macs", "a mark at the start", "no end of line",
        "blank lines at the end", "nothing typed", "typed what a prompt says", "a second round",
    ],
)  # fmt: skip
def test_what_was_typed_is_found(transcript: str, inputs: tuple[str, ...]) -> None:
    assert typed_lines(transcript, screen) == inputs


@pytest.mark.parametrize(
    ("transcript", "line", "reason"),
    [
        (GOOD.replace("Hello", "Helo"), 3, "has 'Helo, Ada!', the reference shows 'Hello, Ada!'"),
        (GOOD.replace("Name: ", "Name:"), 2, "has 'Name:Ada', the reference shows 'Name: '"),
        (GOOD[: GOOD.index("lo, A")], 3, "ends here, but the reference goes on with 'Hello, Ada!'"),
        (GOOD[: GOOD.index("n\nBye")], 4, "ends here, but the reference still asks for input"),
        (GOOD + "More.\n", 6, "the reference has ended before 'More.'"),
        ("A game of chess\n", 1, "has 'A game of chess', the reference shows 'Welcome'"),
        ("", 1, "ends here, but the reference goes on with 'Welcome'"),
    ],
    ids=[
        "a typing mistake", "a space is missing", "cut in a line", "cut at a prompt",
        "something after the end", "another program", "empty",
    ],
)  # fmt: skip
def test_what_cannot_be_aligned_is_told_with_its_line(
    transcript: str, line: int, reason: str
) -> None:
    with pytest.raises(MisalignedError) as raised:
        typed_lines(transcript, screen)
    assert reason in str(raised.value)
    assert raised.value.line == line
