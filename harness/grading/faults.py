"""Turn an exception of our own code into a fault of one scenario or of one submission: it is held
for review, has no mark, and everything else goes on."""

from harness.common.errors import place_of
from harness.model.explanation.facts import NotJudged
from harness.model.verdict import Explanation, Verdict, VerdictKind

NOT_JUDGED = "not_judged"


def not_judged(error: Exception) -> Verdict:
    """Return the verdict of a scenario that could not be judged because of this exception."""
    explanation = Explanation(rule=NOT_JUDGED, facts=NotJudged(place=place_of(error)))
    return Verdict(kind=VerdictKind.HARNESS_ERROR, explanation=explanation)
