"""Create the sample class of `harness demo`: thirty students who submitted the hangman samples."""

import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

ID = "hangman"
DUE = "2026-03-02T17:00"
DOWNLOAD = "download/assignment_1_export"
_PACKAGE = Path(__file__).parents[1]
# Hours after the due date.
_LATE = {"larsen-cleo": 0.1, "okafor-emil": 20, "larsen-jona": 30, "okafor-gwen": 70}


def demo_files() -> dict[str, bytes]:
    """Return the files of the course and of its Gradescope download, by path below the demo's
    folder.

    The course is set to grade with the Python that runs this function, not with the example's.
    """
    root = _PACKAGE / "shipped" / "demo"
    if not root.is_dir():
        root = _PACKAGE.parent / "examples" / ID
    files: dict[str, bytes] = {}
    for part in ("specs", "reference"):
        for path in sorted((root / part / ID).glob("*.*")):
            files[path.relative_to(root).as_posix()] = path.read_bytes()
    settings = f"specs/{ID}/assignment.yaml"
    python = f'python: "{sys.version_info.major}.{sys.version_info.minor}"'
    files[settings] = re.sub(rb"python: .*", python.encode(), files[settings], count=1)
    metadata = ["---"]
    for number, sample in enumerate(sorted((root / "submissions").iterdir()), start=1):
        for path in sample.glob("*.py"):
            files[f"{DOWNLOAD}/submission_{number}/{path.name}"] = path.read_bytes()
        metadata += _metadata_lines(number, sample.name)
    text = "\n".join(metadata) + "\n"
    files[f"{DOWNLOAD}/submission_metadata.yml"] = text.encode()
    return files


def _metadata_lines(number: int, sample: str) -> list[str]:
    """Return the lines about one submission in Gradescope's metadata file."""
    hours = _LATE.get(sample, -number)
    submitted = datetime.fromisoformat(f"{DUE}+01:00") + timedelta(hours=hours)
    last, first = sample.split("-")
    return [
        f"submission_{number}:",
        "  :submitters:",
        f"  - :name: {first.title()} {last.title()}",
        f"    :sid: '{1000 + number}'",
        f"    :email: {first}.{last}@example.edu",
        f"  :created_at: {submitted.isoformat(sep=' ')}",
        "  :history: []",
    ]
