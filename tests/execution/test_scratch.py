"""Directories of our own: one that a killed process left is removed, one in use is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.execution.folder import remove_tree, scratch_directory

_HOLDER = """
import sys
if "without locks" in sys.argv: sys.modules["fcntl"] = None
from harness.execution.folder import scratch_directory
with scratch_directory() as path:
    (path / "left").write_text("")
    print(path, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that has a directory, below `tmp_path`."""
    return _holder(tmp_path)


def _holder(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _HOLDER, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )


def test_what_a_killed_process_left_is_removed_by_the_next(
    holder: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with holder:
        assert holder.stdout is not None
        theirs = Path(holder.stdout.readline().strip())
        with scratch_directory() as ours:
            assert ours.is_dir()
            assert (theirs / "left").exists(), "it is in use"
        assert not ours.exists()
        holder.kill()
    with scratch_directory() as ours:
        assert list(tmp_path.iterdir()) == [ours]


_STOPPED = """
import os, signal, sys
from harness.execution import folder
def stop(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit()
def count(frame, event, argument):
    global lines
    if frame.f_code.co_filename != folder.__file__:
        return None
    if event == "line":
        lines += 1
        if lines == last:
            signal.raise_signal(signal.SIGTERM)
    return count
for last in range(1, 200):
    lines = 0
    signal.signal(signal.SIGTERM, stop)
    sys.settrace(count)
    try:
        with folder.scratch_directory() as path:
            (path / "left").write_text("")
        break
    except SystemExit:
        pass
    finally:
        sys.settrace(None)
    assert not os.listdir(os.environ["TMPDIR"]), last
print(last)
"""


def test_a_signal_at_any_line_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _STOPPED]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    assert 30 < int(ended.stdout) < 199, "it went through all lines"


def test_a_process_without_locks_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with _holder(tmp_path, "without locks") as holder:
        assert holder.stdout is not None
        theirs = Path(holder.stdout.readline().strip())
        with scratch_directory():
            assert (theirs / "left").exists()
        holder.communicate()
    assert not list(tmp_path.iterdir())


def test_only_our_own_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "scenario-notes").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("", "utf-8")
    (tmp_path / "harness-scenario-link").symlink_to(elsewhere)
    with scratch_directory():
        pass
    assert (elsewhere / "kept").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "elsewhere",
        "harness-scenario-link",
        "scenario-notes",
    ]


@pytest.mark.parametrize(("name", "levels"), [("d", 3000), ("d" * 250, 40)])
def test_a_folder_is_removed_however_deep_it_is(tmp_path: Path, name: str, levels: int) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (top / "link").symlink_to(tmp_path)
    (tmp_path / "stays").write_text("x")
    at = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.mkdir("closed", mode=0, dir_fd=at)
    os.close(at)
    remove_tree(top)
    assert not top.exists()
    assert (tmp_path / "stays").read_text() == "x"
