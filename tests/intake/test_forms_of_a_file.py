"""The way of a student's file, from a platform's zip to a submission: every type of ours that holds
it, found by following one file through a real run. docs/architecture.md lists the same."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from tests import plans
from tests.downloads import HandIn, moodle, program, zipped_class
from tests.intake.cohorts import cohort

ARCHITECTURE = Path(__file__).parents[2] / "docs/architecture.md"
NAME = "planted.py"
ASSIGNMENT = plans.assignment(id="a1", submission_files=(NAME,))


def holders(value: object) -> Iterator[str]:
    """The types of ours in a value, inside of which there is the file."""
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from holders(each)
    elif isinstance(value, dict):
        yield from holders(list(value.values()))
    elif dataclasses.is_dataclass(value) and NAME in repr(value):
        kind = type(value)
        yield f"{kind.__module__.removeprefix('harness.')}:{kind.__name__}"
        for field in dataclasses.fields(value):
            yield from holders(getattr(value, field.name))


def test_the_types_that_hold_a_file(tmp_path: Path) -> None:
    files = program("x = 1", NAME)
    handed = [HandIn(id=str(number), name=f"Kim {number}", files=files) for number in range(3)]
    path = zipped_class(moodle(handed), tmp_path / "class.zip")
    types: dict[str, None] = {}

    def on_return(frame: FrameType, event: str, value: object) -> None:
        if event == "return" and frame.f_globals.get("__name__", "").startswith("harness.intake"):
            types.update(dict.fromkeys(holders(value)))

    sys.setprofile(on_return)
    try:
        cohort(path, ASSIGNMENT)
    finally:
        sys.setprofile(None)

    assert types
    text = ARCHITECTURE.read_text(encoding="utf-8")
    section = text.partition("## The way of a student's file")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\d+\. `([\w.]+:\w+)`", section, re.M)) == set(types)
