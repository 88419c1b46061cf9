"""Reads what a scenario states about the figures that a program draws."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from harness.assignment.document import Loc
from harness.assignment.scenarios.reader import ScenarioReader
from harness.assignment.scenarios.shape import DrawnShape, FigureShape, FiguresShape, PlotShape
from harness.assignment.shapes import Shape
from harness.matchers.reading import read_all
from harness.model.expectation import (
    Matcher,
    StatedDrawn,
    StatedFigure,
    StatedFigures,
    StatedPlot,
)
from harness.model.figures import Mark

S = TypeVar("S")
T = TypeVar("T")
_TEXTS = ("title", "x_label", "y_label")


def read_figures(reader: ScenarioReader, loc: Loc, data: Any) -> StatedFigures:
    """Return what `figures:` states. If it is invalid, note the errors and raise Refused."""
    if isinstance(data, list):
        figures = _each(reader, loc, data, _figure)
        return StatedFigures(count=len(figures), figures=figures)
    assert isinstance(data, FiguresShape)
    if "count" not in data.model_fields_set:
        figure = _figure(reader, loc, data)
        return StatedFigures(count=1, figures=(figure,))
    if len(data.model_fields_set) > 1:
        what = "count cannot be combined with other keys"
        hint = "to state the contents, write a list with one entry per figure"
        reader.refuse((*loc, "count"), what, hint, key=True)
    return StatedFigures(count=data.count)


def _each(
    reader: ScenarioReader,
    loc: Loc,
    items: Sequence[S],
    read: Callable[[ScenarioReader, Loc, S], T],
) -> tuple[T, ...]:
    """Return what is stated by each item of a list."""

    def read_item(numbered: tuple[int, S]) -> T:
        index, item = numbered
        return read(reader, (*loc, index), item)

    return read_all(enumerate(items), read_item)


def _figure(reader: ScenarioReader, loc: Loc, figure: FigureShape) -> StatedFigure:
    """Return what is stated about one figure.

    With `plots`, only the title belongs to the figure itself.
    """
    stated = figure.model_fields_set
    if "plots" not in stated:
        only_plot = _plot(reader, loc, figure)
        return StatedFigure(plots=(only_plot,))
    for key in sorted(stated - {"plots", "title"}):
        what = f"{key} belongs to one of the plots"
        reader.refuse((*loc, key), what, "state it below plots:", key=True)
    title: Matcher | None = None
    if "title" in stated:
        title = _text(reader, loc, figure, "title")
    plots_at = (*loc, "plots")
    plots = _each(reader, plots_at, figure.plots, _plot)
    return StatedFigure(title=title, plots=plots, all_plots=True)


def _text(reader: ScenarioReader, loc: Loc, shape: Shape, key: str) -> Matcher:
    """Return the matcher of the text under a key of the shape at `loc`."""
    written = getattr(shape, key)
    return reader.matcher((*loc, key), written, for_text=True)


def _plot(reader: ScenarioReader, loc: Loc, plot: PlotShape) -> StatedPlot:
    fields: dict[str, Any] = {}
    for key in _TEXTS:
        if key in plot.model_fields_set:
            fields[key] = _text(reader, loc, plot, key)
    if "legend" in plot.model_fields_set:
        legend_at = (*loc, "legend")
        fields |= _legend(reader, legend_at, plot.legend)
    for mark in Mark:
        if mark in plot.model_fields_set:
            marks_at = (*loc, mark.value)
            marks = getattr(plot, mark)
            fields[mark] = _drawn(reader, marks_at, marks)
    return StatedPlot(**fields)


def _legend(reader: ScenarioReader, loc: Loc, data: bool | list[str]) -> dict[str, Any]:
    if isinstance(data, bool):
        return {"has_legend": data}
    texts: list[str] = []
    for index, text in enumerate(data):
        text_at = (*loc, index)
        texts.append(reader.render(text, text_at))
    return {"legend": tuple(texts)}


def _drawn(reader: ScenarioReader, loc: Loc, data: Any) -> tuple[StatedDrawn, ...]:
    """Return what is stated about each line, bar series or point series.

    A plain number only states how many there are.
    """
    if isinstance(data, int):
        return (StatedDrawn(),) * data
    if isinstance(data, DrawnShape):
        return (_one(reader, loc, data),)
    return _each(reader, loc, data, _one)


def _one(reader: ScenarioReader, loc: Loc, drawn: DrawnShape) -> StatedDrawn:
    fields: dict[str, Matcher] = {}
    for key in ("x", "y"):
        if key in drawn.model_fields_set:
            written = getattr(drawn, key)
            fields[key] = reader.matcher((*loc, key), written)
    if "label" in drawn.model_fields_set:
        fields["label"] = _text(reader, loc, drawn, "label")
    return StatedDrawn(**fields)
