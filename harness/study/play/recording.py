"""A game that was played as a scenario with its transcript."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.assignment import as_template, in_quotes
from harness.common.errors import UserError
from harness.model.observation import Ending
from harness.model.stimulus import Typed
from harness.study.adding import Addition, add, transcript_path
from harness.study.play.playing import Played

RECORDED = "recorded.yaml"


def check_name(root: Path, assignment_id: str, name: str) -> None:
    """Raise UserError when no scenario can have this name, or one has it already."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise UserError("the name is not UTF-8", place=name) from None
    if not re.search("[a-z0-9]", name.lower()):
        raise UserError("the name has neither letter nor digit", place=name)
    transcript = root / "specs" / assignment_id / transcript_path(name)
    if transcript.exists():
        raise UserError("this transcript is there already", place=str(transcript))


@dataclass(frozen=True, slots=True)
class Recorded:
    """The file that the scenario was added to, and whether it counts for marks there."""

    path: Path
    counts: bool


def record(root: Path, name: str, played: Played, constants: Mapping[str, str]) -> Recorded:
    """Add the scenario `name` to specs/<id>/recorded.yaml.

    It counts for marks, unless the other files' marks are all that the assignment has. The
    transcript is what the reference shows for what was typed. Raises UserError, and writes
    nothing, when there is a scenario of that name or the reference does not end by itself.
    """
    assignment = played.specification.plan.assignment
    target = root / "specs" / assignment.id / RECORDED
    seen = played.reference
    if seen.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        what = f"the reference does not end by itself on this ({seen.ending.value})"
        raise UserError(what, place=name)
    check_name(root, assignment.id, name)
    program, transcript = played.program, transcript_path(name)
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    lines = [f"  - name: {in_quotes(name)}", f"    function: {program}"]
    if played.interrupted:
        lines.append("    # The person who played broke off here.")
    if constants:
        values = ", ".join(f"{key}: {value}" for key, value in constants.items())
        lines.append(f"    constants: {{{values}}}")
    lines.append(f"    run: {program}")
    lines.append(f"    input: [{', '.join(map(_item, played.typed))}]")
    lines.append(f"    transcript: {transcript}")
    if seen.ending is Ending.ASKED_FOR_MORE:
        lines.append("    ends: asks_for_more")
    if seen.raised is not None and seen.exit_status is None:
        lines.append(f"    raises: {seen.raised.type_name}")
    elif seen.exit_status:
        lines.append(f"    exit: {seen.exit_status}")
    head = before.rstrip("\n") + "\n" if before.strip() else "scenarios:\n"
    variant = assignment.variant(played.scenario.stimuli[0].constants)
    shown = seen.transcript()
    addition = Addition(
        file=RECORDED,
        yaml=head + "\n".join(lines) + "\n",
        transcript=transcript,
        template=as_template(shown, variant, assignment.submission_files),
        typed=played.typed,
        shown=shown,
    )
    return Recorded(target, counts=add(root, assignment.id, addition).counts)


def _item(typed: Typed) -> str:
    if typed.key is not None:
        return f"{{key: {typed.key.value}}}"
    return in_quotes(typed.text)
