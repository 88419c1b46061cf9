"""A zip whose member unpacks to 96 MiB, one that says less, and one zip inside another."""

import io
import zipfile

MIB = 1024 * 1024
SIZE = 96 * MIB


def make(folder):
    bomb = zipped("a1.py", bytes(MIB), SIZE // MIB)
    archives = {
        "declared": bomb,
        "says_less": bomb.replace(SIZE.to_bytes(4, "little"), (9).to_bytes(4, "little")),
        "nested": zipped("a1.zip", bomb, 1),
    }
    for name, data in archives.items():
        (folder / name).mkdir()
        (folder / name / "a1.zip").write_bytes(data)


def zipped(name, data, times):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w") as member:
            for _ in range(times):
                member.write(data)
    return out.getvalue()
