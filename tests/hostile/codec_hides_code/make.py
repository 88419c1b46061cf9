"""To a reader of bytes these are comments; to Python the second line is a statement."""


def make(folder):
    files = {
        "utf7": b"# coding: utf-7\n# +AAo-def total(numbers): return +AF8AXw-import+AF8AXw-('os').getpid()\n",
        "escapes": b"# coding: unicode_escape\n# \\012def total(numbers): return __import__('os').getpid()\n",
        "raw_escapes": b"# coding: raw_unicode_escape\n# \\u000adef total(numbers): return __import__('os').getpid()\n",
    }
    for name, data in files.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_bytes(data)
