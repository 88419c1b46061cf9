"""Build the site and follow every link of it: `python -m docs_site`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build" / "site"
# What a browser loads by itself; a link to another site is only followed by a reader.
_LOADED = {
    ("link", "href"),
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
}
LEFT_OUT = "left out: "  # begins what a hook tells of what the site lacks
_CODE = ("pre", "script", "style")
_LOADED_BY_STYLE = re.compile(r"(?:url\(|@import\s+)['\"]?(https?:)?//")


class _Page(HTMLParser):
    """The addresses on a page, the places that it names, and lists that became a paragraph."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []  # with whether a browser loads it
        self.places: set[str] = set()
        self.lists: list[str] = []
        self._is_code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append((value, (tag, name) in _LOADED))
        self._is_code |= tag in _CODE

    def handle_endtag(self, tag: str) -> None:
        self._is_code &= tag not in _CODE

    def handle_data(self, data: str) -> None:
        if not self._is_code:
            self.lists += re.findall(r"\n- .*", data)


def mistakes(site: Path) -> Iterator[str]:
    """A line for each link to nothing, and for each thing that would be loaded from elsewhere."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for item in page.lists:
            what = f"an empty line is missing before the list {item.strip()}"
            yield f"{path.relative_to(site)}: {what}"
        for link, is_loaded in page.links:
            address = urlsplit(link)
            where = path.relative_to(site)
            if address.scheme or address.netloc:
                if is_loaded and address.scheme != "data":
                    yield f"{where}: {link} is loaded from elsewhere"
                continue
            start = site if address.path.startswith("/") else path.parent  # the 404's own
            target = (start / unquote(address.path).lstrip("/")).resolve() if address.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(address.fragment)
            if not target.is_file():
                yield f"{where}: {link} leads to nothing"
            elif place and target in pages and place not in pages[target].places:
                yield f"{where}: {link}: there is no such place on that page"
    for path in site.rglob("*.css"):
        if _LOADED_BY_STYLE.search(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads something from elsewhere"


def main() -> int:
    """Build, then look; 1 where a page has a mistake."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    # Material says at each build what is to become of it: the pins in constraints.txt decide here.
    variables = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command, cwd=ROOT, check=False, env=variables, capture_output=True, text=True
    )
    status = built.returncode
    lines = built.stderr.splitlines()
    told = [line for line in lines if not line.startswith("INFO")]
    sys.stderr.writelines(
        f"{line.partition('-')[2].strip()}\n" for line in lines if LEFT_OUT in line
    )
    found = list(mistakes(SITE)) if not status else told
    sys.stderr.writelines(f"{line}\n" for line in found)
    if not status and not found:
        print(f"{len(list(SITE.rglob('*.html')))} pages: {SITE / 'index.html'}")
    return status or bool(found)


if __name__ == "__main__":
    sys.exit(main())
