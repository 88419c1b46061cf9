"""One submission, ready to be observed."""

from __future__ import annotations

import marshal
import os
import signal
from dataclasses import replace

from harness.execution import screen
from harness.execution.conversation import Conversation, End
from harness.execution.reply import FinalReply, Reply, TamperedError, read_reply
from harness.execution.screen import Screen
from harness.execution.server_link import ServerLink
from harness.execution.terminal import Terminal
from harness.model.errors import HarnessError
from harness.model.observation import Ending, Observation, Phase, Raised, StepOutcome, Turn
from harness.model.plan import Assignment
from harness.model.stimulus import Binding, Call, Key, Limits, Run, Session, Stimulus

_MARK_BYTES = 16
_MIB = 1024 * 1024


class SubmissionServer:
    """Observes one submission, a fresh process for each stimulus."""

    def __init__(self, link: ServerLink, assignment: Assignment, main: str) -> None:
        self._link = link
        self._main = main
        self._variants: dict[tuple[Binding, ...], int] = {
            variant.constants: index for index, variant in enumerate(assignment.variants)
        }

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._link.server.pid

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """What the submission did. HarnessError when our own server failed."""
        failed = self._link.failed_to_prepare
        if failed is not None:
            return Observation(ending=failed.ending, phase=Phase.LOADING, detail=failed.detail)
        job = self._job(stimulus, limits)
        steps = len(stimulus.action.steps) if isinstance(stimulus.action, Session) else 0
        shown = Screen(mark=os.urandom(_MARK_BYTES), most_marks=1 + steps)
        job["mark"] = shown.mark
        terminal = Terminal(shown)
        try:
            self._link.send(marshal.dumps(job, 2), terminal.slave)
            end = Conversation(
                self._link.server,
                self._link.listener,
                terminal,
                limits=limits,
                inputs=stimulus.inputs,
                may_type=lambda: shown.loaded,
            ).follow()
        finally:
            terminal.close()
        return _observation(stimulus, limits, shown, end)

    def _job(self, stimulus: Stimulus, limits: Limits) -> dict[str, object]:
        try:
            variant = self._variants[stimulus.constants]
        except KeyError:
            names = ", ".join(binding.name for binding in stimulus.constants)
            raise HarnessError(f"the plan has no provided files for {names}") from None
        action = stimulus.action
        job: dict[str, object] = {
            "action": "call",
            "expression": "",
            "steps": [],
            "program": self._main,
            "argv": [],
            "given": stimulus.given,
            "bindings": [(binding.name, binding.literal) for binding in stimulus.bindings],
            "variant": variant,
            "provide": list(stimulus.provide),
            "stand_ins": [(each.module, each.file) for each in stimulus.stand_ins],
            "seed": stimulus.seed,
            "cpu": limits.cpu_seconds,
            "memory": limits.memory_mib * _MIB,
            "shim": self._link.listener is None,
            "controlled": any(typed.key is Key.CTRL_C for typed in stimulus.inputs),
        }
        if isinstance(action, Call):
            job["expression"] = action.expression
        elif isinstance(action, Session):
            job |= {"action": "session", "steps": list(action.steps)}
        else:
            job |= {"action": "run", "program": action.program, "argv": list(action.argv)}
        return job


def _observation(stimulus: Stimulus, limits: Limits, shown: Screen, end: End) -> Observation:
    loading, parts = shown.parts(limits.output_kib * 1024)
    observation = Observation(
        ending=Ending.ANSWERED,
        phase=Phase.STIMULUS if parts else Phase.LOADING,
        turns=screen.joined(parts) if parts else (),
        loading_printed=loading,
        cpu_seconds=end.cpu_seconds,
    )
    try:
        reply = read_reply(end.said)
    except TamperedError as error:
        return replace(observation, ending=Ending.TAMPERED, detail=str(error))
    if reply.broken is not None:
        raise HarnessError(f"a provided file failed to load: {reply.broken}")
    if isinstance(stimulus.action, Session):
        observation = replace(observation, steps=_steps(stimulus.action, reply, parts))
    elif reply.steps:
        return replace(observation, ending=Ending.TAMPERED, detail="an unexpected reply")
    if end.reason is not None or end.status != 0 or reply.final is None:
        return _without_answer(observation, end, reply, limits)
    return _answered(observation, stimulus, reply.final)


def _answered(observation: Observation, stimulus: Stimulus, final: FinalReply) -> Observation:
    observation = replace(
        observation,
        phase=final.phase,
        value=final.value,
        raised=final.raised,
        arguments=final.arguments,
        arguments_before=final.arguments_before,
        variables=final.variables,
        exit_status=final.exit_status if isinstance(stimulus.action, Run) else None,
    )
    if final.missing is not None:
        return replace(observation, ending=Ending.MISSING, detail=final.missing)
    if final.out_of_memory or (final.raised and _is_out_of_memory(final.raised)):
        return replace(observation, ending=Ending.MEMORY_LIMIT)
    return observation


def _is_out_of_memory(raised: Raised) -> bool:
    """A MemoryError, or what CPython makes of one when there is no room for its traceback."""
    if raised.type_name == "SystemError":
        return raised.message == "error return without exception set"
    return raised.type_name == "MemoryError"


def _without_answer(
    observation: Observation, end: End, reply: Reply, limits: Limits
) -> Observation:
    """The ending of a process that was ended, or that ended in another way than ours does."""
    killed_by = os.WTERMSIG(end.status) if os.WIFSIGNALED(end.status) else None
    if end.reason is not None and end.reason is not Ending.TAMPERED:
        if reply.final is not None and end.reason in (Ending.TIMEOUT, Ending.ASKED_FOR_MORE):
            return replace(observation, ending=Ending.TAMPERED, detail="answered and did not end")
        return replace(observation, ending=end.reason)
    if end.reason is Ending.TAMPERED:
        return replace(observation, ending=Ending.TAMPERED, detail="a reply too large")
    if reply.final is not None:
        return replace(observation, ending=Ending.TAMPERED, detail="answered and did not leave")
    if killed_by is None:
        status = os.waitstatus_to_exitcode(end.status)
        return replace(observation, ending=Ending.ENDED_EARLY, detail=f"exit status {status}")
    if killed_by == signal.SIGXCPU or end.cpu_seconds >= limits.cpu_seconds:
        return replace(observation, ending=Ending.CPU_LIMIT)
    name = _signal_name(killed_by)
    if killed_by == signal.SIGKILL:  # not by us: the kernel was out of memory
        return replace(observation, ending=Ending.MEMORY_LIMIT, detail=name)
    return replace(observation, ending=Ending.CRASHED, detail=name)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _steps(action: Session, reply: Reply, parts: list[tuple[Turn, ...]]) -> tuple[StepOutcome, ...]:
    """What each finished step did; a last one that did not finish has its turns alone."""
    outcomes: list[StepOutcome] = []
    for index, _ in enumerate(action.steps):
        if index >= len(parts):
            break
        said = reply.steps[index] if index < len(reply.steps) else None
        outcomes.append(
            StepOutcome(
                turns=parts[index],
                value=said.value if said else None,
                raised=said.raised if said else None,
            )
        )
    return tuple(outcomes)
