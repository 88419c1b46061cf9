"""Rules about figures that a program draws: none at all, or with a wrong part."""

from harness.common.words import counted
from harness.judging.compare.mismatch import FigureMismatch, FigurePart
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import FIGURE, Stage, rule_about
from harness.judging.side_by_side.differences import FIGURE_PARTS

_OF_DATA = frozenset({FigurePart.LINES, FigurePart.BARS, FigurePart.POINTS})


@rule_about(Stage.KNOWN_MISTAKE, 116, "draws no figure", FIGURE)
def nothing_drawn(failure: Failure, figure: FigureMismatch) -> str | None:
    if figure.part is not FigurePart.COUNT or failure.observation.figures:
        return None
    wanted = f"should draw {counted(int(figure.expected or 0), 'figure')}"
    return failure.says(f"{wanted}, and none is shown, saved or open at the end")


@rule_about(Stage.DIFFERENCE, 28, "a figure differs", FIGURE)
def figure_differs(failure: Failure, figure: FigureMismatch) -> str | None:
    if figure.part is FigurePart.COUNT:
        if not failure.observation.figures:
            return None
        wanted, has = figure.expected or "0", figure.actual or "0"
        return failure.says(f"draws {counted(int(has), 'figure')}, and should draw {wanted}")
    who = f"the {FIGURE_PARTS[figure.part]} of {_place(figure)}"
    wanted, has = figure.expected or "nothing", figure.actual or "nothing"
    if figure.part in _OF_DATA:
        return failure.says(f"should be different: {wanted} expected, but {has}", who=who)
    if figure.actual is None:
        return failure.says(f"is missing: it should be {wanted}", who=who)
    return failure.says(f"is {has}, and should be {wanted}", who=who)


def _place(figure: FigureMismatch) -> str:
    place = "its figure"
    if figure.figure is not None:
        place = f"its figure {figure.figure}"
    if figure.plot is not None:
        place = f"plot {figure.plot} of {place}"
    return place
