"""What pyproject.toml cannot say: the shipped assignments are packed into the wheel, for `harness
new --from`, and an example, for `harness demo`; the long description has no link that leads
nowhere; the same sources give the same bytes."""

import gzip
import os
import re
import shutil
import tarfile
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

PARTS = ("specs", "reference", "submissions")
DEMO = "examples/hangman"
HERE = Path(__file__).parent
# The time that all files of an archive have where whoever builds it names none: the first of zip's.
EPOCH = os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")


class WithAssignments(build_py):
    """Copies what lies beside the package into it as `harness/shipped`."""

    def run(self) -> None:
        """Build as always, then copy."""
        super().run()
        if self.editable_mode:
            return  # the clone itself is used
        shipped = Path(self.build_lib) / "harness" / "shipped"
        shutil.rmtree(shipped, ignore_errors=True)
        for source, target in (("", shipped), (DEMO, shipped / "demo")):
            for part in PARTS:
                ignored = shutil.ignore_patterns("__pycache__", ".*")
                shutil.copytree(Path(source, part), target / part, ignore=ignored)


class SameBytes(sdist):
    """Packs the sources without whose they are and when they were written."""

    def make_archive(self, base_name, format, base_dir, **_):
        """A tar.gz of the folder `base_dir`; its path."""
        name = f"{base_name}.tar.gz"
        with (
            Path(name).open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=int(EPOCH)) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted(Path(base_dir).rglob("*")):
                if path.is_file():
                    archive.add(path, filter=_without_circumstances)
        return name


def _without_circumstances(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = int(EPOCH)
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


def long_description() -> str:
    """The README, its links led to the site that pyproject.toml names under `urls`, or left out."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    site = project.get("urls", {}).get("Documentation", "").rstrip("/")

    def led(link: re.Match[str]) -> str:
        image, text, target = link.groups()
        if re.match(r"[a-z]+:", target):
            return link[0]
        page = re.sub(r"\.md$", ".html", target.removeprefix("docs/"))
        page = page.lower() if "/" not in target else page  # CONTRIBUTING.md and the like
        page += "index.html" if page.endswith("/") else ""
        return f"{image}[{text}]({site}/{page})" if site else text * (not image)

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", led, (HERE / "README.md").read_text("utf-8"))


if __name__ == "__main__":
    setup(
        cmdclass={"build_py": WithAssignments, "sdist": SameBytes},
        long_description=long_description(),
        long_description_content_type="text/markdown",
    )
