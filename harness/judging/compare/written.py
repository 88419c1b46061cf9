"""The files of a scenario's own folder afterwards, against what is stated and the reference's."""

from __future__ import annotations

from harness.judging.compare.mismatches import Mismatch, ValueMismatch
from harness.matchers import Exactly
from harness.model.expectation import Expectation, Ignore, Matcher
from harness.model.observation import Observation
from harness.model.stimulus import Stimulus
from harness.model.values import NONE, Value, ValueKind, file_value
from harness.model.verdict import Channel


def written_mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> list[Mismatch]:
    """Every file that differs, by name; `actual` is None for one that is not there."""
    if not stimulus.folder:
        return []
    expected = expected_files(expectation, stimulus)
    actual = {file.name: file.value for file in observation.files}
    ignore = expectation.stated.ignore
    differing: list[Mismatch] = []
    known = expected if expected is not None else _stated(expectation)
    names = {*known, *actual} if expected is not None else set(known)
    for name in sorted(names):
        matcher, value = known.get(name), actual.get(name)
        if matcher is None or not accepts(matcher, value, ignore):
            differing.append(
                ValueMismatch(channel=Channel.WRITES, expected=matcher, actual=value, name=name)
            )
    return differing


def accepts(matcher: Matcher, value: Value | None, ignore: tuple[Ignore, ...]) -> bool:
    """Whether a file is what it should be; one that is not there is None."""
    if value is not None and value.kind is ValueKind.STR:
        return matcher.accepts_text(value.text, ignore)
    return matcher.accepts(NONE if value is None else value)


def expected_files(expectation: Expectation, stimulus: Stimulus) -> dict[str, Matcher] | None:
    """What each file should be; None where only those that are stated matter."""
    stated, reference = expectation.stated, expectation.reference
    given = {file.name: file_value(file.data) for file in stimulus.files}
    made = {} if reference is None else {file.name: file.value for file in reference.files}
    if stated.writes_unchanged:
        base = given
    elif stated.writes_only is not None:
        base = given | {name: made[name] for name in stated.writes_only if name in made}
    elif reference is not None:
        base = made
    else:
        return None
    return {name: Exactly(value=value) for name, value in base.items()} | _stated(expectation)


def _stated(expectation: Expectation) -> dict[str, Matcher]:
    return {leave.name: leave.value for leave in expectation.stated.writes}
