"""What `constraints.txt` pins can be installed on every Python that the harness supports."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

from packaging.specifiers import SpecifierSet

from tests.shipped import ROOT


def test_every_pin_is_for_the_oldest_python_too() -> None:
    """Debian 12 has 3.11.2, and a pin that asks for 3.11.5 stops `make test` there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    oldest = re.sub(r"^>=", "", project["requires-python"]) + ".0"
    seen, wrong = 0, []
    for line in (ROOT / "constraints.txt").read_text("utf-8").split():
        try:
            needs = distribution(line.partition("==")[0]).metadata.json.get("requires_python", "")
        except PackageNotFoundError:  # of an extra that is not installed here
            continue
        seen += 1
        if oldest not in SpecifierSet(str(needs)):
            wrong.append(f"{line} needs Python {needs}")
    assert not wrong
    assert seen > 40
