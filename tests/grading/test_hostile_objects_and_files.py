# ruff: noqa: E501
"""Programs whose objects and files are hostile, or only odd: each ends, is told what is wrong, and
leaves the next submission alone."""

from collections.abc import Iterator

import pytest

from harness import load_assignment
from harness.grading.context import prepare
from harness.grading.grader import Grader
from tests.inline import grader_of, handed_in
from tests.tiny_course import Course

SETTINGS = """\
functionality_marks: 7
limits: {cpu_seconds: 0.5, wall_seconds: 5, memory_mib: 128, output_kib: 64}
compare: {Box: [value], Pair: attributes}
"""
SCENARIOS = """\
visible: true
scenarios:
  - {name: a box, function: box, call: box(3)}
  - name: a pair
    function: pair
    call: pair(1, 2)
    limits: {cpu_seconds: 10, memory_mib: 512}
  - name: a report
    function: save
    files: {in.txt: "one\\ntwo\\n"}
    call: save()
    writes: {report.txt: "2 lines\\n"}
  - {name: counts, function: tally, call: 'tally("aab")', returns: {equals: "{'a': 2, 'b': 1}"}}
  - {name: one count, function: most, call: most(), returns: {equals: "2"}}
  - {name: boxes, function: boxes, call: boxes(), returns: {equals: "[Same(1), Same(2)]"}}
  - name: the lines
    function: load
    files: {in.txt: "one\\ntwo\\n"}
    call: load("in.txt")
    writes: unchanged
"""
RIGHT = """\
class Box:
    def __init__(self, value):
        self._value = value
    @property
    def value(self):
        return self._value
class Pair:
    def __init__(self, left, right):
        self.left = left
        self.right = right
def box(value):
    return Box(value)
def pair(left, right):
    return Pair(left, right)
def save():
    with open("report.txt", "w") as report:
        report.write(f"{len(load('in.txt'))} lines\\n")
def load(name):
    with open(name) as file:
        return file.read().splitlines()
class Same:
    def __init__(self, value):
        self.value = value
    def __eq__(self, other):
        return isinstance(other, Same) and self.value == other.value
class Liar:
    def __eq__(self, other):
        return True
    def __hash__(self):
        return hash("a")
def tally(text):
    return {letter: text.count(letter) for letter in text}
def most():
    return 2.0
def boxes():
    return [Same(1), Same(2)]
"""
BOX, PAIR, SAVE, LOAD = (f"all/{name}" for name in ("a-box", "a-pair", "a-report", "the-lines"))
TALLY, MOST, BOXES = "all/counts", "all/one-count", "all/boxes"
COUNTED = "    return {letter: text.count(letter) for letter in text}\n"
VALUE = "        return self._value\n"
PAIRED = "        self.right = right\n"
WRITTEN = """    with open("report.txt", "w") as report:
        report.write(f"{len(load('in.txt'))} lines\\n")
"""


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new)


def saving(*lines: str) -> str:
    return changed(WRITTEN, "    import os\n" + "".join(f"    {line}\n" for line in lines))


def lying(base: str, content: str, *methods: str) -> str:
    """An expression: an object of a class derived from `base` that says of itself what is wanted."""
    said = ["'__eq__': lambda a, b: True", "'__ne__': lambda a, b: False", "'__hash__': hash"]
    space = ", ".join([*said, *methods])
    return f"type('Lying', ({base},), {{{space}}})({content})"


def counting(expression: str) -> str:
    return changed(COUNTED, f"    return {expression}\n")


# What fails of each program, with its verdict and a part of what is said.
ODD: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "a dictionary that calls itself equal": (counting(lying("dict", "{'a': 3}")), {TALLY: ("failed", "returned a different dict")}),
    "a dictionary that shows other items": (
        counting(lying("dict", "{'a': 3}", "'items': lambda self: [('a', 2), ('b', 1)]", "'__iter__': lambda self: iter('ab')",
                       "'__getitem__': lambda self, key: {'a': 2, 'b': 1}[key]", "'__len__': lambda self: 2", "'keys': lambda self: 'ab'")),
        {TALLY: ("failed", "returned a different dict")},
    ),
    "a dictionary of lying keys": (counting("{Liar(): 2, 'b': 1}"), {TALLY: ("failed", "returned a different dict")}),
    "a dictionary of lying numbers": (counting("{'a': " + lying("int", "3") + ", 'b': 1}"), {TALLY: ("failed", "['a'] is 3")}),
    "a dictionary that is right and of its own class": (counting(lying("dict", "{'b': True, 'a': 2.0}")), {}),
    "a counter": ("from collections import Counter\n" + counting("Counter(text)"), {}),
    "an object that equals everything": (counting("Liar()"), {TALLY: ("failed", "instead of {'a': 2, 'b': 1} (a dict)")}),
    "an object that calls its class dict": (
        counting("type('dict', (Liar,), {'__class__': property(lambda self: dict)})()"), {TALLY: ("failed", "instead of {'a': 2, 'b': 1} (a dict)")}
    ),
    "a number that equals everything": (
        changed("    return 2.0\n", "    return " + lying("int", "3") + "\n"), {MOST: ("failed", "most returned 3 instead of 2.")}
    ),
    "a right answer in a lying class": (changed("    return 2.0\n", "    return " + lying("float", "2") + "\n"), {}),
    "a list of objects that calls itself equal": (
        changed("    return [Same(1), Same(2)]\n", "    return " + lying("list", "[Same(1)]") + "\n"), {BOXES: ("failed", "not equal (==) to [Same(1), Same(2)]")}
    ),
    "data where objects should be": (
        changed("    return [Same(1), Same(2)]\n", "    return [1, 2]\n"), {BOXES: ("failed", "not equal (==) to [Same(1), Same(2)]")}
    ),
    "objects of a class that calls itself equal": (  # whose == such a scenario is about
        changed("    return [Same(1), Same(2)]\n", "    return [Liar(), Liar()]\n"), {}
    ),
    "attributes that cannot be read": (
        changed("class Pair:\n", "class Pair:\n    def __getattribute__(self, name):\n"
                "        if name != '__dict__': raise KeyError(name)\n"
                "        return object.__getattribute__(self, name)\n"),
        {},
    ),
    "attributes that end the program": (
        changed("class Box:\n", "class Box:\n    def __getattribute__(self, name):\n"
                "        raise SystemExit(name)\n"),
        {BOX: ("failed", "Attribute value of the result raises SystemExit when it is read; the expected value is 3.")},
    ),
    "a property that raises": (changed(VALUE, "        raise ValueError('no')\n"), {BOX: ("failed", "raises ValueError when it is read; the expected value is 3.")}),
    "a property that hangs": (changed(VALUE, "        while True: pass\n"), {BOX: ("cpu_limit", "box did not end")}),
    "a property that prints": (
        changed(VALUE, "        print('read')\n" + VALUE), {BOX: ("failed", "although nothing should be printed here")}
    ),
    "a property that prints without end": (
        changed(VALUE, "        while True: print('read')\n"), {BOX: ("output_limit", "box printed more than 64 KiB")}
    ),
    "a property that takes all memory": (
        changed(VALUE, "        return 'x' * 10**9\n"), {BOX: ("memory_limit", "box used more memory than is allowed")}
    ),
    "a property that ends the process": (
        changed(VALUE, "        import os; os._exit(0)\n"), {BOX: ("ended_early", "box ended the whole process before giving an answer.")}
    ),
    "an object that holds itself": (
        changed(PAIRED, "        self.right = self\n"), {PAIR: ("failed", "a value that contains itself")}
    ),
    "objects a hundred thousand deep": (
        changed(PAIRED, "        self.right = right\n        for n in range(100_000):\n"
                "            other = object.__new__(Pair)\n            other.left = self.right\n"
                "            other.right = n\n            self.right = other\n"),
        {PAIR: ("failed", "too large to compare (nested more than 100 deep)")},
    ),
    "a million attributes": (
        changed(PAIRED, PAIRED + "        self.__dict__.update({f'a{n}': n for n in range(10**6)})\n"),
        {PAIR: ("failed", "too large to compare (more than 20000 attributes)")},
    ),
    "attributes of odd names": (
        changed(PAIRED, PAIRED + "        self.__dict__['<b>\\n\\x1b[31m'] = 1\n"),
        {PAIR: ("failed", "attribute .<b>\\n\\x1b[31m ")},
    ),
    "a file of a gigabyte": (
        saving("with open('report.txt', 'wb') as report: report.truncate(2**30)"),
        {SAVE: ("failed", "File too large (line 17")},
    ),
    "a gigabyte in pieces": (
        saving("with open('report.txt', 'w') as report:",
               "    for n in range(1024): report.write('a' * 2**20)"),
        {SAVE: ("failed", "File too large (line 18")},
    ),
    "thousands of files": (
        saving("for n in range(5000): open(f'{n}.txt', 'w').close()"), {SAVE: ("output_limit", "save wrote more than 300 files or 4 MiB")}
    ),
    "a link": (saving("os.symlink('in.txt', 'report.txt')"), {SAVE: ("failed", "PermissionError: [Errno 1] Operation not permitted: 'in.txt' -> 'report.txt'")}),
    "a pipe": (saving("os.mkfifo('report.txt')"), {SAVE: ("failed", "PermissionError")}),
    "a folder where the file should be": (saving("os.mkdir('report.txt')"), {SAVE: ("failed", "The file report.txt is a folder, expected")}),
    "a name with a line's end": (
        saving("open('report.txt\\n\\x1b[31m', 'w').close()"), {SAVE: ("failed", "save writes report.txt\\n\\x1b[31m and not report.txt")}
    ),
    "a file that nobody may read": (
        # In a folder the change of rights is granted and not made.
        saving("open('report.txt', 'w').close()", "os.chmod('report.txt', 0)"),
        {SAVE: ("failed", "lacks 1 line")},
    ),
    "a file left open": (
        saving("global report", "report = open('report.txt', 'w')", "report.write('2 lines\\n')"),
        {SAVE: ("failed", "save does not close report.txt")},
    ),
    "a file that was never written read back": (
        saving("return open('report.txt').read()"), {SAVE: ("failed", "save raised FileNotFoundError")}
    ),
    "the given file removed": (
        changed("        return file.read().splitlines()\n",
                "        text = file.read()\n    import os; os.remove(name)\n"
                "    return text.splitlines()\n"),
        {LOAD: ("failed", "file_should_stay"), SAVE: ("failed", "file_should_stay")},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    course = Course.small(tmp_path_factory.mktemp("course"), "boxes", RIGHT, SCENARIOS, SETTINGS)
    with grader_of(prepare(load_assignment(course.root, "boxes"))) as grader:
        yield grader


@pytest.mark.parametrize("case", ODD)
def test_it_ends_is_told_what_is_wrong_and_touches_nobody_else(grader: Grader, case: str) -> None:
    program, expected = ODD[case]
    result = grader.grade(handed_in(program)).result
    failed = {
        each.scenario_id: each.verdict for each in result.scenarios if not each.verdict.passed
    }
    assert failed.keys() == expected.keys()
    for name, (kind, said) in expected.items():
        explanation = failed[name].explanation
        assert failed[name].kind.value == kind
        assert explanation is not None
        assert said == explanation.rule or said in explanation.message
    assert grader.grade(handed_in(RIGHT)).result.mark == 7
