"""Archives that students hand in: what is graded, and what is said of the rest; zip and tar
archives to entries: whatever they are called, and however they are broken."""

import io
import json
import random
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.intake.archives.contents import kind_named, read_archive
from harness.intake.caps import MIB, Caps
from harness.intake.entries import EntryKind, FileKind, RefusedUpload
from harness.intake.pipeline import read
from harness.model.submission import ARCHIVE_ENDINGS, MissingFiles, Submission
from tests import plans
from tests.downloads import laid
from tests.intake.cohorts import told
from tests.intake.made_archives import (
    gzip_bomb,
    streamed,
    tarred,
    tarred_as,
    with_flag,
    zip_bomb,
    zipped,
    zipped_as,
    zipped_at,
)

A3 = plans.assignment(
    id="a3",
    submission_files=("connect4.py", "c4game.py"),
    archive="A3.zip",
    functionality_marks=Fraction(9),
)
A1 = replace(A3, submission_files=("a1.py",), archive=None)
ANY = replace(A3, submission_files=("p4.py",), laid_as="p4.py")

BOTH = [("connect4.py", b"c"), ("c4game.py", b"g")]
GOOD = zipped(BOTH)
NAMES = ["connect4.py=c", "c4game.py=g"]
LOCKED = with_flag(GOOD, 1)
DOCX = zipped([("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>")])
ODT = zipped([("mimetype", b"application/vnd.oasis.opendocument.text")], method=zipfile.ZIP_STORED)
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1"]}]}).encode()
RAR = b"Rar!\x1a\x07\x01\x00" + bytes(40)
SEVEN = b"7z\xbc\xaf\x27\x1c" + bytes(40)

Folder = dict[str, bytes] | bytes  # files by their paths; or the archive A3.zip


def handed_in(root: Path, files: Folder) -> Path:
    return laid(files if isinstance(files, dict) else {"A3.zip": files}, root)


def contents(submission: Submission) -> list[str]:
    return [f"{file.name}={file.data.decode()}" for file in submission.files]


LEFTOVERS = (
    *("__MACOSX/._connect4.py", "__MACOSX/A3/connect4.py", ".DS_Store", "Thumbs.db", "._c4game.py"),
    *("__pycache__/connect4.cpython-312.pyc", "connect4.pyc", ".git/connect4.py"),
)
# By what is said of it: of which both files are graded, and of which connect4.py alone is.
WHOLE: dict[str, object] = {
    "": [
        GOOD,
        zipped(BOTH, method=zipfile.ZIP_STORED),
        {"A3.zip": zipped([*((name, b"x") for name in LEFTOVERS), *BOTH]), ".DS_Store": b"x"},
        zipped([*BOTH, ("notes.txt", b"n"), ("old.zip", GOOD), ("test.py", b"t")]),
    ],
    "A3/connect4.py and A3/c4game.py were in a folder inside A3.zip": zipped(
        [("A3/", b""), *[(f"A3/{name}", data) for name, data in BOTH]]
    ),
    "game/c4game.py was in a folder inside A3.zip": zipped([BOTH[0], ("game/c4game.py", b"g")]),
    "backslashes in A3.zip were read as folders; "
    "A3/connect4.py and A3/c4game.py were in a folder inside A3.zip": zipped(
        [(f"A3\\{name}", data) for name, data in BOTH]
    ),
    "c4game.py and connect4.py were handed in without A3.zip": dict(BOTH),
    "connect4.py beside A3.zip was not read": {"A3.zip": GOOD, "connect4.py": b"newer"},
    # What cannot be accepted costs itself alone where both files are there.
    "A3.zip holds a path outside the archive (../../x.py): the rest of it was read": zipped(
        [*BOTH, ("../../x.py", b"x")]
    ),
    "A3.zip holds an absolute path (/etc/cron.d/x) (and 1 more): the rest of it was read": zipped(
        [*BOTH, ("/etc/cron.d/x", b"x"), ("n" * 401, b"x")]
    ),
    "A3.zip holds two files named n.txt: the rest of it was read": zipped(
        [*BOTH, ("n.txt", b"1"), ("n.txt", b"2")]
    ),
    "A3.zip is a broken or incomplete zip archive: the rest of it was read": [
        GOOD[:-30],
        streamed(BOTH)[:-30],
        zipped([*BOTH, ("long.txt", bytes(range(256)) * 9)])[:-300],
    ],
}
LACKS_GAME = MissingFiles(names=("c4game.py",)).note
HALF: dict[str, object] = {
    LACKS_GAME: zipped(BOTH[:1]),
    f"{LACKS_GAME}, but c4.py and x.py": zipped([BOTH[0], ("c4.py", b"g"), ("x.py", b"x")]),
    "found an Office document named c4game.py in A3.zip, expected a Python file": zipped(
        [BOTH[0], ("c4game.py", DOCX)]
    ),
    "c4game.py in A3.zip is locked with a password, expected a file without one": with_flag(
        GOOD, 1, member=1
    ),
    f"connect4.py was handed in without A3.zip; {LACKS_GAME}": {"connect4.py": b"c"},
}


EXPECTED = "expected connect4.py and c4game.py"
REFUSED: dict[str, object] = {
    f"found main.py in A3.zip, {EXPECTED}": zipped([("main.py", b"m"), ("notes.txt", b"n")]),
    f"found no file in A3.zip, {EXPECTED}": [
        zipped([]),
        zipped([("__MACOSX/._connect4.py", b"x"), (".DS_Store", b"x")]),  # of other systems
    ],
    "found connect4.py and old/connect4.py in A3.zip, expected one file connect4.py": zipped(
        [*BOTH, ("old/connect4.py", b"o")]
    ),
    "found Connect4.py and connect4.py in A3.zip, expected one file connect4.py": zipped(
        [*BOTH, ("Connect4.py", b"o")]
    ),
    "A3.zip holds two files named connect4.py": zipped([*BOTH, ("connect4.py", b"o")]),
    "A3.zip holds a file and a folder named connect4.py": zipped(
        [*BOTH, ("connect4.py/x.py", b"o")]
    ),
    f"found A3.zip (a zip archive) in A3.zip, {EXPECTED}": zipped([("A3.zip", GOOD)]),
    "connect4.py in A3.zip is locked with a password, expected a file without one": LOCKED,
    "connect4.py in A3.zip is compressed by an unusual method": zipped(
        BOTH, method=zipfile.ZIP_BZIP2
    ),
    "A3.zip is a broken or incomplete zip archive": [
        GOOD[: GOOD.index(b"c4game.py") + 10],  # in the second of the two
        GOOD[:20],
    ],
    "connect4.py in A3.zip is damaged": [
        zipped([("connect4.py", b"one")], method=zipfile.ZIP_STORED).replace(b"one", b"two"),
        zip_bomb("connect4.py", declared=100),  # which lies
    ],
    "A3.zip is empty, expected a zip archive": b"",
    "A3.zip is not a zip archive": b"print(1)",
    "A3.zip is a RAR archive, expected a zip archive": RAR,
    "A3.zip is a gzip archive, expected a zip archive": tarred(BOTH),
    "A3.zip is an Office document, expected a zip archive": DOCX,
    "found A3.rar (a RAR archive), expected A3.zip": {"A3.rar": RAR},
    "found A3.7z (a 7-Zip archive), expected A3.zip": {"A3.7z": SEVEN, "x.py": b""},
    "found A3.tar.gz (a gzip archive), expected A3.zip": {"A3.tar.gz": tarred(BOTH)},
    "found A3.rar (a zip archive), expected A3.zip": {"A3.rar": GOOD},
    "found A3.rar, expected A3.zip": {"A3.rar": b"?"},
    "found Archive.zip (a zip archive), expected A3.zip": {"Archive.zip": GOOD},
    "found A3.docx, expected A3.zip": {"A3.docx": DOCX},
    "no file A3.zip": {".DS_Store": b"x"},
    "A3.zip is a folder, expected a zip archive": {"A3.zip/x.py": b"x"},
    "A3.zip holds more than 1000 files": zipped(
        [*BOTH, *[(f"n/{number}", b"") for number in range(1000)]]
    ),
    "A3.zip is larger than 32768 KiB": GOOD + bytes(32 * 1024 * 1024),
    "connect4.py in A3.zip is larger than 512 KiB": [
        zipped([("connect4.py", b"#" * (1024 * 1024 + 1))]),
        zip_bomb("connect4.py", declared=1024**3),
        zip_bomb("connect4.py", declared=60 * 1024**2),  # which says less
    ],
    "connect4.py in A3.zip is a symbolic link, which is not followed": zipped_as(
        "connect4.py", b"/etc/passwd", mode=stat.S_IFLNK | 0o777
    ),
    "connect4.py in A3.zip is a special file, not a file": zipped_as(
        "connect4.py", b"", mode=stat.S_IFCHR | 0o666
    ),
    "A3.zip holds a path outside the archive (../../connect4.py)": zipped(
        [BOTH[1], ("../../connect4.py", b"x")]
    ),
    "A3.zip holds an absolute path (C:connect4.py)": zipped([("C:connect4.py", b"x")]),
    "A3.zip holds a name with a NUL character (connect4.py_.txt)": zipped(
        [("connect4.py\0.txt", b"x")]
    ),
    "A3.zip holds a name of 401 characters": zipped([("n" * 401, b"x")]),
    "A3.zip holds folders more than 12 deep": zipped([("d/" * 12 + "connect4.py", b"x")]),
    f"found a_[31m_.py in A3.zip, {EXPECTED}": zipped([("a\x1b[31m\u202e.py", b"x")]),
}


def accepted(root: Path, folder: Folder) -> tuple[list[str], str]:
    """The files that are graded, and what is said."""
    (one,) = read((handed_in(root / "class" / "ada", folder).parent,), A3)
    assert (one.id, one.problem) == ("ada", "")
    return contents(one), "; ".join(one.notes)


@pytest.mark.parametrize(("folder", "notes"), told(WHOLE))
def test_accepted(tmp_path: Path, folder: Folder, notes: str) -> None:
    assert accepted(tmp_path, folder) == (NAMES, notes)


@pytest.mark.parametrize(("folder", "notes"), told(HALF))
def test_one_of_two_is_accepted(tmp_path: Path, folder: Folder, notes: str) -> None:
    assert accepted(tmp_path, folder) == (NAMES[:1], notes)


@pytest.mark.parametrize(("folder", "problem"), told(REFUSED))
def test_refused_and_the_batch_goes_on(tmp_path: Path, folder: Folder, problem: str) -> None:
    handed_in(tmp_path / "bob", folder)
    handed_in(tmp_path / "eve", {"A3.zip": GOOD})
    bob, eve = read((tmp_path,), A3)
    assert (bob.id, bob.files, bob.problem) == ("bob", (), problem)
    assert (eve.id, contents(eve), eve.problem) == ("eve", NAMES, "")


def test_nothing_is_written(tmp_path: Path) -> None:
    handed_in(tmp_path / "ada", {"A3.zip": zipped([*BOTH, ("../bob/connect4.py", b"x")])})
    handed_in(tmp_path / "eve", {"A3.zip": GOOD})
    read((tmp_path,), A3)
    there = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert there == {"ada/A3.zip", "eve/A3.zip"}


def test_files_of_students_in_one_folder(tmp_path: Path) -> None:
    files = {"ada.zip": GOOD, "bob.rar": RAR, "eve.ZIP": GOOD, "fay.py": b"f", "list.csv": b"x"}
    found = read((handed_in(tmp_path, files),), A3)
    assert [(one.id, contents(one), one.problem, one.notes) for one in found] == [
        ("ada", NAMES, "", ("ada.zip was read as A3.zip",)),
        ("bob", [], "found bob.rar (a RAR archive), expected A3.zip", ()),
        ("eve", NAMES, "", ("eve.ZIP was read as A3.zip",)),
        ("fay", [], "found fay.py, expected A3.zip", ("fay.py was handed in without A3.zip",)),
    ]


def test_a_folder_that_holds_the_archive_is_one_submission(tmp_path: Path) -> None:
    folder = handed_in(tmp_path / "ada", {"A3.zip": GOOD, "notes/x.py": b"", "README.md": b""})
    assert [(one.id, contents(one)) for one in read((folder,), A3)] == [("ada", NAMES)]


def test_an_archive_that_the_user_names(tmp_path: Path) -> None:
    handed_in(tmp_path, {"A3.zip": GOOD, "ada.zip": GOOD, "bob.7z": SEVEN})
    found = read([tmp_path / name for name in ("A3.zip", "ada.zip", "bob.7z")], A3)
    assert [(one.id, contents(one), one.problem) for one in found] == [
        ("A3", NAMES, ""),
        ("ada", NAMES, ""),
        ("bob", [], "found bob.7z (a 7-Zip archive), expected A3.zip"),
    ]


def test_a_link_to_an_archive_is_not_followed(tmp_path: Path) -> None:
    handed_in(tmp_path, {"outside/A3.zip": GOOD, "class/eve/x.txt": b""})
    (tmp_path / "class" / "eve" / "A3.zip").symlink_to(tmp_path / "outside" / "A3.zip")
    (one,) = read((tmp_path / "class",), A3)
    assert one.problem == "A3.zip is a symbolic link, which is not followed"


def test_a_tar_where_one_is_expected(tmp_path: Path) -> None:
    handed_in(tmp_path / "ada", {"A3.tar.gz": tarred(BOTH)})
    handed_in(tmp_path / "bob", {"A3.tar.gz": gzip_bomb()})
    handed_in(tmp_path / "eve", {"A3.tar.gz": GOOD})
    handed_in(tmp_path, {"fay.tar.gz": tarred([("./A3/connect4.py", b"c")])})
    found = read((tmp_path,), replace(A3, archive="A3.tar.gz"))
    assert [(one.id, contents(one), one.problem) for one in found] == [
        ("ada", NAMES, ""),
        ("bob", [], f"found no file in A3.tar.gz, {EXPECTED}"),
        ("eve", [], "A3.tar.gz is a zip archive, expected a gzip archive"),
        ("fay", NAMES[:1], ""),
    ]


def test_a_file_of_any_name_in_an_archive(tmp_path: Path) -> None:
    handed_in(tmp_path / "ada", {"A3.zip": zipped([("my/own.py", b"a"), ("notes.txt", b"n")])})
    handed_in(tmp_path / "bob", {"A3.zip": zipped([("a.py", b"a"), ("b/a.py", b"b")])})
    handed_in(tmp_path / "eve", {"own.py": b"e"})
    found = read((tmp_path,), ANY)
    assert [(one.id, contents(one), one.problem, one.notes) for one in found] == [
        (
            *("ada", ["p4.py=a"], ""),
            ("my/own.py was in a folder inside A3.zip", "my/own.py was graded as p4.py"),
        ),
        ("bob", [], "found a.py and b/a.py in A3.zip, expected p4.py", ()),
        (
            *("eve", ["p4.py=e"], ""),
            ("own.py was handed in without A3.zip", "own.py was graded as p4.py"),
        ),
    ]


def test_no_archive_is_opened_where_none_is_expected(tmp_path: Path) -> None:
    handed_in(
        tmp_path, {"ada/a1.zip": zipped([("a1.py", b"a")]), "bob/a1.py": b"b", "eve.zip": GOOD}
    )
    assert {one.id: one.problem for one in read((tmp_path,), A1)} == {
        "ada": "found a1.zip (a zip archive), expected a1.py",
        "bob": "",
        "eve": "found eve.zip (a zip archive), expected a1.py",
    }


NO_PYTHON = {
    "docx": (DOCX, "an Office document"),
    "odt": (ODT, "an OpenDocument file"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "an old Office document"),
    "rtf": (b"{\\rtf1\\ansi x = 1}", "a rich text document"),
    "zip": (GOOD, "a zip archive"),
    "empty zip": (zipped([]), "a zip archive"),
    "rar": (RAR, "a RAR archive"),
    "7z": (SEVEN, "a 7-Zip archive"),
    "tar": (tarred(BOTH, mode="w"), "a tar archive"),
    "tar.gz": (tarred(BOTH), "a gzip archive"),
    "tar.bz2": (tarred(BOTH, mode="w:bz2"), "a bzip2 archive"),
    "tar.xz": (tarred(BOTH, mode="w:xz"), "an xz archive"),
    "pdf": (b"%PDF-1.7\n", "a PDF document"),
    "ipynb": (NOTEBOOK, "a Jupyter notebook"),
    "html": (b"\xef\xbb\xbf\n<!DOCTYPE html><p>x = 1", "a web page"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(9), "a picture"),
    "exe": (b"MZ\x90\x00\x03" + bytes(99), "a compiled program"),
}


@pytest.mark.parametrize(("data", "kind"), NO_PYTHON.values(), ids=NO_PYTHON.keys())
def test_a_py_that_is_something_else(tmp_path: Path, data: bytes, kind: str) -> None:
    (one,) = read((handed_in(tmp_path / "ada", {"a1.py": data}),), A1)
    assert (one.files, one.problem) == ((), f"found {kind} named a1.py, expected a Python file")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{'cells': 3}",
        b'{"nbformat": 4}',
        b"MZ = 3",
        b"BZh = 3",
        b"PK = 3",
        b"\xef\xbb\xbfx = 1",
        b"\x00",
        b"# -*- coding: latin-1 -*-\n'\xe9'",
        b"'ustar'" * 99,
    ],
)
def test_possible_python_is_left_to_the_parser(tmp_path: Path, data: bytes) -> None:
    (one,) = read((handed_in(tmp_path / "ada", {"a1.py": data}),), A1)
    assert (one.files[0].data, one.problem, one.notes) == (data, "", ())


@contextmanager
def little_memory() -> Iterator[None]:
    """What is done in this block takes little memory."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * MIB


@pytest.mark.parametrize("declared", [1024**3, 60 * 1024**2, 100])
def test_a_bomb_takes_little_memory(tmp_path: Path, declared: int) -> None:
    handed_in(tmp_path / "ada", {"A3.zip": zip_bomb("connect4.py", declared=declared)})
    with little_memory():
        (one,) = read((tmp_path,), A3)
    assert one.problem


FILES = [("A3/connect4.py", b"c" * 1000), ("A3/deep/x.txt", b""), ("c4game.py", b"g")]
Pack = Callable[[list[tuple[str, bytes]]], bytes]
FORMATS: dict[str, tuple[FileKind, Pack]] = {
    "zip": (FileKind.ZIP, zipped),
    "tar, pax": (FileKind.TAR, lambda files: tarred(files, mode="w")),
    "tar, GNU": (FileKind.TAR, lambda files: tarred(files, mode="w", form=tarfile.GNU_FORMAT)),
    "tar, ustar": (FileKind.TAR, lambda files: tarred(files, mode="w", form=tarfile.USTAR_FORMAT)),
    "tar.gz": (FileKind.GZIP, tarred),
}
LONG = "folder/" * 9 + "n" * 120 + ".py"  # more than the 100 bytes of a tar header's own name


def content(data: bytes, kind: FileKind, caps: Caps | None = None) -> list[tuple[str, str, bytes]]:
    entries = read_archive(io.BytesIO(data), kind, caps or Caps()).entries
    return [(entry.folder, entry.name, entry.load()) for entry in entries]


def refusal(data: bytes, kind: FileKind, caps: Caps | None = None) -> str:
    with pytest.raises(RefusedUpload) as caught:
        content(data, kind, caps)
    return str(caught.value)


@pytest.mark.parametrize(("kind", "pack"), FORMATS.values(), ids=FORMATS.keys())
def test_an_archive_gives_names_and_bytes(kind: FileKind, pack: Pack) -> None:
    assert content(pack(FILES), kind) == [
        ("A3", "connect4.py", b"c" * 1000),
        ("A3/deep", "x.txt", b""),
        ("", "c4game.py", b"g"),
    ]


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("name", ["spi\u0307el \u4e2d.py", "a/" * 60 + "x.py", LONG])
def test_long_and_foreign_names_in_a_tar(name: str, form: int) -> None:
    if form == tarfile.USTAR_FORMAT and name == LONG:
        name = "folder/" * 20 + "n.py"  # that format can split a name between folders only
    data = tarred([(name, b"x"), ("y.py", b"y")], mode="w", form=form)
    folder, _, last = name.rpartition("/")
    found = content(data, FileKind.TAR, Caps(depth=100))
    assert sorted(found) == sorted([(folder, last, b"x"), ("", "y.py", b"y")])


@pytest.mark.parametrize("ending", ARCHIVE_ENDINGS)
def test_every_ending_that_a_spec_may_name_is_read(ending: str) -> None:
    assert kind_named(f"A3{ending}") in {kind for kind, _ in FORMATS.values()}


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (tarfile.SYMTYPE, EntryKind.LINK),
        (tarfile.LNKTYPE, EntryKind.LINK),
        (tarfile.CHRTYPE, EntryKind.OTHER),
        (tarfile.FIFOTYPE, EntryKind.OTHER),
        (tarfile.GNUTYPE_SPARSE, EntryKind.OTHER),
    ],
)
def test_tar_members_that_are_not_files_keep_their_kind(kind: bytes, what: EntryKind) -> None:
    data = tarred_as("connect4.py", kind, target="/etc/passwd")
    (entry,) = read_archive(io.BytesIO(data), FileKind.TAR).entries
    assert (entry.name, entry.kind) == ("connect4.py", what)


HOSTILE = {
    "../x.py": "holds a path outside the archive (../x.py)",
    "a/../../x.py": "holds a path outside the archive (a/../../x.py)",
    "/x.py": "holds an absolute path (/x.py)",
    "d/" * 12 + "x.py": "holds folders more than 12 deep",
    "n" * 401: "holds a name of 401 characters",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", ["zip", "tar, pax", "tar, GNU", "tar.gz"])
def test_a_hostile_name_is_refused(name: str, form: str) -> None:
    kind, pack = FORMATS[form]
    assert refusal(pack([(name, b"x")]), kind) == HOSTILE[name]
    found = read_archive(io.BytesIO(pack([("connect4.py", b"c"), (name, b"x")])), kind)
    assert [entry.name for entry in found.entries] == ["connect4.py"]
    assert found.faults == (HOSTILE[name],)


@pytest.mark.parametrize(("kind", "pack"), FORMATS.values(), ids=FORMATS.keys())
def test_caps(kind: FileKind, pack: Pack) -> None:
    many = pack([(f"{number}.py", b"x") for number in range(6)])
    assert refusal(many, kind, Caps(members=5)) == "holds more than 5 files"
    large = pack([("a.py", bytes(MIB)), ("b.py", bytes(MIB)), ("c.py", b"x")])
    small = Caps(unpacked_bytes=2 * MIB)
    if kind is FileKind.GZIP:
        faults = read_archive(io.BytesIO(large), kind, small).faults
        assert faults == ("unpacks to more than 2 MiB",)
    else:
        assert refusal(large, kind, small) == "unpacks to more than 2 MiB"
    assert len(content(large, kind, Caps(unpacked_bytes=4 * MIB))) == 3
    (entry,) = read_archive(io.BytesIO(pack([("a.py", bytes(2000))])), kind).entries
    assert entry.start(10) == bytes(10)
    with pytest.raises(RefusedUpload, match="is larger than 1 KiB"):
        entry.load(1024)


def test_a_bomb_is_stopped_at_the_cap() -> None:
    caps = Caps(unpacked_bytes=4 * MIB)
    bomb = zip_bomb("x.py", declared=1024**3)
    large = tarred([("a.py", b"a"), ("b.py", bytes(30 * MIB))])
    with little_memory():
        assert refusal(bomb, FileKind.ZIP, caps) == "is larger than 1024 KiB"
        found = read_archive(io.BytesIO(large), FileKind.GZIP, caps)
    assert [entry.load() for entry in found.entries] == [b"a"]
    assert found.faults == ("unpacks to more than 4 MiB",)


def block(name: bytes, *, size: bytes = b"0", kind: bytes = b"0") -> bytes:
    """A tar header with a right checksum whatever it says."""
    head = bytearray(512)
    head[:100] = name.ljust(100, b"\0")
    head[124:136] = size.ljust(12, b"\0")
    head[156:157] = kind
    head[257:265] = b"ustar\x0000"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


END = bytes(1024)
BROKEN = "is a broken or incomplete tar archive"
BROKEN_TARS = {
    "a size beyond the end": block(b"x.py", size=b"7777") + END,
    "a negative size": block(b"x.py", size=b"\xff" * 12) + END,
    "an enormous size": block(b"x.py", size=b"\x80" + b"\xff" * 11) + END,
    "a size in letters": block(b"x.py", size=b"12x") + END,
    "a wrong checksum": block(b"x.py").replace(b"x.py", b"y.py") + END,
    "a pax record of no length": block(b"x", size=b"10", kind=b"x") + b"0 path=x".ljust(512) + END,
    "a pax record without =": block(b"x", size=b"10", kind=b"x") + b"8 path x".ljust(512) + END,
    "a pax record too long": block(b"x", size=b"10", kind=b"x") + b"99 path=".ljust(512) + END,
    "a pax size that is none": block(b"x", size=b"11", kind=b"x") + b"9 size=-1" + bytes(503) + END,
}


def test_a_tar_without_an_end_is_read_as_far_as_it_goes() -> None:
    found = read_archive(io.BytesIO(block(b"x.py")), FileKind.TAR)
    assert ([entry.name for entry in found.entries], found.faults) == (["x.py"], (BROKEN,))


def test_an_extended_header_of_a_megabyte_costs_its_member() -> None:
    header = block(b"x", size=b"4000000", kind=b"L") + bytes(MIB)
    data = header + block(b"y.py") + block(b"z.py") + END
    found = read_archive(io.BytesIO(data), FileKind.TAR)
    assert [entry.name for entry in found.entries] == ["z.py"]
    assert found.faults == ("holds a name or attributes of 1048576 bytes",)


@pytest.mark.parametrize("data", BROKEN_TARS.values(), ids=BROKEN_TARS.keys())
def test_a_broken_tar_is_refused(data: bytes) -> None:
    assert refusal(data, FileKind.TAR) == BROKEN


def test_a_gzip_that_is_cut_short_is_read_as_far_as_possible() -> None:
    data = tarred([("x.py", b"x"), ("y.py", random.Random(1).randbytes(5000))])
    found = read_archive(io.BytesIO(data[:-500]), FileKind.GZIP)
    assert [entry.name for entry in found.entries] == ["x.py"]
    assert found.faults == ("is a broken or incomplete gzip archive",)
    assert refusal(data[:30], FileKind.GZIP) == found.faults[0]


def test_a_member_of_a_gzip_is_read_from_anywhere() -> None:
    files = [(f"{n}.py", bytes([n]) * (9 * MIB + n)) for n in range(5)]
    caps = Caps(unpacked_bytes=10**9)
    found = read_archive(io.BytesIO(tarred(files)), FileKind.GZIP, caps)
    by_name = {entry.name: entry for entry in found.entries}
    for n in (4, 0, 3, 3, 1, 2):
        assert by_name[f"{n}.py"].start(10**9) == files[n][1]


def test_a_member_that_begins_behind_the_end_is_damaged() -> None:
    for start in (2**64 - 1, 2**63 - 1, 10**6):
        (entry,) = read_archive(io.BytesIO(zipped_at("x.py", start)), FileKind.ZIP).entries
        with pytest.raises(RefusedUpload, match="is damaged"):
            entry.load()


def test_copies_are_compared_two_at_a_time(tmp_path: Path) -> None:
    copies = [(f"x ({n}).py", b"#" * (MIB // 2)) for n in range(1, 99)]
    files = {"A3.zip": zipped([("x.py", b"#" * (MIB // 2)), *copies, ("x-1.py", b"")])}
    laid(files, tmp_path / "ada")
    asked = replace(A3, submission_files=("x.py",))
    with little_memory():
        (one,) = read((tmp_path,), asked)
    assert "expected one file x.py" in one.problem


PARTS = st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), max_size=20)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@settings(max_examples=150, deadline=None)
@given(name=PATHS, form=st.sampled_from(["zip", "tar, pax", "tar, GNU"]))
def test_any_name_stays_below_its_folder_or_is_refused(name: str, form: str) -> None:
    kind, pack = FORMATS[form]
    try:
        entries = read_archive(io.BytesIO(pack([(name, b"x")])), kind).entries
    except RefusedUpload as refused:
        assert str(refused).isprintable()
        return
    for entry in entries:
        parts = [*entry.folder.split("/"), entry.name] if entry.folder else [entry.name]
        assert all(part and not part.startswith(".") and "\\" not in part for part in parts)
        assert entry.label.isprintable()
        assert entry.load() == b"x"


@settings(max_examples=250, deadline=None)
@given(
    form=st.sampled_from(list(FORMATS)),
    changes=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 200),
)
def test_broken_bytes_are_refused(form: str, changes: list[tuple[int, int]], cut: int) -> None:
    kind, pack = FORMATS[form]
    data = bytearray(pack(FILES))
    for at, value in changes:
        data[at % len(data)] = value
    try:
        archive = io.BytesIO(bytes(data[: len(data) - cut]))
        for entry in read_archive(archive, kind).entries:
            if entry.kind is EntryKind.FILE:
                assert len(entry.load()) <= MIB
    except RefusedUpload as refused:
        assert str(refused)
