"""Turn an exception of our own code into a fault of one scenario or of one submission: it is held
for review, has no mark, and everything else goes on."""

import traceback
from pathlib import Path

from harness.model.facts import NotJudged
from harness.model.verdict import Explanation, Verdict, VerdictKind

NOT_JUDGED = "not_judged"
_PACKAGE = Path(__file__).parents[1]


def place_of(error: Exception) -> str:
    """Return the exception's type and the line of our code that it comes from. Its message is left
    out: it may quote what a submission says, or what a hidden scenario expects."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE):
            return f"{name} in {path.relative_to(_PACKAGE.parent).as_posix()}:{frame.lineno}"
    return name


def not_judged(error: Exception) -> Verdict:
    """Return the verdict of a scenario that could not be judged because of this exception."""
    explanation = Explanation(rule=NOT_JUDGED, facts=NotJudged(place=place_of(error)))
    return Verdict(kind=VerdictKind.HARNESS_ERROR, explanation=explanation)
