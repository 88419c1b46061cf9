"""An observation in the form in which `inside.shared.run` reports one, byte for byte,
and the observation that such bytes are."""

from __future__ import annotations

import json
from collections.abc import Iterable

from harness.execution.inside.messages.frames import framed
from harness.execution.protocol.observation import End, observation
from harness.execution.protocol.screen import scenario_screen
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Call, Limits, Run, Session, Stimulus
from harness.model.values import NAMED_CONTAINERS, Value, ValueKind

_SCALARS = frozenset(
    {
        ValueKind.NONE, ValueKind.BOOL, ValueKind.INT, ValueKind.FLOAT, ValueKind.COMPLEX,
        ValueKind.STR, ValueKind.BYTES, ValueKind.RANGE, ValueKind.ELLIPSIS,
    }
)  # fmt: skip
_ORDERED = frozenset({ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT})
_ENDINGS = frozenset({Ending.ANSWERED, Ending.ASKED_FOR_MORE})
_ASKED_FOR_MORE = '{"asked":"stimulus"}'


class _NoFormError(Exception):
    """The observation holds something that has more than one form, or none."""


def canonical(
    observation: Observation, stimulus: Stimulus, *, arguments: int | None
) -> bytes | None:
    """The bytes; None for what is not to be compared so: an exception (its traceback is the
    program's own), a set of several items, an object of which only the type is known, a cut value,
    an ending out of the ordinary but for a program that asks for more input than there is.

    `arguments` are the positional arguments of a plain call, as in `PackedStimulus`.
    """
    if (
        observation.ending not in _ENDINGS
        or observation.phase is not Phase.STIMULUS
        or observation.raised
        or isinstance(stimulus.action, Session)
        or observation.loading_printed
        or observation.detail
    ):
        return None
    try:
        answer = _answer(observation, stimulus, arguments)
    except _NoFormError:
        return None
    places, output = _conversation(observation)
    head = "\n".join((answer, ",".join(places), ""))
    return head.encode("ascii") + output


def _answer(observation: Observation, stimulus: Stimulus, arguments: int | None) -> str:
    if observation.ending is Ending.ASKED_FOR_MORE:
        return _ASKED_FOR_MORE
    fields = {"phase": '"stimulus"'}
    if isinstance(stimulus.action, Run):
        if observation.exit_status is None:
            raise _NoFormError
        fields["exit"] = str(observation.exit_status)
    else:
        if observation.value is None:
            raise _NoFormError
        if arguments is not None:
            fields["before"] = _list(observation.arguments_before)
        fields["value"] = _value(observation.value)
        if arguments is not None:
            fields["after"] = _list(observation.arguments)
    return "{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}"


def _list(values: Iterable[Value]) -> str:
    return f"[{','.join(map(_value, values))}]"


def _value(value: Value) -> str:
    if value.kind in _SCALARS:
        return f'["{value.kind.value}",{json.dumps(value.text)}]'
    if value.kind in NAMED_CONTAINERS and (value.items or value.kind is ValueKind.OBJECT):
        name = json.dumps(value.text)
        return f'["{value.kind.value}",{name},{_list(value.items)}]'
    if value.kind in _ORDERED or (value.is_container and len(value.items) < 2):
        return f'["{value.kind.value}",{_list(value.items)}]'
    raise _NoFormError


def _conversation(observation: Observation) -> tuple[list[str], bytes]:
    """Where inputs were asked for, in bytes of the output; and the output."""
    output = bytearray()
    places: list[str] = []
    for turn in observation.turns:
        output += turn.printed.encode("utf-8", "surrogatepass")
        if turn.typed is not None:
            places.append(f"i{len(output)}")
    return places, bytes(output)


def decoded(
    data: bytes,
    stimulus: Stimulus,
    limits: Limits,
    *,
    arguments: int | None,
    raised: bool = False,
) -> Observation | None:
    """What a program did, from what `inside.shared.run` reported of it; `arguments` as in
    `PackedStimulus`. None for what has no canonical form, and must be observed alone; with `raised`
    a call that ended with an exception is read all the same."""
    try:
        seen = _read(data, stimulus, limits, arguments)
    except (ValueError, LookupError, StopIteration, RecursionError):  # no report of ours
        return None
    if raised and isinstance(stimulus.action, Call) and seen.raised is not None:
        return seen
    return seen if canonical(seen, stimulus, arguments=arguments) == data else None


def _read(data: bytes, stimulus: Stimulus, limits: Limits, arguments: int | None) -> Observation:
    answer, places, output = data.split(b"\n", 2)
    screen = scenario_screen(stimulus)
    screen.raw += screen.sentinel
    inputs = iter(stimulus.inputs)
    start = 0
    for place in places.decode("ascii").split(",") if places else ():
        end = int(place.removeprefix("i"))
        screen.raw += output[start:end]
        start = end
        screen.typed.append((len(screen.raw), next(inputs)))
    screen.raw += output[start:]
    if answer == _ASKED_FOR_MORE.encode():
        reason, frame = Ending.ASKED_FOR_MORE, b'G"stimulus"'
    else:
        reason, frame = None, b"A" + answer
    ended = End(reason=reason, exit_code=0, cpu_seconds=0.0, reply=framed(frame))
    return observation(stimulus, limits, screen, ended, arguments=arguments)
