"""Scenarios that may share a process, packed once for all submissions of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.model.stimulus import Stimulus

# Of a scenario's own CPU limit: what takes longer is observed in a process of its own.
CPU_SHARE = 0.1
_MOST_LINE = 4000  # bytes; a terminal takes no line over 4,095


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedJob:
    """One stimulus as `inside.shared.run` reads it. `arguments` as in `PackedStimulus`."""

    packed: bytes
    arguments: int | None


@dataclass(slots=True, kw_only=True)
class SharedGroup:
    """Stimuli by number, of one set of constants and provided files (`selection`).

    `cpu_seconds`, `wall_seconds` and `memory_mib` are the greatest limits of any of them.
    """

    selection: object
    jobs: dict[int, SharedJob] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_mib: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedOutcome:
    """What one group's run gave: canonical bytes by number, or why the program is `refused` a
    shared process ("`board`, a list at module level,": what was `changed_by` that number).
    `gave_up` are the numbers that ended their process; what is in neither did not run."""

    seen: Mapping[int, bytes]
    gave_up: frozenset[int] = frozenset()
    refused: str = ""
    changed_by: int | None = None


def may_share(stimulus: Stimulus) -> bool:
    """Whether a stimulus can be given without a terminal: no stand-ins, no folder of its own, no
    pipe, no keys, and no lines with characters that a terminal may act on."""
    if stimulus.stand_ins or stimulus.folder or stimulus.replies or stimulus.environment:
        return False
    if stimulus.stdin is not None:
        return False
    return all(
        typed.key is None and typed.text.isprintable() and len(typed.text.encode()) < _MOST_LINE
        for typed in stimulus.inputs
    )
