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


def truncated(seen: Observation) -> Observation:
    """Return a small observation as it is, and the short form of a large one."""
    if seen.is_truncated:
        return seen
    total = 0
    for size in _sizes(seen):
        total += size
        if total > MAX_BYTES:
            return short_form(seen)
    return seen


def short_form(seen: Observation) -> Observation:
    """Return an observation's ending and exception, with a digest of the whole."""
    if seen.is_truncated:
        return seen
    steps: tuple[StepOutcome, ...] = ()
    for step in seen.steps:
        if step.raised is not None:
            steps = (StepOutcome(raised=_short(step.raised)),)
            break
    return Observation(
        ending=seen.ending,
        phase=seen.phase,
        raised=None if seen.raised is None else _short(seen.raised),
        steps=steps,
        exit_status=seen.exit_status,
        detail=seen.detail[:_MAX_TEXT],
        nearest=seen.nearest,
        cpu_seconds=seen.cpu_seconds,
        full_digest=sha256(encoded((seen,))).hexdigest(),
    )


def _short(raised: Raised) -> Raised:
    frames = raised.frames
    if len(frames) > 2:
        frames = (frames[0], frames[-1])
    return replace(raised, message=raised.message[:_MAX_TEXT], bases=(), frames=frames)


def _sizes(seen: Observation) -> Iterator[int]:
    for text in _texts(seen):
        yield sys.getsizeof(text)
    for value in _values(seen):
        for part in value.parts():
            yield _VALUE_BYTES + sys.getsizeof(part.text) - sys.getsizeof("")


def _texts(seen: Observation) -> Iterator[str]:
    yield seen.loading_printed
    yield seen.stderr or ""
    yield from seen.left_open
    outcomes: list[Observation | StepOutcome] = [seen, *seen.steps]
    for outcome in outcomes:
        for turn in outcome.turns:
            yield turn.printed
        if outcome.raised is not None:
            yield from _texts_raised(outcome.raised)
    for step in seen.steps:
        yield step.shown
    for named in (*seen.variables, *seen.files):
        yield named.name
    if seen.test is not None:
        yield from _texts_of_test(seen.test)
    if seen.suite is not None:
        yield seen.suite.not_loaded
        yield from (*seen.suite.unsteady, *seen.suite.useless)
        for group in seen.suite.alike:
            yield from group
        if seen.suite.coverage is not None:
            yield from seen.suite.coverage.untouched
        for test in seen.suite.tests:
            yield test.name
            yield from _texts_of_test(test.outcome)


def _texts_of_test(test: CourseTestOutcome) -> Iterator[str]:
    yield test.message
    yield test.type_name
    yield test.source
    yield from test.calls


def _texts_raised(raised: Raised) -> Iterator[str]:
    yield raised.message
    yield from raised.bases
    for frame in raised.frames:
        yield frame.file
        yield frame.function
        yield frame.source


def _values(seen: Observation) -> Iterator[Value]:
    if seen.value is not None:
        yield seen.value
    for step in seen.steps:
        if step.value is not None:
            yield step.value
    for named in (*seen.variables, *seen.files):
        yield named.value
    yield from seen.arguments
    yield from seen.arguments_before
