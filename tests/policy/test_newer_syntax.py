"""Syntax that this Python is too old for is told from mistakes."""

import sys

import pytest

from harness.model.policy import PythonVersion, Unparsable
from harness.policy.newer import newer_syntax
from harness.policy.reading import read

V12, V13, V14 = PythonVersion(3, 12), PythonVersion(3, 13), PythonVersion(3, 14)
NEWER = {
    "the quotes of the string inside it": (
        V12, 'd = {"a": 1}\n@@print(f"{d["a"]} and {d["a"]:>3}")\n',
    ),
    "a backslash in a field": (V12, '@@print(f"{"\\n".join(["a"])}")\n'),
    "a comment and a line end in a field": (V12, '@@x = f"{1 # one\n}"\ny = 2\n'),
    "a string in a string in a string": (V12, '@@x = f"{f"{f"{1}"}"}"\n'),
    "a width in a field": (V12, '@@x = f"{"a":{"1" + "0"}}"\n'),
    "an expression that shows itself": (V12, 'd = {}\n@@x = f"{d["a"]=!r}"\n'),
    "a function of a type": (V12, "@@def f[T: int, *Ts, **P](x: T) -> T:\n    return x\n"),
    "a class of a type": (V12, "\n@@class A[T]:\n    pass\n"),
    "parameters over lines": (V12, "\n@@def f[\n    T,\n](x): return x\n"),
    "an alias": (V12, "@@type N = int | str\n"),
    "an alias of a type": (V12, "@@type N[T] = list[T]\n"),
    "a type with a default": (V13, "def g[T](): pass\n@@class A[T = int]: pass\n"),
    "a template": (V14, 'def g[T](): pass\n@@x = t"{g}"\n'),
    "two types without parentheses": (
        V14, "try:\n    pass\n@@except ValueError, TypeError:\n    pass\n",
    ),
    "a type of its own": (
        V14, "class E(Exception): pass\ntry:\n    pass\n@@except E, KeyError:\n    pass\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("version", "marked"), NEWER.values(), ids=NEWER)
def test_newer_syntax_has_its_version_and_line(version: PythonVersion, marked: str) -> None:
    line = marked[: marked.index("@@")].count("\n") + 1
    text = marked.replace("@@", "")
    this = PythonVersion(*sys.version_info[:2])
    if version <= this:
        compile(text, "<text>", "exec")
        return
    found = newer_syntax(text)
    assert found is not None
    assert (found.version, found.line) == (version, line)
    data = text.replace("\n", "\r\n").encode()
    broken = read("a1.py", data, frozenset())
    assert isinstance(broken, Unparsable)
    assert (broken.needs, broken.line) == (version, line)
    assert broken.reason == (
        f"only valid from Python {version} on; this assignment is graded with {this}"
    )


UNSURE = {
    "Python 2": "try:\n    pass\nexcept ValueError, e:\n    pass\n",
    "types and a name": "try:\n    pass\nexcept ValueError, TypeError as e:\n    pass\n",
    "another mistake besides": 'd = {}\nprint(f"{d["a"]}")\nif d\n    pass\n',
    "a mistake in the field": 'print(f"{d["a" +]}")\n',
    "nothing in the field": 'print(f"{}" f"{d["a"]}")\n',
    "no end of the field": 'print(f"{d["a"]")\n',
    "no end of the string": 'print(f"{d["a"]})\n',
    "a brace alone": 'print(f"{d["a"]} }")\n',
    "no type": "def f[](x): pass\n",
    "a number for a type": "def f[3](x): pass\n",
    "an index for a name": "def f[0]: pass\n",
    "a bound of several types": "def f[*Ts: int](x): pass\n",
    "an alias without a type": "type N =\n",
    "an alias of two": "type N = int, str\n",
    "an alias of another": "type N = M = int\n",
    "a template beside a text": 'x = t"a" "b"\n',
    "a call without parentheses": 'print "a"\n',
    "a letter that is no prefix": 'x = q"a"\n',
    "a mistake of any Python": "def f(:\n",
    "nesting without end": "x = " + 'f"{' * 2000 + "1" + '}"' * 2000 + "\n",
}


@pytest.mark.parametrize("text", UNSURE.values(), ids=UNSURE)
def test_a_possible_mistake_is_not_taken_for_newer_syntax(text: str) -> None:
    assert newer_syntax(text) is None
