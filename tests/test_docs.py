"""The README and the docs name only files, folders, modules and sections that exist; their site:
what is generated has words for everything, and no link leads nowhere. `make docs` builds it;
MkDocs itself refuses a page outside the navigation.
"""

import importlib.util
import json
import operator
import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from jsonschema import Draft202012Validator

from docs_site import __main__ as build
from docs_site import demo, reference
from harness.cli import listings
from harness.common.errors import UserError
from harness.matchers.kinds import matcher_keys
from harness.model.verdict import rule_words

ROOT = Path(__file__).parent.parent
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PATHS_START_AT = (ROOT, ROOT / "harness", ROOT / "harness" / "execution")
PACKAGES = {path.name for path in (ROOT / "harness").iterdir() if path.is_dir()}
# The tutorial's assignment, which its reader writes, and what a run generates.
NOT_HERE = re.compile(
    r"(specs|reference|submissions)/(guessing|week1)(/|$)|specs/<id>/exempt.yaml|reports(/|$)"
)
CODE = re.compile(r"`([^`\n]+)`")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.-]+/(?:[\w.<>*-]+(?:/[\w.<>*-]+)*/?)?")
MODULE = re.compile(r"[a-z]\w*(\.[A-Za-z_]\w*)+")
RUN_AS_MODULE = re.compile(r"python -m ([\w.]+)")


YAML_BLOCK = re.compile(r"^( *)```yaml\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
# Blocks of one page that are other YAML; tests of their own read them.
OTHER_YAML = {"ci-workflow.md", "hostile.md"}
# A block may show several files, each below a comment with its name.
FILE_NAME = re.compile(r"^# [\w-]+\.yaml.*\n", re.MULTILINE)


def yaml_blocks() -> list[tuple[str, str]]:
    """Every piece of YAML in the docs, with its page."""
    found: list[tuple[str, str]] = []
    for path in DOCS:
        if path.name in OTHER_YAML or path.parent.name == "decisions":
            continue
        for _, block in YAML_BLOCK.findall(path.read_text("utf-8")):
            for part in FILE_NAME.split(textwrap.dedent(block)):
                if yaml.safe_load(part) is not None:
                    found.append((path.name, part))
    return found


SCHEMAS: dict[str, Any] = {}
for schema in (ROOT / "docs" / "schema").glob("*.json"):
    SCHEMAS[schema.stem] = Draft202012Validator(json.loads(schema.read_text("utf-8")))


def completed(data: Any) -> Iterator[tuple[str, Any]]:
    """The files that a piece may be a part of, with their kinds; the rest is filled in."""
    for kind in SCHEMAS:
        yield kind, data
    if isinstance(data, list):
        yield "scenarios", {"function": "f", "scenarios": data}
        return
    settings = (ROOT / "specs/connect4ish/assignment.yaml").read_text("utf-8")
    yield "assignment", {**yaml.safe_load(settings), **data}
    yield "scenarios", {"function": "f", "scenarios": [{"name": "x", **data}]}
    yield "scenarios", {"function": "f", "scenarios": [{"name": "x", "call": "f()", **data}]}
    yield "scenarios", {"function": "f", "scenarios": [{"name": "x", "call": "f()"}], **data}


@pytest.mark.parametrize(("page", "text"), yaml_blocks())
def test_a_block_of_yaml_is_valid(page: str, text: str) -> None:
    candidates = completed(yaml.safe_load(text))
    assert any(SCHEMAS[kind].is_valid(data) for kind, data in candidates), page


def test_a_block_with_an_unknown_key_would_be_found() -> None:
    candidates = completed({"call": "f()", "retruns": 3})
    assert not any(SCHEMAS[kind].is_valid(data) for kind, data in candidates)


def texts(pattern: re.Pattern[str], path: Path) -> Iterator[str]:
    """What the pattern's group finds outside fenced examples."""
    yield from pattern.findall(FENCED.sub("", path.read_text("utf-8")))


def named_paths(path: Path) -> Iterator[str]:
    """Code that is a path of this repository: it starts at a folder of ours, or is some .py."""
    for text in texts(CODE, path):
        if not PATH.fullmatch(text) or NOT_HERE.match(text):
            continue
        first = text.partition("/")[0]
        is_ours = any((start / first).is_dir() for start in PATHS_START_AT)
        if is_ours or text.endswith(".py"):
            yield text


def exists(text: str) -> bool:
    """Whether a path is there; `<name>` and `*` stand for anything."""
    pattern = re.sub(r"<[^>]+>", "*", text).rstrip("/")
    return any(any(start.glob(pattern)) for start in PATHS_START_AT)


def test_the_guide_to_causes_lists_every_rule() -> None:
    """`UPDATE_GOLDEN=1 pytest tests/test_docs.py` writes the table anew."""
    path = ROOT / "docs/causes.md"
    before, head, rest = path.read_text("utf-8").partition("\n## Rules\n")
    table = "".join(f"| `{rule}` | {words} |\n" for rule, words in rule_words().items())
    rows = r"(?m)(?:^\| `\w+` \| .+ \|\n)+"
    text = before + head + re.sub(rows, lambda _: table, rest, count=1)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


def is_module_or_member(name: str) -> bool:
    """Whether a dotted name is a module, or a module's attribute."""
    try:
        if importlib.util.find_spec(name) is not None:
            return True
    except ModuleNotFoundError:
        pass
    module, _, member = name.rpartition(".")
    if module.rpartition(".")[2][:1].isupper():  # a method
        module, _, kind = module.rpartition(".")
        member = f"{kind}.{member}"
    try:
        operator.attrgetter(member)(importlib.import_module(module))
    except (ModuleNotFoundError, AttributeError):
        return False
    return True


def sections(path: Path) -> set[str]:
    """The anchors of a page's headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_link(page: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", target):
        return False
    other = (page.parent / target).resolve() if target else page
    return not other.exists() or (bool(anchor) and anchor not in sections(other))


@pytest.mark.parametrize("page", DOCS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_what_exists(page: Path) -> None:
    links = [link for link in texts(LINK, page) if dead_link(page, link)]
    paths = [text for text in named_paths(page) if not exists(text)]
    modules = [
        text
        for text in texts(CODE, page)
        if MODULE.fullmatch(text)
        and not text.endswith((".py", ".md", ".html", ".json", ".yaml"))
        and (
            (text.startswith("harness.") and not is_module_or_member(text))
            or (text.split(".")[0] in PACKAGES and not is_module_or_member(f"harness.{text}"))
        )
    ]
    programs = [
        name
        for name in RUN_AS_MODULE.findall(page.read_text("utf-8"))
        if name.split(".")[0] in {"benchmarks", "harness"} and not is_module_or_member(name)
    ]
    assert (links, paths, modules, programs) == ([], [], [], [])


NAMELESS_COLUMN = re.compile(r"^\|(?:[^\n]*\|)?[ ]*\|[^\n]*\n\|[ ]*:?-", re.MULTILINE)
SHEETS = sorted(ROOT.glob("examples/*/sheet.md"))


@pytest.mark.parametrize("page", [*DOCS, *SHEETS], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_column_of_a_table_has_a_name(page: Path) -> None:
    nameless = [found[0] for found in NAMELESS_COLUMN.finditer(page.read_text(encoding="utf-8"))]
    assert nameless == []


def test_a_column_without_a_name_is_found() -> None:
    assert NAMELESS_COLUMN.search("| | points |\n|---|---|\n")
    assert NAMELESS_COLUMN.search("| a | |\n| --- | --- |\n")
    assert not NAMELESS_COLUMN.search("| a | b |\n|---|---|\n| | c |\n")


def test_the_check_finds_what_is_missing(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One\n`harness/nothing/`, `execution/gone.py`, `old/file.py`, `cli/commands/<name>.py`, "
        "`specs/<id>/`, `specs/guessing/rules.py`, [a](#one), [b](#two), [c](none.md)\n",
        "utf-8",
    )
    assert [text for text in named_paths(page) if not exists(text)] == [
        "harness/nothing/",
        "execution/gone.py",
        "old/file.py",
    ]
    assert [link for link in texts(LINK, page) if dead_link(page, link)] == ["#two", "none.md"]
    assert is_module_or_member("harness.common.serial")
    assert is_module_or_member("harness.common.serial.dumps")
    assert not is_module_or_member("harness.common.nothing.more")
    assert not is_module_or_member("harness.nothing")


def test_the_life_of_a_submission_names_functions_that_exist() -> None:
    text = (ROOT / "docs/life-of-a-submission.md").read_text("utf-8")
    named = re.findall(r"`(harness\.[\w.]+)`", text)
    assert len(named) > 20
    assert [name for name in named if not is_module_or_member(name)] == []


def test_the_readme_lists_each_command_once() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    _, _, section = readme.partition("\n## Commands\n")
    section, _, _ = section.partition("\n## ")
    listed = re.findall(r"^\| `harness ([\w-]+)", section, re.MULTILINE)
    assert sorted(listed) == sorted(listing.name for listing in listings())


def test_every_target_of_make_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named: set[str] = set()
    for page in DOCS:
        text = page.read_text("utf-8")
        examples = "\n".join([*FENCED.findall(text), *CODE.findall(text)])
        named |= set(re.findall(r"^make ([a-z][\w-]*)", examples, re.MULTILINE))
    assert "test" in named
    assert named <= targets


PAGES = reference.reference_pages()


def test_every_command_key_matcher_and_rule_has_words() -> None:
    commands = PAGES["reference/commands.md"]
    assert [each.name for each in listings() if f"### harness {each.name}\n" not in commands] == []
    matchers = PAGES["reference/matchers.md"]
    assert [name for name in matcher_keys() if f"| `{{{name}: …" not in matchers] == []
    assert (
        "| `late` | [Late](#late) | The cost of late work" in PAGES["reference/yaml/assignment.md"]
    )
    assert "`import_evasion`" in PAGES["reference/rules.md"]


@pytest.mark.parametrize(
    "command",
    [click.Command("grade"), click.Command("grade", help="x", params=[click.Option(["--out"])])],
    ids=["a command", "an option"],
)
def test_a_command_without_words_is_refused(command: click.Command) -> None:
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


def test_without_npm_the_site_names_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(example: Path) -> dict[str, bytes]:
        raise UserError("npm is needed once, to fetch pyodide")

    monkeypatch.setattr(demo, "_web_folder", refuse)
    with caplog.at_level("INFO"):
        pages = demo.demo_pages()
    assert list(pages) == ["try.md"]
    assert "has no check in the browser" in str(pages["try.md"])
    (line,) = caplog.messages
    assert line.startswith(build.LEFT_OUT)
    assert line.endswith("the check in the browser: npm is needed once, to fetch pyodide")


def test_the_demo_is_the_page_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_web_folder", lambda example: {"index.html": b"the page"})
    pages = demo.demo_pages()
    assert pages["try/first-steps/index.html"] == b"the page"
    assert b"height" in pages["try/triangle.py"]
    assert "](try/first-steps/index.html)" in pages["try.md"]
