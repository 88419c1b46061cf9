"""How many submissions something holds for."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

MOST_STUDENTS = 60  # named
_MOST_TEXTS = 100  # told apart


class Tally:
    """Counted one submission at a time; of a class of any size as much is held as of a small one.

    `students` are the ids of the first of them, `marks` what they lose together.
    """

    __slots__ = ("_texts", "count", "marks", "students")

    def __init__(self) -> None:
        self.count = 0
        self.marks = Fraction(0)
        self.students: list[str] = []
        self._texts: Counter[str] = Counter()

    def add(self, student: str, text: str = "", marks: Fraction = Fraction(0)) -> None:
        """Count one submission, and the sentence that says why."""
        self.count += 1
        self.marks += marks
        if len(self.students) < MOST_STUDENTS:
            self.students.append(student)
        self._texts[text] += 1
        if len(self._texts) > _MOST_TEXTS:  # the rare ones are forgotten
            self._texts = Counter(dict(self._texts.most_common(_MOST_TEXTS // 2)))

    def usual(self) -> str:
        """The sentence that holds for more than half of them; empty where none does."""
        text, holds_for = max(self._texts.items(), key=lambda item: item[1], default=("", 0))
        return text if 2 * holds_for > self.count else ""
