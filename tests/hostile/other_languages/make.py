"""What does not compile, and the line of it."""

TEXTS = {
    "error": "def total(numbers)\n    return 0\n",
    "python2": 'def total(numbers):\n    print "hello"\n',
    "quotes": "def greet(name):\n    print(\u201cHello\u201d)\n",
    "merge": "<<<<<<< mine\ndef total(numbers): return 0\n>>>>>>> theirs\n",
}


def make(folder):
    for name, text in TEXTS.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_text(text, "utf-8")
