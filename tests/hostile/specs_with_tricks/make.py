"""Scenario files that must be refused with their line; each under its name."""

TEXTS = {
    "tag": "function: total\nscenarios: !!python/object/apply:os.system ['true']\n",
    "own_tag": "function: !x total\nscenarios: []\n",
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nfunction: total\nscenarios: *c\n",
    "duplicate": "function: total\nfunction: label\nscenarios: []\n",
    "deep": "function: total\nscenarios: " + "[" * 3000 + "]" * 3000 + "\n",
    "merge": "x: &x {call: 'total([])'}\nfunction: total\nscenarios:\n  - {<<: *x, name: a}\n",
    "binary": "function: total\nscenarios: !!binary aGVsbG8=\n",
    "two": "function: total\nscenarios: []\n---\nfunction: label\n",
}


def make(folder):
    for name, text in TEXTS.items():
        (folder / f"{name}.yaml").write_text(text, "ascii")
