"""One archive a trick; each would write or read beyond its folder if it were unpacked by path."""

import io
import stat
import struct
import zipfile

NAMES = {
    "dots": "../../honest/a1.py",
    "dots_in_front": "../a1.py",
    "absolute": "/tmp/hostile/a1.py",
    "drive": "C:\\a1.py",
    "nul": "a1.py\0.txt",
    "long": "n" * 500 + "/a1.py",
    "deep": "d/" * 20 + "a1.py",
}


def make(folder):
    for name, member in NAMES.items():
        write(folder / name, member, b"def total(numbers):\n    return 6\n", 0o644)
    write(folder / "link", "a1.py", b"../honest/a1.py", stat.S_IFLNK | 0o777)
    write(folder / "device", "a1.py", b"", stat.S_IFCHR | 0o666)
    (folder / "behind_the_end").mkdir()
    (folder / "behind_the_end" / "a1.zip").write_bytes(behind_the_end())


def behind_the_end():
    """An archive whose directory says that its member begins far behind the end of the file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a1.py", b"def total(numbers):\n    return 6\n")
    data = out.getvalue()
    at, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry, ends = bytearray(data[at:end]), bytearray(data[end:])
    entry[42:46] = b"\xff" * 4  # the place is in the extra field
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    struct.pack_into("<H", entry, 30, len(extra))
    struct.pack_into("<L", ends, 12, len(entry) + len(extra))
    return data[:at] + bytes(entry) + extra + bytes(ends)


def write(folder, member, data, mode):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("name")
        info.filename = member
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, data)
    folder.mkdir()
    (folder / "a1.zip").write_bytes(out.getvalue())
