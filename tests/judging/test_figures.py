"""Figures beside those that a scenario states."""

from dataclasses import replace

import pytest

from harness.judging.compare.figures import figure_mismatches
from harness.judging.judge import judge
from harness.model.expectation import Expectation, Expected, StatedDrawn, StatedFigures, StatedPlot
from harness.model.figures import Figure, Plot
from tests.judging.judging_cases import called, exactly, expecting
from tests.judging.rule_cases_figures import FIGURE, KEEPS, MET, PLOT, TITLE, drawn, stating

OTHER = drawn([5], [6])


def agrees(figure: Figure, plot: StatedPlot) -> bool:
    expectation = Expectation(stated=Expected(figures=stating(plot)), reference=None)
    observation = replace(called(None), figures=(figure,))
    return not list(figure_mismatches(observation, expectation))


@pytest.mark.parametrize("what", MET)
def test_a_plot_with_all_stated_parts_agrees(what: str) -> None:
    assert agrees(FIGURE, MET[what])


def test_lines_are_found_in_any_order() -> None:
    first, second = (StatedDrawn(x=exactly([number])) for number in (5, 7))
    figure = Figure(plots=(Plot(lines=(drawn([7], [0]), OTHER)),))
    assert agrees(figure, StatedPlot(lines=(first, second)))


def test_a_line_counts_once() -> None:
    stated = StatedDrawn(x=exactly([5]))
    figure = Figure(plots=(Plot(lines=(OTHER, drawn([7], [0]))),))
    assert not agrees(figure, StatedPlot(lines=(stated, stated)))


def test_the_title_above_a_figure_is_its_plots_title() -> None:
    assert agrees(Figure(title="Growth", plots=(replace(PLOT, title=""),)), TITLE)


def test_the_positions_of_bars_are_numbers_or_the_names_on_the_axis() -> None:
    figure = Figure(plots=(Plot(bars=(drawn([0, 1], [3, 4], names=("a", "b")),)),))
    for positions in ([0, 1], ["a", "b"]):
        stated = StatedDrawn(x=exactly(positions), y=exactly([3, 4]))
        assert agrees(figure, StatedPlot(bars=(stated,)))


def test_pictures_stand_beside_each_other_only_if_a_figure_differs() -> None:
    ours = replace(called(None), figures=(replace(FIGURE, picture="T3Vycw=="),))
    other = replace(PLOT, title="Decline")
    theirs = replace(called(None), figures=(Figure(plots=(other,), picture="VGhlaXJz"),))
    stated = Expected(figures=stating(TITLE))
    verdict = judge(theirs, expecting(ours, stated), KEEPS)
    assert [(pair.expected, pair.actual) for pair in verdict.pictures] == [("T3Vycw==", "VGhlaXJz")]
    counted = Expected(figures=StatedFigures(count=1))
    wrong = replace(theirs, value=called(5).value)
    verdict = judge(wrong, expecting(ours, counted), KEEPS)
    assert (verdict.passed, verdict.pictures) == (False, ())
