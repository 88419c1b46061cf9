"""The words of an explanation stand in at most two files of tests and goldens, so that rewording a
sentence is a small change: other tests, samples and corpus entries name rules and facts."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

import harness

ROOT = Path(harness.__file__).parents[1]
JUDGING = ROOT / "harness" / "judging" / "explain"
SENTENCES = [
    ROOT / "harness" / "model" / "explanation" / "sentences.py",
    *sorted(JUDGING.rglob("*.py")),
]
MAX_FILES = 2
# A shorter piece, such as "it should be", is everyday English and says nothing.
MIN_WORDS = 3
MIN_LENGTH = 14
# Where wording can be asserted. A submission's own text is no assertion.
ASSERTING = (
    "tests/**/*.py",
    "tests/**/*.txt",
    "tests/**/expect.yaml",
    "tests/reporting/golden/*",
    "tests/reporting/exported/*",
    "submissions/**/expect.yaml",
    "examples/**/expect.yaml",
)
_BETWEEN_TEXTS = re.compile(r"""["']\s*\n\s*[fr]*["']""")
_COMMENT = re.compile(r"^ *#.*", re.MULTILINE)
Texts = Mapping[Path, str]


def constants(source: str) -> Iterator[str]:
    """Yield the texts of a module that are not docstrings, joined as Python joins them."""
    tree = ast.parse(source)
    docstrings: set[ast.expr] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                docstrings.add(first.value)
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and node not in docstrings:
            yield node.value


def pieces_of(source: str) -> Iterator[str]:
    """Yield the fixed parts of a module's sentences that are long enough to be recognised."""
    for text in constants(source):
        piece = " ".join(text.split()).strip(".,:; ")
        if len(piece) >= MIN_LENGTH and len(piece.split()) >= MIN_WORDS:
            yield piece


def words_of(name: str, text: str) -> str:
    """Return what a file of tests says. Python's texts that follow each other are one,
    and a comment asserts nothing."""
    if name.endswith(".py"):
        text = _BETWEEN_TEXTS.sub("", text)
    if name.endswith(".yaml"):
        text = _COMMENT.sub("", text)
    return " ".join(html.unescape(text).split())


@pytest.fixture(scope="module")
def asserting_texts() -> Texts:
    """The text of each file that can assert wording, read once for this module."""
    texts: dict[Path, str] = {}
    for pattern in ASSERTING:
        for path in ROOT.glob(pattern):
            is_submission = path.suffix == ".py" and not (path.parent / "__init__.py").exists()
            if path.is_file() and not is_submission:
                texts[path] = words_of(path.name, path.read_text("utf-8", "replace"))
    return texts


def too_often(pieces: Iterable[str], texts: Texts) -> dict[str, list[str]]:
    """Return the pieces that stand in more than two files, with these files."""
    found: dict[str, list[str]] = {}
    for piece in pieces:
        files = [path.name for path, text in texts.items() if piece in text]
        if len(files) > MAX_FILES:
            found[piece] = sorted(files)
    return found


@pytest.mark.parametrize("path", SENTENCES, ids=lambda path: path.stem)
def test_a_sentence_stands_in_two_files_of_tests_at_most(
    path: Path, asserting_texts: Texts
) -> None:
    assert too_often(pieces_of(path.read_text("utf-8")), asserting_texts) == {}


def test_a_third_file_that_quotes_a_sentence_is_noticed(asserting_texts: Texts) -> None:
    """Whatever kind of file it is."""
    sentences = SENTENCES[0].read_text("utf-8")
    piece = max(pieces_of(sentences), key=len)
    quoting = {
        "test_new.py": f'assert said == ("it {piece[:20]}"\n    "{piece[20:]}.")',
        "expect.yaml": f"explains:\n  - {piece}\n",
        "page.html": f"<p>{piece.replace(' ', chr(10))}</p>",
    }
    texts = {Path(name): words_of(name, text) for name, text in quoting.items()}
    assert too_often([piece], texts) == {piece: sorted(quoting)}
    assert too_often([piece], asserting_texts) == {}


def test_the_sentences_are_found() -> None:
    """A template that is written in another way must not go unsearched."""
    found = {path.stem: len(set(pieces_of(path.read_text("utf-8")))) for path in SENTENCES}
    assert sum(found.values()) > 200
    for module in ("sentences", "endings", "files", "general", "lines", "returning"):
        assert found[module] >= 10
