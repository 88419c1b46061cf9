"""A page as a browser's parser sees it, a terminal's text, a file as it should be, a refusal."""

import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from harness.common.errors import UserError

VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "rect", "wbr"})
ELEMENTS = """
    a article b bdi body br code dd details div dl dt footer g h1 h2 h3 h4 head header html i
    kbd li main mark meta nav ol p pre rect script section small span style summary svg table
    tbody td text tfoot th thead title tr ul wbr
"""
ATTRIBUTES = """
    aria-hidden aria-label aria-labelledby charset class colspan content data-cause data-causes
    data-base data-comment data-find data-high data-kind data-low data-noun data-state data-tag
    data-tags fill fill-opacity focusable font-size height hidden open preserveaspectratio value
    href http-equiv id lang name role scope stroke stroke-opacity tabindex viewbox width x y
"""


JUMPS = (
    "#table",
    "#wrong",
    "#lost",
    "#spread",
    "#fails",
    "#faults",
    "#doubt",
    "#similar",
    "#issues",
    "#about",
    "#functions",
)


BEGINNINGS = (
    *("../", "./", "submissions/", "marks/", "similarity/"),
    *("#cause-", "#L", "#F", "#s1", "#s2"),
)


class Page(HTMLParser):
    """Every element with its attributes, the text outside style and script, and the balance."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.sources: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    @property
    def text(self) -> str:
        """All text a reader can get at."""
        return "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs))
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.sources.append((self.open[-1], data))
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def assert_inert(html: str, scripts: int | None = 0) -> Page:
    """The page has only our own elements and attributes, all balanced, and loads nothing."""
    page = Page(html)
    assert not page.open
    assert not page.comments
    for tag, attributes in page.elements:
        assert tag in ELEMENTS.split(), tag
        assert attributes.keys() <= set(ATTRIBUTES.split()), (tag, attributes)
        href = attributes.get("href")
        if href is not None:
            if href.startswith("mailto:?subject="):
                continue
            own = ("#content", "#rows", "marks.csv", "index.html", "study.html", *JUMPS)
            is_pair = re.fullmatch(r"[0-9]+\.html(#s1-m1)?", href) is not None
            assert href in own or is_pair or href.startswith(BEGINNINGS), href
            assert ":" not in href
    found = [kind for kind, _ in page.sources].count("script")
    assert found == (min(found, 1) if scripts is None else scripts)
    assert [kind for kind, _ in page.sources].count("style") == 1
    assert "@import" not in html
    assert "url(" not in html
    return page


def words_of(html: str, scripts: int | None = None) -> str:
    """All text of an inert page, its blanks as one."""
    return " ".join(assert_inert(html, scripts).text.split())


def on_terminal(shown: RenderableType, width: int = 100) -> str:
    """What a terminal without colours shows, without blanks at the ends of lines."""
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(shown)
    return without_blanks(capture.get())


def without_blanks(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def without_style(page: str) -> str:
    """The page without its style sheet and the sheet's hash: neither belongs to one page alone."""
    page = re.sub("<style>.*?</style>", "<style></style>", page, flags=re.DOTALL)
    return re.sub("style-src 'sha256-[^']*'", "style-src 'sha256-…'", page)


def assert_golden(path: Path, made: str | bytes) -> None:
    """The file is as made; with UPDATE_GOLDEN in the environment it is written anew."""
    data = made.encode() if isinstance(made, str) else made
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(data)
    assert path.read_bytes().decode(errors="surrogateescape") == data.decode(
        errors="surrogateescape"
    )


def refusal(function: Callable[..., object], *arguments: object, **more: object) -> str:
    """The line with which it refuses these arguments."""
    with pytest.raises(UserError) as error:
        function(*arguments, **more)
    return str(error.value)
