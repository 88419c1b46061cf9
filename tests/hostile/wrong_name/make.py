"""Names that people hand in."""


def make(folder):
    names = ("assignment1.py", "a1.docx", "A2.py", "-rf.py", "\u202eyp.1a.py")
    for number, name in enumerate(names):
        place = folder / f"as_{number}"
        place.mkdir()
        (place / name).write_text("def total(numbers): return 6\n", "utf-8")
