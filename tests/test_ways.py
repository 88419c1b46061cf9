"""The ways of facts that docs/architecture.md lists are those that they take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ways import WAYS, Way, listed, traced


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.title)
def test_the_document_lists_every_type_that_holds_it(way: Way, tmp_path: Path) -> None:
    types = traced(way, tmp_path)
    assert sorted(types) == sorted(listed(way.title)), "python -m tests.ways --write"
