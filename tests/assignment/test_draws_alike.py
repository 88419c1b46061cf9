"""The same request gives the same draws, whatever modules the recording program has loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from harness.assignment.scenarios.draws import load_module
from harness.assignment.scenarios.draws import draw
from harness.assignment.scenarios.draws import DrawRequest
{extra}
folder = Path(sys.argv[1])
request = DrawRequest(kind="sample", source="s.any_text", count=40, seed=3,
                  constants=(), generator="")
print(draw(request, load_module(folder, "s.py").any_text))
"""


@pytest.mark.process
def test_loaded_modules_do_not_change_the_draws(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(
        "from hypothesis import strategies as st\n"
        "def any_text():\n"
        "    return st.fixed_dictionaries({'word': st.text(), 'number': st.integers()})\n"
    )
    (tmp_path / "loaded.py").write_text("WORDS = ['zebra', 'quagga']\nNUMBER = 987654321\n")
    plain = _printed(tmp_path, "")
    crowded = _printed(
        tmp_path,
        "sys.path.insert(0, sys.argv[1]); import loaded, harness.cli.commands.grade",
    )
    assert plain == crowded


def _printed(folder: Path, extra: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(extra=extra), str(folder)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
