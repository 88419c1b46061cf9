"""A stand-in cannot be taken, nor its text read, by the submission that it is used with."""

from collections.abc import Iterator

import pytest

from harness.assignment.loading import load
from harness.common import serial
from harness.grading.context import prepare
from harness.grading.grader import Grader
from harness.model.submission import Submission
from harness.model.verdict import StandInOutcome, VerdictKind
from tests.execution.small_world import source
from tests.grading.stand_in_course import BANK, SHOP, WRONG_BANK, write
from tests.inline import grader_of

SECRET = "canary-of-the-stand-in"
# Everything that can be reached, and what stands behind it, is looked through.
HUNT = """
import gc, sys
def texts(thing, depth=0, seen=set()):
    if id(thing) in seen or depth > 6: return
    seen.add(id(thing))
    if isinstance(thing, (str, bytes)):
        yield thing if isinstance(thing, str) else thing.decode("latin-1")
        return
    for part in gc.get_referents(thing): yield from texts(part, depth + 1)
    try: code = getattr(thing, "__code__", None) or getattr(thing, "gi_code", None)
    except OSError: return  # ctypes looks for a library of that name
    if type(code) is type(texts.__code__):
        for part in (code.co_consts, code.co_names, code.co_filename):
            yield from texts(part, depth + 1)
def hunt():
    one, two = "yranac"[::-1], "ni-dnats"[::-1]  # neither alone is what is looked for
    frame = sys._getframe()
    while frame is not None:
        for thing in (frame.f_locals, frame.f_globals, frame.f_code.co_consts):
            for text in texts(dict(thing) if isinstance(thing, dict) else thing):
                if one in text and two in text: return "stolen"
        frame = frame.f_back
    for thing in gc.get_objects():
        for text in texts(thing, 4):
            if one in text and two in text: return "stolen"
    return "nothing"
"""
FRAMES = HUNT + SHOP + "if hunt() == 'stolen': print('found', 'it')\n"
DURING_A_CALL = (
    HUNT
    + "import builtins\nreal = builtins.print\n"
    + "class Spy:\n    def __init__(self, out): self.out = out\n"
    + "    def write(self, text):\n"
    + "        if hunt() == 'stolen': self.out.write('found ' + 'it'.lower())\n"
    + "        return self.out.write(text)\n"
    + "    def flush(self): self.out.flush()\n"
    + "sys.stdout = Spy(sys.stdout)\n"
    + SHOP
)
PRINTS_SOURCE = (
    SHOP
    + "import inspect\n"
    + "for thing in (bank, bank.put, bank.largest):\n"
    + "    try: text = inspect.getsource(thing)\n"
    + "    except (OSError, TypeError): text = ''\n"
    + "    if 'fits' in text: print('found', 'it')\n"
    + "try: print(*('found', 'it') if 'fits' in bank.__loader__.get_source('bank') else '')\n"
    + "except (AttributeError, KeyError): pass\n"
)
CALLS_OTHERS = (
    SHOP
    + "for cell in bank.put.__closure__ or ():\n"
    + "    caller = cell.cell_contents\n"
    + "    if hasattr(caller, 'function'): print(caller.function('bank', '_note')())\n"
)
ATTACKS = {"frames": FRAMES, "during a call": DURING_A_CALL, "its source": PRINTS_SOURCE}


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    with grader_of(prepare(load(write(tmp_path_factory.mktemp("pair")), "pair"))) as it:
        yield it


def graded(grader: Grader, shop: str, bank: str = WRONG_BANK) -> tuple[dict[str, VerdictKind], str]:
    """The verdicts, and all that was observed."""
    files = (source(bank, "bank.py"), source(shop, "shop.py"))
    done = grader.grade(Submission(id="x", files=files, origin="x"))
    verdicts = {each.scenario_id: each.verdict.kind for each in done.result.scenarios}
    return verdicts, repr(done.runs)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_stand_in_is_not_found(grader: Grader, name: str) -> None:
    verdicts, observed = graded(grader, ATTACKS[name])
    assert SECRET not in observed
    assert "found it" not in observed
    assert verdicts == graded(grader, SHOP)[0]


def test_a_function_that_is_not_offered_is_not_called(grader: Grader) -> None:
    verdicts, observed = graded(grader, CALLS_OTHERS)
    assert SECRET not in observed
    assert verdicts["shop/two-tins"] is VerdictKind.FAILED  # without the stand-in


@pytest.mark.parametrize("name", ["frames", "during a call"])
def test_the_search_finds_what_is_there(grader: Grader, name: str) -> None:
    _, observed = graded(grader, ATTACKS[name], f"SECRET = {SECRET!r}\n{WRONG_BANK}")
    assert "found it" in observed


ASKS_ANYTHING = "import bank\nprint('told', 1000 * bank.largest([3, 77, 5]))\n" + SHOP
FORGETS = BANK.replace("return max(tins)", "return 0")


@pytest.mark.parametrize(("bank", "is_shown"), [(FORGETS, False), (BANK, True)])
def test_answers_of_a_stand_in_are_not_shown(grader: Grader, bank: str, is_shown: bool) -> None:
    """Row 121. What the program's own module answers is."""
    files = (source(bank, "bank.py"), source(ASKS_ANYTHING, "shop.py"))
    result = grader.grade(Submission(id="x", files=files, origin="x")).result
    assert StandInOutcome.FAILED in {each.verdict.stand_in for each in result.scenarios}
    assert ("told 77000" in serial.dumps(result)) == is_shown
