"""The places of causes in a submission's files, and the texts to show there."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from harness.model.policy import OutlinePart
from harness.model.verdict import Cause, CodePlace, Suspect

MAX_LINES = 100  # lines of source shown for a place
_MAX_LINE = 200


def place_of_line(file: str, line: int, *text: str) -> CodePlace:
    """Return the place of one line."""
    return CodePlace(file=file, first=line, last=line, text=text)


def place_of(part: OutlinePart) -> CodePlace:
    """Return the source lines of a function, class or constant."""
    return CodePlace(file=part.file, first=part.first, last=part.last)


def with_texts(causes: Iterable[Cause], lines: Callable[[str], Sequence[str]]) -> tuple[Cause, ...]:
    """Return the causes with the source text of their places.

    `lines` returns the lines of a file, given its name.
    """

    def with_text(place: CodePlace | None) -> CodePlace | None:
        if place is None or place.text:
            return place
        text = lines(place.file)[place.first - 1 : place.last]
        shown = [line[:_MAX_LINE] for line in text[:MAX_LINES]]
        return replace(place, text=tuple(shown))

    found: list[Cause] = []
    for cause in causes:
        suspects: list[Suspect] = []
        for suspect in cause.suspects:
            place = with_text(suspect.place) or suspect.place
            suspects.append(replace(suspect, place=place))
        cause_with_texts = replace(
            cause,
            place=with_text(cause.place),
            raised_in=with_text(cause.raised_in),
            suspects=tuple(suspects),
        )
        found.append(cause_with_texts)
    return tuple(found)
