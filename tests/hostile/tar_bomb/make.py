"""Too many members, and an archive of another kind under the right name."""

import io
import tarfile
import zipfile


def make(folder):
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(1001):
            archive.writestr(f"{number}/a1.py", b"")
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        info = tarfile.TarInfo("a1.py")
        info.size = 1 << 20
        archive.addfile(info, io.BytesIO(bytes(1 << 20)))
    for name, data in (("many", many), ("tar", tar)):
        (folder / name).mkdir()
        (folder / name / "a1.zip").write_bytes(data.getvalue())
