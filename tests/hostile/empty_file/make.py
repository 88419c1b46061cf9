"""Nothing at all, and nothing but white space."""


def make(folder):
    for name, data in {"empty": b"", "blank": b"\n \n\t\n\x0c\n"}.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_bytes(data)
