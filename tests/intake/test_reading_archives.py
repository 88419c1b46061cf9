"""Zip and tar archives to entries: whatever they are called, and however they are broken."""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.intake.archives import MIB, Caps, kind_named, read_archive
from harness.intake.entries import EntryKind, FileKind, Refused
from harness.model.submission import ARCHIVE_ENDINGS
from tests.intake.made_archives import gzip_bomb, tarred, tarred_as, zip_bomb, zipped

FILES = [("A3/connect4.py", b"c" * 1000), ("A3/deep/x.txt", b""), ("c4game.py", b"g")]
FORMATS: dict[str, tuple[FileKind, Callable[[list[tuple[str, bytes]]], bytes]]] = {
    "zip": (FileKind.ZIP, zipped),
    "tar, pax": (FileKind.TAR, lambda files: tarred(files, mode="w")),
    "tar, GNU": (FileKind.TAR, lambda files: tarred(files, mode="w", form=tarfile.GNU_FORMAT)),
    "tar, ustar": (FileKind.TAR, lambda files: tarred(files, mode="w", form=tarfile.USTAR_FORMAT)),
    "tar.gz": (FileKind.GZIP, tarred),
}
LONG = "folder/" * 9 + "n" * 120 + ".py"  # more than the 100 bytes of a tar header's own name


def content(data: bytes, kind: FileKind, caps: Caps | None = None) -> list[tuple[str, str, bytes]]:
    entries = read_archive(io.BytesIO(data), kind, caps or Caps())
    return [(entry.folder, entry.name, entry.load()) for entry in entries]


def refusal(data: bytes, kind: FileKind, caps: Caps | None = None) -> str:
    with pytest.raises(Refused) as caught:
        content(data, kind, caps)
    return str(caught.value)


@pytest.mark.parametrize(("kind", "pack"), FORMATS.values(), ids=FORMATS.keys())
def test_names_and_bytes(kind: FileKind, pack: Callable[[list[tuple[str, bytes]]], bytes]) -> None:
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
def test_what_is_no_file_in_a_tar(kind: bytes, what: EntryKind) -> None:
    data = tarred_as("connect4.py", kind, target="/etc/passwd")
    (entry,) = read_archive(io.BytesIO(data), FileKind.TAR)
    assert (entry.name, entry.kind) == ("connect4.py", what)


HOSTILE = {
    "../x.py": "holds a path that leads out of it (../x.py)",
    "a/../../x.py": "holds a path that leads out of it (a/../../x.py)",
    "/x.py": "holds an absolute path (/x.py)",
    "a\\x.py": "holds a path with a backslash (a\\x.py)",
    "d/" * 12 + "x.py": "holds folders more than 12 deep",
    "n" * 401: "holds a name of 401 characters",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", ["zip", "tar, pax", "tar, GNU", "tar.gz"])
def test_hostile_names(name: str, form: str) -> None:
    kind, pack = FORMATS[form]
    assert refusal(pack([("connect4.py", b"c"), (name, b"x")]), kind) == HOSTILE[name]


@pytest.mark.parametrize(("kind", "pack"), FORMATS.values(), ids=FORMATS.keys())
def test_caps(kind: FileKind, pack: Callable[[list[tuple[str, bytes]]], bytes]) -> None:
    many = pack([(f"{number}.py", b"x") for number in range(6)])
    assert refusal(many, kind, Caps(members=5)) == "holds more than 5 files"
    large = pack([("a.py", bytes(MIB)), ("b.py", bytes(MIB)), ("c.py", b"x")])
    assert refusal(large, kind, Caps(unpacked_bytes=2 * MIB)) == "unpacks to more than 2 MiB"
    assert len(content(large, kind, Caps(unpacked_bytes=3 * MIB))) == 3
    (entry,) = read_archive(io.BytesIO(pack([("a.py", bytes(2000))])), kind)
    assert entry.start(10) == bytes(10)
    with pytest.raises(Refused, match="is larger than 1 KiB"):
        entry.load(1024)


@pytest.mark.parametrize(
    ("data", "kind"),
    [(zip_bomb("x.py", declared=1024**3), FileKind.ZIP), (gzip_bomb(), FileKind.GZIP)],
    ids=["zip", "gzip"],
)
def test_a_bomb_is_stopped_at_the_cap(data: bytes, kind: FileKind) -> None:
    tracemalloc.start()
    said = refusal(data, kind, Caps(unpacked_bytes=4 * MIB))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said == "unpacks to more than 4 MiB"
    assert peak < 16 * MIB


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
    "no end": block(b"x.py"),
    "a size beyond the end": block(b"x.py", size=b"7777") + END,
    "a negative size": block(b"x.py", size=b"\xff" * 12) + END,
    "an enormous size": block(b"x.py", size=b"\x80" + b"\xff" * 11) + END,
    "a size in letters": block(b"x.py", size=b"12x") + END,
    "a wrong checksum": block(b"x.py").replace(b"x.py", b"y.py") + END,
    "a pax record of no length": block(b"x", size=b"10", kind=b"x") + b"0 path=x".ljust(512) + END,
    "a pax record without =": block(b"x", size=b"10", kind=b"x") + b"8 path x".ljust(512) + END,
    "a pax record too long": block(b"x", size=b"10", kind=b"x") + b"99 path=".ljust(512) + END,
    "a pax size that is none": block(b"x", size=b"11", kind=b"x") + b"9 size=-1" + bytes(503) + END,
    "a long name of a megabyte": block(b"x", size=b"4000000", kind=b"L") + bytes(MIB) + END,
}


@pytest.mark.parametrize("data", BROKEN_TARS.values(), ids=BROKEN_TARS.keys())
def test_broken_tars(data: bytes) -> None:
    assert refusal(data, FileKind.TAR) == BROKEN


@pytest.mark.parametrize("cut", [1, 30, 150])
def test_a_gzip_cut_short(cut: int) -> None:
    data = tarred([("x.py", bytes(range(256)) * 40)])
    assert refusal(data[:-cut], FileKind.GZIP).startswith("is a broken or incomplete")


PARTS = st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), max_size=20)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@settings(max_examples=150, deadline=None)
@given(name=NAMES, form=st.sampled_from(["zip", "tar, pax", "tar, GNU"]))
def test_any_name_stays_below_its_folder_or_is_refused(name: str, form: str) -> None:
    kind, pack = FORMATS[form]
    try:
        entries = read_archive(io.BytesIO(pack([(name, b"x")])), kind)
    except Refused as refused:
        assert str(refused).isprintable()
        return
    for entry in entries:
        parts = [*entry.folder.split("/"), entry.name] if entry.folder else [entry.name]
        assert all(part and not part.startswith(".") and "\\" not in part for part in parts)
        assert entry.shown.isprintable()
        assert entry.load() == b"x"


@settings(max_examples=250, deadline=None)
@given(
    form=st.sampled_from(list(FORMATS)),
    changes=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 200),
)
def test_broken_bytes_are_refused_and_never_an_error_of_ours(
    form: str, changes: list[tuple[int, int]], cut: int
) -> None:
    kind, pack = FORMATS[form]
    data = bytearray(pack(FILES))
    for at, value in changes:
        data[at % len(data)] = value
    try:
        for entry in read_archive(io.BytesIO(bytes(data[: len(data) - cut])), kind):
            if entry.kind is EntryKind.FILE:
                assert len(entry.load()) <= MIB
    except Refused as refused:
        assert str(refused)
