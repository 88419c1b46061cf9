"""The site of the docs: what is generated has words for everything, and no link leads nowhere.
`make docs` builds it; MkDocs itself refuses a page outside the navigation."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from docs_site import __main__ as build
from docs_site import demo, reference
from harness.cli import listings
from harness.common.errors import UserError
from harness.matchers.kinds import matcher_keys

PAGES = reference.reference_pages()


def test_every_command_key_matcher_and_rule_has_words() -> None:
    commands = PAGES["reference/commands.md"]
    assert [each.name for each in listings() if f"### harness {each.name}\n" not in commands] == []
    matchers = PAGES["reference/matchers.md"]
    assert [name for name in matcher_keys() if f"| `{{{name}: …" not in matchers] == []
    assert (
        "| `late` | [Late](#late) | What is handed in late" in PAGES["reference/yaml/assignment.md"]
    )
    assert "`import_evasion`" in PAGES["reference/rules.md"]


@pytest.mark.parametrize(
    "command",
    [click.Command("grade"), click.Command("grade", help="x", params=[click.Option(["--out"])])],
    ids=["a command", "an option"],
)
def test_what_has_no_words_is_refused(command: click.Command) -> None:
    group = click.Group(commands=dict.fromkeys((each.name for each in listings()), command))
    with pytest.raises(reference.UndescribedError, match=r"grade|check"):
        reference.commands_page(group)


SITE = {
    "index.html": '<h1 id="top">a</h1><a href="#top">b</a><a href="sub/">c</a><a href="https://x">d</a>',
    "sub/index.html": '<a href="../index.html#top">a</a><img src="data:,">',
}
WRONG = {
    '<a href="gone.html">a</a>': "gone.html leads to nothing",
    '<a href="#gone">a</a>': "#gone: there is no such place on that page",
    '<a href="sub/#gone">a</a>': "sub/#gone: there is no such place on that page",
    '<script src="https://x/y.js"></script>': "https://x/y.js is loaded from elsewhere",
    '<img src="//x/y.png">': "//x/y.png is loaded from elsewhere",
    "<p>so:\n- one</p>": "an empty line is missing before the list - one",
}


@pytest.mark.parametrize(("html", "line"), [("", ""), *WRONG.items()], ids=["sound", *WRONG])
def test_every_link_is_followed(tmp_path: Path, html: str, line: str) -> None:
    for name, text in SITE.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + html * (name == "index.html"))
    assert list(build.mistakes(tmp_path)) == ([f"index.html: {line}"] if line else [])


def test_a_style_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@font-face{src:url(https://x/y.woff)}")
    assert list(build.mistakes(tmp_path)) == ["a.css: loads something from elsewhere"]


def test_without_npm_the_site_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(example: Path) -> dict[str, bytes]:
        raise UserError("npm is needed to fetch pyodide, once")

    monkeypatch.setattr(demo, "_web_folder", refuse)
    with caplog.at_level("INFO"):
        pages = demo.demo_pages()
    assert list(pages) == ["try.md"]
    assert "has no check in the browser" in str(pages["try.md"])
    (line,) = caplog.messages
    assert line.startswith(build.LEFT_OUT)
    assert line.endswith("the check in the browser: npm is needed to fetch pyodide, once")


def test_the_demo_is_the_page_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_web_folder", lambda example: {"index.html": b"the page"})
    pages = demo.demo_pages()
    assert pages["try/first-steps/index.html"] == b"the page"
    assert b"height" in pages["try/triangle.py"]
    assert "](try/first-steps/index.html)" in pages["try.md"]
