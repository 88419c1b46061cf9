"""One program in encodings that Python does not read."""

PROGRAM = "def total(numbers):\n    return sum(numbers)\n"


def make(folder):
    files = {
        "utf16": PROGRAM.encode("utf-16"),
        "utf16_bare": PROGRAM.encode("utf-16-be"),
        "utf32": PROGRAM.encode("utf-32"),
        "nul": PROGRAM.replace("sum", "s\0um").encode(),
    }
    for name, data in files.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_bytes(data)
