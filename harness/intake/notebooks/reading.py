"""Read a notebook as the Python program that its code cells are, from the first to the last.

Text cells become comments, so that people who mark see them. Outputs are not read at all.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import resources

from harness.common.words import counted
from harness.intake.caps import MIB
from harness.intake.entries import Entry, EntryKind, RefusedUpload, listed
from harness.intake.notebooks import outline
from harness.intake.notebooks.magics import plain_cell
from harness.model.notebook import Notebook, NotebookCell
from harness.model.policy import MAX_SOURCE_BYTES, SourceFile

_ENDING = ".ipynb"
MAX_NOTEBOOK_BYTES = 32 * MIB
# The tag of a cell that the handout adds; it does not belong to the program.
SELF_CHECK_TAG = "self-check"
# Python looks for a declared encoding in the first two lines: none of these is the student's.
_FIRST_LINE = "# The code cells of a notebook."
_LINE_END = re.compile(r"\r\n|\r|\n")
_MAX_LINE_OF_TEXT = 500
_MAX_NAMED = 60  # characters of a line that was left out
_FAULTS: dict[object, str] = {
    outline.NOT_JSON: "is not a notebook: its text is not JSON",
    outline.NO_CELLS: "is not a notebook: it has no list of cells",
}


def is_notebook(name: str) -> bool:
    """Return whether a file of this name is a notebook, however it is written."""
    return name.lower().endswith(_ENDING)


def program_name(name: str) -> str:
    """Return the name of the program that a notebook stands for: `a1.py` for `a1.ipynb`."""
    return name[: -len(_ENDING)] + ".py"


def notebook_name(program: str) -> str:
    """Return the name of the notebook that may be handed in for a program."""
    return program.removesuffix(".py") + _ENDING


@dataclass(frozen=True, slots=True)
class NotebookProgram:
    """The program of a notebook, the places of its cells, and notes for its author."""

    file: SourceFile
    notebook: Notebook
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _NotebookCell:
    is_code: bool
    source: str
    tags: tuple[str, ...]
    is_test: bool


@dataclass(slots=True)
class _ProgramWriter:
    """The lines of the program so far, its cells, and the removed lines."""

    lines: list[str]
    cells: list[NotebookCell] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    code_cells: int = 0
    test_cells: list[str] = field(default_factory=list)

    def add(self, cell: _NotebookCell) -> None:
        if SELF_CHECK_TAG in cell.tags:
            return
        lines = _LINE_END.split(cell.source)
        if cell.is_code:
            self._add_code(lines, is_test=cell.is_test)
        elif cell.source.strip():
            self._write("# %% [markdown]", 0, map(_as_comment, lines))

    def _add_code(self, lines: list[str], *, is_test: bool) -> None:
        self.code_cells += 1  # a test too: the student counts it
        if is_test:
            self.test_cells.append(f"cell {self.code_cells}")
            return
        plain = plain_cell(lines)
        for line in plain.left_out:
            self.left_out.append(f"{line[:_MAX_NAMED]} (cell {self.code_cells})")
        self._write(f"# %% cell {self.code_cells}", self.code_cells, plain.lines)

    def _write(self, heading: str, number: int, lines: Iterable[str]) -> None:
        self.lines.append(heading)
        first = len(self.lines) + 1
        self.lines += lines
        self.cells.append(NotebookCell(number=number, first=first, last=len(self.lines)))

    @property
    def data(self) -> bytes:
        return ("\n".join(self.lines) + "\n").encode("utf-8", "surrogatepass")


def _as_comment(line: str) -> str:
    text = line[:_MAX_LINE_OF_TEXT].encode("utf-8", "replace").decode()
    return f"# {text}".rstrip()


def read_notebook(entry: Entry, laid_as: str) -> NotebookProgram:
    """Return the program of a notebook, under the name by which it runs.

    Raise Refused if it cannot be read as one, or its kernel is not Python's.
    """
    name = entry.label
    if entry.kind is not EntryKind.FILE:
        raise RefusedUpload(f"{name} is a {entry.kind.value}, not a file")
    try:
        data = entry.load(MAX_NOTEBOOK_BYTES)
    except RefusedUpload as refusal:
        raise RefusedUpload(f"{name} {refusal}", ours=refusal.ours) from None
    writer = _ProgramWriter([_FIRST_LINE])
    for cell in _cells(name, data):
        writer.add(cell)
    if not writer.code_cells:
        raise RefusedUpload(f"{name} has no code cells")
    program = writer.data
    if len(program) > MAX_SOURCE_BYTES:
        limit = MAX_SOURCE_BYTES // 1024
        raise RefusedUpload(f"the cells of {name} have more than {limit} KiB of text")
    notes = [f"{name} was read as {laid_as}: {counted(writer.code_cells, 'code cell')} in order"]
    if writer.left_out:
        notes.append(f"left out of {name}, because it is not Python: {listed(writer.left_out)}")
    if writer.test_cells:
        cells = listed(writer.test_cells)
        notes.append(f"left out of {name}, because nbgrader marks them as tests: {cells}")
    ends = tuple(cell.last for cell in writer.cells if not cell.is_text)
    return NotebookProgram(
        file=SourceFile(name=laid_as, data=program, cell_ends=ends),
        notebook=Notebook(handed_in=name, file=laid_as, cells=tuple(writer.cells)),
        notes=tuple(notes),
    )


def _cells(name: str, data: bytes) -> Iterator[_NotebookCell]:
    """Yield the cells of a notebook. Raise Refused if it is not a notebook, or not one of
    Python."""
    read = json.loads(_outline(name, data))
    language = read["language"]
    if language and not language.lower().startswith(("python", "ipython")):
        raise RefusedUpload(f"{name} is a notebook of {language[:40]}, not of Python")
    for cell in read["cells"]:
        is_code = cell["cell_type"] == "code"
        yield _NotebookCell(is_code, cell["source"], tuple(cell["tags"]), cell["is_test"])


def _outline(name: str, data: bytes) -> str:
    """Return what `outline.py` prints of a notebook, in a limited process of its own.

    A browser has no processes, and limits the page itself.
    """
    if sys.platform == "emscripten":
        try:
            return outline.outline(data)
        except SystemExit as ended:
            raise _refused(name, ended.code) from None
    text = resources.files(outline.__package__).joinpath("outline.py").read_text("utf-8")
    command = [sys.executable, "-I", "-S", "-c", text]
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=3 * outline.SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise RefusedUpload(f"{name} takes too long to read") from None
    if done.returncode == 0:
        return done.stdout.decode("ascii")
    raise _refused(name, done.returncode)


def _refused(name: str, status: object) -> RefusedUpload:
    """Return the refusal for an exit status of `outline.py`."""
    return RefusedUpload(f"{name} {_FAULTS.get(status, 'is too large to be read as a notebook')}")
