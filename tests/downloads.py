"""What each learning platform gives a lecturer to download, made from a list of what was handed in.

    files = canvas([HandIn(id="101", name="Mary-Ann Smith", files=(("a1.py", b"..."),), at=NOON)])
    folder = laid(files, tmp_path / "submissions")      # or zipped_class, tarred_class

Several `HandIn`s of one id are that student's attempts, the first one first.
"""

import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

Files = dict[str, bytes]  # path in the download: bytes

NOON = datetime(2024, 9, 24, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """One attempt. `id` is what the platform knows its student by; `at` is shown by its own clock,
    with the offset left out where the platform leaves it out. `late` is the platform's own word.
    `others` handed in the same (id, name, email); `sortable` is for a name that Canvas sorts oddly.
    """

    id: str
    name: str
    files: tuple[tuple[str, bytes], ...]
    at: datetime = NOON
    email: str = ""
    late: bool = False
    others: tuple[tuple[str, str, str], ...] = ()
    sortable: str = ""


def program(source: str, name: str = "a1.py") -> tuple[tuple[str, bytes], ...]:
    """The files of an attempt that is one program."""
    return ((name, source.encode()),)


def gradescope(handed: Sequence[HandIn], *, assignment: int = 4100) -> Files:
    """An export: the metadata beside a folder for each student's last attempt."""
    root = f"assignment_{assignment}_export"
    files: Files = {}
    lines = ["---"]
    for number, attempts in enumerate(_by_student(handed), start=52001):
        last = attempts[-1]
        folder = f"submission_{number}"
        files.update({f"{root}/{folder}/{name}": data for name, data in last.files})
        lines += [f"{folder}:", "  :submitters:"]
        for sid, name, email in ((last.id, last.name, last.email), *last.others):
            lines += [f"  - :name: {_quoted(name)}", f"    :sid: {_quoted(sid)}"]
            lines += [f"    :email: {_quoted(email)}"]
        lines += [f"  :created_at: {_ruby(last.at)}", "  :score: 0.0", "  :status: processed"]
        lines += ["  :results:", "    :tests: []", "  :history:" + (" []" * (len(attempts) == 1))]
        for earlier, one in enumerate(attempts[:-1]):
            lines += [f"  - :id: {number * 10 + earlier}", f"    :created_at: {_ruby(one.at)}"]
    files[f"{root}/submission_metadata.yml"] = ("\n".join(lines) + "\n").encode()
    return files


def canvas(handed: Sequence[HandIn], *, anonymous: bool = False) -> Files:
    """Flat; the files of a second attempt have -1 before the ending, of a third -2."""
    files: Files = {}
    attachment = 88000
    for attempts in _by_student(handed):
        for again, one in enumerate(attempts):
            for name, data in one.files:
                attachment += 1
                path = Path(name)
                shown = f"{path.stem}-{again}{path.suffix}" if again else name
                who = one.sortable or _sortable(one.name)
                start = f"{who}_{'LATE_' * one.late}"
                if anonymous:
                    start = f"{'LATE_' * one.late}anon_"
                files[f"{start}{one.id}_{attachment}_{shown}"] = data
    return files


def brightspace(handed: Sequence[HandIn], *, folder: int = 2557369) -> Files:
    """A folder an attempt, named by student and clock time; a page of contents at the root."""
    files: Files = {"index.html": b"<html><body>Submissions</body></html>"}
    for one in handed:
        clock = f"{one.at:%b} {one.at.day}, {one.at.year} {int(one.at.strftime('%I'))}"
        where = f"{one.id}-{folder} - {one.name} - {clock}{one.at:%M %p}"
        files.update({f"{where}/{name}": data for name, data in one.files})
    return files


def blackboard(handed: Sequence[HandIn], *, assignment: str = "Assignment 1") -> Files:
    """Flat; a text about each attempt beside its files."""
    files: Files = {}
    for one in handed:
        start = f"{assignment}_{one.id}_attempt_{one.at:%Y-%m-%d-%H-%M-%S}"
        lines = [f"Name: {one.name} ({one.id})", f"Assignment: {assignment}"]
        lines += [f"Date Submitted: {one.at:%A, %d %B %Y %H:%M:%S} o'clock AEST"]
        lines += ["Current Mark: Needs Grading", "", "Submission Field:", "", "Comments:"]
        lines += ["There are no student comments for this assignment.", "", "Files:"]
        for name, data in one.files:
            lines += [f"\tOriginal filename: {name}", f"\tFilename: {start}_{name}", ""]
            files[f"{start}_{name}"] = data
        files[f"{start}.txt"] = "\r\n".join(lines).encode()
    return files


def moodle(handed: Sequence[HandIn], *, flat: bool = False, blind: bool = False) -> Files:
    """Each student's last attempt: a folder each, or flat; blind without their names."""
    files: Files = {}
    for attempts in _by_student(handed):
        one = attempts[-1]
        name = "Participant" if blind else one.name.replace("_", " ")
        start = f"{name}_{one.id}_assignsubmission_file_"
        between = "" if flat else "/"
        files.update({f"{start}{between}{file}": data for file, data in one.files})
    return files


def plain_folders(handed: Sequence[HandIn]) -> Files:
    """A folder a student, named by the id."""
    return {f"{one.id}/{name}": data for one in handed for name, data in one.files}


def plain_files(handed: Sequence[HandIn]) -> Files:
    """A file a student, named by the id."""
    return {f"{one.id}.py": one.files[0][1] for one in handed}


DOWNLOADS: dict[str, Callable[[Sequence[HandIn]], Files]] = {
    "gradescope": gradescope,
    "canvas": canvas,
    "brightspace": brightspace,
    "blackboard": blackboard,
    "moodle": moodle,
    "plain": plain_folders,
}


def laid(files: Files, folder: Path) -> Path:
    """The download unpacked into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def zipped_class(files: Files, path: Path) -> Path:
    """The download as a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return path


def tarred_class(files: Files, path: Path, *, mode: str = "w:gz") -> Path:
    """The download as a tar archive; `mode` as `tarfile.open` takes it."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def _by_student(handed: Sequence[HandIn]) -> list[list[HandIn]]:
    students: dict[str, list[HandIn]] = {}
    for one in handed:
        students.setdefault(one.id, []).append(one)
    return list(students.values())


def _sortable(name: str) -> str:
    """Last name first; a number between underscores would read as an id, so Canvas changes it."""
    words = name.split()
    letters = re.sub(r"[^\w]", "", "".join((*words[-1:], *words[:-1]))).lower()
    return re.sub(r"_([0-9]+)_", r"-\1-", letters)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _ruby(at: datetime) -> str:
    return (
        f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond * 1000:09d} {at:%z}"[:-2] + ":" + f"{at:%z}"[-2:]
    )
