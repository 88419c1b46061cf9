"""First lines that name a codec."""

PROGRAM = b"def total(numbers):\n    return sum(numbers)\n"


def make(folder):
    for name in ("nonsense", "hex", "zlib", "base64", "undefined", "idna", "utf-16", "rot13"):
        (folder / name).mkdir()
        line = f"# -*- coding: {name} -*-\n".encode()
        (folder / name / "a1.py").write_bytes(line + PROGRAM)
    (folder / "contradicts").mkdir()
    data = b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n" + PROGRAM
    (folder / "contradicts" / "a1.py").write_bytes(data)
