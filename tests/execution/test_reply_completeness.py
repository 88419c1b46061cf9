"""A reply has every field of its stimulus's outcome, or it was not written by our code."""

from __future__ import annotations

import pytest

from harness.common.errors import HarnessError
from harness.execution import Driver
from harness.execution.protocol.observation import (
    End,
    ScreenParser,
    TamperedError,
    observation,
    read_reply,
)
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Limits, Stimulus
from tests.execution.small_world import (
    FRAMES,
    assignment,
    call,
    observe,
    plain,
    run,
    session,
    source,
)

ONE, RAISED = '["int","1"]', '"raised":{"type_name":"E","message":""}'
PHASE = '"phase":"stimulus"'
BOTH = f'"before":[{ONE}],"after":[{ONE}]'
PLAIN, PROGRAM, STEPS = call("f(1)"), run(), session("x = 1", "x")


def frame(body: str) -> bytes:
    return len(body).to_bytes(4, "little") + body.encode()


def seen(stimulus: Stimulus, *bodies: str, arguments: int | None = None) -> Observation:
    screen = ScreenParser(sentinel=b"|", most_sentinels=3, raw=bytearray(b"|||"))
    reply = b"".join(frame(body) for body in ("L", *bodies))
    end = End(reason=None, exit_code=0, cpu_seconds=0.0, reply=reply)
    return observation(stimulus, Limits(), screen, end, arguments=arguments)


@pytest.mark.parametrize(
    ("stimulus", "bodies", "arguments"),
    [
        (PLAIN, (f'A{{{PHASE},"value":{ONE},{BOTH}}}',), 1),
        (PLAIN, (f"A{{{PHASE},{RAISED},{BOTH}}}",), 1),
        (PLAIN, (f'A{{"phase":"arguments",{RAISED}}}',), 1),
        (PLAIN, (f'A{{"phase":"arguments",{RAISED}}}',), None),
        (PLAIN, (f'A{{"phase":"given",{RAISED}}}',), 1),
        (PLAIN, (f'A{{"phase":"result",{RAISED},{BOTH}}}',), 1),
        (PLAIN, (f'A{{"phase":"result",{RAISED}}}',), None),
        (PLAIN, (f'A{{{PHASE},"value":{ONE}}}',), None),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},"before":[],"after":[]}}',), 0),
        (PLAIN, (f'A{{"phase":"loading",{RAISED}}}',), 1),
        (PLAIN, (f'A{{{PHASE},"missing":"f"}}',), 1),
        (PLAIN, ('A{"memory":true}',), 1),
        (PROGRAM, (f'A{{{PHASE},"exit":0}}',), None),
        (PROGRAM, (f'A{{{PHASE},"exit":1,{RAISED}}}',), None),
        (PROGRAM, (f'A{{"phase":"loading","exit":1,{RAISED}}}',), None),
        (STEPS, ("S{}", f'S{{"value":{ONE}}}', f'A{{{PHASE},"variables":[]}}'), None),
        (STEPS, (f'A{{"phase":"given",{RAISED}}}',), None),
    ],
)
def test_what_our_side_writes_is_complete(
    stimulus: Stimulus, bodies: tuple[str, ...], arguments: int | None
) -> None:
    assert seen(stimulus, *bodies, arguments=arguments).ending is not Ending.TAMPERED


def test_a_traceback_without_an_end_is_tampered() -> None:
    one = '{"file":"a1.py","line":1,"function":"f","source":"x"}'
    raised = f'"raised":{{"type_name":"E","message":"","frames":[{",".join([one] * 1000)}]}}'
    assert seen(PLAIN, f"A{{{PHASE},{raised}}}").ending is Ending.TAMPERED


def test_names_in_a_reply_are_bounded() -> None:
    long = "x" * 100_000
    frame = f'{{"file":"{long}","line":1,"function":"{long}","source":"{long}"}}'
    raised = f'"raised":{{"type_name":"{long}","message":"{long}","frames":[{frame}]}}'
    assert len(repr(seen(PLAIN, f"A{{{PHASE},{raised}}}"))) < 20_000
    assert len(seen(PLAIN, f'A{{{PHASE},"missing":"{long}"}}').detail) <= 1000


@pytest.mark.parametrize(
    ("stimulus", "bodies", "arguments"),
    [
        (PLAIN, ("A{}",), 1),
        (PLAIN, (f"A{{{PHASE}}}",), None),
        (PLAIN, (f'A{{"value":{ONE},{BOTH}}}',), 1),
        (PLAIN, (f'A{{{PHASE},"value":{ONE}}}',), 1),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},"before":[{ONE}]}}',), 1),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},"before":[{ONE}]}}',), None),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},"before":[{ONE}],"after":[]}}',), 1),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},{BOTH}}}',), 2),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},{RAISED},{BOTH}}}',), 1),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},"exit":0,{BOTH}}}',), 1),
        (PLAIN, (f'A{{{PHASE},"value":{ONE},"missing":"f"}}',), None),
        (PLAIN, ('A{"phase":"loading"}',), 1),
        (PROGRAM, (f"A{{{PHASE}}}",), None),
        (PROGRAM, (f'A{{{PHASE},"exit":0,"value":{ONE}}}',), None),
        (STEPS, ("S{}", f'A{{{PHASE},"variables":[]}}'), None),
        (STEPS, ("S{}", "S{}", "S{}", f'A{{{PHASE},"variables":[]}}'), None),
        (STEPS, ("S{}", "S{}", f"A{{{PHASE}}}"), None),
        (STEPS, ("S{}", "S{}", f"A{{{PHASE},{RAISED}}}"), None),
        (STEPS, (f"A{{{PHASE},{RAISED}}}",), None),
        (STEPS, ("S{}", f'A{{"phase":"given",{RAISED}}}'), None),
        (STEPS, (f'A{{"phase":"arguments",{RAISED}}}',), None),
        (PROGRAM, (f'A{{"phase":"given","exit":1,{RAISED}}}',), None),
        (PLAIN, (f"A{{{PHASE},{RAISED}}}",), 1),
        (PLAIN, (f'A{{"phase":"arguments",{RAISED},{BOTH}}}',), 1),
        (PLAIN, (f'A{{"phase":"arguments","value":{ONE}}}',), None),
        (PLAIN, (f'A{{"phase":"given","value":{ONE}}}',), None),
        (PLAIN, ('A{"phase":"given","missing":"f"}',), 1),
    ],
)
def test_what_lacks_a_field_or_has_another_is_tampered(
    stimulus: Stimulus, bodies: tuple[str, ...], arguments: int | None
) -> None:
    assert seen(stimulus, *bodies, arguments=arguments).ending is Ending.TAMPERED


@pytest.mark.parametrize("depth", [1, 100])
def test_a_reply_may_be_as_deep_as_we_write_it(depth: int) -> None:
    value = '["list",[' * depth + ONE + "]]" * depth
    assert read_reply(frame(f'A{{"value":{value}}}')).final is not None


@pytest.mark.parametrize("depth", [101, 300, 900])
def test_a_deeper_reply_is_refused(depth: int) -> None:
    value = '["list",[' * depth + ONE + "]]" * depth
    with pytest.raises(TamperedError):
        read_reply(frame(f'A{{"value":{value}}}'))


def test_a_broken_provided_file_is_reported_escaped() -> None:
    screen = ScreenParser(sentinel=b"|", most_sentinels=1)
    text = '"support: \\u001b]8;;x\\u0007 \\u202e' + "x" * 5000 + '"'
    end = End(reason=None, exit_code=0, cpu_seconds=0.0, reply=frame("B" + text))
    with pytest.raises(HarnessError) as failed:
        observation(PLAIN, Limits(), screen, end, arguments=1)
    assert "\\x1b]8;;x\\x07 \\u202ex" in str(failed.value)
    assert str(failed.value).isprintable()
    assert len(str(failed.value)) < 400


def test_the_course_is_not_blamed_once_the_submission_ran() -> None:
    assert seen(PLAIN, 'B"support: broken"').ending is Ending.TAMPERED
    assert seen(PLAIN, "L", f'A{{{PHASE},"missing":"f"}}').ending is Ending.TAMPERED


FORGES = (
    FRAMES
    + """
def f():
    write(frame(b'B"support: SyntaxError"'))
    os._exit(0)
"""
)


def test_a_forged_report_on_the_course_is_tampered(one_driver: Driver) -> None:
    assert observe(one_driver, FORGES, call("f()"), Limits()).ending is Ending.TAMPERED


LEAVES = (
    FRAMES
    + """
import fcntl
def f(number):
    for place in range(3, 64):
        try:
            fcntl.fcntl(place, fcntl.F_SETFL, os.O_DIRECT)
        except OSError:
            pass
    for packet in range(20):
        write(frame(b"Q"))
    return number
def g(number):
    return number
"""
)


def test_a_scenario_leaves_nothing_for_the_next_one(one_driver: Driver) -> None:
    with one_driver.submission(assignment(), (source(LEAVES),)) as server:
        assert server.observe(call("f(3)"), Limits()).ending is Ending.ANSWERED
        second = server.observe(call("g(4)"), Limits())
    assert (second.ending, plain(second.value)) == (Ending.ANSWERED, "4")
