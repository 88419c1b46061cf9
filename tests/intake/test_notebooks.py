"""Notebooks that are handed in for Python files: which is taken, and what becomes of its cells."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.intake.notebooks.magics import plain_cell
from harness.intake.notebooks.reading import MAX_NOTEBOOK_BYTES
from harness.intake.pipeline import read
from harness.model.notebook import CellLine, CellPart, LineNames, NotebookCell
from harness.model.submission import Submission
from tests import plans
from tests.downloads import laid
from tests.notebooks import code, nbgrader, notebook, text

pytestmark = pytest.mark.process  # a process of its own reads each

A1 = plans.assignment(takes_notebooks=True)
TWO = replace(A1, submission_files=("a1.py", "a2.py"))
F = "def f():\n    return 1"
ONE_CELL = notebook(code(F))

# The source of a cell, and what is run of it; other lines stay.
LEFT_OUT = {
    "%matplotlib inline": "# %matplotlib inline",
    "!pip install numpy": "# !pip install numpy",
    "pip install numpy": "# pip install numpy",
    "?len": "# ?len",
    "len??": "# len??",
    "files = !ls": "files = None  # !ls",
    "t = %timeit -o f()": "t = None  # %timeit -o f()",
    "if x:\n    !ls\n    y = 1": "if x:\n    pass  # !ls\n    y = 1",
    "%%bash\nls\n\npwd": "# %%bash\n# ls\n#\n# pwd",
    "%%time\nx = 1": "# %%time\nx = 1",
    "\n%%html\n<b>": "#\n# %%html\n# <b>",
}
KEPT = [
    "x = 5 % 3",
    "x = (5\n% 3)",
    "x = 5 \\\n% 3",
    'x = """\n%matplotlib\n!ls\n"""\ny = 1',
    "x = '''a\\'''\n!ls '''",
    "x != y",
    "x = [  # a bracket (\n    '[',\n!ls\n]",
    "def f():\n    'a %s'\n    return '%d' % 3",
    "pip = conda",
]


@pytest.mark.parametrize(("source", "run"), LEFT_OUT.items(), ids=LEFT_OUT)
def test_lines_that_only_jupyter_understands_are_left_out_in_place(source: str, run: str) -> None:
    cell = plain_cell(source.split("\n"))
    assert "\n".join(cell.lines) == run
    assert cell.left_out


@pytest.mark.parametrize("source", KEPT)
def test_python_stays_as_it_is(source: str) -> None:
    cell = plain_cell(source.split("\n"))
    assert ("\n".join(cell.lines), cell.left_out) == (source, ())


def submitted(path: Path, files: dict[str, bytes] | bytes, assignment: object = A1) -> Submission:
    if isinstance(files, bytes):
        files = {"a1.ipynb": files}
    laid({f"ann/{name}": data for name, data in files.items()}, path)
    laid({"zoe/a1.py": b""}, path)
    submission, _ = read((path,), assignment)  # type: ignore[arg-type]
    return submission


def test_code_cells_in_order_are_the_program(tmp_path: Path) -> None:
    data = notebook(
        text("# Title\ncoding: utf-16"),
        code("%time\nx = 1"),
        code(""),
        text(" "),
        code(f"{F}\r\n"),
        code("!python selfcheck.pyz a1.ipynb", "self-check"),
    )
    submission = submitted(tmp_path, data)
    (file,) = submission.files
    assert file.name == "a1.py"
    assert file.data.decode() == (
        "# The code cells of a notebook.\n"
        "# %% [markdown]\n# # Title\n# coding: utf-16\n"
        "# %% cell 1\n# %time\nx = 1\n"
        "# %% cell 2\n\n"
        f"# %% cell 3\n{F}\n\n"
    )
    assert submission.notes == (
        "a1.ipynb was read as a1.py: 3 code cells in order",
        "left out of a1.ipynb, because it is not Python: %time (cell 1)",
    )
    assert submission.notebook is not None
    assert submission.notebook.cells == (
        NotebookCell(number=0, first=3, last=4),
        NotebookCell(number=1, first=6, last=7),
        NotebookCell(number=2, first=9, last=9),
        NotebookCell(number=3, first=11, last=13),
    )
    assert file.cell_ends == (7, 9, 13)
    as_program = replace(submission, files=(replace(file, cell_ends=()),))
    assert as_program.digest != submission.digest  # it runs in another way
    names = LineNames(submission.notebook)
    assert names.place("a1.py", 12) == CellLine(line=12, cell=3, line_in_cell=2)
    assert names.lines("a1.py", 1, 13) == "line 1 of cell 1 to line 3 of cell 3"
    assert names.lines("a1.py", 2, 4) == "lines 2 to 4"
    parts = [names.part("a1.py", line) for line in (1, 2, 4, 5, 6, 7)]
    text_parts = [CellPart.TEXT_HEADING, CellPart.TEXT]
    assert parts == [None, *text_parts, CellPart.HEADING, CellPart.FIRST_LINE, None]
    assert names.part("x.py", 5) is None
    assert names.place("a1.py", 3) is names.place("a1.py", 10) is names.place("x.py", 12) is None


def test_cells_with_tests_of_nbgrader_are_left_out_and_still_counted(tmp_path: Path) -> None:
    data = notebook(
        nbgrader(F, grade=False, solution=True),
        nbgrader("import nose\nassert f() == 2", grade=True, solution=False),
        nbgrader("answer = f()", grade=True, solution=True),
        nbgrader("f()", grade=False, solution=False),
    )
    submission = submitted(tmp_path, data)
    (file,) = submission.files
    program = file.data.decode()
    assert "nose" not in program
    assert program.endswith("# %% cell 3\nanswer = f()\n# %% cell 4\nf()\n")
    assert submission.notes[1:] == (
        "left out of a1.ipynb, because nbgrader marks them as tests: cell 2",
    )


DEEP = b"[" * 200_000
UNREADABLE: dict[str, bytes] = {
    "a1.ipynb has no code cells": notebook(text("Only a text.")),
    "a1.ipynb is a notebook of R, not of Python": notebook(code("x <- 1"), language="R"),
    "a1.ipynb is not a notebook: it has no list of cells": b'{"cells": 3}',
    "a1.ipynb is not a notebook: its text is not JSON": ONE_CELL[:-3],
    "a1.ipynb is larger than 32768 KiB": bytes(MAX_NOTEBOOK_BYTES + 1),
    "the cells of a1.ipynb have more than 512 KiB of text": notebook(code("#" * 600_000)),
}


@pytest.mark.parametrize(("problem", "data"), UNREADABLE.items(), ids=UNREADABLE)
def test_each_fault_is_one_sentence(problem: str, data: bytes, tmp_path: Path) -> None:
    assert submitted(tmp_path, data).problem == problem


@pytest.mark.parametrize("data", [DEEP, b'{"cells": ' + DEEP, b"[]", b"\xff\xfe", b"", b"null"])
def test_no_bytes_are_a_fault_of_ours(data: bytes, tmp_path: Path) -> None:
    problem = submitted(tmp_path, data).problem
    assert problem.startswith("a1.ipynb is not a notebook: ")


ODD = [
    {"cell_type": "code", "source": 3},
    {"cell_type": ["code"], "source": "x"},
    {"source": "x"},
    {},
    {"cell_type": "code", "source": ["a", 1, None], "metadata": {"tags": [1]}},
]


def test_odd_cells_are_read_as_far_as_they_hold_something(tmp_path: Path) -> None:
    data = json.dumps({"cells": [*ODD, 1, None, "x"], "metadata": []}).encode()
    (file,) = submitted(tmp_path, data).files
    assert file.lines[-2:] == ["# %% cell 3", "a"]


def test_cells_of_version_3_are_read(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "language": "python", "input": [F]}
    data = json.dumps({"worksheets": [{"cells": [cell]}], "nbformat": 3}).encode()
    (file,) = submitted(tmp_path, data).files
    assert file.data.decode().endswith(f"# %% cell 1\n{F}\n")


def test_twenty_megabytes_of_outputs_are_ignored(tmp_path: Path) -> None:
    cell = code(F)
    cell["outputs"][0]["text"] = "y" * 20_000_000
    (file,) = submitted(tmp_path, notebook(cell)).files
    assert len(file.data) < 100


@pytest.mark.release
def test_a_notebook_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    data = b'{"cells": [' + b",".join([b'{"a":[[]]}'] * 2_900_000) + b"]}"
    assert submitted(tmp_path, data).problem == "a1.ipynb is too large to be read as a notebook"


TAKEN: dict[str, dict[str, bytes]] = {
    "a1.ipynb": {"a1.ipynb": ONE_CELL},
    "a1 (1).ipynb": {"a1 (1).ipynb": ONE_CELL, "notes.txt": b""},
    "A1.ipynb": {"A1.ipynb": ONE_CELL},
    "hw/a1.ipynb": {"hw/a1.ipynb": ONE_CELL, "hw/.ipynb_checkpoints/a1-checkpoint.ipynb": b"{"},
}


@pytest.mark.parametrize(("label", "files"), TAKEN.items(), ids=TAKEN)
def test_a_notebook_is_found_as_a_program_is(
    label: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    submission = submitted(tmp_path, files)
    assert submission.notebook is not None
    assert (submission.problem, submission.notebook.handed_in) == ("", label)


def test_a_program_beside_its_notebook_is_taken(tmp_path: Path) -> None:
    submission = submitted(tmp_path, {"a1.ipynb": b"{", "a1.py": b"x = 1\n"})
    assert [file.data for file in submission.files] == [b"x = 1\n"]
    assert submission.notebook is None


def test_several_notebooks_are_for_a_person(tmp_path: Path) -> None:
    other = notebook(code("x = 2"))
    submission = submitted(tmp_path, {"a1 (1).ipynb": ONE_CELL, "a1 (2).ipynb": other})
    assert submission.problem == ("found a1 (1).ipynb and a1 (2).ipynb, expected one file a1.py")


def test_a_notebook_named_after_its_student_is_taken(tmp_path: Path) -> None:
    laid({"class/ann.ipynb": ONE_CELL, "class/bob.py": b"x = 1\n"}, tmp_path)
    found = {each.id: each for each in read((tmp_path / "class",), A1)}
    assert sorted(found) == ["ann", "bob"]
    assert found["ann"].problem == ""
    assert found["ann"].notebook is not None


def test_a_notebook_is_refused_where_none_is_taken(tmp_path: Path) -> None:
    submission = submitted(tmp_path, ONE_CELL, replace(A1, takes_notebooks=False))
    assert submission.problem == "found a1.ipynb, expected a1.py"


def test_each_of_several_files_may_be_a_notebook(tmp_path: Path) -> None:
    files = {"a1.ipynb": ONE_CELL, "a2.py": b"y = 1\n"}
    submission = submitted(tmp_path, files, TWO)
    assert [file.name for file in submission.files] == ["a1.py", "a2.py"]
    assert submission.notebook is None  # lines are those of the program
