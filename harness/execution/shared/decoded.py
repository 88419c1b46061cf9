"""The observation that a shared run's bytes are: the inverse of `canonical`."""

from __future__ import annotations

import json

from harness.execution.protocol.observation import End, observation
from harness.execution.protocol.screen import scenario_screen
from harness.execution.shared.canonical import canonical
from harness.model.observation import Observation
from harness.model.stimulus import Call, Limits, Stimulus


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
    answer, steps, places, output = data.split(b"\n", 3)
    screen = scenario_screen(stimulus)
    screen.raw += screen.sentinel
    inputs = iter(stimulus.inputs)
    start = 0
    for place in places.decode("ascii").split(",") if places else ():
        end = int(place[1:])
        screen.raw += output[start:end]
        start = end
        if place[0] == "i":
            screen.typed.append((len(screen.raw), next(inputs)))
        else:
            screen.raw += screen.sentinel
    screen.raw += output[start:]
    outcomes = json.loads(b"[%b]" % steps)
    reply = b"".join(_frame(b"S", json.dumps(outcome).encode()) for outcome in outcomes)
    ended = End(reason=None, exit_code=0, cpu_seconds=0.0, reply=reply + _frame(b"A", answer))
    return observation(stimulus, limits, screen, ended, arguments=arguments)


def _frame(kind: bytes, body: bytes) -> bytes:
    return (len(body) + 1).to_bytes(4, "little") + kind + body
