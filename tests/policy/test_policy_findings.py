"""Every rule of the policy as a table: source in, findings out."""

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.model.policy import (
    Condition,
    Consequence,
    FileImports,
    ImportPolicy,
    NameList,
    Outline,
    Policy,
    PolicyReport,
    Requirement,
    Severity,
)
from harness.policy.checking import check
from harness.policy.conditions import condition_kinds
from tests.execution.small_world import source

GIVEN = ("from typing import Optional", "from a1_support import *")
HEAD = "from typing import Optional\nfrom a1_support import *\n"

SYNTAX = tuple(
    """FunctionDef Return For While If Break Assign AugAssign List Tuple Subscript Slice JoinedStr
    BinOp Add Sub Mult Div FloorDiv Mod Pow UnaryOp USub UAdd Not Compare Eq NotEq Lt LtE Gt GtE In
    NotIn Is IsNot BoolOp And Or""".split()  # noqa: SIM905
)
BUILTINS = ("print", "input", "range", "enumerate", "len", "int", "str", "float", "list")
MODULE_LEVEL = NameList(
    key="module_level", allow=("imports", "constants", "functions", "main_guard")
)
POLICY = Policy(
    imports=ImportPolicy(exactly=GIVEN),
    lists=(
        NameList(key="syntax", allow=SYNTAX),
        NameList(key="builtins", allow=BUILTINS),
        NameList(key="methods", allow=("append", "isdigit")),
        MODULE_LEVEL,
    ),
    provided_modules=("a1_support",),
    provided_names=("BOARD_SIZE", "BLANK_PIECE", "HELP_MESSAGE"),
    imports_clause="2.imports",
    techniques_clause="4.techniques",
    structure_clause="4.structure",
    on_techniques=Consequence(severity=Severity.DEDUCT, marks=Fraction(3, 2)),
)
ONLY_GIVEN = Policy(imports=ImportPolicy(exactly=GIVEN))


def found(program: str, policy: Policy = POLICY) -> list[tuple[str, int, int, str]]:
    report = check([source(program)], policy)
    assert report.unparsable is None
    return [(f.rule, f.line, f.column, f.message) for f in report.findings]


CLEAN = {
    "nothing but the head": "",
    "a docstring and a comment": '"""Doc."""\n# comment\n',
    "a whole small program": '''
SIZE = BOARD_SIZE * 2
NAMES = ("a", "b")
LIMIT: int = -1

def fill(column: str, rows: Optional[list[str]] = None) -> tuple[int, str]:
    """Doc."""
    rows = []
    for index, letter in enumerate(column):
        if letter == BLANK_PIECE and not index % 2 or index in (1, 2):
            rows.append(column[:index] + f"{index:>3}")
        elif letter.isdigit():
            break
    while len(rows) < SIZE:
        rows += [""]
    return len(rows), str(rows[-1])

def main() -> None:
    print(fill(input(HELP_MESSAGE)), end="")

if __name__ == "__main__":
    main()
''',
    "annotations of every plain kind": (
        "def f(a: dict[str, set], b: 'list[int]', c: tuple[int, ...] | None) -> Optional[object]:\n"
        "    here: dict = a\n    return here\n"
    ),
    "one's own function named as a built-in": "def sorted(x):\n    return x\nA = 1\n"
    "def f():\n    return sorted(A)\n",
    "a name bound to the left of its use": "sorted = 1; A = sorted\n",
    "a parameter named as a built-in": "def f(max, eval):\n    return max + eval\n",
    "a guard the other way round": "def main():\n    pass\n"
    "if '__main__' == __name__:\n    main()\n",
    "constants of constants": "A, B = 1, [2, 3]\nC = A + B[0]\n",
    "a bare text as a comment": "A = 1\n'''about A'''\n",
    "pass": "def f():\n    pass\npass\n",
    "a local name like a provided constant": "def f(BOARD_SIZE):\n    return BOARD_SIZE\n",
    "a local assignment to a provided name": "def f():\n    BOARD_SIZE = 3\n"
    "    return BOARD_SIZE\n",
    "a variable named as a module, assigned": "def f():\n    string = 'a'\n    return string[0]\n",
    "a lambda-free default": "def f(a=1, *, b=(2, 3)):\n    return a + b[0]\n",
}


@pytest.mark.parametrize("body", CLEAN.values(), ids=CLEAN.keys())
def test_style_that_the_sheet_permits_is_not_a_finding(body: str) -> None:
    assert found(HEAD + body) == []


def required(program: str, scope: str, **conditions: object) -> list[tuple[int, str]]:
    """What a requirement finds in a program: lines and messages."""
    made = []
    for key, value in conditions.items():
        if isinstance(value, bool):
            made.append(Condition(key=key, wanted=value))
        elif isinstance(value, int):
            made.append(Condition(key=key, count=value))
        else:
            made.append(Condition(key=key, names=tuple(value)))  # type: ignore[arg-type]
    requirement = Requirement(scope=scope, conditions=tuple(made))
    policy = Policy(requirements=(requirement,))
    assert not policy.lists
    return [(line, message) for _, line, _, message in found(program, policy)]


# A condition, a program that meets it, and two that do not, with the lines of their findings.
REQUIREMENTS: list[tuple[str, dict[str, object], str, tuple[str, list[int]], tuple[str, list[int]]]]
REQUIREMENTS = [
    (
        "f",
        {"recursive": True},
        "def f(n):\n    return n and g(n)\ndef g(n):\n    return f(n - 1)\n",
        ("def f(n):\n    return sum(range(n))\n", [1]),
        ("def g(n):\n    return g(n)\ndef f(n):\n    return n\n", [3]),
    ),
    (
        "f",
        {"recursive": False},
        "def f(n):\n    return g(n)\ndef g(n):\n    return n\n",
        ("def f(n):\n    return f(n - 1)\n", [1]),
        ("def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\n", [1]),
    ),
    (
        "A.m",
        {"recursive": False},
        "class A:\n    def m(self, n):\n        return f(n)\ndef m(n):\n    pass\n"
        "def f(n):\n    return n.m() + m(n)\n",
        ("class A:\n    def m(self, n):\n        return self.m(n - 1)\n", [2]),
        (
            "class A:\n    def m(self, n):\n        return self.k()\n"
            "    def k(self):\n        return self.m(1)\n",
            [2],
        ),
    ),
    (
        "f",
        {"avoids": ["loop", "while_true", "+", "sort", "sum"]},
        "def g():\n    while True:\n        pass\ndef f(x):\n    return x - 1\n",
        ("def f(x):\n    while True:\n        break\n", [2, 2]),
        ("def f(x):\n    x += 1\n    x.sort()\n    return sum(x)\n", [2, 3, 4]),
    ),
    (
        "f",
        {"uses": ["helper", "while"]},
        "def f(x):\n    while x:\n        helper(x)\n",
        ("def f(x):\n    for y in x:\n        helper(y)\n", [1]),
        ("def f(x):\n    while x:\n        x = 0\n", [1]),
    ),
    (
        "",
        {"uses": ["random"]},
        "import random\n",
        ("A = 1\n", [1]),
        ("import randomly\n", [1]),
    ),
    (
        "f",
        {"lines": 3},
        'def f(x):\n    """Doc.\n\n    More."""\n    # why\n\n    x = 1\n    return x\n',
        ("def f(x):\n    x = 1\n    x = 2\n    return x\n", [1]),
        ("def f(x):\n    return [\n        1,\n    ]\n", [1]),
    ),
    (
        "",
        {"prints": 1},
        "print(1)\n",
        ("print(1)\nprint(2)\n", [2]),
        ("print(1)\ndef f():\n    print(2)\n    print(3)\n", [3, 4]),
    ),
    (
        "",
        {"printed_literals": False},
        "print(1 + 2)\nprint()\n",
        ("print('*****')\n", [1]),
        ("print(1, 2)\nprint(f'{1}')\n", [1]),
    ),
    (
        "",
        {"main_guard": True},
        "if __name__ == '__main__':\n    pass\n",
        ("A = 1\n", [1]),
        ("if __name__ == '__main':\n    pass\n", [1]),
    ),
    (
        "",
        {"main_guard": False},
        "A = 1\n",
        ("A = 1\nif __name__ == '__main__':\n    pass\n", [2]),
        ("if '__main__' == __name__:\n    pass\n", [1]),
    ),
    (
        "",
        {"docstrings": True},
        'class A:\n    "A."\n    def __init__(self):\n        pass\ndef f():\n    "F."\n',
        ("def f():\n    pass\n", [1]),
        ('class A:\n    "A."\n    def m(self):\n        pass\n', [3]),
    ),
    (
        "f",
        {"type_hints": True},
        "def f(a: int, *, b: str) -> None:\n    pass\ndef g(x):\n    pass\n",
        ("def f(a, b: str) -> None:\n    pass\n", [1]),
        ("def f(a: int):\n    pass\n", [1]),
    ),
    (
        "A",
        {"type_hints": True},
        "class A:\n    def __init__(self, x: int):\n        pass\n    def m(self) -> int:\n"
        "        return 1\n",
        ("class A:\n    def m(self, x) -> int:\n        return 1\n", [2]),
        ("class A:\n    def m(self):\n        return 1\n", [2]),
    ),
    (
        "A",
        {"inherits": ["B"]},
        "class A(b.B, C):\n    pass\n",
        ("class A:\n    pass\n", [1]),
        ("class A(C):\n    pass\n", [1]),
    ),
    (
        "A",
        {"public": ["name"]},
        "class A:\n    def __init__(self):\n        self.name = self._x = 1\n"
        "    def _m(self):\n        pass\n",
        ("class A:\n    def m(self):\n        pass\n", [2]),
        ("class A:\n    def __init__(self):\n        self.age = 1\n", [3]),
    ),
    (
        "f",  # a helper inside that calls itself
        {"recursive": True},
        "def f(n):\n    def go(n):\n        return n and go(n - 1)\n    return go(n)\n",
        ("def f(n):\n    def go(n):\n        return n\n    return go(n)\n", [1]),
        ("def f(n):\n    return sorted(n)\n", [1]),
    ),
    (
        "f",  # a recursive helper is recursion
        {"recursive": False},
        "def f(n):\n    return g(n)\ndef g(n):\n    return n\ndef h(n):\n    return h(n)\n",
        ("def f(n):\n    return g(n)\ndef g(n):\n    return n and g(n - 1)\n", [1]),
        ("f = lambda n: n and f(n - 1)\n", [1]),
    ),
    (
        "Node.insert",  # the same method of another node
        {"recursive": True},
        "class Node:\n    def insert(self, x):\n        self.left.insert(x)\n",
        ("class Node:\n    def insert(self, x):\n        while self:\n            pass\n", [2]),
        ("class Node:\n    def insert(self, x):\n        super().insert(x)\n", [2]),
    ),
    (
        "Stack.insert",  # a list's method of the same name
        {"recursive": False},
        "class Stack:\n    def insert(self, x):\n        self.items.insert(0, x)\n",
        ("class Stack:\n    def insert(self, x):\n        self.insert(x)\n", [2]),
        ("class Stack:\n    def insert(self, x):\n        Stack.insert(self, x)\n", [2]),
    ),
    (
        "f",
        {"calls": ["helper", "sort"]},
        "def f(x):\n    x.sort()\n    return list(map(helper, x))\n",
        ("def f(x):\n    x.sort()\n    return helper\n", [1]),
        ("def f(x, helper=1):\n    sort = x\n    return sort\n", [1, 1]),
    ),
    (
        "f",  # however the module is imported
        {"uses": ["math"]},
        "from math import sqrt as root\ndef f(x):\n    return root(x)\n",
        ("import math\ndef f(x):\n    return x ** 0.5\n", [2]),
        ("from cmath import sqrt\ndef f(x):\n    return sqrt(x)\n", [2]),
    ),
    (
        "f",
        {"avoids": ["sqrt", "math"]},
        "import math\ndef f(x):\n    return x ** 0.5\n",
        ("import math as m\ndef f(x):\n    return m.sqrt(x)\n", [3, 3]),
        ("from math import sqrt as root\ndef f(x):\n    return root(x)\n", [3, 3]),
    ),
    (
        "",
        {"avoids": ["<", "not in", "f-string", "return", "nonlocal"]},
        "A = 1 > 2 and 1 in [2]\n",
        ("A = 1 < 2\nB = 1 not in [f'{A}']\n", [1, 2, 2]),
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n    return g\n", [4, 5]),
    ),
    (
        "",
        {"printed_literals": False},
        "print(f'{1 + 2}', 'a')\n",
        ("print(f'*****')\n", [1]),
        ("print('*', f'*')\n", [1]),
    ),
    (
        "",
        {"type_hints": True},
        "class A:\n    @staticmethod\n    def m(x: int, *more: int) -> int:\n        return x\n",
        ("class A:\n    @staticmethod\n    def m(x) -> int:\n        return x\n", [3]),
        ("def f(*more, **options: int) -> None:\n    pass\n", [1]),
    ),
    (
        "Dog",  # through another class
        {"inherits": ["Animal"]},
        "class Animal:\n    pass\nclass Pet(Animal):\n    pass\nclass Dog(Pet):\n    pass\n",
        ("class Animal:\n    pass\nclass Dog:\n    pass\n", [3]),
        ("class Pet:\n    pass\nclass Dog(Pet):\n    animal = 1\n", [3]),
    ),
    (
        "A",  # attributes of the class, static methods, and `self` under another name
        {"public": ["name"]},
        "class A:\n    name = ''\n    def __init__(this):\n        this._x = 1\n",
        ("class A:\n    count = 0\n    @staticmethod\n    def m():\n        pass\n", [2, 4]),
        ("class A:\n    def __init__(this):\n        this.age = 1\n", [3]),
    ),
    (
        "A",
        {"private": ["age", "__grow"]},
        "class A:\n    def __init__(self):\n        self.__age = 1\n    def __grow(self):\n"
        "        pass\n",
        ("class A:\n    def __grow(self):\n        self._age = 1\n", [1, 3]),
        (
            "class A:\n    def __init__(self):\n        self.__age = self.age = 1\n"
            "    def grow(self):\n        pass\n",
            [1, 3, 4],
        ),
    ),
    (
        "A.m",
        {"avoids": ["global"]},
        "class A:\n    def m(self):\n        pass\ndef m():\n    global x\n    x = 1\n",
        ("class A:\n    def m(self):\n        global x\n        x = 1\n", [3]),
        ("x = 1\nclass A:\n    def m(self):\n        global x\n", [4]),
    ),
]


@pytest.mark.parametrize(("scope", "conditions", "right", "wrong", "other"), REQUIREMENTS)
def test_a_requirement_is_met_or_found_at_its_place(
    scope: str,
    conditions: dict[str, object],
    right: str,
    wrong: tuple[str, list[int]],
    other: tuple[str, list[int]],
) -> None:
    assert required(right, scope, **conditions) == []
    for program, lines in (wrong, other):
        findings = required(program, scope, **conditions)
        assert [line for line, _ in findings] == lines


def test_a_requirement_may_have_its_own_clause_and_consequence() -> None:
    own = Consequence(severity=Severity.DEDUCT, marks=Fraction(1), entry=0)
    of_f = Requirement(
        scope="f", conditions=(Condition(key="lines", count=1),), clause="2", consequence=own
    )
    of_file = Requirement(scope="", conditions=(Condition(key="prints", count=0),))
    policy = Policy(requirements=(of_f, of_file), structure_clause="1")
    report = check((source("def f():\n    print()\n"),), policy)
    assert [(each.clause, each.consequence) for each in report.findings] == [
        ("2", own),
        ("1", policy.on_structure),
    ]


def test_every_condition_has_a_row() -> None:
    assert {key for _, conditions, *_ in REQUIREMENTS for key in conditions} == set(
        condition_kinds()
    )


def test_a_requirement_of_another_file_finds_nothing() -> None:
    assert required("A = 1\n", "b.py", main_guard=True) == []
    assert required("A = 1\n", "f", recursive=True) == []


MISSPELT_GUARDS = [
    '__name__ == "__name__"',
    '__name__ == "__main"',
    '__name__ == "__init__"',
    '__name__ == "main"',
    '__name__ == "__Main__"',
    "__name__ == __main__",
    '_name_ == "__main__"',
    '"__main__" == __main__',
    '__name__ == "__main __"',
    '__name__ == "__mian__"',
    '__name__ is "__main"',
]
OTHER_CONDITIONS = [
    '__name__ == "a1"',
    '__name__ != "__main__"',
    '__name__ is "__main__"',  # which CPython makes true
    '"main" == "init"',
    '__name__ == "tools"',
    'BOARD_SIZE == "__main__"',
    "BOARD_SIZE",
]


@pytest.mark.parametrize("condition", MISSPELT_GUARDS)
def test_a_misspelt_main_guard_is_named(condition: str) -> None:
    ((rule, line, _, message),) = found(f"{HEAD}if {condition}:\n    main()\n")
    assert (rule, line) == ("module_level", 3)
    assert f"misspelt: `if {condition}:`" in message


@pytest.mark.parametrize("condition", OTHER_CONDITIONS)
def test_another_condition_is_not_a_misspelt_guard(condition: str) -> None:
    ((rule, _, _, message),) = found(f"{HEAD}if {condition}:\n    main()\n")
    assert rule == "module_level"
    assert "misspelt" not in message


def test_a_misspelt_guard_is_noted_where_no_rule_judges_it() -> None:
    program = source('def main():\n    pass\nif __name__ == "__main":\n    main()\n')
    for policy in (None, ONLY_GIVEN):
        report = check([program], policy)
        (note,) = report.notes
        assert note.startswith("a1.py, line 3: the main guard is misspelt")
        assert not any(finding.rule == "module_level" for finding in report.findings)


# Line numbers count from the body's first line, which is line 3 of the file.
TECHNIQUES = [
    ("a = [c for c in HELP_MESSAGE]", 5, "a list comprehension"),
    ("a = {c for c in HELP_MESSAGE}", 5, "a set comprehension"),
    ("a = {c: 1 for c in ''}", 5, "a dictionary comprehension"),
    ("a = (c for c in '')", 5, "a generator expression"),
    ("a = lambda c: c", 5, "a lambda"),
    ("a = {}", 5, "a dictionary"),
    ("a = {1}", 5, "a set"),
    ("a = 1 if BOARD_SIZE else 2", 5, "a conditional expression (… if … else …)"),
    ("a = [(b := 1)]", 7, "an assignment expression (:=)"),
    ("a = [*HELP_MESSAGE]", 6, "unpacking with *"),
    ("a = BOARD_SIZE @ 2", 5, "the operator @"),
    ("a = BOARD_SIZE | 2", 5, "the operator |"),
    ("a = ~BOARD_SIZE", 5, "the operator ~"),
    ("a: (lambda: 1) = 1", 5, "a lambda"),
]


@pytest.mark.parametrize(("line", "column", "what"), TECHNIQUES)
def test_expressions_outside_the_list(line: str, column: int, what: str) -> None:
    message = f"{what} is not one of the allowed techniques"
    assert found(HEAD + line + "\n") == [("syntax", 3, column, message)]


STATEMENTS = {
    "try/except": ("try:\n        f()\n    except ValueError:\n        pass", "try/except"),
    "with": ("with BLANK_PIECE:\n        pass", "with"),
    "raise": ("raise ValueError('no')", "raise"),
    "assert": ("assert BOARD_SIZE", "assert"),
    "continue": ("for a in []:\n        continue", "continue"),
    "del": ("a = [1]\n    del a[0]", "del"),
    "global": ("global a", "global"),
    "nested class": ("class A:\n        pass", "a class"),
    "yield": ("yield 1", "yield"),
    "match": ("match BOARD_SIZE:\n        case 1:\n            pass", "match"),
    "augmented bit or": ("a = 1\n    a |= 2", "the operator |"),
}


@pytest.mark.parametrize(("body", "what"), STATEMENTS.values(), ids=STATEMENTS.keys())
def test_statements_outside_the_list(body: str, what: str) -> None:
    findings = found(HEAD + f"def f():\n    {body}\n")
    message = f"{what} is not one of the allowed techniques"
    assert [(rule, text) for rule, _, _, text in findings] == [("syntax", message)]


NAMES = [
    ("sum([1])", 12, "sum"),
    ("sorted", 12, "sorted"),
    ("open('x')", 12, "open"),
    ("exit()", 12, "exit"),
    ("getattr(a, 'size')", 12, "getattr"),
    ("''.join(a)", 12, ".join"),
    ("a.sort", 12, ".sort"),
    ("f(a).upper()", 12, ".upper"),
    ("'é' + sum(a)", 18, "sum"),
]


@pytest.mark.parametrize(("expression", "column", "name"), NAMES)
def test_a_builtin_or_method_that_is_not_allowed_is_found(
    expression: str, column: int, name: str
) -> None:
    rule, what = ("method", "methods") if name[0] == "." else ("builtin", "functions")
    kind = {"method": "the method", "builtin": "the built-in"}[rule]
    message = f"{kind} {name} is not one of the allowed {what}"
    assert found(HEAD + f"def f(a):\n    return {expression}\n") == [(rule, 4, column, message)]


TYPING = "from typing import Optional\n"
SUPPORT = "from a1_support import *\n"
OPTIONAL = "the given import `from typing import Optional`"
ONLY = "only the given imports are allowed"
IMPORTS = {
    "added": (HEAD + "import random\n", [(3, f"`import random` was added; {ONLY}")]),
    "added in a function": (
        HEAD + "def f():\n    import os\n",
        [(4, f"`import os` was added inside other code; {ONLY}")],
    ),
    "changed names": (
        "from typing import Optional, List\n" + SUPPORT,
        [(1, f"{OPTIONAL} was changed to `from typing import Optional, List`")],
    ),
    "changed star": (
        TYPING + "import a1_support\n",
        [(2, "the given import `from a1_support import *` was changed to `import a1_support`")],
    ),
    "removed": (SUPPORT, [(1, f"{OPTIONAL} was removed")]),
    "both removed": (
        "A = 1\n",
        [
            (1, "the given import `from a1_support import *` was removed"),
            (1, f"{OPTIONAL} was removed"),
        ],
    ),
    "doubled": (HEAD + SUPPORT, [(3, "`from a1_support import *` appears twice")]),
    "other order": (
        SUPPORT + TYPING,
        [(2, "`from typing import Optional` is not in the given order")],
    ),
    "moved": (
        TYPING + "if 1:\n    from a1_support import *\n",
        [(3, "`from a1_support import *` was moved; leave it at the top of the file")],
    ),
    "spelled over lines": ("from typing import (\n    Optional,\n)\n" + SUPPORT, []),
    "from the future": (
        "from __future__ import annotations\n" + HEAD,
        [(1, f"`from __future__ import annotations` was added; {ONLY}")],
    ),
}


@pytest.mark.parametrize(("program", "expected"), IMPORTS.values(), ids=IMPORTS.keys())
def test_imports_exactly_as_given(program: str, expected: list[tuple[int, str]]) -> None:
    assert [(line, text) for _, line, _, text in found(program, ONLY_GIVEN)] == expected


ALLOWED = {
    "the module": ("import random\n", []),
    "from the module": ("from random import choice\n", []),
    "a part of the module": ("import random.inner\n", []),
    "a name that only begins so": ("import randomly\n", ["imports randomly, but only random"]),
    "two in one": ("import random, sys\n", ["imports sys, but only random"]),
    "relative": ("from . import random\n", ["imports ., but only random"]),
}


@pytest.mark.parametrize(("program", "expected"), ALLOWED.values(), ids=ALLOWED.keys())
def test_an_import_that_is_not_allowed_is_found(program: str, expected: list[str]) -> None:
    only = Policy(imports=ImportPolicy(allow=("random",)))
    messages = [text.removesuffix(" may be imported") for _, _, _, text in found(program, only)]
    assert messages == expected


FORBIDDEN = {
    "the module": ("import os\n", ["imports os"]),
    "a part of the module": ("import os.path\n", ["imports os.path"]),
    "from the module": ("from os import path\n", ["imports os"]),
    "the part, from its module": (
        "from urllib import parse, request\n",
        ["imports urllib.request"],
    ),
    "the part": ("import urllib.request as r\n", ["imports urllib.request"]),
    "another part": ("from urllib import parse\n", []),
    "a name that only begins so": ("import osmosis\n", []),
    "another": ("import random\nfrom . import os\n", []),
    "a way around": (
        "__import__('os')\n",
        ["__import__ imports a module without an import statement"],
    ),
}


@pytest.mark.parametrize(("program", "expected"), FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_a_forbidden_import_is_found(program: str, expected: list[str]) -> None:
    other = Policy(imports=ImportPolicy(forbid=("os", "urllib.request")))
    messages = [message for _, _, _, message in found(program, other)]
    assert [text.removesuffix(", which may not be imported") for text in messages] == expected


LISTED = Policy(
    lists=(
        NameList(key="syntax", forbid=("FunctionDef", "Lambda", "Mod", "Pass")),
        NameList(key="builtins", forbid=("sum", "eval")),
        NameList(key="methods", forbid=("sort", "__pow__")),
    )
)
LISTS = {
    "a function": ("def f(): return 1\n", [("syntax", 1, "a function definition")]),
    "nothing that is named": ("a = [n for n in (1, 2)]\nprint(len(a), a.index(1), 3 * 4)\n", []),
    "an operator": ("a = 5 % 2\n", [("syntax", 5, "the operator %")]),
    "what no list permits or not": ("if 1:\n    pass\n", [("syntax", 5, "the syntax Pass")]),
    "a built-in": ("a = sum([1])\n", [("builtin", 5, "the built-in sum")]),
    "a way around imports": ("eval('1')\n", [("builtin", 1, "the built-in eval")]),
    "a name of one's own": ("sum = 3\nprint(sum)\n", []),
    "a method": ("a = [2, 1]\na.sort()\n", [("method", 1, "the method .sort")]),
    "an operator's method by a name": (
        "power = float.__pow__\n",
        [("method", 9, "the method .__pow__")],
    ),
    "a method by getattr": (
        "a = 2.0\nprint(getattr(a, '__pow__')(3))\n",
        [("method", 7, "the method .__pow__")],
    ),
    "another attribute by getattr": ("a = 2.0\nprint(getattr(a, 'real'), getattr(a, a))\n", []),
}


@pytest.mark.parametrize(("program", "expected"), LISTS.values(), ids=LISTS.keys())
def test_lists_of_what_is_forbidden(program: str, expected: list[tuple[str, int, str]]) -> None:
    findings = [
        (rule, column, message.split(" is not one of the allowed ")[0])
        for rule, _, column, message in found(program, LISTED)
    ]
    assert findings == expected


def test_a_forbidden_built_in_is_a_technique_also_where_imports_are_restricted() -> None:
    """Its severity is that of the list that names it, and it is found once."""
    program = "eval('1')\nexec('1')\n"
    assert found(program, replace(LISTED, imports=ImportPolicy(forbid=("os",)))) == [
        ("builtin", 1, 1, "the built-in eval is not one of the allowed functions"),
        ("import_evasion", 2, 1, "exec runs text as code"),
    ]


def test_a_technique_is_named_as_in_the_policy() -> None:
    nothing = Policy(lists=(NameList(key="syntax", allow=()),))
    (finding,) = check([source("a = 1 < 2")], nothing).findings
    assert finding.word == "Compare"
    assert finding.message == "a comparison is not one of the allowed techniques"


GAME = "import board\nimport random\nexec('')\n"
BY_FILE = {
    "nothing": (
        {"board.py": ImportPolicy(), "game.py": ImportPolicy(allow=("board",))},
        {
            "board.py": ["imports board, but nothing", "imports random, but nothing", "exec"],
            "game.py": ["imports random, but only board", "exec"],
            "notes.py": [],
        },
    ),
    "exactly": (
        {"game.py": ImportPolicy(exactly=("import board", "import random"))},
        {"board.py": [], "game.py": ["exec"], "notes.py": []},
    ),
}


@pytest.mark.parametrize(("rules", "expected"), BY_FILE.values(), ids=BY_FILE.keys())
def test_each_file_has_its_own_imports(
    rules: dict[str, ImportPolicy], expected: dict[str, list[str]]
) -> None:
    policy = Policy(
        file_imports=tuple(FileImports(file=name, imports=rule) for name, rule in rules.items()),
        on_imports=Consequence(severity=Severity.NOTE),
        imports_clause="imports",
    )
    messages: dict[str, list[str]] = {name: [] for name in expected}
    for finding in check([source(GAME, name) for name in expected], policy).findings:
        assert (finding.clause, finding.consequence) == ("imports", policy.on_imports)
        text = finding.message.removesuffix(" may be imported").removesuffix(" runs text as code")
        messages[finding.file].append(text)
    assert messages == expected


EVASIONS = {
    "__import__": "__import__('os')",
    "exec": "exec('import os')",
    "eval": "eval('1')",
    "compile": "compile('1', '', 'eval')",
    "an alias of exec": "[exec][0]('1')",
    "globals": "globals()['x']",
    "locals": "locals()",
    "vars of nothing": "vars()",
    "getattr on a built-in": "getattr(print, 'x')",
    "getattr on a type": "getattr(str, 'join')",
    "getattr with a made-up name": "getattr(a, 'x' + 'y')",
    "getattr as a value": "[getattr]",
    "setattr on a module": "setattr(Optional, 'x', 1)",
    "__builtins__": "__builtins__",
    "class walk": "a.__class__",
    "subclasses": "a.__subclasses__()",
    "globals of a function": "f.__globals__",
    "frames": "a.gi_frame",
    "traceback frames": "a.tb_frame.f_globals",
    "import_module": "a.import_module('os')",
    "sys.modules": "sys.modules",
    "os that came with the star": "os.system('x')",
    "the loader": "__loader__",
    "breakpoint": "breakpoint()",
    "a text that spells a step": "a['__builtins__']",
    "a format string": "'{0.__class__}'",
}


@pytest.mark.parametrize("expression", EVASIONS.values(), ids=EVASIONS.keys())
def test_ways_around_the_imports(expression: str) -> None:
    findings = found(HEAD + f"def f(a):\n    return {expression}\n", ONLY_GIVEN)
    assert findings
    assert {(rule, line) for rule, line, _, _ in findings} == {("import_evasion", 4)}


HIDDEN_EVASIONS = {
    "a binding that never happens": "if 0:\n    exec = 1\ndef f():\n    exec('')\n",
    "a binding that is deleted": "exec = 1\ndel exec\ndef f():\n    exec('')\n",
    "a binding deleted elsewhere": "exec = 1\ndef g():\n    global exec\n    del exec\n"
    "def f():\n    exec('')\n",
    "used before the binding": "exec('')\nexec = 1\n",
    "used in what binds it": "exec = [exec]\n",
    "used in a later line of what binds it": "exec = [\n    exec,\n]\n",
    "a class's binding": "class A:\n    exec = 1\n    def f(self):\n        exec('')\n",
    "a comprehension's first iterable": "def f():\n    return [exec for exec in [exec]]\n",
    "in an annotation": "def f(a: exec('')):\n    pass\n",
    "in a decorator": "@exec\ndef f():\n    pass\n",
    "in a default": "def f(a=exec):\n    pass\n",
    "in a match pattern": "def f(a):\n    match a:\n        case object(__class__=c):\n"
    "            return c\n",
    "by way of another module": "from a1_support import os\n",
    "by way of a standard module": "from random import _os\n",
    "a module under another name": "import a1_support\nm = a1_support\nm.os.system('x')\n",
    "twice renamed": "import a1_support\nk = m = a1_support\nn = (l := k)\nn.os.system('x')\n",
    "in a container": "import a1_support\nA = [a1_support]\n",
    "returned": "import a1_support\ndef f():\n    return a1_support\n",
    "as a default": "import a1_support\ndef f(a=a1_support):\n    return a.os\n",
    "given to a function": "import a1_support\ndef f(a):\n    return a.os\nf(a1_support)\n",
    "renamed in a class, perhaps": "import a1_support as m\nclass A:\n    if 0:\n"
    "        m = 1\n    m.os.system('x')\n",
    "nonlocal": "def f():\n    m = 1\n    def g():\n        nonlocal m\n"
    "        import a1_support as m\n    g()\n    m.os.system('x')\n",
    "a part's module": "import a1_support\nimport os.path\nos.path.sys\n",
    "a part under another name": "from os import path\npath.sys\n",
    "vars under another name": "v = vars\ndef f(a):\n    return v(a)\n",
    "vars of a renamed module": "import a1_support\nm = a1_support\ndef f():\n"
    "    return vars(m)['o' + 's']\n",
    "vars of what came with the star": "from a1_support import *\ndef f():\n    return vars(os)\n",
    "what came with the star, renamed": "from a1_support import *\nm = os\n",
    "__match_args__ of steps": "class A:\n    __match_args__ = ('tb_frame',)\n",
    "__match_args__ that are computed": "class A:\n    __match_args__ = ('tb_' + 'frame',)\n",
    "__match_args__ of a made-up class": "A = type('A', (), {'__match_args__': ()})\n",
    "fields named as steps": "class A:\n    tb_frame: object\n",
    "a class that takes anything for its own": "class A(type):\n"
    "    def __instancecheck__(cls, other):\n        return True\n",
    "a step in a text": "A = 'tb_frame'\n",
    "a class that is passed on": "class A:\n    pass\ndef f():\n    return A().__class__\n",
    "the class of what is not a parameter": "class A:\n    def f(self):\n"
    "        return ().__class__\n",
    "an object's class that is changed": "class A:\n    def f(self):\n"
    "        self.__class__ = int\n",
    "a step that is one's own name as well": "class A:\n    def __globals__(self):\n"
    "        pass\ndef f(a):\n    return a.__globals__\n",
    "a star that is one's own module": "from re import *\ndef f():\n    compile('', '', '')\n",
}


@pytest.mark.parametrize("program", HIDDEN_EVASIONS.values(), ids=HIDDEN_EVASIONS.keys())
def test_a_hidden_way_around_the_imports_is_found(program: str) -> None:
    only = Policy(imports=ImportPolicy(allow=("a1_support", "os", "random", "re")))
    files = (source(program), source("A = 1\n", "re.py"))
    assert "import_evasion" in {finding.rule for finding in check(files, only).findings}


HONEST = {
    "a function of a provided module": "import a1_support\na1_support.copy([])\n",
    "a constant of a provided module": "import a1_support\na1_support.string\n",
    "a function definition module": "import board\nboard.select(1)\n",
    "an operator by its method": "def f(a, b):\n    return a.__pow__(b) + a.__mod__(b)\n",
    "rarer methods of operators": "def f(a, b):\n    return a.__matmul__(b), a.__rtruediv__(b)\n",
    "the name of an object's class": "class A:\n    def __repr__(self):\n"
    "        return f'{self.__class__.__name__}()'\n",
    "the name of an exception's class": "def f(error):\n    return error.__class__.__name__\n",
    "another object of the same class": "class A:\n    def copy(self):\n"
    "        return self.__class__()\n",
    "the class and the attributes compared": "class A:\n    def __eq__(self, other):\n"
    "        same = self.__class__ is other.__class__\n"
    "        return same and self.__dict__ == other.__dict__\n",
    "an object that cannot be changed": "class A:\n    def __new__(cls, x):\n"
    "        made = super().__new__(cls)\n        object.__setattr__(made, 'x', x)\n"
    "        return made\n",
    "a class that is told of its subclasses": "class A:\n"
    "    def __init_subclass__(cls, **more):\n        super().__init_subclass__(**more)\n",
    "one's own names with underscores": "class A:\n    def __init__(self):\n"
    "        self.__balance__ = 0\n    def __nonzero__(self):\n"
    "        return self.__balance__ > 0\ndef f(a):\n    return a.__nonzero__()\n",
    "taken out of one's own module": "from board import select\n",
    "with the star": "from board import *\nselect.rows\n",
    "a module for an annotation": "import datetime\ndef f(a: datetime) -> datetime:\n"
    "    b: list[datetime] = a\n    return b\n",
    "a module printed": "import random\nprint(random, dir(random))\nhelp(random)\n",
    "a module renamed": "import random\nr = random\nr.random()\n",
    "a parameter named as a module": "import random\ndef f(random):\n    return random.time\n",
    "a class that can be matched": "class A:\n    __match_args__ = ('x', 'y')\n",
    "the parts of a package": "import collections\ncollections.abc.Iterable\n"
    "from os import path\npath.join('a')\n",
    "a class's method of a module's name": "from datetime import datetime\n"
    "datetime.now().time()\ndatetime.time(datetime.now())\n",
}


@pytest.mark.parametrize("program", HONEST.values(), ids=HONEST.keys())
def test_nothing_is_found_in_honest_uses(program: str) -> None:
    modules = ("a1_support", "board", "collections", "datetime", "os", "random")
    only = Policy(
        imports=ImportPolicy(allow=modules),
        provided_modules=("a1_support",),
        provided_names=("string",),
        provided_functions=("copy",),
    )
    files = (source(program), source("def select(a):\n    return a\n", "board.py"))
    assert [finding.message for finding in check(files, only).findings] == []


def test_a_module_reached_through_the_provided_one() -> None:
    only = Policy(imports=ImportPolicy(allow=("a1_support",)), provided_modules=("a1_support",))
    message = "a1_support.os uses the module os through another module"
    findings = found("import a1_support\na1_support.os.system('x')\n", only)
    assert findings == [("import_evasion", 2, 1, message)]


def test_names_of_numpy_and_pandas_are_theirs() -> None:
    only = Policy(imports=ImportPolicy(allow=("numpy", "pandas")))
    program = (
        "import numpy as np\nimport pandas as pd\nfrom numpy import copy, random\n"
        "x = np.array([np.random.random(), random.normal()])\ny = np.copy(pd.array(x))\n"
    )
    assert found(program, only) == []
    message = "np.os uses the module os through another module"
    assert found("import numpy as np\nnp.os.system('x')\n", only) == [
        ("import_evasion", 2, 1, message)
    ]


def test_a_function_of_an_imported_module_is_not_a_method() -> None:
    only = Policy(lists=(NameList(key="methods", allow=()),), provided_modules=("a1_support",))
    assert found("import a1_support\nA = a1_support.make(1)\n", only) == []


GUARD = 'the `if __name__ == "__main__":` guard'
LOADED = "when the file is loaded, outside every function"
LEVEL = [
    ("main()", f"main() is called outside {GUARD}, so it runs when the file is loaded"),
    ("print('x')", f"prints {LOADED}"),
    ("input()", f"input is called {LOADED}"),
    ("a = input()", f"input is called {LOADED}"),
    ("a = len('x')", "len is called when the file is loaded; write the constant as a value"),
    ("while 0:\n    pass", f"a while loop runs {LOADED}"),
    ("if 1:\n    pass", f"an if statement runs {LOADED}"),
    ("if __name__ != '__main__':\n    pass", f"an if statement runs {LOADED}"),
    ("if __name__ == '__main__':\n    pass\nelse:\n    print(1)", f"prints {LOADED}"),
    ("A = [1]\nA[0] = 2", "changes something at module level; define only constants there"),
    ("A = 1\nA += 1", f"an assignment such as += runs {LOADED}"),
    ("A = []\nA.append(1)", f"A.append is called {LOADED}"),
    ("class A:\n    pass", "a class is not allowed at module level"),
]


def test_a_lambda_with_a_name_is_a_function_at_module_level() -> None:
    body = "line = lambda n: n * '-'\n"
    functions = NameList(key="module_level", allow=("functions",))
    assert found(body, Policy(lists=(functions,))) == []
    constants = NameList(key="module_level", allow=("constants",))
    ((_, _, _, text),) = found(body, Policy(lists=(constants,)))
    assert text == "a function is not allowed at module level"


@pytest.mark.parametrize(("body", "message"), LEVEL)
def test_code_at_module_level(body: str, message: str) -> None:
    findings = found(body + "\n", Policy(lists=(MODULE_LEVEL,)))
    assert [(rule, text) for rule, _, _, text in findings] == [("module_level", message)]


OVERRIDES = {
    "assignment": ("BOARD_SIZE = 8", 1),
    "in a tuple": ("A, BOARD_SIZE = 1, 8", 4),
    "annotated": ("BOARD_SIZE: int = 8", 1),
    "a loop": ("for BOARD_SIZE in [1]:\n    pass", 5),
    "a function": ("def BOARD_SIZE():\n    pass", 1),
    "global in a function": ("def f():\n    global BOARD_SIZE\n    BOARD_SIZE = 8", 5),
    "another module's": ("from other import BOARD_SIZE", 19),
    "the module's attribute": ("import a1_support\na1_support.BOARD_SIZE = 8", 1),
    "its import by name, which is none": ("from a1_support import BOARD_SIZE", None),
}


@pytest.mark.parametrize(("body", "column"), OVERRIDES.values(), ids=OVERRIDES.keys())
def test_bindings_of_provided_names(body: str, column: int | None) -> None:
    only = Policy(provided_modules=("a1_support",), provided_names=("BOARD_SIZE",))
    expected = [("overrides_provided", column)] if column else []
    assert [(rule, at) for rule, _, at, _ in found(body + "\n", only)] == expected


def test_a_finding_holds_its_place_its_rule_and_its_consequence() -> None:
    (finding,) = check([source(HEAD + "A = {}\n")], POLICY).findings
    assert finding.rule == "syntax"
    assert (finding.file, finding.line, finding.column) == ("a1.py", 3, 5)
    assert (finding.source, finding.clause) == ("A = {}", "4.techniques")
    assert finding.consequence == POLICY.on_techniques


def test_findings_stand_in_the_order_of_files_lines_and_columns() -> None:
    body = HEAD + "A = [{}, {1}]\nimport os\nprint(sum([1]), ''.join([]))\n"
    files = [source(body, name) for name in ("b.py", "a.py")]
    report = check(files, POLICY)
    places = [(f.file, f.line, f.column) for f in report.findings]
    assert places == sorted(places, key=lambda place: (place[0] != "b.py", *place[1:]))
    assert report == check(files, POLICY)
    assert len(places) == 12


def test_a_flood_of_findings_is_cut_but_keeps_every_rule() -> None:
    report = check([source(HEAD + "A = {}\n" * 300 + "import os\n")], POLICY)
    rules = [finding.rule for finding in report.findings]
    assert (rules.count("syntax"), rules.count("import")) == (50, 1)
    assert report.notes == ("a1.py: 250 more findings of the kind syntax are not listed",)


def test_without_a_policy_nothing_is_judged() -> None:
    report = check([source("import os\nexec('x')\n")], None)
    assert replace(report, outline=Outline()) == PolicyReport()


def test_files_other_than_python_are_not_checked() -> None:
    assert check([source("{{", "notes.txt")], POLICY) == PolicyReport()
