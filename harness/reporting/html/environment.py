"""Sets up the Jinja2 environment, and renders the smallest pieces of a page: a compared line, a
typed key, a student's code.

Program output, file names and texts from the specification are untrusted. They are escaped, and
invisible or reordering characters are made visible. Undefined names in templates are errors. Use
`code` and `block` for the content of elements; templates escape attributes.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from harness.common import escaping, files
from harness.common.escaping import runs, visible
from harness.model.observation import Turn
from harness.model.stimulus import KEY_NAMES, Typed
from harness.model.verdict import Cell, Grid, GridCell, LineEnd, rule_in_words
from harness.policy.rules import finding_kind
from harness.reporting.view import comparisons, figures, own_lines, paste, shown_causes, words
from harness.reporting.view.comparisons import marked_spans, shortened
from harness.reporting.view.own_lines import OwnLine

if TYPE_CHECKING:
    from jinja2 import BaseLoader, BytecodeCache, Environment


def code(text: str, *, spaces: bool = False) -> Markup:
    """Return one line of untrusted text as HTML.

    Escape characters and tabs are marked, and with `spaces` also blanks. CSS draws the signs for
    blanks, so that copying gives the original text.
    """
    return Markup(_code(text, spaces=spaces))


def name_html(name: str) -> Markup:
    """Return a name for a narrow column; it may only wrap after underscores."""
    return Markup("_<wbr>").join(map(code, name.split("_")))


def with_code(text: str) -> Markup:
    """Return a sentence in which text between backticks is shown as code."""
    parts = [escape(visible(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:  # one of them has no partner: it may have been cut off
        return Markup("`").join(parts)
    parts[1::2] = [Markup("<code>{}</code>").format(part) for part in parts[1::2]]
    return Markup("").join(parts)


def block(text: str) -> Markup:
    """Return several lines of untrusted text, for a `<pre>`."""
    lines = [_code(line, spaces=False) for line in text.split("\n")]
    return Markup("\n".join(lines))


def unchanged(text: str) -> Markup:
    """Return text for an input field: escaped, with all characters kept."""
    return Markup(html.escape(text))


# Plain strings are joined before making one Markup: Markup's own methods take a third of the time.
def _code(text: str, *, spaces: bool) -> str:
    parts: list[str] = []
    for part, is_escape in runs(text):
        if is_escape and part == _TAB:
            parts.append(TAB_SIGN)
            continue
        shown = html.escape(part, quote=False)
        if is_escape:
            shown = f'<span class="esc">{shown}</span>'
        elif spaces:
            shown = shown.replace(" ", _SPACE_SIGN)
        parts.append(shown)
    return "".join(parts)


def finalize(value: object) -> object:
    """Convert the value of a template expression for Jinja2.

    Markup passes unchanged, and untrusted text is made visible. Any type other than text, numbers
    and markup is an error in the template.
    """
    if isinstance(value, Markup) or type(value) is int:
        return value
    if isinstance(value, str):
        return visible(str(value))  # a subclass of str could define its own __html__
    from jinja2 import StrictUndefined, Undefined  # noqa: PLC0415  (terminals have no templates)

    if isinstance(value, StrictUndefined):
        return value
    if type(value) is Undefined:  # `x if y` without an else; a missing name is a StrictUndefined
        return ""
    raise TypeError(f"a template may not print a {type(value).__name__}")


_TAB = escaping.escaped("\t")
TAB_SIGN = '<i class="tab">\t</i>'
_SPACE_SIGN = "<i> </i>"
_END_SIGN = '<i class="end"></i>'
ENTER = "⏎"  # displayed if only Enter was typed
_CUT = Markup('<span class="cut">…</span>')
_ENDS = {
    LineEnd.NOTHING: Markup(""),
    LineEnd.SIGN: Markup(_END_SIGN),
    LineEnd.LACKING: Markup('<i class="none">(no line end)</i>'),
}


def cell_html(cell: Cell) -> Markup:
    """Return one side of a compared line as HTML."""
    if cell.note:
        return Markup('<span class="none">{}</span>').format(cell.note)
    shown = Markup("")
    if cell.cut_before:
        shown += _CUT
    done = 0
    for span in marked_spans(cell):
        shown += code(cell.text[done : span.start], spaces=cell.signs)
        shown += _marked(code(cell.text[span.start : span.stop], spaces=True))
        done = span.stop
    rest = cell.text[done:]
    if cell.signs:
        shown += code(rest, spaces=True)
    else:
        shown += block(rest)
    end = _ENDS[cell.end]
    if cell.mark == len(cell.text) and not cell.marks:
        end = _marked(end)
    shown += end
    if cell.cut_after:
        shown += _CUT
    return shown


def grid_cell_html(cell: GridCell) -> Markup:
    """Return one cell of a board as HTML, with signs for blanks; "" for an empty cell."""
    shown = code(cell.text, spaces=True)
    if cell.differs:
        return _marked(shown)
    return shown


def _marked(shown: Markup) -> Markup:
    return Markup(f"<mark>{shown}</mark>")


def key_html(typed: Typed) -> Markup:
    """Return one input as a key cap: its text with visible blanks, or a key's name that is not
    copied.
    """
    if typed.key is not None:
        return Markup('<kbd class="key">{}</kbd>').format(KEY_NAMES[typed.key])
    return Markup(f"<kbd>{code(typed.text, spaces=True)}</kbd>")


def turns_html(turns: Iterable[Turn]) -> Markup:
    """Return turns of a terminal session for a `<pre>`, with typed input (including Enter)
    highlighted.
    """
    parts: list[Markup] = []
    for turn in turns:
        parts.append(block(shortened(turn.printed)))
        if turn.typed is not None:
            parts.append(Markup(f"<b>{code(turn.typed.echo()) or ENTER}</b>\n"))
    shown = Markup("").join(parts)
    if shown.startswith("\n"):
        # HTML ignores a line end directly after <pre>.
        return Markup("\n") + shown
    return shown


_FITS = 28  # characters in a line of code on the narrowest supported screen, 320 pixels
_FITTING_BOARD = 211  # pixels for a board's cells on that screen
_FOCUSABLE = Markup(' tabindex="0"')


def focus(text: str) -> Markup:
    """Return the attribute that makes a code block focusable by keyboard, if it may need
    scrolling.
    """
    widest = max(map(len, escaping.visible_lines(text).split("\n")))
    if widest > _FITS:
        return _FOCUSABLE
    return Markup("")


def focus_grid(board: Grid) -> Markup:
    """Return the attribute that makes a board focusable by keyboard, if it may need scrolling."""
    widths: dict[int, int] = {}  # column widths in characters
    for row in board.rows:
        for place, cell in enumerate(row):
            widths[place] = max(widths.get(place, 0), len(cell.text))
    pixels = 0
    for width in widths.values():
        pixels += max(21, 17 * width // 2 + 8)
    if pixels > _FITTING_BOARD:
        return _FOCUSABLE
    return Markup("")


_SIGNS = (
    (_SPACE_SIGN, "· is a space"),
    (TAB_SIGN, "⇥ a tab"),
    (_END_SIGN, "¬ the end of a line"),
    (f"<b>{ENTER}</b>", f"{ENTER} only Enter"),
)


def signs_used(body: str) -> str:
    """Return the legend for the signs used in a piece of a page; "" if it uses none."""
    used = [meaning for sign, meaning in _SIGNS if sign in body]
    if not used:
        return ""
    if " is " not in used[0]:
        used[0] = used[0].replace(" ", " is ", 1)
    return f"{', '.join(used)}."


def capital(text: str) -> str:
    """Return the text with its first letter capitalized, for headings."""
    return text[:1].upper() + text[1:]


# Our CSS classes, by the first letters of Pygments' short names of token types.
_CLASSES = {"k": "k", "ow": "k", "s": "s", "c": "c", "m": "n", "nf": "f", "nc": "f"}


@functools.cache
def _class_of(kind: str) -> str:
    """Return our CSS class for a Pygments token type; "" for plain text."""
    for start, name in _CLASSES.items():
        if kind.startswith(start):
            return name
    return ""


def source_lines(lines: Sequence[str]) -> list[Markup]:
    """Return Python lines as HTML, with spans for keywords, strings, comments and numbers."""
    try:
        from pygments.lexers.python import PythonLexer  # noqa: PLC0415  (not all pages need it)
        from pygments.token import STANDARD_TYPES  # noqa: PLC0415
    except ModuleNotFoundError:  # in a student's browser, which would have to download it
        return [code(line) for line in lines]

    line: list[_Run] = []
    coloured = [line]
    for _, kind, text in PythonLexer().get_tokens_unprocessed("\n".join(lines)):
        name = _class_of(STANDARD_TYPES.get(kind, ""))
        first, *others = text.split("\n")
        _add_run(line, name, first)
        for part in others:
            line = []
            _add_run(line, name, part)
            coloured.append(line)
    return list(map(_line_html, coloured))


# A CSS class and the text in it.
_Run = tuple[str, str]


def _add_run(line: list[_Run], name: str, text: str) -> None:
    """Append text to a line; it joins the previous run if both have the same CSS class."""
    if line and line[-1][0] == name:
        _, before = line.pop()
        text = before + text
    line.append((name, text))


def _line_html(line: Iterable[_Run]) -> Markup:
    spans = [_span(name, text) for name, text in line]
    return Markup("".join(spans))


def _span(name: str, text: str) -> str:
    shown = str(code(text))
    if not name or not text:
        return shown
    return f'<span class="{name}">{shown}</span>'


_END_INSIDE = escaping.escaped("\n")


def numbered(lines: Sequence[OwnLine]) -> list[tuple[OwnLine, Markup]]:
    """Return the lines of a program, each with its HTML."""
    # A reported line may contain a line end: keep it as one line.
    texts = [line.text.replace("\n", _END_INSIDE) for line in lines]
    if not texts:
        return []
    return list(zip(lines, source_lines(texts), strict=True))


_TEMPLATES = Path(__file__).parent / "templates"
# Submission pages use only the first two files, to keep them small.
_PLAIN = ("submission.html.j2", "feedback.html.j2", "check.html.j2", "web.html.j2")
_SHEETS = {"review.html.j2": ("style.css", "review.css"), **dict.fromkeys(_PLAIN, ("style.css",))}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReader:
    """Everything on a page that depends on its reader: lecturer or student."""

    actual: str
    try_it: str


LECTURER = PageReader(actual="Got", try_it="To see it yourself")
STUDENT = PageReader(actual="Your program", try_it="Try it yourself")


def render(template: str, **context: object) -> str:
    """Return a page as HTML, with the CSS for its kind of page."""
    style, digest = _style(_SHEETS.get(template, ("style.css", "class.css")))
    return environment().get_template(template).render(style=style, style_hash=digest, **context)


# Templates as modules of Python, the only form in which a student's browser has them.
_MODULES = _TEMPLATES / "modules"


@functools.cache
def template_module(name: str) -> tuple[str, str]:
    """Return (file name, source) of a compiled template in `templates/modules`."""
    from jinja2 import ModuleLoader  # noqa: PLC0415

    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    code = environment().compile(text, name, raw=True, defer_init=True)
    return ModuleLoader.get_module_filename(name), code


@functools.cache
def environment() -> Environment:
    """Return the shared Jinja2 environment.

    It escapes all templates; `select_autoescape()` would skip `*.html.j2`.
    """
    # Imported late: the terminal needs no templates.
    from jinja2 import Environment, FileSystemLoader, ModuleLoader, StrictUndefined  # noqa: PLC0415

    loader: BaseLoader = FileSystemLoader(_TEMPLATES)
    if _MODULES.is_dir():
        loader = ModuleLoader(_MODULES)
    pages = Environment(
        loader=loader,
        bytecode_cache=_bytecode_cache(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    pages.globals |= {
        "pieces": sys.modules[__name__],
        "words": words,
        "paste": paste,
        "comparisons": comparisons,
        "shown_causes": shown_causes,
        "own_lines": own_lines,
        "finding_kind": finding_kind,
        "rule_in_words": rule_in_words,
        "shorten": escaping.shorten,
        "share": figures.share,
        "page_name": files.page_name,
    }
    return pages


def _bytecode_cache() -> BytecodeCache:
    """Return the cache of compiled templates, stored next to the templates as Python stores
    compiled modules.

    Without it, each worker compiles them again, which takes 0.25 seconds. If the folder is
    read-only, nothing is cached.
    """
    from jinja2.bccache import Bucket, FileSystemBytecodeCache  # noqa: PLC0415

    class Beside(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            if not sys.dont_write_bytecode:
                with suppress(OSError):
                    super().dump_bytecode(bucket)

    folder = _TEMPLATES / "__pycache__"
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    return Beside(str(folder), f"%s.{sys.implementation.cache_tag}")


@functools.cache
def _style(sheets: tuple[str, ...]) -> tuple[Markup, Markup]:
    """Return the minified CSS and its hash for the page's content security policy."""
    text = Markup("").join(map(_asset, sheets))
    short = re.sub(r"/\*.*?\*/|(?<=[{};,])\s+|(?<!\s)\s+(?=[{}])|(?<=:) ", "", text)
    return Markup(short), _hash(short)


@functools.cache
def script(*names: str) -> dict[str, Markup]:
    """Return a page's script, joined from these files, and its hash for the page's content
    security policy.
    """
    text = Markup("").join(map(_asset, names))
    return {"script": text, "script_hash": _hash(text)}


def _asset(name: str) -> Markup:
    # Our own file, so it may go into the page unescaped, like templates.
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))


def _hash(text: str) -> Markup:
    digest = hashlib.sha256(escaping.encoded(text)).digest()
    return Markup("'sha256-{}'").format(base64.b64encode(digest).decode("ascii"))
