"""A scenario with its transcript put into an assignment, once a copy of the assignment takes it."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.assignment import SpecErrors, load
from harness.common import files
from harness.common.errors import UserError
from harness.model.stimulus import Typed

_FOLDER = "gameplay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """`yaml` is the whole new text of `file`, which has one scenario more: it types `typed`. The
    file of its transcript gets the text `template`, which stands for what is `shown`. Both are
    paths below specs/<id>."""

    file: str
    yaml: str
    transcript: str
    template: str
    typed: tuple[Typed, ...]
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The path of the transcript, and whether the scenario counts for marks."""

    transcript: Path
    counts: bool


UNCOUNTED = "    informational: true\n"


def transcript_path(name: str) -> str:
    """Where the transcript of a scenario of this name lies, below specs/<id>."""
    return f"{_FOLDER}/{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_') or 'game'}.txt"


@contextmanager
def trial_copy(root: Path, assignment_id: str) -> Iterator[Path]:
    """A root of its own with a copy of the assignment, for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="harness-") as place:
        trial = Path(place)
        for kind in ("specs", "reference"):
            if (root / kind / assignment_id).is_dir():
                shutil.copytree(root / kind / assignment_id, trial / kind / assignment_id)
        yield trial


def add(root: Path, assignment_id: str, addition: Addition) -> Added:
    """Write both files. The scenario counts for marks, unless those that other files state are all
    that the assignment has.

    UserError where the transcript is there already, or where the scenario types or shows something
    else when it is read back; SpecErrors where it cannot be read. Nothing is written then.
    """
    try:
        return Added(transcript=_add(root, assignment_id, addition), counts=True)
    except SpecErrors:
        uncounted = replace(addition, yaml=addition.yaml + UNCOUNTED)
        return Added(transcript=_add(root, assignment_id, uncounted), counts=False)


def _add(root: Path, assignment_id: str, addition: Addition) -> Path:
    folder = root / "specs" / assignment_id
    path = folder / addition.transcript
    if path.exists():
        raise UserError("this transcript is there already", place=str(path))
    known = {scenario.id for scenario in load(root, assignment_id).plan.scenarios}
    with trial_copy(root, assignment_id) as trial:
        draft = trial / "specs" / assignment_id
        files.write(draft / addition.transcript, addition.template)
        files.write(draft / addition.file, addition.yaml)
        scenarios = load(trial, assignment_id).plan.scenarios
    read_back = [
        (one.stimuli[0].inputs, one.stated.transcript) for one in scenarios if one.id not in known
    ]
    if read_back != [(addition.typed, addition.shown)]:
        raise UserError(
            "what is typed and shown here cannot be written as a scenario",
            place=str(folder / addition.file),
            hint="{{ … }} stands for a constant there",
        )
    files.write(path, addition.template)
    try:
        files.write(folder / addition.file, addition.yaml)
    except BaseException:
        path.unlink()
        raise
    return path
