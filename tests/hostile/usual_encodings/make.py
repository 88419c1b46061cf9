"""Right programs as editors write them."""

PROGRAM = "# é\ndef total(numbers):\n    return sum(numbers)\n"


def make(folder):
    files = {
        "mark": PROGRAM.encode("utf-8-sig"),
        "windows": PROGRAM.replace("\n", "\r\n").encode(),
        "mac": PROGRAM.replace("\n", "\r").encode(),
        "latin1": b"# -*- coding: latin-1 -*-\n" + PROGRAM.encode("latin-1"),
        "no_end": PROGRAM.rstrip().encode(),
    }
    for name, data in files.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_bytes(data)
