"""What a program returns, raises, prints and changes; objects of its own
classes, whatever these do."""

from dataclasses import replace

import pytest

from harness.execution import AnyDriver, Driver
from harness.model.assignment import ClassComparison, CompareBy, SourceFile
from harness.model.observation import Ending, Phase
from harness.model.stimulus import Binding, StandIn, Stimulus
from harness.stimuli.call import Call
from tests.execution.small_world import (
    QUICK,
    TEN,
    assignment,
    call,
    observe,
    plain,
    run,
    session,
    source,
    turns,
    values,
)

# No object of these is asked anything.
CLASSES = """
class Liar(int):
    def __eq__(self, other): return True
    def __repr__(self): raise SystemExit("asked")
    __hash__ = int.__hash__
    @property
    def __class__(self): return int
class Meta(type):
    @property
    def __name__(self): raise SystemExit("asked")
class Strange(metaclass=Meta):
    def __getattribute__(self, name): raise SystemExit("asked")
class Text(str):
    def __len__(self): raise SystemExit("asked")
class Plain:
    def __init__(self): self.b, self.a, self._hidden = 1, [2], 3
class Slots:
    __slots__ = ("x", "y")
    def __init__(self): self.x = 1
class Child(Plain):
    def __init__(self): super().__init__(); self.c = Slots()
class Ring:
    def __init__(self): self.me = self
class Many:
    def __init__(self): self.__dict__.update({f"a{n}": n for n in range(100_000)})
class Raising:
    @property
    def value(self): raise ValueError("no")
class Asking:
    def __getattribute__(self, name): raise SystemExit("asked")
    def __eq__(self, other): return True
    def __repr__(self): return "Asking at 0xabc"
class Same:
    def __init__(self, n): self.n = n
    def __eq__(self, other): return self.n == other.n
class Other:
    def __init__(self, n): self.n = n
def f(): pass
def cycle():
    x = [1]
    x.append(x)
    return x
def deep(x=[]):
    for _ in range(500): x = [x]
    return x
def wide(x=[]):
    for _ in range(60): x = [x, x]
    return x
"""
AS_WRITTEN = (
    *("None", "True", "1", "1.0", "-0.0", "2j", "'text'", "b'\\xff'", "(1,)", "frozenset({1})"),
    *("[1, (2, 'a'), {'k': [None]}]", "range(1, 9, 2)", "Liar(3)", "Text('a')"),
    "[Liar(1), {Liar(2): Text('b')}]",
)
VALUES = {text: text for text in AS_WRITTEN} | {
    "float('nan')": "nan",
    "float('-inf')": "-inf",
    "chr(0xD800) + chr(0x1F600)": repr("\ud800\U0001f600"),
    "{3, 1, 2}": "{1, 2, 3}",
    "...": "Ellipsis",
    "len": "<function len>",
    "f": "<function f>",
    "str.upper": "<function str.upper>",
    "'x'.join": "<function str.join>",
    "str.__len__": "<function str.__len__>",
    "int": "<class 'int'>",
    "object()": "<object object>",
    "10 ** 5000": "<too large to compare: an integer of 16610 bits>",
    "'x' * 2_000_000": "<too large to compare: a text of 2000000 characters>",
    "[0] * 200_000": "<too large to compare: more than 20000 parts>",
    "Strange()": "<Strange object>",
    "range(Liar(3))": "range(0, 3)",
    "(i for i in [])": "generator of []",
    "__import__('enum').IntEnum('E', 'A').A": "E(1, name='A', value=1)",
    "type('X', (list,), {})()": "X([])",
    "cycle()": "[1, ...]",
    "deep()": "<too large to compare: nested more than 100 deep>",
    "wide()": "<too large to compare: more than 20000 parts>",
    "Plain()": "Plain(a=[2], b=1)",
    "Slots()": "Slots(x=1)",
    "Child()": "Child(a=[2], b=1, c=Slots(x=1))",
    "[Plain(), {1: Slots()}]": "[Plain(a=[2], b=1), {1: Slots(x=1)}]",
    "Ring()": "Ring(me=...)",
    "Many()": "<too large to compare: more than 20000 attributes>",
    "Asking()": "<Asking object>",
    "Raising()": "<Raising object>",
    "__import__('decimal').Decimal('1.50')": "Decimal('1.50')",
    "__import__('fractions').Fraction(1, 3)": "Fraction(1, 3)",
    "__import__('datetime').date(2024, 5, 6)": "datetime.date(2024, 5, 6)",
    "__import__('collections').deque([1])": "deque([1])",
    "(n for n in range(3))": "generator of [0, 1, 2]",
    "map(str, [1])": "map of ['1']",
}


def test_a_value_is_described_with_its_exact_type_or_public_attributes(driver: Driver) -> None:
    assert values(driver, CLASSES, VALUES) == VALUES


def test_arguments_before_and_after_a_plain_call(driver: Driver) -> None:
    program = "def add(row, piece, *, at=0):\n    row.insert(at, piece)\n    return len(row)\n"
    seen = observe(driver, program, call("add(['-'], 'X', at=1)"))
    assert plain(seen.value) == "2"
    assert [plain(each) for each in seen.arguments_before] == ["['-']", "'X'"]
    assert [plain(each) for each in seen.arguments] == ["['-', 'X']", "'X'"]
    seen = observe(driver, program, call("add(['-'], 'X') + 1"))
    assert (plain(seen.value), seen.arguments) == ("3", ())
    seen = observe(driver, program, call("add(*[['-'], 'X'])"))
    assert (plain(seen.value), seen.arguments) == ("2", ())


def test_an_exception_has_only_the_students_frames(driver: Driver) -> None:
    program = "def g(x):\n    return 1 // x  # here\n\ndef f():\n    return list(map(g, [0]))\n"
    error = observe(driver, program, call("f()")).raised
    assert error.type_name == "ZeroDivisionError"
    assert error.bases == ("ArithmeticError", "Exception", "BaseException")
    places = [(frame.file, frame.line, frame.function, frame.source) for frame in error.frames]
    assert places == [
        ("a1.py", 5, "f", "    return list(map(g, [0]))"),
        ("a1.py", 2, "g", "    return 1 // x  # here"),
    ]


RAISED = {
    "raise SystemExit('no')": ("SystemExit", "no"),
    "exit()": ("SystemExit", "None"),
    "quit(3)": ("SystemExit", "3"),
    "raise KeyboardInterrupt": ("KeyboardInterrupt", ""),
    "raise GeneratorExit('x')": ("GeneratorExit", "x"),
    "class Own(BaseException): pass\n    raise Own('mine')": ("Own", "mine"),
    "class Own(Exception):\n        def __str__(self): raise self\n    raise Own": ("Own", ""),
    "f()": ("RecursionError", "maximum recursion depth exceeded"),
}


@pytest.mark.parametrize("statement", RAISED)
def test_whatever_escapes_a_call_was_raised(driver: Driver, statement: str) -> None:
    seen = observe(driver, f"def f():\n    {statement}\n", call("f()"))
    assert seen.ending is Ending.ANSWERED
    assert (seen.raised.type_name, seen.raised.message[:32]) == RAISED[statement]


def test_a_stimulus_that_is_wrong_itself_has_no_frames(driver: Driver) -> None:
    error = observe(driver, "def f(): pass\n", call("f(")).raised
    assert (error.type_name, error.frames) == ("SyntaxError", ())


def test_a_missing_function_is_named(driver: Driver) -> None:
    seen = observe(driver, "def f(): pass\n", call("g(1)"))
    assert (seen.ending, seen.detail) == (Ending.MISSING, "g")
    seen = observe(driver, "def f(): pass\n", session("f()", "x = [g]"))
    assert (seen.ending, seen.detail) == (Ending.MISSING, "g")


BROKEN = {
    "def f(:\n": (1, "def f(:"),
    "x = 1\nif x:\n\ty = 1\n        z = 2\n": (4, "        z = 2"),
    'x = 1\nprint "hello"\n': (2, 'print "hello"'),
}


@pytest.mark.parametrize("program", BROKEN)
def test_a_file_that_does_not_compile(way: AnyDriver, program: str) -> None:
    with way.submission(assignment(), (source(program),)) as server:
        for stimulus in (call("f()"), session("f()"), run()):
            seen = server.observe(stimulus, assignment().limits)
            assert (seen.ending, seen.phase) == (Ending.ANSWERED, Phase.LOADING)
            assert seen.raised.type_name in ("SyntaxError", "TabError", "IndentationError")
            frames = [(frame.line, frame.source) for frame in seen.raised.frames]
            assert frames == [BROKEN[program]]


def test_an_error_while_loading(driver: Driver) -> None:
    seen = observe(driver, "print('hi')\ndef f(): pass\nundefined\n", call("f()"))
    assert (seen.ending, seen.phase) == (Ending.ANSWERED, Phase.LOADING)
    assert seen.loading_printed == "hi\n"
    assert (seen.raised.type_name, seen.raised.frames[0].line) == ("NameError", 3)


def test_compile_warnings_stay_off_the_terminal(driver: Driver) -> None:
    program = "def f(x):\n    print('\\d')\n    return x is 1\nif f(3) is 2: pass\n"
    seen = observe(driver, program, call("f(2)"))
    assert (plain(seen.value), seen.printed, seen.loading_printed) == ("False", "\\d\n", "\\d\n")


IMPORTS = {
    "from support import *": "BOARD_SIZE, MESSAGE",
    "from support import BOARD_SIZE, MESSAGE": "BOARD_SIZE, MESSAGE",
    "from support import BOARD_SIZE as B, MESSAGE as M": "B, M",
    "import support": "support.BOARD_SIZE, support.MESSAGE",
    "import support as s": "s.BOARD_SIZE, s.MESSAGE",
    "import importlib\ns = importlib.import_module('support')": "s.BOARD_SIZE, s.MESSAGE",
}


@pytest.mark.parametrize("statement", IMPORTS)
def test_overrides_reach_every_form_of_import(driver: Driver, statement: str) -> None:
    program = f"{statement}\ndef size():\n    return {IMPORTS[statement]}\n"
    assert plain(observe(driver, program, call("size()")).value) == "(8, '1 to 8')"
    ten = observe(driver, program, call("size()", constants=TEN))
    assert plain(ten.value) == "(10, '1 to 10')"


def test_a_stimulus_sees_constants_as_overridden_and_not_the_submissions(driver: Driver) -> None:
    program = (
        "import support\nBOARD_SIZE = 3\nsupport.BOARD_SIZE = 4\nsupport.NAMES.append('z')\n"
        "import builtins\nbuiltins.len = lambda x: 99\ndef f(*x): return x\n"
    )
    seen = observe(driver, program, call("f(BOARD_SIZE, NAMES, len('ab'))", constants=TEN))
    assert plain(seen.value) == "(10, ['x', 'o'], 2)"


def test_bindings_come_first_then_given_then_constants(driver: Driver) -> None:
    stimulus = call(
        "f(a, b, BOARD_SIZE)",
        bindings=(Binding(name="a", literal="[-1]"), Binding(name="BOARD_SIZE", literal="5")),
        given="b = a + [2]\nc = f(b)",
    )
    assert plain(observe(driver, "def f(*x): return x\n", stimulus).value) == "([-1], [-1, 2], 5)"


def test_of_a_case_only_the_names_that_its_code_uses_are_bound(driver: Driver) -> None:
    """Another may be what is stated of it."""
    bindings = (Binding(name="a", literal="1"), Binding(name="told", literal="'plugh'"))
    program = (
        "import gc\n"
        "def found():\n"
        "    things = gc.get_objects()\n"
        "    parts = [part for each in things if type(each) is list for part in each]\n"
        "    pairs = [part for part in parts if type(part) is tuple and part[:1] == ('told',)]\n"
        "    return pairs or [each for each in things if type(each) is dict and 'told' in each]\n"
        "def f(x): return bool(found())\n"
        "if __name__ == '__main__': print(bool(found()))\n"
    )
    assert plain(observe(driver, program, call("f(a)", bindings=bindings)).value) == "False"
    assert plain(observe(driver, program, call("f(told)", bindings=bindings)).value) == "True"
    assert observe(driver, program, replace(run(), bindings=bindings)).transcript() == "False\n"


@pytest.mark.parametrize(
    "literal",
    ["[[' ', '  '], ['  ']]", "{'a': {1, 2}, None: (0.5, 1e999, -0.0)}", "b'x\\x00'", "-1",
     "{*()}", "[]", "3 + 4j", "'\\ud800'", "[(1, 2), (1, 2), ...]"],
)  # fmt: skip
def test_a_drawn_value_equals_its_evaluated_text(driver: Driver, literal: str) -> None:
    """Which parts of it are one object is seen by who compares with `is`."""
    program = (
        "def f(x):\n"
        "    parts = [x]\n"
        "    for each in parts:\n"
        "        if type(each) in (list, tuple):\n"
        "            parts.extend(each)\n"
        "    return repr(x), [a is b for a in parts for b in parts]\n"
    )
    drawn = call("f(x)", bindings=(Binding(name="x", literal=literal),))
    written = call("f(x)", given=f"x = eval({literal!r})")
    assert observe(driver, program, drawn).value == observe(driver, program, written).value


def test_a_name_bound_by_the_stimulus_is_not_missing(driver: Driver) -> None:
    seen = observe(driver, "def f(x): return x\n", call("f(g)", given="g = 3"))
    assert plain(seen.value) == "3"


def test_a_session_goes_on_after_an_error(driver: Driver) -> None:
    program = (
        "def add(board):\n    board.append(1)\n    print('added')\n"
        "def ask():\n    return input('? ')\n"
    )
    steps = {
        "b = []": ("", None, None),
        "add(b)": ("added\n", None, None),
        "1 / 0": ("", None, "ZeroDivisionError"),
        "b": ("", "[1]", None),
        "nope": ("", None, "NameError"),
        "ask()": ("? ", "'yes'", None),
        "for i in b:\n    print(i)": ("1\n", None, None),
        "def": ("", None, "SyntaxError"),
        "b; ask()": ("? ", "'no'", None),
    }
    seen = observe(driver, program, session(*steps, lines=("yes", "no"), given="n = 2"))
    assert seen.ending is Ending.ANSWERED
    assert [
        (step.printed, plain(step.value), step.raised and step.raised.type_name)
        for step in seen.steps
    ] == [*steps.values()]
    assert [turn.typed for turn in seen.steps[5].turns] == [seen.turns[0].typed, None]
    assert turns(seen) == [("added\n? ", "yes"), ("1\n? ", "no"), ("", None)]
    names = {variable.name: plain(variable.value) for variable in seen.variables}
    assert names == {"n": "2", "b": "[1]", "i": "1"}


def test_a_program_runs_as_main(driver: Driver) -> None:
    program = "import sys\nprint(__name__, __file__, sys.argv)\nimport a1\nprint('end', end='')\n"
    seen = observe(driver, program, run(argv=("one",)))
    assert seen.printed == ("__main__ a1.py ['a1.py', 'one']\na1 a1.py ['a1.py', 'one']\nendend")
    assert (seen.ending, seen.exit_status, seen.raised) == (Ending.ANSWERED, 0, None)


LEAVES = "import atexit\natexit.register(print, 'bye')\natexit.register(lambda: print(input()))\n"


@pytest.mark.parametrize(("end", "status"), [("", 0), ("raise SystemExit(3)\n", 3), ("[][1]\n", 1)])
def test_functions_registered_for_the_programs_end_run(
    driver: Driver, end: str, status: int
) -> None:
    seen = observe(driver, f"{LEAVES}print('a')\n{end}", run("yes"))
    assert (seen.ending, seen.exit_status) == (Ending.ANSWERED, status)
    assert turns(seen) == [("a\n", "yes"), ("yes\nbye\n", None)]


def test_a_failure_at_a_programs_end_changes_no_exit_status(driver: Driver) -> None:
    program = "import atexit\natexit.register(print, 'bye')\natexit.register(lambda: 1 / 0)\n"
    seen = observe(driver, program, run())
    assert (seen.ending, seen.exit_status, seen.raised) == (Ending.ANSWERED, 0, None)
    assert seen.printed.endswith("bye\n")
    assert "ZeroDivisionError" in seen.printed


def test_a_programs_traceback_is_data(driver: Driver) -> None:
    seen = observe(driver, "print('a')\n[][1]\n", run())
    assert (seen.ending, seen.exit_status, seen.printed) == (Ending.ANSWERED, 1, "a\n")
    assert (seen.raised.type_name, seen.raised.frames[0].line) == ("IndexError", 2)


def test_a_provided_program_drives_the_submission(driver: Driver) -> None:
    program, plays = "def f(x):\n    return x * 2\n", run(program="play.py")
    assert observe(driver, program, replace(plays, provide=("play.py",))).printed == "play 4\n"
    assert observe(driver, program, plays).raised.type_name == "ModuleNotFoundError"


def test_only_the_named_files_count(driver: Driver) -> None:
    files = (
        source("import random\nfrom support import *\ndef f(): return BOARD_SIZE, random.X\n"),
        source("BOARD_SIZE = 99\n", "support.py"),
        source("X = 1\n", "random.py"),
    )
    assert observe(driver, files, call("f()")).raised.type_name == "AttributeError"
    named = assignment(files=("a1.py", "other.py"))
    files = (source("import other\ndef f(): return other.X\n"), source("X = 5\n", "other.py"))
    assert plain(observe(driver, files, call("f()"), of=named).value) == "5"


def test_a_file_is_laid_under_another_name(driver: Driver) -> None:
    laid = assignment(files=("p4.py",), laid_as="a1.py")
    files = (source("notes", "notes.txt"), source("def f(): return __name__, __file__\n", "bob.py"))
    assert plain(observe(driver, files, call("f()"), of=laid).value) == "('a1', 'a1.py')"


def test_a_missing_file_raises_module_not_found(driver: Driver) -> None:
    seen = observe(driver, (source("x = 1", "other.py"),), call("f()"))
    assert seen.phase is Phase.LOADING
    assert seen.raised.type_name == "ModuleNotFoundError"


def test_random_hash_and_surroundings_are_the_same_every_time(driver: Driver) -> None:
    program = (
        "import random, os, time\n"
        "def f():\n    return (random.random(), hash('a'), sorted(os.environ), time.tzname[0],\n"
        "            tuple(os.get_terminal_size()), os.listdir('.'), os.environ.get('TERM'))\n"
    )
    with driver.submission(assignment(), (source(program),)) as server:
        first, again = (server.observe(call("f()"), assignment().limits) for _ in range(2))
        other = server.observe(call("f()", seed=1), assignment().limits)
    assert first.value == again.value != other.value
    assert first.value.source().endswith("'UTC', (80, 24), [], 'dumb')")


def test_nothing_of_one_scenario_reaches_the_next(driver: Driver) -> None:
    program = "import support\ndef f():\n    support.NAMES.append(1)\n    return support.NAMES\n"
    with driver.submission(assignment(), (source(program),)) as server:
        seen = [server.observe(call("f()"), assignment().limits).value for _ in range(2)]
    assert [plain(value) for value in seen] == ["['x', 'o', 1]"] * 2


def test_a_stand_in_is_laid_in_place_of_what_was_handed_in(one_driver: Driver) -> None:
    standing = SourceFile(name="ours.py", data=b"def f(x): return x * 2\n")
    pair = replace(assignment(files=("a1.py", "b.py")), stand_in_files=(standing,))
    program = source("import a1\nprint(a1.f(2))\nprint(1 / 0)\n", "b.py")
    in_place = replace(run(program="b.py"), stand_ins=(StandIn(module="a1.py", file="ours.py"),))
    for own in ((source("def f(x): return 1\n"),), (source("def"),), ()):
        with one_driver.submission(pair, (*own, program)) as server:
            observation = server.observe(in_place, QUICK)
            assert observation.printed == "4\n"
            assert [frame.file for frame in observation.raised.frames] == ["b.py"]
            theirs = server.observe(run(program="b.py"), QUICK)
            assert theirs.printed == ("1\n" if own and own[0].data.startswith(b"def f") else "")


def test_a_line_is_counted_as_python_counts_it(one_driver: Driver) -> None:
    program = "\x0c# a page, and \x1c\u2028 in a comment\r\ndef f(n):\r\n    return 1 // n\r\n"
    seen = observe(one_driver, program, call("f(0)"))
    assert [(each.line, each.source) for each in seen.raised.frames] == [(3, "    return 1 // n")]


COMPARED = {
    "Raising()": "Raising(value=<raises ValueError>)",
    "Plain()": "Plain(value=<raises AttributeError>)",
    "Asking()": "Asking(repr='Asking at 0x…')",
}


def test_an_object_is_asked_for_what_is_to_be_compared(driver: Driver) -> None:
    """A property that hangs or prints is in `test_hostile_objects_and_files.py`."""
    named = [
        ClassComparison(name=name, how=CompareBy.NAMED, attributes=("value",))
        for name in ("Raising", "Plain")
    ]
    shown = ClassComparison(name="Asking", how=CompareBy.REPR, attributes=())
    assert values(driver, CLASSES, COMPARED, compare=(*named, shown)) == COMPARED


EQUAL = {
    ("Same(1)", "Same(1)"): "Same(== Same(1)=True)",
    ("Same(1)", "Same(2)"): "Same(== Same(2)=False)",
    ("Other(1)", "Other(1)"): "Other(== Other(1)=<no __eq__ object>)",
}


def test_the_class_answers_whether_it_is_equal(driver: Driver) -> None:
    functions = tuple(replace(assignment().functions[0], name=name) for name in ("Same", "Other"))
    asked = replace(assignment(), functions=functions)
    with driver.submission(asked, (source(CLASSES),)) as server:
        for (made, other), expected in EQUAL.items():
            seen = server.observe(Stimulus(action=Call(expression=made, equals=other)), QUICK)
            assert plain(seen.value) == expected


def test_data_that_is_expected_is_nowhere_in_the_process(driver: Driver) -> None:
    """A literal that a value is to be equal to is the answer, and is compared outside."""
    program = (
        "import gc\n"
        "def f():\n"
        "    token = 'plu' + 'gh'\n"
        "    held = [thing for thing in gc.get_objects() if isinstance(thing, tuple)]\n"
        "    texts = [part for thing in held for part in thing if isinstance(part, str)]\n"
        "    return [text for text in texts if token in text]\n"
    )
    stimulus = Stimulus(action=Call(expression="f()", equals="['plugh']"))
    assert plain(observe(driver, program, stimulus).value) == "[]"


def test_a_session_shows_the_repr_of_objects(driver: Driver) -> None:
    program = f"{CLASSES}\ndef f():\n    return [Asking(), Same(1)]\n"
    seen = observe(driver, program, session("f()", "f()[1].n"))
    assert [step.shown for step in seen.steps] == ["[Asking at 0x…, <a1.Same object at 0x…>]", ""]
