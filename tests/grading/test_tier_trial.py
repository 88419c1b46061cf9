"""The last trial of a tier is used while nothing has changed, and only this user's own."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.execution import Interpreter, find_interpreter
from harness.grading.context import recalled_tier

BOOTED = Path("/proc/sys/kernel/random/boot_id").exists()
pytestmark = pytest.mark.skipif(not BOOTED, reason="nothing names the start of this kernel")


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    return find_interpreter("3.12")


@pytest.fixture(scope="module")
def cache(interpreter: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    recalled_tier(interpreter, folder)
    return folder


def marked(cache: Path) -> Path:
    """The one file in the cache, changed so that a recalled trial is told from a new one."""
    (path,) = (cache / "tiers").iterdir()
    text = path.read_text(encoding="utf-8")
    if "recalled" not in text:
        with path.open("w", encoding="utf-8") as file:
            file.write(text.replace('"input_mechanism":"', '"input_mechanism":"recalled '))
    return path


def test_it_is_recalled_while_nothing_changes(interpreter: Interpreter, cache: Path) -> None:
    path = marked(cache)
    assert path.stat().st_mode & 0o777 == 0o600
    assert recalled_tier(interpreter, cache).input_mechanism.startswith("recalled")


def test_what_others_could_have_written_is_not_believed(
    interpreter: Interpreter, cache: Path
) -> None:
    path = marked(cache)
    for place, mode in ((path, 0o606), (path.parent, 0o777)):
        before = place.stat().st_mode
        text = path.read_text(encoding="utf-8")
        place.chmod(mode)
        assert not recalled_tier(interpreter, cache).input_mechanism.startswith("recalled")
        place.chmod(before)
        path.write_text(text, encoding="utf-8")


def test_another_build_and_another_search_path_are_tried_anew(
    interpreter: Interpreter, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = marked(cache)
    text = path.read_text(encoding="utf-8")
    other = recalled_tier(replace(interpreter, build="another"), cache)
    assert not other.input_mechanism.startswith("recalled")
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("PATH", "/usr/bin" if os.environ["PATH"] != "/usr/bin" else "/bin")
    assert not recalled_tier(interpreter, cache).input_mechanism.startswith("recalled")
