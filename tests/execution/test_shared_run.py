"""Many scenarios in one process: the same bytes as alone, and every change of state seen.

The programs here that keep something name nothing that is refused, so that the snapshot has to see
them.
"""

import threading
from bisect import bisect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.execution import Driver, SubmissionServer
from harness.execution.sharing import (
    SharedOutcome,
    decoded,
    has_one_form,
    in_one_process,
    may_share,
)
from harness.model.assignment import ProvidedVariant, SourceFile
from harness.model.observation import Ending
from harness.model.stimulus import Binding, Key, Limits, Stimulus
from harness.policy.checking import check_sharing
from tests.execution.small_world import (
    FRAMES,
    QUICK,
    ROOMY,
    TEN,
    assignment,
    call,
    run,
    session,
    source,
)
from tests.execution.test_clocks import NOON
from tests.shared_corpus import passes_names


def together(
    driver: Driver, program: str, *stimuli: Stimulus, limits: Limits = ROOMY
) -> SharedOutcome:
    """What all groups together gave, stimuli by their place; the static half lets the program."""
    # Without the course's files, which make texts: beside those no object may show its address.
    assert passes_names(check_sharing([source(program)], [source("", "support.py")]))
    with driver.submission(assignment(), (source(program),)) as server:
        return joined(server, *stimuli, limits=limits)


def joined(server: SubmissionServer, *stimuli: Stimulus, limits: Limits = ROOMY) -> SharedOutcome:
    outcomes = []
    for group in server.group({n: (each, limits) for n, each in enumerate(stimuli)}):
        outcomes.append(server.observe_together(group, sorted(group.jobs)))
        if outcomes[-1].refused:
            return outcomes[-1]
    answers = {number: data for each in outcomes for number, data in each.answers.items()}
    return SharedOutcome(answers=answers, gave_up=frozenset().union(*(o.gave_up for o in outcomes)))


def both_ways(driver: Driver, program: str, *stimuli: Stimulus) -> None:
    """Everything seen together is what is seen alone."""
    with driver.submission(assignment(), (source(program),)) as server:
        for group in server.group({n: (each, ROOMY) for n, each in enumerate(stimuli)}):
            outcome = server.observe_together(group, sorted(group.jobs, reverse=True))
            assert outcome.refused == ""
            assert not outcome.gave_up
            for number, job in group.jobs.items():
                alone = server.observe(stimuli[number], ROOMY)
                data, arguments = outcome.answers[number], job.arguments
                assert decoded(data, stimuli[number], ROOMY, arguments=arguments) == alone


PROGRAM = """
import random
from support import *
GRID = [[0] * 2, [0] * 2]
class Piece:
    kind = "p"
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        return self.n == other.n or Piece(self.n - 1) == Piece(other.n - 2)
def f(*values):
    return values
def g(n):
    return random.randint(0, 10**9) + n
def size():
    return [BOARD_SIZE, MESSAGE, {"a": None, 1.5: b"x".hex()}, (True, 1), range(3), ...]
def message(n):
    return n if n == 0 else message(n - 1)
def add(rows, row):
    rows.append(row)
    print("added", row)
def ask(prompt):
    return input(prompt)
def main():
    name = input("name? ")
    print("hello", name, end="")
    for number in range(int(input("\\u00e9\\u4e2d? "))):
        print(number, input())
if __name__ == "__main__":
    main()
"""


# Each call leaves the dictionary equal, and its entries elsewhere in its table, which the place of
# an iterator shows.
TABLES = """
KEPT = dict(a=1, b=2, c=3, d=4)
FIVE = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
MANY = {n: [n] for n in range(12)}
ROWS = [({"a": {"x": 1, "y": 2, "z": 3, "w": 4}},)]
class Board:
    cells = {1: "x", 2: "y", 3: "z"}
def used_up(kept):
    steps = iter(kept)
    for _ in range(len(kept) - 1):
        next(steps)
    for name in list(kept):
        kept[name] = kept.pop(name)
    return next(steps, None)
def f(n):
    tables = (KEPT, FIVE, MANY, ROWS[0][0]["a"], Board.cells)
    return [used_up(table) for table in tables]
"""


def test_a_dictionary_that_is_equal_keeps_nothing(driver: Driver) -> None:
    both_ways(driver, TABLES, *(call(f"f({n})") for n in range(12)))


ROW = (Binding(name="rows", literal="[['  ', '  ']]"),)
STEP_ASKS = replace(session("n = ask('? ')", "print(n)", "n"), inputs=call("", "a line").inputs)


def test_shared_and_single_runs_give_the_same_observations(driver: Driver) -> None:
    both_ways(
        driver,
        PROGRAM,
        call("f(1, 'a', [2.0], None)"),
        call("f([])"),
        call("g(1)", seed=7),
        call("g(1)", seed=8),
        call("size()"),
        call("size()", constants=TEN),
        call("message(900)"),
        call("add(NAMES, 'z')"),
        call("f(str)"),
        call("[f(x) for x in NAMES]"),
        call("ask('é? ')", "a line"),
        call("ask('')", ""),
        STEP_ASKS,
        call("ask('é? ')", "a line", marks_prompts=True),
        replace(STEP_ASKS, marks_prompts=True),
        replace(run("Ann", "2", "a", "b"), marks_prompts=True),
        *(call(f"add(rows, {n})", bindings=ROW) for n in range(4)),  # drawn anew for each
        call("len(rows)", given="rows = [[]] * 3"),
        run("Ann", "2", "a", "b"),
        run("Ann", "0"),
        call("[f(n == 2) for n in (1, 2)]"),
        session("n = 1", "print(n, end='')", "f(n)", "rows = [n]", "add(rows, 2)", "rows"),
        session("'a'; f(1)", constants=TEN),
    )


@pytest.mark.parametrize(
    "stimulus",
    [
        *map(call, ("f({1, 2})", "f(1 / 0)", "f(object())", "g('x')", "f(f)", "f(10 ** 5000)")),
        session("f(1)", "f(1 / 0)"),
        session("ask('')", "1"),  # asks for more
    ],
)
def test_answers_with_several_forms_or_none_are_not_read(
    driver: Driver, stimulus: Stimulus
) -> None:
    with driver.submission(assignment(), (source(PROGRAM),)) as server:
        (group,) = server.group({0: (stimulus, ROOMY)})
        outcome = server.observe_together(group, [0])
        arguments = group.jobs[0].arguments
        assert not has_one_form(server.observe(stimulus, ROOMY), stimulus)
        assert decoded(outcome.answers[0], stimulus, ROOMY, arguments=arguments) is None


@pytest.mark.parametrize(
    "text",
    ["'\\x00'", "'\\x7f\\x1b[1m'", "'\\r\\n\\t'", "'a\\u2028b'", "'\\x80\\xff'", "'\\ud800'[1:]"],
)
def test_text_goes_out_as_on_a_terminal(driver: Driver, text: str) -> None:
    both_ways(driver, "def f(t):\n    print(t)\n    print(t, end='')\n", call(f"f({text})"))


def test_a_lone_surrogate_cannot_be_printed_in_either_way(driver: Driver) -> None:
    program = (
        "def f(t):\n    try:\n        print('before', t)\n    except UnicodeError as e:\n"
        "        return str(e)\n"
    )
    both_ways(driver, program, call("f('\\ud800')"))


# What stands before `f`, what `f` does, and what is said of it.
SEEN = {
    "a list": ("board = []\n", "board.append(1)", "`board`, a list"),
    "a list in a tuple": ("state = (0, [])\n", "state[1].append(1)", "`state`, a list"),
    "a row, by another name": (
        "board = [[0], [0]]\n",
        "rows = board[:]\n    rows[0][0] = 1",
        "`board`, a list",
    ),
    "a dictionary": ("seen = {}\n", "seen['f'] = 1", "`seen`, a dictionary at module level, (`f`)"),
    "a dictionary in another order": (
        "seen = {'a': 1, 'b': 2}\n",
        "seen['a'] = seen.pop('a')",
        "`seen`, a dictionary",
    ),
    "True for 1": ("flags = [1]\n", "flags[0] = flags[0] == 1", "`flags`, a list"),
    "a key of another type": (
        "flags = {1: 0}\n",
        "flags.pop(1)\n    flags[True] = 0",
        "`flags`, a dictionary",
    ),
    "an equal text": ("words = ['ab']\n", "words[0] = ''.join(['a', 'b'])", "`words`, a list"),
    "a list that is sorted": ("words = ['b', 'a']\n", "words.sort()", "`words`, a list"),
    "a list that is shuffled": (
        "import random\ndeck = list(range(20))\n",
        "random.shuffle(deck)",
        "`deck`, a list",
    ),
    "a list that is filled for a while": (
        "stack = []\ndef g():\n    return stack.pop()\n",
        "stack.append(1)",
        "`stack`, a list",
    ),
    "a list in a class": (
        "class A:\n    items = []\n",
        "A().items.append(1)",
        "`A.items`, a list in a class,",
    ),
    "an attribute of a class, by map": (
        "class A:\n    n = 0\n    def bump(self):\n        self.n = self.n + 1\n",
        "list(map(A.bump, [A]))",
        "`A`, a class, (`n`)",
    ),
    "an attribute of a base class": (
        "class B:\n    n = 0\n    def bump(self):\n        self.n = 1\nclass A(B):\n    pass\n",
        "A.bump(B)",
        "`B`, a class, (`n`)",
    ),
    "an attribute of a function": (
        "class A:\n    def bump(self):\n        self.n = 1\n",
        "A.bump(f)",
        "`f`, a function,",
    ),
    "an attribute of a function in a list": (
        "class A:\n    def bump(self):\n        self.n = 1\nall_of_them = [lambda: 1]\n",
        "A.bump(all_of_them[0])",
        "`all_of_them`, a function,",
    ),
    "an attribute of a method": (
        "class A:\n    def bump(self):\n        self.n = 1\n    def other(self):\n        pass\n",
        "A.bump(A.other)",
        "`A.other`, a function,",
    ),
    "a provided list": ("from support import *\n", "NAMES.append('z')", "`NAMES`, a list"),
    "a provided list through its module": (
        "import support\n",
        "support.NAMES[0] = 'z'",
        "`NAMES`, a list",
    ),
    "a list that only one function knows": (
        "def make():\n    return [[]]\nhidden = {'deep': ({1: make()},)}\n",
        "hidden['deep'][0][1][0].append(1)",
        "`hidden`, a list",
    ),
    "a cycle": ("loop = []\nloop.append(loop)\n", "loop.append(1)", "`loop`, a list"),
}


def at_module_level(reason: str) -> str:
    """The whole reason, of which a table has the rest where it ends without a comma."""
    return reason if reason.endswith((",", ")")) else f"{reason} at module level,"


@pytest.mark.parametrize("name", SEEN)
def test_a_change_is_seen(one_driver: Driver, name: str) -> None:
    setup, body, reason = SEEN[name]
    program = f"def g():\n    return 1\n{setup}def f():\n    {body}\n"
    outcome = together(one_driver, program, call("f()"), call("g()"))
    assert outcome.refused == at_module_level(reason)
    assert outcome.changed_by == 0
    assert outcome.answers == {}


UNSEEN = {
    "an iterator": ("steps = iter([1, 2])\n", "`steps`, a list_iterator"),
    "a generator": ("steps = (i for i in [1])\n", "`steps`, a generator"),
    "a map": ("steps = map(int, ['1'])\n", "`steps`, a map"),
    "an enumeration": ("steps = enumerate([1])\n", "`steps`, an enumerate"),
    "an instance": ("class A:\n    pass\none = A()\n", "`one`, an A"),
    "an exception": ("error = ValueError('x')\n", "`error`, a ValueError"),
    "a closure": (
        "def make():\n    seen = []\n    def g():\n        seen.append(1)\n        return seen\n"
        "    return g\nnext_one = make()\n",
        "`next_one`, a function with a closure",
    ),
    "a generator kept by a closure": (
        "def make():\n    steps = iter([1, 2])\n    return lambda: next(steps)\nkept = make()\n",
        "`kept`, a function with a closure",
    ),
    "a bound method": ("class A:\n    def m(self):\n        pass\ng = A().m\n", "`g`, a method"),
    "a method of a hidden list": ("keep = [].append\n", "`keep`, a builtin_function_or_method"),
    "a set, whose table remembers": ("seen = {1, 2}\n", "`seen`, a set"),
    "an iterator in a class": (
        "class A:\n    steps = iter([1])\n",
        "`A.steps`, a list_iterator in a class,",
    ),
    "a view of a hidden dictionary": ("keys = {}.keys()\n", "`keys`, a dict_keys"),
}


AT_LOAD = {
    "print('hello')\n": "it prints while it is loaded",
    "print(end='')\nprint('', end='x')\n": "it prints while it is loaded",
    "try:\n    name = input()\nexcept:\n    pass\n": "it asks for input while it is loaded",
    "import random\nx = random.random()\n": "it draws or seeds random numbers while it is loaded",
    "try:\n    input('\\ud800')\nexcept Exception:\n    print(1)\n": "it prints while it is loaded",
    "x = 1 / 0\n": "it does not load (ZeroDivisionError)",
    "while True:\n    pass\n": "it does not load within a tenth of its time limit",
}
MAY_CHANGE = {text: f"{at_module_level(why)} may change unseen" for text, why in UNSEEN.values()}
AT_LOAD |= MAY_CHANGE


@pytest.mark.parametrize("program", AT_LOAD)
def test_programs_that_act_at_load_or_could_change_unseen_are_refused(
    one_driver: Driver, program: str
) -> None:
    outcome = together(one_driver, program + "def f():\n    return 1\n", call("f()"))
    assert outcome.refused == AT_LOAD[program]
    assert outcome.not_plain is (program in MAY_CHANGE)


def test_a_reason_is_short_whatever_the_program_calls_its_names(one_driver: Driver) -> None:
    program = f"{'x' * 100_000} = iter([])\ndef f():\n    return 1\n"
    outcome = together(one_driver, program, call("f()"))
    assert "xxx" in outcome.refused
    assert len(outcome.refused) < 400


TWO_TOO_MANY = (
    "def f():\n    for i in range(2):\n        try:\n            input()\n"
    "        except:\n            pass\n"
)
GIVES_UP = {
    "two inputs too many": TWO_TOO_MANY,
    "a loop": "def f():\n    while True:\n        try:\n            x = 1\n        except:\n"
    "            pass\n",
    "a recursion": "def f():\n    return f()\n",
    "a flood": "def f():\n    for i in range(3000):\n        print('spam', i)\n",
    "memory": "def f():\n    try:\n        return len([0] * 12_000_000)\n    except:\n"
    "        return 0\n",
    "an exit with a message": "def f():\n    raise SystemExit('bye')\n"
    "if __name__ == '__main__':\n    f()\n",
}


@pytest.mark.parametrize("name", GIVES_UP)
def test_the_unusual_ends_the_process_and_costs_only_itself(one_driver: Driver, name: str) -> None:
    program = GIVES_UP[name] + "def g(n):\n    return n\n"
    unusual = run() if "exit" in name else call("f()")
    stimuli = [call("g(1)"), unusual, call("g(2)"), unusual, call("g(3)")]
    outcome = together(one_driver, program, *stimuli)
    assert outcome.refused == ""
    assert outcome.gave_up == {1, 3}
    assert set(outcome.answers) == {0, 2, 4}


ASKS = """
KEPT = []
def ask(n):
    for i in range(n):
        print("asks", i, input("> "))
def f(n):
    try:
        return input("> ")
    except EOFError:
        print("this is nowhere seen")
        return n
def g(n):
    try:
        return input("> ")
    except EOFError:
        KEPT.append(n)
def main():
    ask(3)
if __name__ == "__main__":
    main()
"""


def test_who_asks_for_more_shows_what_it_did_until_then(driver: Driver) -> None:
    stimuli = [call("ask(2)", "x"), call("f(1)"), call("ask(1)", "x"), run("a", "b"), run()]
    marked = [replace(stimulus, marks_prompts=True) for stimulus in stimuli]
    both_ways(driver, ASKS, *stimuli, *marked)
    with driver.submission(assignment(), (source(ASKS),)) as server:
        endings = [server.observe(stimulus, ROOMY).ending for stimulus in stimuli]
    assert [ending is Ending.ANSWERED for ending in endings] == [n == 2 for n in range(5)]


def test_acts_after_a_question_for_more_input_are_examined(one_driver: Driver) -> None:
    outcome = together(one_driver, ASKS, call("g(1)"), call("g(2)"))
    assert outcome.refused == "`KEPT`, a list at module level,"


def test_a_question_with_a_nul_goes_to_a_terminal(one_driver: Driver) -> None:
    program = "def ask(t):\n    return input(t)\ndef f(n):\n    return n\n"
    outcome = together(one_driver, program, call("ask('a\\x00')", "x"), call("ask('b')", "y"))
    assert outcome.gave_up == {0}
    assert set(outcome.answers) == {1}


def test_a_computation_that_no_signal_reaches_is_killed(one_driver: Driver) -> None:
    program = "def f():\n    return 7 ** 10**8 % 10\ndef g():\n    return 1\n"
    outcome = together(one_driver, program, call("g()"), call("f()"), limits=QUICK)
    assert outcome.refused == ""
    assert 1 not in outcome.answers


@pytest.mark.parametrize(("condition", "tries"), [("True", 2), ("n > 0", 12)])
def test_a_program_that_always_gives_up_is_not_tried_further(
    one_driver: Driver, condition: str, tries: int
) -> None:
    """Twice where nothing was seen to its end."""
    program = f"def f(n):\n    while {condition}:\n        pass\n"
    outcome = together(one_driver, program, *[call(f"f({n})") for n in range(40)], limits=QUICK)
    assert set(outcome.answers) == ({0} if tries == 12 else set())
    assert len(outcome.gave_up) == tries


LEAVES_OTHERS = {
    "gives up": "def f(n):\n    while True:\n        pass\n",
    "is killed without a word": "def f(n):\n    return 7 ** 10**8 % 10\n",
}


@pytest.mark.parametrize("name", LEAVES_OTHERS)
def test_a_function_costs_another_one_of_its_process_nothing(one_driver: Driver, name: str) -> None:
    program = LEAVES_OTHERS[name] + "def g(n):\n    return n\n"
    stimuli = [call(f"{function}({n})") for n in range(4) for function in "fg"]
    with one_driver.submission(assignment(), (source(program),)) as server:
        groups = server.group({n: (each, QUICK) for n, each in enumerate(stimuli)})
        assert len(groups) == 2
        outcome = server.observe_together(in_one_process(groups), range(len(stimuli)))
    assert not outcome.refused
    assert outcome.answers.keys() == {1, 3, 5, 7}


def test_functions_in_one_process_have_the_files_of_their_own_constants(driver: Driver) -> None:
    program = (
        "from support import *\ndef f():\n    return BOARD_SIZE\ndef g():\n    return BOARD_SIZE\n"
    )
    stimuli = [call(f"{name}()", constants=size) for name in "fg" for size in ((), TEN)]
    with driver.submission(assignment(), (source(program),)) as server:
        groups = server.group({n: (each, ROOMY) for n, each in enumerate(stimuli)})
        joined_group = in_one_process(groups[::-1])
        outcome = server.observe_together(joined_group, range(len(stimuli)))
        for number, stimulus in enumerate(stimuli):
            alone = server.observe(stimulus, ROOMY)
            assert decoded(outcome.answers[number], stimulus, ROOMY, arguments=0) == alone


@pytest.mark.parametrize(
    "stimulus",
    [
        *(call("f()", line) for line in (Key.CTRL_D, "a\tb", "\x7f", "é" * 2500)),
        call("f()", clock=NOON),
        call("f()", stderr_apart=True),
    ],
)
def test_control_characters_a_clock_and_stderr_need_their_own_process(stimulus: Stimulus) -> None:
    assert may_share(call("f()"))
    assert not may_share(stimulus)


def test_modules_that_a_stimulus_loads_are_loaded_anew(driver: Driver) -> None:
    program = "def f(n):\n    return n\n"
    stimulus = call("play", provide=("play.py",), given="import play")
    both_ways(driver, program, call("f(1)", given="import play", provide=("play.py",)))
    assert may_share(stimulus)


def test_a_shared_process_is_confined_like_a_single_one(one_driver: Driver) -> None:
    """The kernel's own account of both, taken while each runs."""
    program = "def f():\n    return sum(range(10_000_000))\n"
    status: list[dict[str, str]] = []
    with one_driver.submission(assignment(), (source(program),)) as server:
        (group,) = server.group({0: (call("f()"), ROOMY)})
        for observe in (
            lambda: server.observe(call("f()"), ROOMY),
            lambda: server.observe_together(group, [0]),
        ):
            status.append(_status_of_child(server.pid, observe))
    alone, shared = status
    assert alone.keys() == shared.keys() != set()
    assert alone == shared


def _status_of_child(pid: int, observe: Callable[[], object]) -> dict[str, str]:
    found: dict[str, str] = {}
    stop = threading.Event()

    def look() -> None:
        wanted = ("Uid", "Gid", "NoNewPrivs", "Seccomp", "Seccomp_filters", "CapEff", "CapBnd")
        while not stop.is_set() and not found:
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                try:
                    lines = Path(f"/proc/{child}/status").read_text().splitlines()
                except OSError:
                    continue
                fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
                taken = {name: fields[name] for name in wanted if name in fields}
                if taken.get("Seccomp_filters") == "2":
                    found.update(taken)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        observe()
    finally:
        stop.set()
        looker.join()
    return found


def test_observations_are_judged_on_arrival_and_need_not_be_kept(one_driver: Driver) -> None:
    stimuli = [call(f"f({size})") for size in (10, 100_000, 20)]
    program = "def f(n):\n    return 'x' * n\n"
    looked_at = []

    def should_retain(number: int, data: bytes) -> bool:
        looked_at.append(number)
        return len(data) < 1000

    with one_driver.submission(assignment(), (source(program),)) as server:
        (group,) = server.group({n: (each, ROOMY) for n, each in enumerate(stimuli)})
        outcome = server.observe_together(group, [1, 0, 2], should_retain)
    assert looked_at == [1, 0, 2]
    assert set(outcome.answers) == {0, 2}
    assert outcome.gave_up == frozenset()


@pytest.mark.parametrize(
    "stimulus",
    [
        session("f(1)", "g(1)"),
        session("f(1)", "f(1) == 2"),
        call("f(g(1))"),
        call("f(n)", given="n = g(1)"),
        call("f(1) == 2"),
        call("[f(m == 2) for m in [f(1), f(2)]]"),
        call("[f(m == 2) for n in (1, 2) if (m := f(n))]"),
        call("f(n == 2)", given="n = f(1)"),
        call("len([])"),
    ],
)
def test_a_question_that_shows_several_others_has_its_own_process(
    one_driver: Driver, stimulus: Stimulus
) -> None:
    with one_driver.submission(assignment(), (source("def f(n):\n    return n\n"),)) as server:
        assert server.group({0: (stimulus, ROOMY)}) == ()


def test_each_function_has_a_process_and_whole_programs_have_one(one_driver: Driver) -> None:
    stimuli = [call("f(1)"), call("g(1)"), run(), call("f(2)", constants=TEN), run("x")]
    with one_driver.submission(assignment(), (source("def f(n):\n    return n\n"),)) as server:
        groups = server.group({n: (each, ROOMY) for n, each in enumerate(stimuli)})
    assert [sorted(group.jobs) for group in groups] == [[0, 3], [1], [2, 4]]


# What follows would pass no wall: it shows that behind the walls there is nothing to take.
WALK = """
def look():
    import gc
    found = set()
    for thing in gc.get_objects():
        if type(thing) is dict:
            found.update(map(repr, thing.values()))
        elif type(thing) in (list, tuple):
            found.update(map(repr, thing))
    return found
def f(n):
    return sorted(text[:60] for text in look() if "wonder" + "ful" in text)
def g(n):
    return n
def main():
    print(f(1))
    print(input())
if __name__ == "__main__":
    main()
"""


def test_a_question_does_not_exist_before_it_is_asked(one_driver: Driver) -> None:
    """Every object that the process holds while the first of three questions is answered."""
    stimuli = [call("f(1)"), call("f('wonderful')"), call("g('wonderful')")]
    with one_driver.submission(assignment(), (source(WALK),)) as server:
        outcome = joined(server, *stimuli)
    assert b'"value":["list",[]]' in outcome.answers[0]
    assert b"wonderful" in outcome.answers[1]  # the walk does find the question that is being asked


def test_a_line_is_not_there_before_it_is_asked_for(one_driver: Driver) -> None:
    with one_driver.submission(assignment(), (source(WALK),)) as server:
        outcome = joined(server, run("wonderful"))
    assert outcome.answers[0].splitlines()[-2:] == [b"[]", b"wonderful"]


# What a program would do that had passed both walls; what the later of two questions may show.
PAST_THE_WALLS = {
    "reads the channel": """
def f(n):
    import os, stat
    read = b""
    for number in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.set_blocking(number, False)
                read += os.read(number, 1000)
        except OSError:
            pass
    return repr(read)
""",
    "ends the process": "def f(n):\n    import os\n    os._exit(0)\n",
    "stops the process": """
def f(n):
    import os, time
    try:
        os.kill(os.getpid(), 19)
    except OSError:
        time.sleep(60)
""",
    "climbs frames to what asks": """
def f(n):
    import sys
    frame, names = sys._getframe(), []
    while frame is not None:
        names += [name for name in frame.f_locals if "wonder" in repr(frame.f_locals[name])]
        frame = frame.f_back
    return names + [repr(vars(vars(sys.stdin)["_run"])).count("wonder")]
""",
    "goes to the loader and __main__": """
def f(n):
    import sys
    places = [__loader__, __spec__, sys.modules["__main__"], sys.meta_path, sys.argv]
    return [repr(getattr(place, "__dict__", place)).count("wonder") for place in places]
""",
}


@pytest.mark.parametrize("name", PAST_THE_WALLS)
def test_past_the_walls_there_is_nothing_to_gain(one_driver: Driver, name: str) -> None:
    stimuli = [call("f(1)"), call("f('wonderful')")]
    with one_driver.submission(assignment(), (source(PAST_THE_WALLS[name]),)) as server:
        outcome = joined(server, *stimuli, limits=QUICK)
        assert outcome.refused == ""
        assert b"wonder" not in outcome.answers.get(0, b"")
        assert outcome.answers.keys() <= {0, 1}
        alone = [server.observe(stimulus, QUICK) for stimulus in stimuli[:1]]
    if name in ("ends the process", "stops the process"):
        assert not outcome.answers
    else:
        seen = decoded(outcome.answers[0], stimuli[0], QUICK, arguments=1)
        assert "climbs" in name or seen == alone[0]


def test_sets_of_constants_may_differ_in_names(driver: Driver) -> None:
    program = (
        "from support import *\ndef f():\n    try:\n        return SIDE\n"
        "    except NameError:\n        return NAMES\n"
    )
    more = SourceFile(name="support.py", data=b"SIDE = 4\nTHREE = [3]\n")
    variants = (*assignment().variants[:1], ProvidedVariant(constants=TEN, files=(more,)))
    stimuli = [call("f()"), call("f()", constants=TEN), call("THREE or f()", constants=TEN)]
    with driver.submission(replace(assignment(), variants=variants), (source(program),)) as server:
        outcome = joined(server, *stimuli)
        for number, stimulus in enumerate(stimuli):
            alone = server.observe(stimulus, ROOMY)
            arguments = None if number == 2 else 0
            assert decoded(outcome.answers[number], stimulus, ROOMY, arguments=arguments) == alone


DEPTH = """
def f(n):
    return n if n == 0 else f(n - 1)
def main():
    print(f(int(input())))
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("form", ["call", "run"])
def test_a_recursion_ends_at_the_same_depth_in_shared_and_single_runs(
    driver: Driver, form: str
) -> None:
    depths = range(960, 1000)
    stimuli = [call(f"f({depth})") if form == "call" else run(str(depth)) for depth in depths]
    with driver.submission(assignment(), (source(DEPTH),)) as server:
        (group,) = server.group({n: (each, ROOMY) for n, each in enumerate(stimuli)})

        def ends_together(n: int) -> bool:
            return n not in server.observe_together(group, [n]).answers

        def ends_alone(n: int) -> bool:
            return server.observe(stimuli[n], ROOMY).raised is not None

        together, alone = (
            bisect(range(len(depths)), False, key=ends) for ends in (ends_together, ends_alone)
        )
    assert together == alone
    assert 0 < alone < len(depths)


FORGE = """
def forge(times):
    import os, stat
    names = {}
    exec(FRAMES, names)
    text = b'{"phase":"stimulus","before":[["int","1"]],"value":["int","1"],'
    names["write"](times * names["frame"](b"S" + text + b'"after":[["int","1"]]}\\n\\n'))
""".replace("FRAMES", repr(FRAMES))
FORGERIES = {
    "an answer while it is loaded": "forge(1)\ndef f(n):\n    return n\n",
    "two answers": "def f(n):\n    forge(1)\n    return n\n",
    "two answers at once": "def f(n):\n    forge(2)\n    return n\n",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_who_writes_in_our_place_is_refused(one_driver: Driver, name: str) -> None:
    with one_driver.submission(assignment(), (source(FORGE + FORGERIES[name]),)) as server:
        outcome = joined(server, call("f(1)"))
    assert outcome.refused == "something wrote to the harness in its place"
    assert not outcome.answers
