"""A made class, for `harness demo`: the samples of hangman, handed in by thirty made students."""

import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

ID = "hangman"
DUE = "2026-03-02T17:00"
DOWNLOAD = "download/assignment_1_export"
_PACKAGE = Path(__file__).parents[1]
_LATE = {"larsen-cleo": 0.1, "okafor-emil": 20, "larsen-jona": 30, "okafor-gwen": 70}  # hours


def demo_files() -> dict[str, bytes]:
    """The course and its download from Gradescope, by paths below the folder of the demo. It is
    marked with the Python that runs this, whatever the example names."""
    packed = _PACKAGE / "shipped" / "demo"
    root = packed if packed.is_dir() else _PACKAGE.parent / "examples" / ID
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for part in ("specs", "reference")
        for path in sorted((root / part / ID).glob("*.*"))
    }
    settings = f"specs/{ID}/assignment.yaml"
    python = f'python: "{sys.version_info.major}.{sys.version_info.minor}"'
    files[settings] = re.sub(rb"python: .*", python.encode(), files[settings], count=1)
    metadata = ["---"]
    for number, sample in enumerate(sorted((root / "submissions").iterdir()), start=1):
        for path in sample.glob("*.py"):
            files[f"{DOWNLOAD}/submission_{number}/{path.name}"] = path.read_bytes()
        late = timedelta(hours=_LATE.get(sample.name, -number))
        at = datetime.fromisoformat(f"{DUE}+01:00") + late
        last, first = sample.name.split("-")
        metadata += [
            f"submission_{number}:",
            *("  :submitters:", f"  - :name: {first.title()} {last.title()}"),
            f"    :sid: '{1000 + number}'",
            f"    :email: {first}.{last}@example.edu",
            *(f"  :created_at: {at.isoformat(sep=' ')}", "  :history: []"),
        ]
    files[f"{DOWNLOAD}/submission_metadata.yml"] = "\n".join([*metadata, ""]).encode()
    return files
