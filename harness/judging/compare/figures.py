"""Compares the figures that a program draws with those that a scenario states."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from harness.judging.compare.mismatch import FigureMismatch, FigurePart
from harness.matchers.comparison import source
from harness.matchers.kinds.arrays import is_alike
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import (
    Expectation,
    Matcher,
    StatedDrawn,
    StatedFigure,
    StatedFigures,
    StatedPlot,
    TextRules,
)
from harness.model.figures import Drawn, Figure, Mark, Plot
from harness.model.observation import Observation
from harness.model.values import Value, ValueKind

_TEXTS = (FigurePart.TITLE, FigurePart.X_LABEL, FigurePart.Y_LABEL)


def figure_mismatches(
    observation: Observation, expectation: Expectation
) -> Iterator[FigureMismatch]:
    """Yield a wrong number of figures, or otherwise the parts of each figure that differ."""
    stated = expectation.stated.figures
    if stated is None:
        return
    figures = observation.figures
    if len(figures) != stated.count:
        yield FigureMismatch(
            part=FigurePart.COUNT, expected=str(stated.count), actual=str(len(figures))
        )
        return
    for number, (figure, wanted) in enumerate(zip(figures, stated.figures, strict=False), 1):
        comparison = _FigureComparison(stated, number, expectation.stated.rules)
        yield from comparison.mismatches(figure, wanted)


class _FigureComparison:
    """Compares one figure and adds its position to each mismatch."""

    def __init__(self, stated: StatedFigures, number: int, rules: TextRules) -> None:
        self._rules = rules
        self._figure = number if stated.count > 1 else None
        self._plot: int | None = None

    def _differs(
        self, part: FigurePart, expected: str | None, actual: str | None
    ) -> FigureMismatch:
        return FigureMismatch(
            part=part, expected=expected, actual=actual, figure=self._figure, plot=self._plot
        )

    def mismatches(self, figure: Figure, wanted: StatedFigure) -> Iterator[FigureMismatch]:
        """Yield what differs in one figure."""
        if not wanted.all_plots:
            plot = figure.plots[0] if figure.plots else Plot()
            yield from self._of_plot(plot, wanted.plots[0], figure.title)
            return
        if wanted.title is not None:
            yield from self._of_text(FigurePart.TITLE, wanted.title, (figure.title,))
        if len(figure.plots) != len(wanted.plots):
            expected, actual = str(len(wanted.plots)), str(len(figure.plots))
            yield self._differs(FigurePart.PLOTS, expected, actual)
            return
        for number, (plot, stated) in enumerate(zip(figure.plots, wanted.plots, strict=True), 1):
            self._plot = number
            yield from self._of_plot(plot, stated)

    def _of_plot(self, plot: Plot, stated: StatedPlot, above: str = "") -> Iterator[FigureMismatch]:
        """Yield the differences in one plot.

        `above` is the figure's title, which also counts as the title of its only plot.
        """
        for part in _TEXTS:
            matcher: Matcher | None = getattr(stated, part)
            texts = [getattr(plot, part)]
            if part is FigurePart.TITLE and above:
                texts.append(above)
            if matcher is not None:
                yield from self._of_text(part, matcher, texts)
        yield from self._of_legend(plot, stated)
        for mark in Mark:
            wanted = stated.drawn(mark)
            if wanted is not None:
                yield from self._of_data(mark, plot.drawn(mark), wanted)

    def _of_text(
        self, part: FigurePart, matcher: Matcher, texts: Sequence[str]
    ) -> Iterator[FigureMismatch]:
        """Yield a mismatch if the matcher accepts none of the texts."""
        if any(matcher.accepts_text(text, self._rules) for text in texts):
            return
        shown = next(filter(None, texts), "")
        yield self._differs(part, matcher.in_words(), _text_in_words(shown))

    def _of_legend(self, plot: Plot, stated: StatedPlot) -> Iterator[FigureMismatch]:
        actual = None if plot.legend is None else _texts_in_words(plot.legend)
        if stated.has_legend is not None and stated.has_legend is not (plot.legend is not None):
            wanted = "a legend" if stated.has_legend else None
            yield self._differs(FigurePart.LEGEND, wanted, actual)
        if stated.legend is not None and sorted(stated.legend) != sorted(plot.legend or ()):
            expected = _texts_in_words(stated.legend)
            yield self._differs(FigurePart.LEGEND, expected, actual)

    def _of_data(
        self, mark: Mark, drawn: Sequence[Drawn], wanted: Sequence[StatedDrawn]
    ) -> Iterator[FigureMismatch]:
        """Yield the first stated line or bar series that is not drawn.

        The order does not matter.
        """
        part = FigurePart(mark.value)
        if len(drawn) != len(wanted):
            yield self._differs(part, mark.counted(len(wanted)), mark.counted(len(drawn)))
            return
        left = list(drawn)
        missing: list[StatedDrawn] = []
        for stated in wanted:
            found = next((each for each in left if self._is_drawn(each, stated)), None)
            if found is None:
                missing.append(stated)
            else:
                left.remove(found)
        for stated, other in zip_longest(missing[:1], left[:1]):
            yield from self._of_one(part, stated, other)

    def _is_drawn(self, drawn: Drawn, stated: StatedDrawn) -> bool:
        return not any(self._of_one(FigurePart.LINES, stated, drawn))

    def _of_one(
        self, part: FigurePart, stated: StatedDrawn, drawn: Drawn
    ) -> Iterator[FigureMismatch]:
        """Yield the differences between a stated line and a drawn one."""
        if stated.label is not None and not stated.label.accepts_text(drawn.label, self._rules):
            actual = _text_in_words(drawn.label)
            yield self._differs(part, f"the label {stated.label.in_words()}", actual)
        if stated.x is not None and not _has_values(stated.x, (drawn.x, _names(drawn))):
            actual = f"x = {source(_shown_positions(stated.x, drawn))}"
            yield self._differs(part, f"x = {stated.x.in_words()}", actual)
        if stated.y is not None and not _has_values(stated.y, (drawn.y,)):
            actual = f"y = {source(drawn.y)}"
            yield self._differs(part, f"y = {stated.y.in_words()}", actual)


def _names(drawn: Drawn) -> Value:
    names = [Value(ValueKind.STR, name) for name in drawn.names]
    return Value(ValueKind.LIST, items=tuple(names))


def _shown_positions(stated: Matcher, drawn: Drawn) -> Value:
    """Return the labels on the axis if the stated values are strings, otherwise the numbers."""
    texts = False
    if isinstance(stated, Exactly):
        texts = any(item.kind is ValueKind.STR for item in stated.value.items)
    return _names(drawn) if texts and drawn.names else drawn.x


def _has_values(matcher: Matcher, candidates: Sequence[Value]) -> bool:
    """Return whether the matcher accepts one of these lists.

    An int equals a float of the same value.
    """
    for values in candidates:
        if matcher.accepts(values):
            return True
        if isinstance(matcher, Exactly) and is_alike(matcher.value, values, matcher.floats):
            return True
    return False


def _text_in_words(text: str) -> str | None:
    return source(Value(ValueKind.STR, text)) if text else None


def _texts_in_words(texts: Sequence[str]) -> str:
    items = tuple(Value(ValueKind.STR, text) for text in texts)
    return source(Value(ValueKind.LIST, items=items))
