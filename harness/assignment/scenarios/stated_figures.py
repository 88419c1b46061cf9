"""Reads what a scenario states about the figures that a program draws."""

from typing import Any

from harness.assignment.document import Loc
from harness.assignment.scenarios.reader import ScenarioReader
from harness.assignment.scenarios.shape import DrawnShape, FigureShape, FiguresShape, PlotShape
from harness.matchers.reading import read_all
from harness.model.expectation import (
    Matcher,
    StatedDrawn,
    StatedFigure,
    StatedFigures,
    StatedPlot,
)
from harness.model.figures import Mark

_TEXTS = ("title", "x_label", "y_label")


def read_figures(reader: ScenarioReader, loc: Loc, data: Any) -> StatedFigures:
    """Return what `figures:` states. If it is invalid, note the errors and raise Refused."""
    if isinstance(data, list):
        numbered = enumerate(data)
        figures = read_all(numbered, lambda item: _figure(reader, (*loc, item[0]), item[1]))
        return StatedFigures(count=len(figures), figures=figures)
    assert isinstance(data, FiguresShape)
    if "count" not in data.model_fields_set:
        return StatedFigures(count=1, figures=(_figure(reader, loc, data),))
    if len(data.model_fields_set) > 1:
        what = "count cannot be combined with other keys"
        hint = "to state the contents, write a list with one entry per figure"
        reader.refuse((*loc, "count"), what, hint, key=True)
    return StatedFigures(count=data.count)


def _figure(reader: ScenarioReader, loc: Loc, figure: FigureShape) -> StatedFigure:
    """Return what is stated about one figure.

    With `plots`, only the title belongs to the figure itself.
    """
    stated = figure.model_fields_set
    if "plots" not in stated:
        return StatedFigure(plots=(_plot(reader, loc, figure),))
    for key in sorted(stated - {"plots", "title"}):
        what = f"{key} belongs to one of the plots"
        reader.refuse((*loc, key), what, "state it below plots:", key=True)
    title: Matcher | None = None
    if "title" in stated:
        title = reader.matcher((*loc, "title"), figure.title, for_text=True)
    numbered = enumerate(figure.plots)
    plots = read_all(numbered, lambda item: _plot(reader, (*loc, "plots", item[0]), item[1]))
    return StatedFigure(title=title, plots=plots, all_plots=True)


def _plot(reader: ScenarioReader, loc: Loc, plot: PlotShape) -> StatedPlot:
    fields: dict[str, Any] = {}
    for key in _TEXTS:
        if key in plot.model_fields_set:
            fields[key] = reader.matcher((*loc, key), getattr(plot, key), for_text=True)
    if "legend" in plot.model_fields_set:
        fields |= _legend(reader, (*loc, "legend"), plot.legend)
    for mark in Mark:
        if mark in plot.model_fields_set:
            fields[mark] = _drawn(reader, (*loc, mark.value), getattr(plot, mark))
    return StatedPlot(**fields)


def _legend(reader: ScenarioReader, loc: Loc, data: bool | list[str]) -> dict[str, Any]:
    if isinstance(data, bool):
        return {"has_legend": data}
    texts = [reader.render(text, (*loc, index)) for index, text in enumerate(data)]
    return {"legend": tuple(texts)}


def _drawn(reader: ScenarioReader, loc: Loc, data: Any) -> tuple[StatedDrawn, ...]:
    """Return what is stated about each line, bar series or point series.

    A plain number only states how many there are.
    """
    if isinstance(data, int):
        return (StatedDrawn(),) * data
    if isinstance(data, DrawnShape):
        return (_one(reader, loc, data),)
    return read_all(enumerate(data), lambda item: _one(reader, (*loc, item[0]), item[1]))


def _one(reader: ScenarioReader, loc: Loc, drawn: DrawnShape) -> StatedDrawn:
    fields: dict[str, Matcher] = {}
    for key in ("x", "y"):
        if key in drawn.model_fields_set:
            fields[key] = reader.matcher((*loc, key), getattr(drawn, key))
    if "label" in drawn.model_fields_set:
        fields["label"] = reader.matcher((*loc, "label"), drawn.label, for_text=True)
    return StatedDrawn(**fields)
