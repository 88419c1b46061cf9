"""Combine a process's terminal output, reply and exit into an observation, for every way of running
it."""

import signal
from dataclasses import dataclass, replace
from itertools import chain, repeat

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.folder import MAX_FOLDER_SIZE, MORE_FILES
from harness.execution.protocol.answers import Answerable
from harness.execution.protocol.replies import (
    FigureReply,
    FinalReply,
    Reply,
    StepReply,
    TamperedError,
    read_reply,
)
from harness.execution.protocol.screen import ScreenParser, joined
from harness.model.observation import (
    Ending,
    Filled,
    NamedValue,
    Observation,
    OutputLimit,
    Phase,
    StepOutcome,
    Turn,
)
from harness.model.stimulus import Limits, Stimulus

_SIGKILL = 9
_WINDOWS_ERRORS = 0xC0000000  # on Windows, exit statuses from here on are crashes
_SIGXCPU = getattr(signal, "SIGXCPU", None)  # Windows has none


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessExit:
    """Facts about a process's end, such as its exit status, that the system or its server
    reports.
    """

    code: int = 0  # negative: the signal that ended it
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a process ended, and the messages that it sent."""

    reason: Ending | None  # why we ended it; None: it ended by itself
    exit: ProcessExit = ProcessExit()
    reply: tuple[bytes, ...]  # the frames that it wrote
    detail: str = ""  # why a stand-in could not be used, if that is the reason
    filled: Filled = Filled.SCREEN  # if the reason is the limit on output


def observation(
    answerable: Answerable, limits: Limits, screen: ScreenParser, end: ProcessEnd
) -> Observation:
    """Return the observation of a process; its ending is `TAMPERED` if the reply is impossible.

    Raise HarnessError if a provided file did not load.
    """
    loading, parts = screen.parts(limits.output_kib * 1024)
    observed = Observation(
        ending=Ending.ANSWERED,
        phase=Phase.STIMULUS if parts else Phase.LOADING,
        turns=joined(parts) if parts else (),
        loading_printed=loading,
        cpu_seconds=end.exit.cpu_seconds,
    )
    try:
        reply = read_reply(end.reply)
        answerable.check(reply)
    except TamperedError as error:
        return replace(observed, ending=Ending.TAMPERED, detail=str(error))
    if reply.broken is not None:
        raise HarnessError(f"a provided file failed to load: {visible(reply.broken[:300])}")
    stimulus = answerable.stimulus
    if stimulus.traces_lines:
        return replace(observed, detail="\n".join(reply.trace))
    if parts and not stimulus.action.program:
        observed = replace(observed, phase=reply.reached[-1] if reply.reached else Phase.GIVEN)
    if stimulus.action.steps:
        observed = replace(observed, steps=_steps(answerable, parts, reply))
    if _ended_by_itself(stimulus, end, reply) and parts:
        return replace(observed, ending=Ending.ANSWERED, exit_status=end.exit.code)
    if end.reason is not None or end.exit.code != 0 or reply.final is None:
        ending, detail = _without_answer(end, reply, limits)
        limit = _output_limit(end, limits) if ending is Ending.OUTPUT_LIMIT else None
        return replace(observed, ending=ending, detail=detail, output_limit=limit)
    if reply.final.recursion is not None:
        place = reply.final.recursion
        return replace(observed, ending=Ending.CPU_LIMIT, detail=place, calls_itself=True)
    if reply.final.loop is not None:
        return replace(observed, ending=Ending.CPU_LIMIT, detail=reply.final.loop)
    return _answered(answerable, replace(observed, lines=reply.final.lines), reply.final)


def _output_limit(end: ProcessEnd, limits: Limits) -> OutputLimit:
    most = MAX_FOLDER_SIZE >> 10 if end.filled is Filled.FOLDER else limits.output_kib
    return OutputLimit(filled=end.filled, kib=most)


def _ended_by_itself(stimulus: Stimulus, end: ProcessEnd, reply: Reply) -> bool:
    """Return whether a program ended its own process, such as with `os._exit`.

    Its screen, files and exit status are still known, as for a person at a terminal. Unknown are
    its figures, and standard error if that is kept apart from the screen: only the process knew
    them.
    """
    is_seen = not stimulus.stderr_apart and not stimulus.keeps_figures
    is_whole_program = stimulus.action.program != "" and is_seen
    left = end.reason is None and end.exit.code >= 0
    return is_whole_program and left and reply.final is None and not stimulus.finds_loop


def _steps(
    answerable: Answerable, parts: list[tuple[Turn, ...]], reply: Reply
) -> tuple[StepOutcome, ...]:
    """Return the outcomes of a session's steps.

    An unfinished step has only its turns of input and output.
    """
    said = chain(reply.steps, repeat(StepReply()))
    turns_of_steps = parts[: len(answerable.stimulus.action.steps)]
    return tuple(
        StepOutcome(
            turns=turns,
            value=step.value,
            raised=answerable.raised(step.raised),
            shown=step.shown,
        )
        for turns, step in zip(turns_of_steps, said, strict=False)
    )


def with_files(observed: Observation, files: tuple[NamedValue, ...]) -> Observation:
    """Return the observation with the files of the scenario's folder.

    Reports of open files that are not there are dropped.
    """
    names = {entry.name for entry in files}
    if MORE_FILES in names or names.issuperset(observed.left_open):
        return replace(observed, files=files)
    detail = "an open file that does not exist"
    return replace(observed, files=files, left_open=(), ending=Ending.TAMPERED, detail=detail)


# CPython raises this instead of MemoryError if it has no memory for a traceback.
_NO_TRACEBACK = ("SystemError", "error return without exception set")


def _answered(answerable: Answerable, observed: Observation, final: FinalReply) -> Observation:
    ending = Ending.ANSWERED
    raised = final.raised
    no_memory = raised is not None and (
        raised.type_name == "MemoryError" or (raised.type_name, raised.message) == _NO_TRACEBACK
    )
    if final.missing is not None:
        ending = Ending.MISSING
    elif final.memory or no_memory:
        ending = Ending.MEMORY_LIMIT
    return replace(
        observed,
        ending=ending,
        phase=final.phase or observed.phase,
        detail=final.missing or "",
        nearest=answerable.nearest(final.near),
        left_open=final.open,
        value=final.value,
        raised=answerable.raised(final.raised),
        cell_error=answerable.raised(final.cell_error),
        arguments=final.after or (),
        arguments_before=final.before or (),
        variables=final.variables or (),
        exit_status=final.exit,
        stderr=final.stderr,
        figures=tuple(map(FigureReply.figure, final.figures or ())),
    )


def _without_answer(end: ProcessEnd, reply: Reply, limits: Limits) -> tuple[Ending, str]:
    """Return the ending and its detail for a process that did not answer: we ended it, or it ended
    first.
    """
    if end.reason is not None:
        if reply.final is not None and end.reason in (Ending.TIMEOUT, Ending.ASKED_FOR_MORE):
            return Ending.TAMPERED, "answered and did not end"
        return end.reason, end.detail
    if reply.final is not None:
        return Ending.TAMPERED, "answered and did not leave"
    if end.exit.code >= 0:
        return Ending.ENDED_EARLY, f"exit status {end.exit.code}"
    killed_by = -end.exit.code
    if killed_by == _SIGXCPU or end.exit.cpu_seconds >= limits.cpu_seconds:
        return Ending.CPU_LIMIT, ""
    try:
        name = signal.Signals(killed_by).name
    except ValueError:
        name = f"signal {killed_by}" if killed_by < _WINDOWS_ERRORS else f"0x{killed_by:08X}"
    # We did not kill the process, so the kernel did: it was out of memory.
    return (Ending.MEMORY_LIMIT if killed_by == _SIGKILL else Ending.CRASHED), name
