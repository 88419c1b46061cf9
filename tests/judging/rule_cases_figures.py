"""Figures: what each rule fires on, says, and leaves alone."""

from dataclasses import replace
from typing import Any

from harness.judging.explain.failure import Failure
from harness.matchers.kinds.values import AnyValue
from harness.model.expectation import (
    Expected,
    StatedDrawn,
    StatedFigure,
    StatedFigures,
    StatedPlot,
)
from harness.model.figures import Drawn, Figure, Plot
from harness.model.values import Value
from tests.judging.judging_cases import CALL, Neighbours, Sentences, called, case, exactly

KEEPS = replace(CALL, keeps_figures=True)


def drawn(x: list[Any], y: list[Any], label: str = "", names: tuple[str, ...] = ()) -> Drawn:
    return Drawn(label=label, x=Value.of(x), y=Value.of(y), names=names)


LINE = drawn([1, 2], [3.0, 4.5], "people")
PLOT = Plot(title="Growth", x_label="Year", legend=("people",), lines=(LINE,))
FIGURE = Figure(plots=(PLOT,))


def stating(*plots: StatedPlot, count: int = 1, whole: bool = False) -> StatedFigures:
    """One figure with these plots (`whole`: with no other one), the first of so many figures."""
    return StatedFigures(count=count, figures=(StatedFigure(plots=plots, all_plots=whole),))


def figures(*seen: Figure, wanted: StatedFigures) -> Failure:
    """A call that draws these figures."""
    observation = replace(called(None), figures=seen)
    return case(called(None), observation, KEEPS, stated=Expected(figures=wanted))


def plot(wanted: StatedPlot, **changes: Any) -> Failure:
    """A call that draws the plot with these changes."""
    return figures(Figure(plots=(replace(PLOT, **changes),)), wanted=stating(wanted))


A_LINE = StatedDrawn(x=exactly([1, 2]), y=exactly([3, 4.5]))
TITLE = StatedPlot(title=exactly("Growth"))
NONE_DRAWN = figures(wanted=StatedFigures(count=1))
TWO = figures(FIGURE, FIGURE, wanted=StatedFigures(count=1))

FIRES: Sentences = {
    "nothing_drawn": {
        "add should draw 1 figure, and none is shown, saved or open at the end.": NONE_DRAWN,
    },
    "figure_differs": {
        "add draws 2 figures, and should draw 1.": TWO,
        "The title of its figure is 'growth', and should be 'Growth'.": plot(TITLE, title="growth"),
        "The title of its figure is missing: it should be 'Growth'.": plot(TITLE, title=""),
        "The legend of its figure is missing: it should be ['people'].": plot(
            StatedPlot(legend=("people",)), legend=None
        ),
        "The legend of its figure is ['people'], and should be nothing.": plot(
            StatedPlot(has_legend=False)
        ),
        "The lines of its figure should be different: 2 lines expected, but 1 line.": plot(
            StatedPlot(lines=(A_LINE, A_LINE))
        ),
        "The lines of its figure should be different: y = [3, 4.5] expected, but y = [3.0, 5.0]."
        "": plot(StatedPlot(lines=(A_LINE,)), lines=(drawn([1, 2], [3.0, 5.0]),)),
        "The bars of its figure should be different: x = ['a', 'b'] expected, but x = ['a', 'c']."
        "": plot(
            StatedPlot(bars=(StatedDrawn(x=exactly(["a", "b"])),)),
            bars=(drawn([0, 1], [5, 6], names=("a", "c")),),
        ),
        "The points of its figure should be different: the label 'all' expected, but nothing."
        "": plot(
            StatedPlot(points=(StatedDrawn(label=exactly("all")),)), points=(drawn([0], [1]),)
        ),
        "The number of plots of its figure is 1, and should be 2.": figures(
            FIGURE, wanted=stating(TITLE, TITLE, whole=True)
        ),
        "The label of the x axis of plot 2 of its figure is missing: it should be 'Year'.": figures(
            Figure(plots=(PLOT, replace(PLOT, x_label=""))),
            wanted=stating(TITLE, StatedPlot(x_label=exactly("Year")), whole=True),
        ),
        "The title of its figure 1 is missing: it should be 'Growth'.": figures(
            Figure(), FIGURE, wanted=stating(TITLE, count=2)
        ),
    },
}

LEAVES_ALONE: Neighbours = {"nothing_drawn": [TWO], "figure_differs": [NONE_DRAWN]}

# Statements that the plot above meets.
MET: dict[str, StatedPlot] = {
    "nothing": StatedPlot(),
    "its title": TITLE,
    "any title": StatedPlot(title=AnyValue()),
    "its legend": StatedPlot(legend=("people",), has_legend=True),
    "whole numbers for floats": StatedPlot(lines=(A_LINE,)),
    "a line with a label": StatedPlot(lines=(StatedDrawn(label=exactly("people")),)),
    "no bars": StatedPlot(bars=(), points=()),
}
