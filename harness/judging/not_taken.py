"""Explains a failed import by a submitted file that was not used.

Verdicts may be shared between submissions with the same source, so this is added to each
submission's verdicts afterwards.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.common.escaping import plain
from harness.common.words import listed
from harness.model.observation import Observation
from harness.model.verdict import Verdict, stated

RULE = "module_not_taken"
_SAID_UNKNOWN = "module_is_unknown"
_MISSING = re.compile(r"No module named '([^'.]+)[^']*'\Z")
_LONGEST = 200


def with_not_taken(
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, Sequence[Observation]],
    not_taken: Sequence[str],
    taken: Sequence[str],
) -> dict[str, Verdict]:
    """Return the verdicts. Those about an unknown module say which submitted file was not used."""
    said = dict(verdicts)
    for name, verdict in verdicts.items():
        explanation = verdict.explanation
        if explanation is None or explanation.rule != _SAID_UNKNOWN:
            continue
        missing = _missing(observations.get(name, ()))
        files = [file for file in not_taken if file.removesuffix(".py") in missing]
        if files:
            is_are = "are"
            if len(taken) == 1:
                is_are = "is"
            message = (
                f"{plain(files[0], limit=60)} was handed in, but only {listed(taken)} {is_are} "
                "graded: put its definitions there."
            )
            said[name] = replace(verdict, explanation=stated(RULE, message))
    return said


def _missing(observations: Sequence[Observation]) -> set[str]:
    """Return the names of modules whose import failed, taken from Python's own errors."""
    modules = {missing_module(observation) for observation in observations}
    return modules - {""}


def missing_module(observation: Observation) -> str:
    """Return the top-level module whose import failed, taken from Python's own error; "" if none
    did.
    """
    raised = observation.raised
    if raised is None or raised.type_name != "ModuleNotFoundError":
        return ""
    match = _MISSING.match(raised.message[:_LONGEST])
    return "" if match is None else match[1]
