"""A short form of large observations.

A submission may print and return as much as its limits allow in every scenario. So a large
observation is judged when it arrives, and only its short form is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from harness.model.observation import CourseTestOutcome, Observation, Raised, StepOutcome
from harness.model.values import Value
from harness.results.reuse import encoded

MAX_BYTES = 16 * 1024  # of text, and `_VALUE_BYTES` for each value
_VALUE_BYTES = 32
_MAX_TEXT = 1000  # characters


def truncated(observation: Observation) -> Observation:
    """Return a small observation as it is, and the short form of a large one."""
    if observation.is_truncated:
        return observation
    total = 0
    for size in _sizes(observation):
        total += size
        if total > MAX_BYTES:
            return short_form(observation)
    return observation


def short_form(observation: Observation) -> Observation:
    """Return an observation's ending and exception, with a digest of the whole."""
    if observation.is_truncated:
        return observation
    steps: tuple[StepOutcome, ...] = ()
    for step in observation.steps:
        if step.raised is not None:
            steps = (StepOutcome(raised=_short(step.raised)),)
            break
    return Observation(
        ending=observation.ending,
        phase=observation.phase,
        raised=None if observation.raised is None else _short(observation.raised),
        cell_error=None if observation.cell_error is None else _short(observation.cell_error),
        steps=steps,
        exit_status=observation.exit_status,
        detail=observation.detail[:_MAX_TEXT],
        nearest=observation.nearest,
        cpu_seconds=observation.cpu_seconds,
        full_digest=sha256(encoded((observation,))).hexdigest(),
    )


def _short(raised: Raised) -> Raised:
    frames = raised.frames
    if len(frames) > 2:
        frames = (frames[0], frames[-1])
    return replace(raised, message=raised.message[:_MAX_TEXT], bases=(), frames=frames)


def _sizes(observation: Observation) -> Iterator[int]:
    for text in _texts(observation):
        yield sys.getsizeof(text)
    for value in _values(observation):
        for part in value.parts():
            yield _VALUE_BYTES + sys.getsizeof(part.text) - sys.getsizeof("")


def _texts(observation: Observation) -> Iterator[str]:
    yield observation.loading_printed
    yield observation.stderr or ""
    yield from observation.left_open
    if observation.cell_error is not None:
        yield from _texts_raised(observation.cell_error)
    outcomes: list[Observation | StepOutcome] = [observation, *observation.steps]
    for outcome in outcomes:
        for turn in outcome.turns:
            yield turn.printed
        if outcome.raised is not None:
            yield from _texts_raised(outcome.raised)
    for step in observation.steps:
        yield step.shown
    for named in (*observation.variables, *observation.files):
        yield named.name
    for figure in observation.figures:
        yield figure.title
        for plot in figure.plots:
            yield from (plot.title, plot.x_label, plot.y_label, *(plot.legend or ()))
            for drawn in (*plot.lines, *plot.bars, *plot.points):
                yield from (drawn.label, *drawn.names)
    if observation.test is not None:
        yield from _texts_of_test(observation.test)
    if observation.suite is not None:
        yield observation.suite.not_loaded
        yield from (*observation.suite.unsteady, *observation.suite.useless)
        for group in observation.suite.alike:
            yield from group
        if observation.suite.coverage is not None:
            yield from observation.suite.coverage.untouched
        for test in observation.suite.tests:
            yield test.name
            yield from _texts_of_test(test.outcome)


def _texts_of_test(test: CourseTestOutcome) -> Iterator[str]:
    yield test.message
    yield test.type_name
    yield test.source
    yield test.ignored or ""
    yield from test.calls


def _texts_raised(raised: Raised) -> Iterator[str]:
    yield raised.message
    yield from raised.bases
    for frame in raised.frames:
        yield frame.file
        yield frame.function
        yield frame.source


def _values(observation: Observation) -> Iterator[Value]:
    if observation.value is not None:
        yield observation.value
    for step in observation.steps:
        if step.value is not None:
            yield step.value
    for named in (*observation.variables, *observation.files):
        yield named.value
    for figure in observation.figures:
        for plot in figure.plots:
            for drawn in (*plot.lines, *plot.bars, *plot.points):
                yield from (drawn.x, drawn.y)
    yield from observation.arguments
    yield from observation.arguments_before
