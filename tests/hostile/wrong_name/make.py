"""Names that people hand in."""


def make(folder):
    for name in ("assignment1.py", "a1 (1).py", "a1.py.txt", "A2.py", "-rf.py", "\u202eyp.1a.py"):
        place = folder / f"as_{abs(hash(name)) % 1000:03}"
        place.mkdir(exist_ok=True)
        (place / name).write_text("def total(numbers): return 6\n", "utf-8")
