"""Results that stay in the database until they are asked for."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.model.result import RunResult
from harness.results import STORE_NAME, Store
from tests.results.small_run import FACTS, PLAN, result


def stored(folder: Path, *names: str, text: str = "") -> RunResult:
    """A run of these submissions, its store closed."""
    with Store.open(folder / STORE_NAME) as store:
        store.begin(FACTS, PLAN)
        for name in names:
            store.save(replace(result(name), comment=text), {}, {})
        return store.run()


def test_it_is_read_as_often_as_asked_also_when_the_store_is_closed(tmp_path: Path) -> None:
    found = stored(tmp_path, "eve", "ada", "kim").submissions
    assert [one.id for one in found] == ["ada", "eve", "kim"]
    assert len(found) == 3
    assert (found[0], found[-1]) == (result("ada"), result("kim"))
    assert found[1:] == (result("eve"), result("kim"))
    assert tuple(found) == found
    assert found != (result("ada"),)
    with pytest.raises(IndexError):
        found[3]


def test_another_run_over_it_is_never_taken_for_it(tmp_path: Path) -> None:
    found = stored(tmp_path, "ada", "eve").submissions
    with Store.open(tmp_path / STORE_NAME) as store:
        store.keep_only(["ada"])
    assert found[0] == result("ada")
    with pytest.raises(UserError, match="another run has been written here"):
        list(found)
    with Store.open(tmp_path / STORE_NAME) as store:
        store.begin(replace(FACTS, started="another day"), PLAN)
    with pytest.raises(UserError, match="another run has been written here"):
        found[0]


def test_none_is_held(tmp_path: Path) -> None:
    large = 200_000
    names = [f"s{number:02}" for number in range(40)]
    found = stored(tmp_path, *names, text="x" * large).submissions
    tracemalloc.start()
    try:
        assert sum(len(one.comment) for one in found) == 40 * large
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * large
