"""Every entry of the corpus ends as its `expect.yaml` says, and harms nobody."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tests.hostile.hostile_attempt import HERE
from tests.hostile.hostile_entries import LAYERS, Entry, corpus, read_expect
from tests.hostile.hostile_rows import ROWS
from tests.hostile.hostile_stage import Stage, faults


def test_it_ends_as_it_must(stage: Stage, entry: Entry) -> None:
    assert faults(entry, stage.run(entry)) == []


def test_every_row_has_an_entry() -> None:
    assert {row for entry in corpus() for row in entry.expect.rows} == set(ROWS)


def test_every_layer_stops_something() -> None:
    from_files = {entry.expect.layer for entry in corpus()}
    proven_elsewhere = {"namespaces", "uid drop"}  # what others stop too: test_hostile_layers.py
    assert from_files | proven_elsewhere == set(LAYERS)


def test_every_folder_is_an_entry() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir()}
    assert folders - {"course", "__pycache__"} == {entry.name for entry in corpus()}


@pytest.mark.parametrize(
    "text",
    [
        "rows: [1]\nwhat: x\nlayer: landlock\nverdict: failed\n",
        "rows: [1]\nwhat: x\nlayer: landlock\nverdicts: {a/b: {verdict: failed, massage: x}}\n",
        "rows: [101]\nwhat: x\nlayer: landlock\n",
        "rows: [1]\nwhat: x\nlayer: hope\n",
        "rows: [1]\nwhat: x\nlayer: landlock\nverdicts: {a/b: fine}\n",
        "rows: [1]\nwhat: x\nlayer: landlock\nproblem: '('\n",
    ],
)
def test_an_unknown_key_or_word_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        read_expect(text)
