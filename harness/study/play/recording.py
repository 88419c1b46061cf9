"""A game that was played as a scenario with its transcript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from harness.assignment import SpecErrors, as_template, load
from harness.common import files
from harness.common.errors import UserError
from harness.model.observation import Ending
from harness.model.stimulus import Typed
from harness.study.play.playing import Played

RECORDED = "recorded.yaml"
_FOLDER = "gameplay"


def record(root: Path, name: str, played: Played, constants: Mapping[str, str]) -> Path:
    """Add the scenario `name` to specs/<id>/recorded.yaml; the path of that file.

    The transcript is what the reference shows for what was typed. UserError, and nothing is
    written, where there is a scenario of that name, or where the reference does what none states.
    """
    assignment = played.specification.plan.assignment
    folder = root / "specs" / assignment.id
    seen = played.reference
    if seen.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        what = f"the reference does not end by itself on this ({seen.ending.value})"
        raise UserError(what, place=name)
    short = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not short:
        raise UserError("the name has neither letter nor digit", place=name)
    transcript, target = folder / _FOLDER / f"{short}.txt", folder / RECORDED
    if transcript.exists():
        raise UserError("this transcript is there already", place=str(transcript))
    program = assignment.submission_files[0]
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    lines = [f"  - name: {json.dumps(name, ensure_ascii=False)}"]
    if played.interrupted:
        lines.append("    # The person who played broke off here.")
    if constants:
        values = ", ".join(f"{key}: {value}" for key, value in constants.items())
        lines.append(f"    constants: {{{values}}}")
    lines.append(f"    run: {program}")
    lines.append(f"    input: [{', '.join(map(_item, played.typed))}]")
    lines.append(f"    transcript: {_FOLDER}/{short}.txt")
    if seen.ending is Ending.ASKED_FOR_MORE:
        lines.append("    ends: asks_for_more")
    if seen.raised is not None and seen.exit_status is None:
        lines.append(f"    raises: {seen.raised.type_name}")
    elif seen.exit_status:
        lines.append(f"    exit: {seen.exit_status}")
    head = before.rstrip("\n") + "\n" if before.strip() else f"function: {program}\nscenarios:\n"
    variant = assignment.variant(played.scenario.stimuli[0].constants)
    shown = as_template(seen.transcript(), variant, assignment.submission_files)
    files.write(transcript, shown)
    files.write(target, head + "\n".join(lines) + "\n")
    try:
        load(root, assignment.id)
    except SpecErrors:
        transcript.unlink()
        if before:
            files.write(target, before)
        else:
            target.unlink()
        raise
    return target


def _item(typed: Typed) -> str:
    if typed.key is not None:
        return f"{{key: {typed.key.value}}}"
    return json.dumps(typed.text, ensure_ascii=not typed.text.isprintable())
