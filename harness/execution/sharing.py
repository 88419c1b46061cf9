"""The driver's side of shared runs, in which many scenarios of one program run in one confined
process.

The process sends a report of bytes for each scenario. Equal behaviour gives equal bytes, so most
reports need no decoding; `decoded` reads one.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.protocol import AT_PROMPT, AT_STEP, FromScenario
from harness.execution.inside.scenario.evaluate import analyse
from harness.execution.protocol.answers import Answerable, StimulusFacts
from harness.execution.protocol.observation import ProcessEnd, observation
from harness.execution.protocol.screen import scenario_screen
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Form, Limits, Stimulus
from harness.model.values import NAMED_CONTAINERS, Value, ValueKind

# A share of a scenario's own CPU limit: longer runs are observed in a process of its own. A correct
# program needs less than a hundredth; one that loops pays for each attempt.
CPU_SHARE = 0.03
_MAX_LINE_BYTES = 4000  # bytes; a terminal takes no line over 4,095
WHOLE_PROGRAM = "the program"

# Decides whether the observation of the stimulus with this number is kept, as answers arrive.
ShouldRetain = Callable[[int, bytes], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedJob:
    """One stimulus in the format that `inside.shared.run` reads.

    Its typed `lines` are sent separately, when they are asked for. `question` is the whole message,
    encoded once for all submissions. `about` names the function under test (see `subject`).
    `selection` is the index of its files in the group's `loads`. `arguments` is the number of
    positional arguments, see `StimulusFacts`.
    """

    about: str
    question: bytes
    lines: tuple[str, ...]
    selection: int
    arguments: int | None


@dataclass(slots=True, kw_only=True)
class SharedGroup:
    """Stimuli, by number, that one process runs: those about one function, those that run whole
    programs, or several such groups joined by `in_one_process`.

    `loads` are the messages that load the program, one for each set of constants. `limits` apply to
    all stimuli together, see `Limits.for_one_process`.
    """

    limits: Limits
    loads: list[bytes] = field(default_factory=list)
    jobs: dict[int, SharedJob] = field(default_factory=dict)

    def only(self, numbers: Iterable[int]) -> SharedGroup:
        """Return the group with only these numbers, in their order."""
        return replace(self, jobs={number: self.jobs[number] for number in numbers})


def in_one_process(groups: Sequence[SharedGroup]) -> SharedGroup:
    """Join at least one group, so that one process runs the stimuli of several functions."""
    joined = SharedGroup(limits=groups[0].limits)
    for group in groups:
        places = [_place_in(joined.loads, load) for load in group.loads]
        for number, job in group.jobs.items():
            joined.jobs[number] = replace(job, selection=places[job.selection])
        joined.limits = joined.limits.for_one_process(group.limits)
    return joined


def _place_in(loads: list[bytes], load: bytes) -> int:
    """Return the index of `load` in `loads`; append it if it is new."""
    if load not in loads:
        loads.append(load)
    return loads.index(load)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedOutcome:
    """The result of running a group: reports by number (those that were to be kept), or the reason
    why the program is `refused` a shared process.

    The reason is a text such as "`board`, a list at module level,". `changed_by` is the number of
    the stimulus that changed that object; `not_plain` tells instead that an object might change
    without being noticed. `gave_up` are the numbers that ended their process. Other missing numbers
    were not kept or did not run.
    """

    answers: Mapping[int, bytes]
    gave_up: frozenset[int] = frozenset()
    refused: str = ""
    not_plain: bool = False
    changed_by: int | None = None
    cpu_seconds: float = 0.0  # of all its processes


def may_share(stimulus: Stimulus) -> bool:
    """Return whether a stimulus can run in a process that several share, which has no terminal.

    A stimulus needs its own process if it has stand-ins, a folder, replies, environment variables,
    piped input, a fixed clock, a separate stderr, lines typed at load, figures or expected objects,
    or if it is a test. So does one with keys, or with typed lines that are too long or have
    characters that a terminal may act on.
    """
    if stimulus.stand_ins or stimulus.folder or stimulus.replies or stimulus.environment:
        return False
    if stimulus.stdin is not None or stimulus.clock or stimulus.stderr_apart or stimulus.at_load:
        return False
    if stimulus.keeps_figures:
        return False
    if stimulus.action.equals or stimulus.action.form in (Form.TEST, Form.SUITE):
        return False
    return all(
        typed.key is None
        and typed.text.isprintable()
        and len(typed.text.encode()) < _MAX_LINE_BYTES
        for typed in stimulus.inputs
    )


def subject(stimulus: Stimulus, functions: frozenset[str]) -> str | None:
    """Return which shared process may run this stimulus: the name of the only function under test
    that its texts use, or the name for whole programs.

    Return None if the stimulus uses several functions, or compares results: the values in one
    question may be the answer to the next.
    """
    if stimulus.action.program:
        return WHOLE_PROGRAM
    texts = stimulus.action.texts
    needs, _ = analyse(stimulus.given, "", texts, functions)
    if len(needs) != 1 or any(_compares(text, needs[0], stimulus.given) for text in texts):
        return None
    return needs[0]


def _compares(text: str, function: str, given: str) -> bool:
    """Return whether the text may compare the function's result.

    Every comparison counts except those within the arguments of the only call.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    nodes = list(ast.walk(tree))
    compared = [node for node in nodes if isinstance(node, ast.Compare)]
    calls = [n for n in nodes if isinstance(n, ast.Name) and n.id == function]
    if not compared:
        return False
    if given or len(calls) != 1 or any(isinstance(node, ast.NamedExpr) for node in nodes):
        return True
    whole = [n for n in nodes if isinstance(n, ast.Call) and n.func is calls[0]]
    parts = [part for call in whole for part in (*call.args, *call.keywords)]
    before = {id(node) for part in parts for node in ast.walk(part)}
    return any(id(node) not in before for node in compared)


_ORDERED = (ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT)
_UNKNOWN = (ValueKind.UNREADABLE, ValueKind.FUNCTION, ValueKind.CYCLE, ValueKind.TOO_LARGE)
_ENDINGS = (Ending.ANSWERED, Ending.ASKED_FOR_MORE)
_ASKED_FOR_MORE = b'{"asked":"stimulus"}'


def has_one_form(observation: Observation, stimulus: Stimulus) -> bool:
    """Return whether the observation would be the same in a shared process and in its own, so that
    both can be compared.

    That excludes exceptions (the traceback belongs to the program), sets of several items, objects
    of which only the type is known, truncated values, and unusual endings except a request for more
    input.
    """
    steps = stimulus.action.steps
    if (
        observation.ending not in _ENDINGS
        or observation.phase is not Phase.STIMULUS
        or observation.raised
        or observation.loading_printed
        or observation.detail
    ):
        return False
    is_whole = observation.ending is Ending.ANSWERED and len(observation.steps) == len(steps)
    if steps and not is_whole:
        return False
    if any(step.raised or step.shown for step in observation.steps):  # an object has no one look
        return False
    values = [observation.value, *observation.arguments_before, *observation.arguments]
    values += [step.value for step in observation.steps]
    values += [variable.value for variable in observation.variables]
    return all(_is_one_form(part) for value in values if value for part in value.parts())


def _is_one_form(value: Value) -> bool:
    if value.kind in NAMED_CONTAINERS:
        return value.kind is ValueKind.OBJECT or bool(value.items)
    if value.is_container:
        return value.kind in _ORDERED or len(value.items) < 2
    return value.kind not in _UNKNOWN


# The key of an exception. No text in a report contains it, because JSON escapes quotes in texts.
_RAISED = b'"raised":'


def has_raised(data: bytes) -> bool:
    """Return whether a report of `inside.shared.run` says that the call, or a step of the session,
    ended with an exception.
    """
    answer, _, _ = data.partition(b"\n")
    return _RAISED in answer


def decoded(
    data: bytes,
    stimulus: Stimulus,
    limits: Limits,
    *,
    arguments: int | None,
    raised_in: Sources | None = None,
) -> Observation | None:
    """Return the observation that a report of `inside.shared.run` contains; `arguments` as in
    `SharedJob`.

    Return None if the observation could differ in the scenario's own process and must be made
    there. With `raised_in` (the submission's files), a call that raised an exception is decoded
    anyway, with the places and names of these files, as in its own process.
    """
    try:
        answerable = Answerable(stimulus, StimulusFacts(frozenset(), arguments), raised_in)
        observation = _read(data, answerable, limits)
    except (ValueError, TypeError, LookupError, StopIteration, RecursionError):  # no report of ours
        return None
    may_raise = raised_in is not None
    has_raised = may_raise and stimulus.action.expression and observation.raised is not None
    return observation if has_raised or has_one_form(observation, stimulus) else None


def _read(data: bytes, answerable: Answerable, limits: Limits) -> Observation:
    stimulus = answerable.stimulus
    answer, places, output = data.split(b"\n", 2)
    screen = scenario_screen(stimulus)
    screen.raw += screen.sentinel
    inputs = iter(stimulus.inputs)
    start = 0
    for place in places.decode("ascii").split(",") if places else ():
        end = int(place[1:])
        screen.raw += output[start:end]
        start = end
        if place[0] == AT_STEP:
            screen.raw += screen.sentinel
        elif place[0] == AT_PROMPT:
            screen.raw += screen.prompt_mark
        else:
            screen.remember(next(inputs))
    screen.raw += output[start:]
    steps: list[bytes] = []
    if stimulus.action.steps:
        fields = dict(json.loads(answer))
        steps = [FromScenario.STEP + json.dumps(step).encode() for step in fields.pop("steps", ())]
        answer = json.dumps(fields).encode()
    reason = None
    frames = [*steps, FromScenario.ANSWER + answer]
    if answer == _ASKED_FOR_MORE:
        reason = Ending.ASKED_FOR_MORE
        frames = list(steps)
        if not stimulus.action.program:
            frames.append(FromScenario.REACHED + b'"stimulus"')
    ended = ProcessEnd(reason=reason, reply=tuple(frames))
    return observation(answerable, limits, screen, ended)
