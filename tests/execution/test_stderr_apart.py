"""What is written to stderr, where a scenario tells it apart from stdout."""

from __future__ import annotations

import pytest

from harness.execution import AnyDriver, Driver
from harness.execution.piped import PipedDriver
from harness.execution.protocol.observation import FinalReply, Reply, is_complete
from harness.execution.sharing import may_share
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.run import Run
from tests.execution.small_world import call, observe, typed


def ran(driver: AnyDriver, program: str, *lines: str, apart: bool = True) -> Observation:
    stimulus = Stimulus(action=Run(program="a1.py"), inputs=typed(*lines), stderr_apart=apart)
    return observe(driver, program, stimulus, Limits())


BOTH = """\
import logging, sys
print("out")
print("é err", file=sys.stderr)
sys.stderr.write("more\\n")
logging.warning("careful")
name = input("name? ")
print("to", name)
sys.exit("no such file")
"""
SHOWN = "out\nname? to Ada\n"
WRITTEN = "é err\nmore\nWARNING:root:careful\nno such file\n"


def test_it_is_no_part_of_the_screen(driver: Driver, pipes: PipedDriver) -> None:
    for way in (driver, pipes):
        seen = ran(way, BOTH, "Ada")
        assert (seen.printed, seen.stderr, seen.exit_status) == (SHOWN, WRITTEN, 1)
    together = ran(driver, BOTH, "Ada", apart=False)
    assert (together.stderr, together.exit_status) == (None, 1)
    assert sorted(together.printed.split("\n")) == sorted((SHOWN + WRITTEN).split("\n"))


def test_a_call_and_what_is_written_at_import(one_driver: Driver) -> None:
    program = (
        "import sys\nprint('loading', file=sys.stderr)\n"
        "def f():\n    print('out')\n    print('err', file=sys.stderr)\n    return 1\n"
    )
    seen = observe(one_driver, program, call("f()", stderr_apart=True), Limits())
    assert (seen.printed, seen.stderr) == ("out\n", "loading\nerr\n")


AWKWARD = {
    "sys.stderr.close()\n": "a\n",
    "sys.stderr.detach()\n": "a\n",
    "sys.stderr = sys.stdout\nprint('b', file=sys.stderr)\n": "a\n",
    "print('b', file=sys.__stderr__)\n": "a\nb\n",
    "sys.stderr.buffer.write(b'\\xff')\n": "a\n\ufffd",
    "print(chr(0xD800), file=sys.stderr)\n": "a\n\\ud800\n",
}


@pytest.mark.parametrize("lines", AWKWARD)
def test_a_program_that_does_odd_things_with_it(lines: str, one_driver: Driver) -> None:
    seen = ran(one_driver, "import sys\nprint('a', file=sys.stderr)\n" + lines)
    assert (seen.ending, seen.stderr) == (Ending.ANSWERED, AWKWARD[lines])


def test_of_much_the_beginning_is_kept(one_driver: Driver) -> None:
    seen = ran(one_driver, "import sys\nfor _ in range(200_000):\n    sys.stderr.write('x')\n")
    assert (seen.ending, seen.stderr) == (Ending.ANSWERED, "x" * 100_000)


def test_who_leaves_it_out_of_the_answer_did_not_use_our_code() -> None:
    with_it, without = (
        Reply(final=FinalReply(phase=Phase.STIMULUS, exit=0, stderr=text)) for text in ("", None)
    )
    plain = Stimulus(action=Run(program="a1.py"))
    apart = Stimulus(action=Run(program="a1.py"), stderr_apart=True)
    assert is_complete(apart, with_it, None)
    assert is_complete(plain, without, None)
    assert not is_complete(apart, without, None)
    assert not is_complete(plain, with_it, None)


def test_such_a_scenario_has_a_process_of_its_own() -> None:
    assert may_share(call("f(1)"))
    assert not may_share(call("f(1)", stderr_apart=True))
