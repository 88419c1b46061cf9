"""Observes the figures that a program draws with matplotlib.

Nothing appears on a screen. `show` records the open figures and closes them, as if a person had
closed their windows. At the end of the scenario, each figure that was shown or saved or is still
open is described and drawn as a small picture.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib_external import PathFinder
from _json import encode_basestring_ascii as quote

from ..messages.codec import SizeBudget, encodable, encode
from ..messages.protocol import (
    MAX_DRAWN,
    MAX_FIGURES,
    MAX_LABEL,
    MAX_PICTURE,
    MAX_PICTURES,
    MAX_PIXELS,
    MAX_PLOTS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

PYPLOT = "matplotlib.pyplot"
_DRAWING = (b"matplotlib", b"pylab", b"seaborn", b".plot", b".hist")
_FOLDER = "MPLCONFIGDIR"
_NOWHERE = os.devnull + "/matplotlib"  # no settings of a user, and nothing is written
_WIDTH = 480  # pixels of a picture
_MAX_DPI = 100
_NEAR = 1e-6  # of a tick to a position
_NAMING = ("StrCategoryFormatter", "FuncFormatter", "FixedFormatter")  # of ticks with names
_PLAIN = (int, float, str)

_kept: list[Any] = []
_save: Callable[..., None] | None = None  # matplotlib's own


def may_draw(sources: Iterable[bytes]) -> bool:
    """Return whether a program may draw figures, judging by its source.

    A wrong guess only costs time.
    """
    return any(word in source for source in sources for word in _DRAWING)


def prepare_if_installed() -> None:
    """Import matplotlib if it is installed, and set it to draw without a screen.

    Done once, before processes are forked.
    """
    if _save is not None or PathFinder.find_spec("matplotlib") is None:
        return
    try:
        _prepare()
    except Exception:  # the program that imports it gets the error
        return


def _prepare() -> None:
    """Import matplotlib and draw once, because the first figure loads fonts and modules."""
    global _save  # noqa: PLW0603 - set once for this process and all its forks
    import atexit  # noqa: PLC0415 - matplotlib needs these modules as well
    import logging  # noqa: PLC0415
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    make_folder = tempfile.mkdtemp
    tempfile.mkdtemp = lambda *_, **__: _NOWHERE  # type: ignore[assignment]
    os.environ[_FOLDER] = _NOWHERE
    logging.disable()  # it cannot store its list of fonts
    try:
        __import__(PYPLOT)
        matplotlib: Any = sys.modules["matplotlib"]
        pyplot: Any = sys.modules[PYPLOT]
        figures: Any = sys.modules["matplotlib.figure"].Figure
        pyplot.switch_backend("agg")
        _save = figures.savefig
        figure, axes = pyplot.subplots()
        axes.plot([0, 1], [0, 1], label="a")
        axes.legend()
        _picture(figure)
        pyplot.close(figure)
        matplotlib.get_cachedir()  # it asks for both folders only once
        matplotlib.get_configdir()
    finally:
        logging.disable(logging.NOTSET)
        del os.environ[_FOLDER]
        tempfile.mkdtemp = make_folder
        atexit.unregister(shutil.rmtree)  # of that folder
    matplotlib.use = pyplot.switch_backend = _stay
    pyplot.show = _show
    figures.show = _show_one
    figures.savefig = _save_and_keep


def _stay(*arguments: object, **options: object) -> None:
    """Ignore the program's request for a backend: keep the one that needs no screen."""


def _show(*arguments: object, **options: object) -> None:
    """Record all open figures and close them. Replaces `pyplot.show`."""
    pyplot = sys.modules[PYPLOT]
    for figure in _open(pyplot):
        _keep(figure)
    pyplot.close("all")


def end_cell() -> None:
    """Record and close the open figures, as Jupyter does at the end of a cell."""
    pyplot = sys.modules.get(PYPLOT)
    if pyplot is None:
        return
    try:
        if _save is not None:
            _show()
        pyplot.close("all")
    except MemoryError:
        raise
    except Exception:  # the program changed matplotlib
        return


def forget_shown() -> None:
    """Forget the figures that were shown while the program was loaded: they do not belong to the
    stimulus.
    """
    _kept.clear()


def _show_one(self: object, *arguments: object, **options: object) -> None:
    """Record the figure. Replaces `Figure.show`."""
    _keep(self)


def _save_and_keep(self: object, *arguments: object, **options: object) -> None:
    """Save the figure to a file, and record it. Replaces `Figure.savefig`."""
    _keep(self)
    assert _save is not None
    _save(self, *arguments, **options)


def _keep(figure: object) -> None:
    if not any(known is figure for known in _kept) and len(_kept) < MAX_FIGURES:
        _kept.append(figure)


def _open(pyplot: Any) -> list[Any]:
    return [pyplot.figure(number) for number in pyplot.get_fignums()]


def described() -> str:
    """Return descriptions of all recorded figures as a JSON list."""
    pyplot = sys.modules.get(PYPLOT)
    if pyplot is None:
        return "[]"
    texts: list[str] = []
    try:
        for figure in _open(pyplot):
            _keep(figure)
        budget = SizeBudget()
        for figure in _kept:
            has_picture = len(texts) < MAX_PICTURES
            texts.append(_figure(figure, budget, has_picture=has_picture))
    except MemoryError:
        raise
    except BaseException:  # the program changed matplotlib, or a class of its own raised it
        return "[" + ",".join(texts) + "]"
    return "[" + ",".join(texts) + "]"


def _figure(figure: Any, budget: SizeBudget, *, has_picture: bool) -> str:
    plots: list[str] = []
    for axes in figure.axes:
        if axes.get_label() != "<colorbar>" and len(plots) < MAX_PLOTS:
            plots.append(_plot(axes, figure, budget))
    return _mapping(
        title=_text(figure.get_suptitle()),
        plots=_list(plots),
        picture=quote(_picture(figure) if has_picture else ""),
    )


def _plot(axes: Any, figure: Any, budget: SizeBudget) -> str:
    titles = [axes.get_title(loc=place) for place in ("center", "left", "right")]
    legends = [axes.get_legend(), *figure.legends]
    shown = [legend for legend in legends if legend is not None]
    legend = "null"
    if shown:
        legend = _list([_text(text.get_text()) for text in shown[0].get_texts()[:MAX_DRAWN]])
    return _mapping(
        title=_text(next(filter(None, titles), "")),
        x_label=_text(axes.get_xlabel()),
        y_label=_text(axes.get_ylabel()),
        legend=legend,
        lines=_list(_lines(axes, budget)),
        bars=_list(_bars(axes, budget)),
        points=_list(_points(axes, budget)),
    )


def _lines(axes: Any, budget: SizeBudget) -> list[str]:
    """Return the lines that show data.

    Lines across the whole plot, as `axhline` draws them, do not count.
    """
    found: list[str] = []
    for line in axes.get_lines():
        if all(line.get_transform().contains_branch_seperately(axes.transData)):
            x, y = list(line.get_xdata(orig=True)), list(line.get_ydata(orig=True))
            names = _names(axes.xaxis, list(line.get_xdata(orig=False)))
            found.append(_drawn(line, x, y, names, budget))
    return found[:MAX_DRAWN]


def _bars(axes: Any, budget: SizeBudget) -> list[str]:
    found: list[str] = []
    for container in axes.containers:
        bars = getattr(container, "patches", None)
        if not bars:
            continue
        x: list[object] = []
        y: list[object] = []
        is_upright = getattr(container, "orientation", None) != "horizontal"
        for bar in bars:
            if is_upright:
                x.append(bar.get_x() + bar.get_width() / 2)
                y.append(bar.get_height())
            else:
                x.append(bar.get_y() + bar.get_height() / 2)
                y.append(bar.get_width())
        names = _names(axes.xaxis if is_upright else axes.yaxis, x)
        found.append(_drawn(container, x, y, names, budget))
    return found[:MAX_DRAWN]


def _points(axes: Any, budget: SizeBudget) -> list[str]:
    found: list[str] = []
    for collection in axes.collections:
        if type(collection).__name__ == "PathCollection":
            pairs = collection.get_offsets().tolist()
            x, y = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            found.append(_drawn(collection, x, y, _names(axes.xaxis, x), budget))
    return found[:MAX_DRAWN]


def _names(axis: Any, positions: list[Any]) -> list[str]:
    """Return the labels that an axis shows at these positions; none if they are numbers."""
    formatter = axis.get_major_formatter()
    if type(formatter).__name__ not in _NAMING:
        return []
    places = list(axis.get_majorticklocs())
    texts = formatter.format_ticks(places)
    names: list[str] = []
    for position in positions:
        near = [text for place, text in zip(places, texts) if abs(place - position) < _NEAR]  # noqa: B905
        names.append(_text(near[0] if near else ""))
    return names


def _drawn(artist: Any, x: list[Any], y: list[Any], names: list[str], budget: SizeBudget) -> str:
    label = str(artist.get_label())
    return _mapping(
        label=_text("" if label.startswith("_") else label),
        x=encode([_plain(value) for value in x], budget),
        y=encode([_plain(value) for value in y], budget),
        names=_list(names),
    )


def _plain(value: Any) -> object:
    """Convert a value of a plot to a Python number or text: a date to text, a NumPy number to a
    Python number.
    """
    if hasattr(value, "item"):
        value = value.item()
    if value is None or value != value:  # noqa: PLR0124 - a missing number
        return float("nan")
    return value if type(value) in _PLAIN else str(value)


def _picture(figure: Any) -> str:
    """Return a small PNG in base64; an empty text if it would be too large."""
    import binascii  # noqa: PLC0415
    import io  # noqa: PLC0415

    assert _save is not None
    width, height = figure.get_size_inches()
    dpi = min(_MAX_DPI, _WIDTH / width, MAX_PIXELS / height)
    file = io.BytesIO()
    _save(figure, file, format="png", dpi=dpi)
    data = file.getvalue()
    if len(data) > MAX_PICTURE:
        return ""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _text(text: object) -> str:
    return quote(encodable(str(text))[:MAX_LABEL])


def _list(texts: list[str]) -> str:
    return "[" + ",".join(texts) + "]"


def _mapping(**fields: str) -> str:
    return "{" + ",".join([quote(name) + ":" + text for name, text in fields.items()]) + "}"
