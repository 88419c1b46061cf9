"""The environment of the templates: all text is escaped and made visible, no name is undefined."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from harness.common import escaping, files
from harness.common.rounding import rounded
from harness.model.rule_words import rule_in_words
from harness.policy import finding_kind
from harness.reporting.html import pieces
from harness.reporting.view import (
    comparisons,
    figures,
    paste,
    scenario_lists,
    shown_causes,
    words,
)

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

_TEMPLATES = Path(__file__).parent / "templates"
# Every submission has these two: what only other pages need would be repeated in each.
_OF_ONE = ("submission.html.j2", "feedback.html.j2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The words that depend on who reads the page."""

    expected: str
    actual: str
    try_it: str
    points: bool


LECTURER = Reader(expected="Expected", actual="Got", try_it="To see it yourself", points=True)
STUDENT = Reader(expected="Expected", actual="Your program", try_it="Try it yourself", points=False)


def render(template: str, **context: object) -> str:
    """A page as HTML text, with the style that its kind of page needs."""
    style, digest = _style(of_class=template not in _OF_ONE)
    page = environment().get_template(template)
    return page.render(style=style, style_hash=digest, **context)


@functools.cache
def environment() -> Environment:
    """The one environment. `select_autoescape()` would leave `*.html.j2` unescaped."""
    # Only now: what is shown in a terminal needs no templates.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    found = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        bytecode_cache=_bytecode_cache(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=pieces.finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.globals |= {
        "words": words,
        "finding_kind": finding_kind,
        "paste": paste,
        "of_missing_file": shown_causes.of_missing_file,
        "own_lines_of": shown_causes.own_lines,
        "marked_lines": shown_causes.marked_lines,
        "outcomes": scenario_lists.outcomes,
        "comparisons": comparisons.comparisons,
        "first_difference": comparisons.first_difference,
        "folded": comparisons.folded,
        "rule_in_words": rule_in_words,
        "sentence": shown_causes.sentence,
        "other_symptoms": shown_causes.other_symptoms,
        "rounded": rounded,
        "block_html": pieces.block,
        "cell_html": pieces.cell_html,
        "grid_cell_html": pieces.grid_cell_html,
        "source_html": pieces.numbered,
        "key_html": pieces.key_html,
        "turns_html": pieces.turns_html,
        "points_text": pieces.points_text,
        "side_lines": comparisons.side_lines,
        "signs_used": pieces.signs_used,
        "capital": pieces.capital,
        "shorten": escaping.shorten,
        "share": figures.share,
        "page_name": files.page_name,
    }
    return found


def _bytecode_cache() -> BytecodeCache:
    """Compiled templates beside ours, as Python keeps compiled modules: each worker of each run
    would compile them again for a quarter of a second, and does where they cannot be written."""
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
def _style(*, of_class: bool) -> tuple[Markup, Markup]:
    """The style sheet in short, and its hash for the page's policy."""
    text = _asset("style.css") + (_asset("class.css") if of_class else "")
    short = re.sub(r"/\*.*?\*/|(?<=[{};,])\s+|\s+(?=[{}])|(?<=:) ", "", text)
    return Markup(short), _hash(short)


@functools.cache
def sorting() -> dict[str, Markup]:
    """The class page's one script, and its hash for the page's policy."""
    script = _asset("sort.js")
    return {"script": script, "script_hash": _hash(script)}


def _asset(name: str) -> Markup:
    # Our own file, and so the one text besides our templates that is put into a page unchanged.
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))


def _hash(text: str) -> Markup:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return Markup("'sha256-{}'").format(base64.b64encode(digest).decode("ascii"))
