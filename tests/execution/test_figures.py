"""Figures that a program draws with matplotlib, from its process to the parent."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from harness.execution import Driver
from harness.execution.inside.messages.protocol import MAX_FIGURES, MAX_LABEL, MAX_PICTURE
from harness.execution.piped import PipedDriver
from harness.execution.protocol.answers import Answerable, StimulusFacts
from harness.execution.protocol.observation import ProcessEnd, observation
from harness.execution.protocol.screen import ScreenParser
from harness.execution.sharing import may_share
from harness.model.assignment import SourceFile
from harness.model.figures import Figure
from harness.model.observation import Ending, Observation, Tier
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.call import Call
from tests.execution.small_world import call, observe, run

KEEPS = replace(call("1 + 1"), keeps_figures=True)
SMALL = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\0\0\x09" * 2 + b"rest").decode()
HUGE = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\1\0\0" * 2 + b"rest").decode()
LONG = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\0\0\x09" * MAX_PICTURE).decode()
NUMBERS = ["list", [["int", "1"], ["float", "2.5"]]]


def drawn(**changes: Any) -> dict[str, Any]:
    return {"label": "a", "x": NUMBERS, "y": NUMBERS, "names": []} | changes


def figure(picture: str = SMALL, title: str = "", **changes: Any) -> dict[str, Any]:
    texts = {"title": "Growth", "x_label": "Year", "y_label": "", "legend": ["a"]}
    plot = {**texts, "lines": [drawn()], "bars": [], "points": [], **changes}
    return {"title": title, "plots": [plot], "picture": picture}


def answered(figures: Any, stimulus: Stimulus = KEEPS) -> Observation:
    fields = {"phase": "stimulus", "value": ["int", "2"], "figures": figures}
    frames = (b"L", b'G"stimulus"', b"A" + json.dumps(fields).encode())
    screen = ScreenParser(sentinel=b"|", most_sentinels=3, raw=bytearray(b"|||"))
    end = ProcessEnd(reason=None, reply=frames)
    facts = StimulusFacts(frozenset(), None)
    return observation(Answerable(stimulus, facts, None), Limits(), screen, end)


def test_an_honest_figure_is_taken_as_it_is() -> None:
    seen = answered([figure()])
    assert seen.ending is Ending.ANSWERED
    (plot,) = seen.figures[0].plots
    assert (plot.title, plot.legend, seen.figures[0].picture) == ("Growth", ("a",), SMALL)
    assert plot.lines[0].y.source() == "[1, 2.5]"


FORGED: dict[str, Any] = {
    "none": None,
    "no list": "x",
    "too many": [figure()] * (MAX_FIGURES + 1),
    "a picture that is no base64": [figure("é")],
    "a picture that is no PNG": [figure(base64.b64encode(b"GIF89a" * 9).decode())],
    "a picture with too many pixels": [figure(HUGE)],
    "a picture with too many bytes": [figure(LONG)],
    "a long title": [figure(title="x" * (MAX_LABEL + 1))],
    "a surrogate": [figure(x_label="\ud800")],
    "a legend of numbers": [figure(legend=[1])],
    "many lines": [figure(lines=[drawn()] * 60)],
    "data in data": [figure(lines=[drawn(x=["list", [NUMBERS]])])],
    "data of another kind": [figure(lines=[drawn(y=["list", [["bool", "True"]]])])],
    "a number in place of data": [figure(bars=[drawn(x=["int", "1"])])],
    "names for other positions": [figure(bars=[drawn(names=["a"])])],
    "another field": [figure(more=1)],
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_figure_is_tampering(what: str) -> None:
    assert answered(FORGED[what]).ending is Ending.TAMPERED


def test_figures_that_nobody_asked_for_are_tampering() -> None:
    assert answered([figure()], replace(KEEPS, keeps_figures=False)).ending is Ending.TAMPERED


def test_a_program_that_draws_has_its_own_process() -> None:
    assert not may_share(KEEPS)
    assert may_share(replace(KEEPS, keeps_figures=False))


PROGRAM = """\
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt
import datetime
def growth():
    fig, ax = plt.subplots()
    ax.plot([1, 2], [1, 4.5], label="squares")
    ax.axhline(3)
    ax.set_title("Growth")
    ax.set_xlabel("n")
    ax.legend()
    plt.show()
    print("goes on")
def bars():
    plt.bar(["a", "b"], [1, 2])
    plt.figure()
    plt.barh([0, 1], [5, 6])
    plt.yticks([0, 1], ["c", "d"])
    plt.figure()
    plt.hist([1, 1, 2], bins=2)
def points():
    plt.scatter([1, 2], [3.5, None], label="p")
    plt.plot([datetime.date(2026, 1, 2)], [0], "o")
    plt.suptitle("Above")
    plt.savefig("figure.svg")
    plt.close()
def twice():
    for number in range(2):
        plt.plot([number], [number])
        plt.show()
def broken():
    class Odd(str):
        def __str__(self):
            raise KeyError("odd")
    plt.figure().axes.append(Odd())
    plt.gcf().suptitle("x")
    plt.gcf().get_suptitle = lambda: 1 / 0
def f(what):
    globals()[what]()
if __name__ == "__main__":
    growth()
"""
ENOUGH = Limits(cpu_seconds=20, wall_seconds=20, memory_mib=512, output_kib=8)


_STRONG = pytest.param("strong", marks=pytest.mark.release)
_PORTABLE = pytest.param("portable", marks=pytest.mark.release)


Files = tuple[SourceFile, ...] | str


@pytest.fixture(scope="module", params=["standard", _STRONG, _PORTABLE])
def look_at(
    request: pytest.FixtureRequest, strong_here: bool
) -> Iterator[Callable[[Files, Stimulus], Observation]]:
    pytest.importorskip("matplotlib", reason="the extra data is not installed")
    from tests.execution.test_arrays import with_packages  # noqa: PLC0415

    if request.param == "strong" and not strong_here:
        pytest.skip("the strong tier does not hold here")
    found = with_packages()
    driver: Driver | PipedDriver = PipedDriver(found)
    if request.param != "portable":
        driver = Driver(found, Tier(request.param))
    with driver:
        yield lambda files, stimulus: observe(driver, files, stimulus, ENOUGH)


@pytest.fixture(scope="module")
def look(
    look_at: Callable[[Files, Stimulus], Observation],
) -> Callable[[Stimulus], Observation]:
    return lambda stimulus: look_at(PROGRAM, stimulus)


def figures_of(look: Callable[[Stimulus], Observation], expression: str) -> tuple[Figure, ...]:
    seen = look(replace(KEEPS, action=Call(expression=expression)))
    assert (seen.ending, seen.raised) == (Ending.ANSWERED, None)
    return seen.figures


@pytest.mark.process
def test_shown_text_is_seen_and_nothing_is_printed(
    look: Callable[[Stimulus], Observation],
) -> None:
    seen = look(replace(run(), keeps_figures=True))
    assert (seen.printed, seen.exit_status) == ("goes on\n", 0)
    ((plot,),) = [figure.plots for figure in seen.figures]
    assert (plot.title, plot.x_label, plot.legend) == ("Growth", "n", ("squares",))
    (line,) = plot.lines
    assert (line.x.source(), line.y.source()) == ("[1, 2]", "[1.0, 4.5]")
    picture = base64.b64decode(seen.figures[0].picture)
    assert picture.startswith(b"\x89PNG")
    assert len(picture) <= MAX_PICTURE


@pytest.mark.process
def test_bars_are_seen_by_their_names_and_lengths(
    look: Callable[[Stimulus], Observation],
) -> None:
    upright, sideways, counts = figures_of(look, "f('bars')")
    seen = [figure.plots[0].bars[0] for figure in (upright, sideways, counts)]
    assert [drawn.names for drawn in seen] == [("a", "b"), ("c", "d"), ()]
    assert [drawn.y.source() for drawn in seen] == ["[1, 2]", "[5, 6]", "[2.0, 1.0]"]


@pytest.mark.process
def test_a_saved_figure_is_seen_although_it_is_closed(
    look: Callable[[Stimulus], Observation],
) -> None:
    stimulus = replace(KEEPS, action=Call(expression="f('points')"), folder=True)
    (figure,) = look(stimulus).figures
    assert figure.title == "Above"
    (plot,) = figure.plots
    assert plot.points[0].y.source() == "[3.5, nan]"
    assert plot.lines[0].x.source() == "['2026-01-02']"


@pytest.mark.process
def test_each_shown_figure_counts_although_the_same_call_draws_it(
    look: Callable[[Stimulus], Observation],
) -> None:
    shown = figures_of(look, "f('twice')")
    assert [figure.plots[0].lines[0].x.source() for figure in shown] == ["[0]", "[1]"]


IN_CELLS = """\
import matplotlib.pyplot as plt
plt.plot([1, 2], [3, 4])
plt.bar([1], [2])
raise KeyError("left unfinished")
plt.plot([5, 6], [7, 8])
def f(): plt.scatter([1], [2])
"""


@pytest.mark.process
def test_a_cell_shows_its_figure_at_its_end_as_in_jupyter(
    look_at: Callable[[Files, Stimulus], Observation],
) -> None:
    cells = SourceFile(name="a1.py", data=IN_CELLS.encode(), cell_ends=(1, 2, 4, 5, 6))
    seen = look_at((cells,), replace(run(), keeps_figures=True))
    plots = [plot for figure in seen.figures for plot in figure.plots]
    assert [(len(plot.lines), len(plot.bars)) for plot in plots] == [(1, 0), (0, 1), (1, 0)]


@pytest.mark.process
def test_a_call_draws_only_its_own_figures(
    look_at: Callable[[Files, Stimulus], Observation],
) -> None:
    cells = SourceFile(name="a1.py", data=IN_CELLS.encode(), cell_ends=(1, 2, 4, 5, 6))
    (figure,) = look_at((cells,), replace(KEEPS, action=Call(expression="f()"))).figures
    assert len(figure.plots[0].points) == 1


@pytest.mark.process
def test_a_figure_that_cannot_be_described_is_none(
    look: Callable[[Stimulus], Observation],
) -> None:
    assert figures_of(look, "f('broken')") == ()
