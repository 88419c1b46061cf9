"""One beyond the cap, one just below it that is hard to parse."""


def make(folder):
    for name, data in {"huge": b"#" * 60_000_000, "dense": b"x=[" + b"[]," * 300_000 + b"]+" * 90_000}.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_bytes(data)
