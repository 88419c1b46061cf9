"""The files in the scenario's own folder afterwards."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import ValueMismatch
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expectation, Matcher
from harness.model.observation import Observation
from harness.model.stimulus import Stimulus
from harness.model.values import NONE, ValueKind, file_value
from harness.model.verdict import Channel


def written_mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[ValueMismatch]:
    """Return every file that differs, by name; `actual` is None for a missing one."""
    if not stimulus.folder or expectation.stated.writes_any:
        return
    all_files = expected_files(expectation, stimulus)
    expected = _stated_files(expectation) if all_files is None else all_files
    actual = {file.name: file.value for file in observation.files}
    for name in sorted(expected if all_files is None else {*expected, *actual}):
        matcher, value = expected.get(name), actual.get(name)
        if matcher is not None and value is not None and value.kind is ValueKind.STR:
            is_right = matcher.accepts_text(value.text, expectation.stated.rules)
        else:
            is_right = matcher is not None and matcher.accepts(value or NONE)
        if not is_right:
            yield ValueMismatch(channel=Channel.WRITES, expected=matcher, actual=value, name=name)


def expected_files(expectation: Expectation, stimulus: Stimulus) -> dict[str, Matcher] | None:
    """Return the expected content of each file; None if only stated ones are compared."""
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
    return {name: Exactly(value=value) for name, value in base.items()} | _stated_files(expectation)


def _stated_files(expectation: Expectation) -> dict[str, Matcher]:
    return {leave.name: leave.value for leave in expectation.stated.writes}
