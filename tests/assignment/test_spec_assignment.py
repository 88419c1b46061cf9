"""What assignment.yaml says of what is handed in and of marks, as the plan has it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from harness.assignment import SpecErrors, load
from harness.model.plan import ManualSlot, OtherFiles
from tests.assignment.small_assignment import ASSIGNMENT, write

A = "specs/small/assignment.yaml"
ENDINGS = "expected a name that ends in .zip, .tar, .tar.gz or .tgz"
ZONE = "Hint: write one like Australia/Brisbane."


def handed_in(value: str) -> str:
    return ASSIGNMENT.replace("{files: [a1.py]}", f"{{files: [a1.py], {value}}}")


def archive(name: str) -> str:
    return handed_in(f"archive: {name}")


READ: list[tuple[str, str, Any]] = [
    *((archive(name), "archive", name) for name in ("A3.zip", "A3.tar", "A3.tar.gz", "my w.tgz")),
    *((handed_in(f"otherwise: {each}"), "otherwise", each) for each in OtherFiles),
    (ASSIGNMENT, "archive", None),
    (ASSIGNMENT, "otherwise", OtherFiles.ZERO),
    (ASSIGNMENT, "time_zone", ""),
    (ASSIGNMENT, "laid_as", None),
    (ASSIGNMENT.replace("{files: [a1.py]}", "{as: a1.py}"), "laid_as", "a1.py"),
    (ASSIGNMENT.replace("{files: [a1.py]}", "{as: a1.py}"), "submission_files", ("a1.py",)),
    (ASSIGNMENT + "time_zone: Australia/Brisbane\n", "time_zone", "Australia/Brisbane"),
    (
        ASSIGNMENT + 'manual: [{id: style, title: Code style, out_of: 4, clause: "4.6"}, '
        "{id: rest, title: The rest, out_of: 1/2}]\n",
        "manual",
        (
            ManualSlot(id="style", title="Code style", out_of=Fraction(4), clause="4.6"),
            ManualSlot(id="rest", title="The rest", out_of=Fraction(1, 2)),
        ),
    ),
]


@pytest.mark.parametrize(("text", "field", "value"), READ)
def test_it_is_in_the_plan(text: str, field: str, value: object, tmp_path: Path) -> None:
    assignment = load(write(tmp_path, {A: text}), "small").plan.assignment
    assert getattr(assignment, field) == value
    assert assignment.functionality_marks == 6


REFUSED = {
    archive("week3/A3.zip"): "week3/A3.zip is a path. Hint: write the file's name alone.",
    archive("A3.rar"): f"{ENDINGS}, got the text 'A3.rar'.",
    archive("A3"): f"{ENDINGS}, got the text 'A3'.",
    archive(".zip"): f"{ENDINGS}, got the text '.zip'.",
    archive('""'): f"{ENDINGS}, got the text ''.",
    archive("3"): "expected text, got the number 3. Hint: quote it.",
    archive("[A3.zip]"): "expected text, got a list.",
    handed_in("otherwise: revue"): "expected zero or review, got the text 'revue'.",
    **{
        f"{ASSIGNMENT}time_zone: {name}\n": f"there is no time zone {name}. {ZONE}"
        for name in ("Brisbane", "../etc/passwd", "Australia")
    },
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_meant(text: str, tmp_path: Path) -> None:
    with pytest.raises(SpecErrors) as caught:
        load(write(tmp_path, {A: text}), "small")
    (error,) = caught.value.errors
    value = error.split(": ", 2)[2]
    places = {"archive": "4:39: submission.archive", "otherwise": "4:41: submission.otherwise"}
    key = next((key for key in places if key in text), "")
    assert error.startswith(f"{A}:{places.get(key, '9:12: time_zone')}: ")
    assert value.startswith(REFUSED[text])
