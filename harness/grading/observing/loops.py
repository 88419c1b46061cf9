"""Where a program that does not end loops: one more run of the example of a cause.

What the process answers is untrusted. It becomes the line of a loop that the submission's text
has, in the words of a failure; no verdict depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from harness.grading.observing.running import Observer
from harness.judging import Failing, with_loops
from harness.model.observation import Ending
from harness.model.policy import Loop, Outline
from harness.model.verdict import Cause, Explanation, Verdict, VerdictKind

MOST_RUNS = 3  # of one submission
_LEAST_SECONDS = 1.0  # CPU limit of such a run, which ends by itself after half of it
_OUTPUT_KIB = 1024  # what is read of it is kept in memory, and never used
_ENDLESS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.OUTPUT_LIMIT})
_PLACE = re.compile(r"(?P<file>.+):(?P<first>[0-9]{1,7})-(?P<last>[0-9]{1,7})")


def name_loops(
    causes: Sequence[Cause],
    failures: Sequence[Failing],
    outline: Outline,
    observer: Observer,
    *,
    recall: Callable[[str], Verdict | None],
    salt: Callable[[Failing], str],
) -> tuple[tuple[Cause, ...], Mapping[str, Verdict]]:
    """The causes, those that do not end with the loop and once for each loop, and what is new under
    its key."""
    by_id = {each.scenario.id: each for each in failures}
    loops: dict[str, Loop] = {}
    found: dict[str, Verdict] = {}
    runs = 0
    for cause in causes:
        each = by_id.get(cause.example)
        if each is None or each.verdict.kind not in _ENDLESS or runs == MOST_RUNS:
            continue
        runs += 1
        key = sha256(f"{salt(each)}\nloop".encode()).hexdigest()
        known = recall(key)
        if known is None:
            known = found[key] = _look(each, observer)
        loop = _loop(known.message, outline)
        if loop is not None:
            loops[cause.example] = loop
    return with_loops(causes, loops, failures, outline), found


def _look(each: Failing, observer: Observer) -> Verdict:
    """Where it loops, as the message of a verdict."""
    limits = each.scenario.limits
    seconds = max(limits.cpu_seconds, _LEAST_SECONDS)
    seen = observer.observe(
        replace(each.stimulus, finds_loop=True),
        replace(limits, cpu_seconds=seconds, output_kib=max(limits.output_kib, _OUTPUT_KIB)),
    )
    detail = seen.detail if seen.ending is Ending.CPU_LIMIT else ""
    return Verdict(kind=each.verdict.kind, explanation=Explanation(rule="loop", message=detail))


def _loop(place: str, outline: Outline) -> Loop | None:
    found = _PLACE.fullmatch(place)
    if found is None:
        return None
    return outline.loop_around(found["file"], int(found["first"]), int(found["last"]))
