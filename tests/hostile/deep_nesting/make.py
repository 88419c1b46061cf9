"""Each is a text that has crashed some parser."""

TEXTS = {
    "brackets": "(" * 100_000,
    "signs": "x = " + "-" * 200_000 + "1\n",
    "calls": "x = " + "f(" * 5_000 + ")" * 5_000 + "\n",
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(120)),
    "f_strings": "x = " + 'f"{' * 200 + "\n",
}


def make(folder):
    for name, text in TEXTS.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_text(text, "ascii")
