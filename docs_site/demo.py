"""The live demo: the page of `harness web` for an example, as part of the site, and the page that
leads to it. Where npm cannot fetch what the former needs, the latter says so, and a line of the
build."""

from __future__ import annotations

import logging
from pathlib import Path

from harness.assignment.loading import CACHE, load
from harness.common.errors import UserError
from harness.grading.context import prepare, visible_only
from harness.packaging.web.folder import INDEX, web_folder

ROOT = Path(__file__).parents[1]
EXAMPLE = "first-steps"
PAGE = "try.md"
FOLDER = f"try/{EXAMPLE}"
_FAULTY = "two-faults-in-the-guessing"
_LOG = logging.getLogger("mkdocs.hooks")


def demo_pages() -> dict[str, str | bytes]:
    """The files of both, by their paths in the site."""
    example = ROOT / "examples" / EXAMPLE
    samples = sorted((example / "submissions" / _FAULTY).glob("*.py"))
    try:
        folder = _web_folder(example)
    except UserError as error:
        _LOG.info("left out: the check in the browser: %s", error)
        return {PAGE: "# Try it\n\nThis making of the site has no check in the browser.\n"}
    lines = [
        "# Try it",
        "",
        f"**[Check a program in the browser]({FOLDER}/{INDEX}):** the page that `harness web`",
        f"makes of the assignment of [{EXAMPLE}](examples/{EXAMPLE}/sheet.md), with its visible",
        "scenarios.",
        "It loads 17 MB, once; what you write does not leave your browser.",
        "",
        "Write something, or open these three there, and press *Check*. They are a sample of the",
        f"assignment, called {_FAULTY.replace('-', ' ')}:",
        "",
        *(f"- [{path.name}](try/{path.name})" for path in samples),
        "",
        "[Check in the browser](how-to/check-in-the-browser.md) says how to make such a page",
        "for your own assignment.",
        "",
    ]
    return (
        {PAGE: "\n".join(lines)}
        | {f"try/{path.name}": path.read_bytes() for path in samples}
        | {f"{FOLDER}/{name}": data for name, data in folder.items()}
    )


def _web_folder(example: Path) -> dict[str, bytes]:
    cache = ROOT / CACHE
    specification = load(example, EXAMPLE)
    context = prepare(visible_only(specification), cache=cache, recall_tier=True)
    return web_folder(specification, context, cache)
