"""A reply has every field of its stimulus's outcome, or it was not written by our code."""

import pytest

from harness.common.errors import HarnessError
from harness.execution import Driver
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.protocol.answers import Answerable, StimulusFacts
from harness.execution.protocol.observation import ProcessEnd, observation
from harness.execution.protocol.replies import TamperedError, read_reply, value_from
from harness.execution.protocol.screen import ScreenParser
from harness.model.observation import Ending, Observation, Turn
from harness.model.stimulus import Limits, Stimulus, Typed
from harness.model.values import Value
from tests.execution.small_world import (
    FRAMES,
    call,
    observe,
    run,
    session,
)

ONE, RAISED = '["int","1"]', '"raised":{"type_name":"E","message":""}'
PHASE = '"phase":"stimulus"'
BOTH = f'"before":[{ONE}],"after":[{ONE}]'
PLAIN, PROGRAM, STEPS = call("f(1)"), run(), session("x = 1", "x")


SOURCES = Sources({"a1.py": b"def f(x):\n    return g(x)\n"})


def nested(depth: int) -> tuple[bytes]:
    """A reply whose value is a list in a list, and so on."""
    value = '["list",[' * depth + ONE + "]]" * depth
    return (f'A{{"value":{value}}}'.encode(),)


def seen(stimulus: Stimulus, *bodies: str, arguments: int | None = None) -> Observation:
    screen = ScreenParser(sentinel=b"|", most_sentinels=3, raw=bytearray(b"|||"))
    reply = tuple(body.encode() for body in ("L", *bodies))
    end = ProcessEnd(reason=None, reply=reply)
    facts = StimulusFacts(frozenset({"f"}), arguments)
    return observation(Answerable(stimulus, facts, SOURCES), Limits(), screen, end)


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
def test_messages_of_our_side_are_complete(
    stimulus: Stimulus, bodies: tuple[str, ...], arguments: int | None
) -> None:
    assert seen(stimulus, *bodies, arguments=arguments).ending is not Ending.TAMPERED


def test_a_traceback_without_an_end_is_tampered() -> None:
    one = '{"file":"a1.py","line":1,"function":"f"}'
    raised = f'"raised":{{"type_name":"E","message":"","frames":[{",".join([one] * 1000)}]}}'
    assert seen(PLAIN, f"A{{{PHASE},{raised}}}").ending is Ending.TAMPERED


def test_names_in_a_reply_are_bounded() -> None:
    long = "x" * 100_000
    frame = f'{{"file":"{long}","line":1,"function":"{long}"}}'
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
        (PLAIN, ("S{}", f'A{{{PHASE},"value":{ONE},{BOTH}}}'), 1),
    ],
)
def test_a_message_with_missing_or_other_fields_is_tampered(
    stimulus: Stimulus, bodies: tuple[str, ...], arguments: int | None
) -> None:
    assert seen(stimulus, *bodies, arguments=arguments).ending is Ending.TAMPERED


@pytest.mark.parametrize("depth", [1, 100])
def test_a_reply_may_be_as_deep_as_we_write_it(depth: int) -> None:
    assert read_reply(nested(depth)).final is not None


@pytest.mark.parametrize(
    "frames",
    [
        (b"Z{}",),
        (b"A[]",),
        (b"A{}", b"A{}"),
        (b"A{}", b"S{}"),
        (b'A{"phase":"judging"}',),
        (b'A{"phase":["loading"]}',),
        (b'A{"exit":true}',),
        (b'A{"exit":1.0}',),
        (b'A{"variables":[["a"]]}',),
        (b'A{"value":["dict",[["int","1"]]]}',),
        (b'A{"value":["list",""]}',),
        (b'A{"value":["int",[]]}',),
        (b'A{"raised":{"type_name":1}}',),
        (b'A{"raised":{"type_name":"E","message":"","frames":[{}]}}',),
        (b"A{",),
        (b'A{"value":["int",5]}',),
        (b'A{"value":["magic","5"]}',),
        (b'A{"verdict":"passed"}',),
        (b"A\xff",),
        *map(nested, (101, 300, 900)),
    ],
)
def test_a_misshapen_or_deeper_reply_is_refused(frames: tuple[bytes, ...]) -> None:
    with pytest.raises(TamperedError):
        read_reply(frames)


@pytest.mark.parametrize("data", [b"\0", b"\5\0\0\0A", b"\0\0\0\0"])
def test_a_reply_that_is_cut_is_refused(one_driver: Driver, data: bytes) -> None:
    program = f"{FRAMES}def f():\n    write({data!r})\n    os._exit(0)\n"
    assert observe(one_driver, program, call("f()")).ending is Ending.TAMPERED


def test_sets_are_ordered_like_the_models() -> None:
    plain_set = ["set", [["str", "b"], ["int", "10"], ["str", "a"], ["int", "2"]]]
    assert value_from(plain_set) == Value.of({"a", "b", 2, 10})


def test_a_screen_is_parted_at_its_marks_and_cut_to_its_limit() -> None:
    first, second = Typed(text="1"), Typed(text="2")
    screen = ScreenParser(sentinel=b"|", most_sentinels=2)
    screen.raw += b"load|one? "
    screen.typed.append((len(screen.raw), first))
    screen.raw += b"ok|"
    screen.typed.append((len(screen.raw), second))
    screen.raw += b"two|"
    loading, parts = screen.parts(100)
    assert loading == "load"
    assert parts == [
        (Turn(printed="one? ", typed=first), Turn(printed="ok")),
        (Turn(printed="", typed=second), Turn(printed="two|")),
    ]
    assert screen.exceeds(14) is True
    assert screen.exceeds(15) is False
    loading, parts = screen.parts(6)
    assert (loading, parts[0]) == ("load", (Turn(printed="on", typed=first), Turn(printed="")))


def test_a_screen_forgets_what_it_may_discard() -> None:
    screen = ScreenParser(sentinel=b"<!>", most_sentinels=1, may_discard=19)
    told = []
    for text in (b"a<!>b", b"0123456789", b"<!>0123", b"45", b"6"):
        screen.raw += text
        told.append((screen.exceeds(2), bytes(screen.raw)))
    assert told == [(False, b"a<!>b")] * 4 + [(True, b"a<!>b6")]


@pytest.mark.parametrize(
    "data",
    [b"", b"a\xff\xffb", b"\xe2\x82", b"\xc3\xa9\x80", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80\xf5"],
)
def test_bytes_that_are_not_text_are_shown_as_escapes(data: bytes) -> None:
    screen = ScreenParser(sentinel=b"|", most_sentinels=1)
    screen.raw += data + b"|"
    assert screen.parts(100)[0] == data.decode("utf-8", "backslashreplace")


def test_a_broken_provided_file_is_reported_escaped() -> None:
    screen = ScreenParser(sentinel=b"|", most_sentinels=1)
    text = '"support: \\u001b]8;;x\\u0007 \\u202e' + "x" * 5000 + '"'
    end = ProcessEnd(reason=None, reply=(f"B{text}".encode(),))
    with pytest.raises(HarnessError) as failed:
        observation(Answerable(PLAIN, StimulusFacts(frozenset(), 1)), Limits(), screen, end)
    assert "\\x1b]8;;x\\x07 \\u202ex" in str(failed.value)
    assert str(failed.value).isprintable()
    assert len(str(failed.value)) < 400


def test_the_course_is_not_blamed_once_the_submission_ran() -> None:
    assert seen(PLAIN, 'B"support: broken"').ending is Ending.TAMPERED
    assert seen(PLAIN, "L", f'A{{{PHASE},"missing":"f"}}').ending is Ending.TAMPERED
