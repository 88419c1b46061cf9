"""Twice the same name; and names that only some systems tell apart."""

import io
import warnings
import zipfile

warnings.simplefilter("ignore")


def make(folder):
    for name, members in {"same": ("a1.py", "a1.py"), "alike": ("A1.py", "a1.PY")}.items():
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for member in members:
                archive.writestr(member, b"def total(numbers):\n    return 6\n")
        (folder / name).mkdir()
        (folder / name / "a1.zip").write_bytes(out.getvalue())
