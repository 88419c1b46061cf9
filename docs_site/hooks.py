"""MkDocs asks here for pages that are not files of docs/, and for links as the site has them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs_site.demo import PAGE, demo_pages
from docs_site.reference import reference_pages
from docs_site.synonyms import FIRST_FOR, SYNONYMS

ROOT = Path(__file__).parents[1]
# Files of the repository that are pages of the site.
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    **{
        f"examples/{path.parent.name}/sheet.md": f"examples/{path.parent.name}/sheet.md"
        for path in sorted(ROOT.glob("examples/*/sheet.md"))
    },
}
_DECISIONS, _EXAMPLES = "decisions/", "examples/"
# A task is looked for more often than the reference page that names it, too.
_FIRST_IN_SEARCH = ("get-started/", "how-to/")
# Where a page has its link to the demo, which only the site has: before this.
_LEADS_THERE = {
    "index.md": "## Read next",
    "get-started/student.md": "## With the file from your course",
}
_NAMELESS = 'data-md-component="search" role="dialog"'  # a part that the theme gives no name
# The theme makes each part of a navigation a navigation of its own.
_NAVIGATION = re.compile(r"<nav\b([^>]*)>|</nav>")
_IS_PART = re.compile(r'class="md-nav" data-md-level="[1-9]"')
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List what is in a folder where the navigation names the folder."""
    decisions = [path.relative_to(ROOT / "docs").as_posix() for path in _decisions()]
    folders = {
        _DECISIONS: [f"{_DECISIONS}index.md", *decisions],
        _EXAMPLES: [page for page in OUTSIDE.values() if page.startswith(_EXAMPLES)],
    }
    for section in config.nav or []:
        for entries in section.values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    entry.update({k: folders.get(str(v), v) for k, v in entry.items()})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    made = {page: (ROOT / name).read_text(encoding="utf-8") for name, page in OUTSIDE.items()}
    made |= {f"{_DECISIONS}index.md": _index()} | reference_pages()
    for name, content in (made | demo_pages()).items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with its links led to pages of the site; of a file that is none the name stays. A
    list has the empty line before it that MkDocs, unlike others, needs."""
    source = next((name for name, made in OUTSIDE.items() if made == page.file.src_uri), "")
    folder = posixpath.dirname(source or f"docs/{page.file.src_uri}")
    own_folder = posixpath.dirname(page.file.src_uri)
    if before := _LEADS_THERE.get(page.file.src_uri):
        demo = posixpath.relpath(PAGE, own_folder or ".")
        markdown = markdown.replace(before, f"[Try it in the browser]({demo}).\n\n{before}", 1)
    if page.file.src_uri.startswith(_DECISIONS):
        page.meta["search"] = {"exclude": True}
    elif page.file.src_uri.startswith(_FIRST_IN_SEARCH):
        page.meta["search"] = {"boost": 4}
    if first_for := FIRST_FOR.get(page.file.src_uri):
        page.meta["tags"] = first_for
    if words := SYNONYMS.get(page.file.src_uri):
        markdown += f"\n\n*Other words for this: {words}.*\n"

    def led(link: re.Match[str]) -> str:
        image, text, target, anchor = link.groups("")
        if re.match(r"[a-z]+:", target):
            return link[0]
        name = posixpath.normpath(posixpath.join(folder, target))
        there = f"{name}/index.md" if name == "docs/decisions" else name
        there = OUTSIDE.get(there, there.removeprefix("docs/"))
        if files.get_file_from_path(there) is None and (ROOT / name).exists():
            return text
        start = posixpath.dirname(page.file.src_uri)
        return f"{image}[{text}]({posixpath.relpath(there, start)}{anchor})"

    return _LINK.sub(led, "\n".join(_with_empty_lines(markdown.split("\n"))))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Return the page with the names and roles that the theme lacks."""
    return _named(output)


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """Return the page for missing pages with them, too."""
    return _named(output) if template_name.endswith(".html") else output


def _named(output: str) -> str:
    open_tags: list[str] = []

    def grouped(tag: re.Match[str]) -> str:
        attributes = tag[1]
        if attributes is None:
            return f"</{open_tags.pop()}>"
        if _IS_PART.search(attributes):
            open_tags.append("div")
            return f'<div role="group"{attributes}>'
        open_tags.append("nav")
        return tag[0]

    output = output.replace(_NAMELESS, f'{_NAMELESS} aria-label="Search"')
    return _NAVIGATION.sub(grouped, output)


def _with_empty_lines(lines: Iterable[str]) -> Iterator[str]:
    before, is_code = "", False
    for line in lines:
        is_code ^= line.startswith("```")
        if line.startswith("- ") and before and before[0] not in "- " and not is_code:
            yield ""
        yield line
        before = line


def _decisions() -> list[Path]:
    return sorted((ROOT / "docs" / _DECISIONS).glob("*.md"))


def _index() -> str:
    lines = ["# Decisions", "", "Why things are as they are, one decision a page.", ""]
    for path in _decisions():
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines)
