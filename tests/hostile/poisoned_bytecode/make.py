"""The source, and a .pyc for it that says otherwise and never looks stale."""

import importlib.util
import marshal


def make(folder):
    (folder / "a1.py").write_text("def total(numbers):\n    return sum(numbers)\n", "utf-8")
    code = compile("def total(numbers):\n    return 7\n", "a1.py", "exec")
    data = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)
    cache = folder / "__pycache__"
    cache.mkdir()
    for name in ("a1.cpython-311.pyc", "a1.cpython-312.pyc", "a1.cpython-313.pyc"):
        (cache / name).write_bytes(data)
    (folder / "a1.pyc").write_bytes(data)
