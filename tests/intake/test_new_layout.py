"""A new platform is one file in the package of platforms."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.intake import platforms
from harness.intake.recognising import layout_names
from tests.intake.cohorts import by_id, cohort, source_of

TOY = '''
"""A toy: `<id>@<file>`."""

import re

from harness.intake.platforms import Layout, Times
from harness.intake.uploads import attempt_at, student, students_of, upload_of


def _read(place, named, assignment):
    pieces = []
    for each in named:
        attempt = attempt_at(place, each.entry, each.match["file"], each.entry.name)
        pieces.append(upload_of(student(each.match["who"]), attempt))
    return students_of(pieces)


LAYOUT = Layout(
    name="Toy",
    order=50,
    example="1234@a1.py",
    times=Times.NONE,
    match=lambda entry: re.fullmatch("(?P<who>.+)@(?P<file>.+)", entry.name),
    read=_read,
)
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "toy.py").write_text(TOY)
    monkeypatch.setattr(platforms, "__path__", [*platforms.__path__, str(folder)])
    platforms.known_layouts.cache_clear()
    yield
    sys.modules.pop(f"{platforms.__name__}.toy")
    platforms.known_layouts.cache_clear()


@pytest.mark.usefixtures("toy")
def test_a_platform_is_one_file(tmp_path: Path) -> None:
    download = tmp_path / "download"
    download.mkdir()
    for who in ("7", "8"):
        (download / f"{who}@a1.py").write_text(who)
    assert "toy" in layout_names()
    for asked in (None, "toy"):
        found = cohort(download, layout=asked)
        assert found.facts.layouts == ("Toy",)
        assert {name: source_of(each) for name, each in by_id(found).items()} == {
            "7": "7",
            "8": "8",
        }


def test_the_platforms_that_are_known() -> None:
    in_order = ["Gradescope", "Moodle", "Blackboard", "Brightspace", "Canvas"]
    assert [layout.name for layout in platforms.known_layouts()] == in_order
    assert layout_names() == (*sorted(map(str.lower, in_order)), "plain")
