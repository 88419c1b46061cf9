"""`make prose`: counts of phrases that are hard to read at first sight, and lengths of sentences.

Counted are README, CONTRIBUTING, SECURITY, the docs without the decisions, the templates of pages,
and the docstrings, comments and messages of `harness/`. Headings and tables count; code blocks and
text in back quotes do not. `ARGS=--list` shows each place.
"""

import ast
import functools
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOP_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
MAX_PARAGRAPH_LINES = 5
MAX_WORDS = 17.0  # of an average sentence in the docs
MIN_VERB_FIRST = 60.0  # per cent of docstrings


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A pattern that is counted, and how often it may occur."""

    title: str
    pattern: re.Pattern[str]
    most: int


# Each pattern also matches some good sentences, questions for one: the aims leave room for these.
PHRASES = (
    Phrase(
        title="what is/the/it ... as a noun",
        pattern=re.compile(
            r"\b[Ww]hat (is|are|was|were|has|have|had|it|they|the|a|an|this|that|you|can|must|may"
            r"|does|do|each|there|comes|no)\b"
        ),
        most=100,
    ),
    Phrase(
        title="where ... for a condition",
        pattern=re.compile(
            r"\b[Ww]here (it|there|none|no|nothing|this|that|they|one|a|the|each|possible|needed)\b"
        ),
        most=30,
    ),
    Phrase(
        title="fronted 'Of a ...'",
        pattern=re.compile(r"(^|[.;:] )(Of (a|an|the|each|what|who)|In an?)\b", re.MULTILINE),
        most=10,
    ),
    Phrase(title="is no ...", pattern=re.compile(r"\b(is|are|was|were) no\b"), most=10),
    Phrase(
        title="whoever, whatever, wherever",
        pattern=re.compile(r"\b([Ww]ho|[Ww]hat|[Ww]her)ever\b"),
        most=10,
    ),
    Phrase(title="alone", pattern=re.compile(r"\b[Aa]lone\b"), most=10),
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that begin a docstring and are not verbs in the imperative.
_NOT_VERBS = _words(
    "a an the all each every one two some any no this that these those what which who how why when "
    "where if in of for to from by with on at as its it his their our we you and or not only "
    "more most other first last none nothing"
)
_LIKELY_NOUN_ENDINGS = ("s", "tion", "ness", "ment", "ity", "er", "or", "ed", "ing")
_VERBS_DESPITE_ENDING = _words(
    "pass process compress express guess assess focus discuss address answer render order offer "
    "filter register consider enter cover gather remember transfer alter trigger wrap need feed "
    "read embed speed proceed exceed bring string mirror monitor error mention document implement "
    "increment comment function position condition parameter refer prefer number buffer discover "
    "deliver recover uncover wonder hinder lower utter muster color factor anchor"
)


def main() -> None:
    """Print the counts; exit with status 1 if one is above its aim."""
    texts = [*_docs_with_tables(), *_docstrings_and_comments(), *_messages(), *_templates()]
    failed = False
    for phrase in PHRASES:
        failed |= _report_phrase(phrase, texts)
    failed |= _report_sentences(list(_docs()))
    failed |= _report_docstrings()
    sys.exit(failed)


def _report_phrase(phrase: Phrase, texts: list[tuple[str, str]]) -> bool:
    count = 0
    places: list[str] = []
    for name, text in texts:
        for found in phrase.pattern.finditer(text):
            count += 1
            around = text[max(0, found.start() - 30) : found.end() + 40]
            places.append(f"{name}: {' '.join(around.split())}")
    print(f"{phrase.title:32} {count:5}   at most {phrase.most}")
    if "--list" in sys.argv:
        for place in places:
            print("   ", place)
    return count > phrase.most


def _report_sentences(docs: list[tuple[str, str]]) -> bool:
    words = 0
    sentences = 0
    long_paragraphs: list[str] = []
    for name, text in docs:
        for paragraph in _paragraphs(text):
            lines = paragraph.count("\n") + 1
            if lines > MAX_PARAGRAPH_LINES:
                long_paragraphs.append(f"{name}: {paragraph[:60]!r} has {lines} lines")
            for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[])", paragraph):
                counted = len(re.findall(r"[A-Za-z][\w'-]*", sentence))
                if counted > 2:
                    words += counted
                    sentences += 1
    average = words / max(1, sentences)
    print(f"{'words of a sentence in the docs':32} {average:5.1f}   at most {MAX_WORDS:.0f}")
    print(f"{'paragraphs over five lines':32} {len(long_paragraphs):5}   none")
    if "--list" in sys.argv:
        for line in long_paragraphs:
            print("   ", line)
    return average > MAX_WORDS or bool(long_paragraphs)


def _report_docstrings() -> bool:
    starts = [docstring.split()[0] for docstring in _function_docstrings() if docstring.split()]
    verbs = sum(_looks_like_verb(word) for word in starts)
    share = 100 * verbs / max(1, len(starts))
    title = "docstrings of functions that begin with a verb"
    print(f"{title} {share:.0f} % of {len(starts)}, at least {MIN_VERB_FIRST:.0f} %")
    return share < MIN_VERB_FIRST


def _looks_like_verb(word: str) -> bool:
    lowered = word.lower().rstrip(".,:;")
    if not lowered.isalpha() or lowered in _NOT_VERBS:
        return False
    return lowered in _VERBS_DESPITE_ENDING or not lowered.endswith(_LIKELY_NOUN_ENDINGS)


def _docs() -> Iterator[tuple[str, str]]:
    for name, markdown in _pages():
        yield name, _only_paragraphs(markdown)


def _docs_with_tables() -> Iterator[tuple[str, str]]:
    for name, markdown in _pages():
        yield name, re.sub(r"`[^`\n]*`", "`x`", _without_code(markdown))


def _pages() -> Iterator[tuple[str, str]]:
    for name in (*TOP_PAGES, *_tracked("docs/*.md", "docs/**/*.md")):
        if not name.startswith("docs/decisions/"):
            yield name, (ROOT / name).read_text("utf-8")


def _without_code(markdown: str) -> str:
    return re.sub(r"^ *```.*?^ *```", "", markdown, flags=re.MULTILINE | re.DOTALL)


def _only_paragraphs(markdown: str) -> str:
    text = _without_code(markdown)
    lines = []
    for line in text.split("\n"):
        if not line.lstrip().startswith(("|", "!", "#")):
            lines.append(line.removeprefix(">"))  # a quotation has paragraphs, too
    return re.sub(r"`[^`\n]*`", "`x`", "\n".join(lines))


def _paragraphs(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)", text):
        if block.strip():
            yield block.strip()


def _docstrings_and_comments() -> Iterator[tuple[str, str]]:
    for name in _tracked("harness/*.py", "harness/**/*.py"):
        text = (ROOT / name).read_text("utf-8")
        for docstring in _all_docstrings(_tree(name)):
            yield name, re.sub(r"`[^`]*`", "`x`", docstring)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield name, re.sub(r"`[^`]*`", "`x`", token.string.lstrip("# "))


@functools.cache
def _tree(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text("utf-8"))


def _messages() -> Iterator[tuple[str, str]]:
    """Yield the texts of several words in the code, which are messages, titles or help."""
    for name in _tracked("harness/*.py", "harness/**/*.py"):
        tree = _tree(name)
        docstrings = set(_docstring_nodes(tree))
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and node not in docstrings and " " in node.value.strip():
                yield name, node.value


def _docstring_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr):
            yield first.value


def _templates() -> Iterator[tuple[str, str]]:
    for name in _tracked("harness/**/*.j2", "harness/**/*.js", "harness/**/*.css"):
        yield name, (ROOT / name).read_text("utf-8")


def _all_docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield docstring


def _function_docstrings() -> Iterator[str]:
    for name in _tracked("harness/*.py", "harness/**/*.py"):
        for node in ast.walk(_tree(name)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = ast.get_docstring(node)
                if docstring:
                    yield docstring


def _tracked(*patterns: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return sorted({name for name in listed.stdout.split("\0") if name})


if __name__ == "__main__":
    main()
