"""A notebook that is handed out, filled in, checked by its author and graded."""

import json
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.model.policy import SourceFile
from harness.packaging.notebook import as_notebook, notebook_of
from tests import plans
from tests.downloads import laid
from tests.notebooks import code, text
from tests.packaging.given_away import Check, packed
from tests.tiny_course import FIXTURE, Course

STUB = SourceFile(
    name="a1.py", data=b'"""Till"""\n\nimport math\nX = 1\n\n\n@f\ndef g():\n    ...\n'
)


def test_each_function_has_a_cell_and_the_last_one_checks() -> None:
    file = as_notebook(STUB, "Till", "python selfcheck.pyz")
    assert file.name == "a1.ipynb"
    title, *cells = json.loads(file.data)["cells"]
    assert "".join(title["source"]).startswith("# Till\n")
    sources = ["".join(cell["source"]) for cell in cells]
    assert sources == [
        "import math\nX = 1",
        "@f\ndef g():\n    ...",
        "!python selfcheck.pyz a1.ipynb",
    ]


@pytest.mark.parametrize(
    ("stubs", "taken"), [((STUB, STUB), True), ((STUB,), False)], ids=["two files", "none taken"]
)
def test_only_one_file_can_be_a_notebook(stubs: tuple[SourceFile, ...], taken: bool) -> None:
    with pytest.raises(UserError):
        notebook_of(stubs, plans.assignment(takes_notebooks=taken), "python selfcheck.pyz")


RAISED = "a1.ipynb, line 1 of cell 2 raised NotImplementedError (to do)"


def filled_in(handed_out: bytes) -> str:
    """The notebook with the reference's text in its only cell of code, with a mistake, and a
    cell before it that raises an exception."""
    program = (FIXTURE / "reference/tiny/a1.py").read_text("utf-8")
    notebook = json.loads(handed_out)
    title, *cells, check = notebook["cells"]
    assert check["metadata"]["tags"] == ["self-check"]
    first, rest = program.split("def total", 1)
    wrong = ("def total" + rest).replace("return result", "return result + 1")
    cells[0]["source"] = f"%matplotlib inline\n{first}"
    cells[1]["source"] = wrong
    unfinished = code("raise NotImplementedError('to do')")
    words = text("My <b>best</b> work.")
    notebook["cells"] = [title, cells[0], words, unfinished, cells[1], check]
    return json.dumps(notebook)


@pytest.mark.process
def test_lines_are_told_by_cell_to_the_student_and_to_the_lecturer(
    course: Course, tmp_path: Path, selfcheck_here: Check
) -> None:
    course.ok("handout", "tiny", "--notebook", "-o", "a1.zip")
    files = packed(course.path("a1.zip").read_bytes())
    assert "python3 selfcheck.pyz a1.ipynb" in files["README.txt"].decode()
    laid(files, tmp_path)
    work = filled_in(files["a1.ipynb"])
    (tmp_path / "a1.ipynb").write_text(work, "utf-8")
    told = selfcheck_here("a1.ipynb", cwd=tmp_path)
    assert "look at total: a1.ipynb, lines 1 to 6 of cell 3" in told.out
    assert "note: left out of a1.ipynb, because it is not Python: %matplotlib" in told.err
    assert f"note: {RAISED}" in told.err
    assert "another name may cost all marks" not in told.err
    course.write("class/ann/a1.ipynb", work)
    course.ok("grade", "class")
    page = (course.report / "submissions/ann.html").read_text("utf-8")
    assert "lines 1 to 6 of cell 3</a>" in page
    assert f"{RAISED}: the rest of that cell did not run" in page
    assert "My &lt;b&gt;best&lt;/b&gt; work." in page
    shown = course.ok("show", "reports/tiny", "ann").out
    assert "a1.ipynb, lines 1 to 6 of cell 3" in shown
