"""Mistakes in a specification: collected, then raised together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.common.errors import UserError
from harness.model.plan import Place


class SpecErrors(UserError):  # noqa: N818 - it holds many
    """All mistakes found in a specification. `errors` holds one line each, `str()` all of them."""

    def __init__(self, errors: Iterable[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(self.errors))


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: its place, the key it is about, what is wrong and a hint how to correct it."""

    place: Place
    key: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        about = f"{self.key}: " if self.key else ""
        line = f"{self.place}: {about}{_sentence(self.what)}"
        return f"{line} Hint: {_sentence(self.hint)}" if self.hint else line


class Problems:
    """Collects mistakes: of those with the same place and key only the first."""

    def __init__(self) -> None:
        self._mistakes: dict[tuple[Place, str], Mistake] = {}

    def add(self, place: Place, key: str, what: str, hint: str = "") -> None:
        """Note a mistake."""
        self._mistakes.setdefault((place, key), Mistake(place, key, what, hint))

    def __len__(self) -> int:
        return len(self._mistakes)

    def lines(self) -> tuple[str, ...]:
        """The mistakes in the order of their files and places."""

        def by_place(mistake: Mistake) -> tuple[str, int, int, str]:
            place = mistake.place
            return place.file, place.line, place.column, mistake.key

        return tuple(str(mistake) for mistake in sorted(self._mistakes.values(), key=by_place))

    def raise_any(self) -> None:
        """Raise SpecErrors if there is a mistake."""
        if self._mistakes:
            raise SpecErrors(self.lines())


def syntax_error(problem: str) -> tuple[str, str]:
    """What is wrong with a text that is no YAML, from what PyYAML says of it, and a hint."""
    if "mapping values" in problem:
        return problem, "quote a text that holds ': '"
    if "cannot start any token" in problem:
        return problem, "indent with spaces, and quote a text that begins with % @ ` or a tab"
    if "undefined alias" in problem:
        return "a text that begins with * is an alias", "quote it"
    if "did not find expected" in problem or "could not find expected" in problem:
        if "',' or" in problem:
            return problem, "put a text that holds a comma or a bracket in quotes"
        return problem, "look for a bracket, quote or indentation that does not match"
    return problem, ""


def _sentence(text: str) -> str:
    return text if text.endswith(("?", ".")) else f"{text}."
