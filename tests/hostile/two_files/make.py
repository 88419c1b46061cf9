"""Twice the same name."""

import io
import warnings
import zipfile

warnings.simplefilter("ignore")


def make(folder):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for _ in range(2):
            archive.writestr("a1.py", b"def total(numbers):\n    return 6\n")
    (folder / "same").mkdir()
    (folder / "same" / "a1.zip").write_bytes(out.getvalue())
