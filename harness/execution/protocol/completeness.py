"""Whether a reply has all that our side of the process writes for its stimulus."""

from __future__ import annotations

from harness.execution.protocol.reply import FinalReply, Reply
from harness.model.observation import Phase
from harness.model.stimulus import Call, Run, Session, Stimulus


def is_complete(stimulus: Stimulus, reply: Reply, arguments: int | None) -> bool:
    """Whether a final reply has each field that belongs to its stimulus and outcome, and no other.

    `arguments`: how many positional arguments are observed before and after the call; None: none
    are. A field that is absent means nothing by itself: whoever leaves one out wrote the reply
    without our code.
    """
    final = reply.final
    if final is None or final.out_of_memory:  # then it is all that the reply says
        return True
    action = stimulus.action
    if isinstance(action, Run) != (final.exit_status is not None):
        return False
    if final.phase is Phase.LOADING:
        return final.raised is not None and not reply.steps and _has_no_outcome(final)
    if final.phase is None:
        return False
    if final.missing is not None:
        return final.raised is None and not reply.steps and _has_no_outcome(final)
    if isinstance(action, Call):
        return final.variables is None and _is_complete_call(final, arguments)
    if isinstance(action, Session):
        return _is_complete_session(action, reply, final)
    return _has_no_outcome(final)


def _has_no_outcome(final: FinalReply) -> bool:
    fields = (final.value, final.arguments_before, final.arguments, final.variables)
    return all(field is None for field in fields)


def _is_complete_call(final: FinalReply, arguments: int | None) -> bool:
    if (final.value is None) == (final.raised is None):
        return False
    before, after = final.arguments_before, final.arguments
    if before is None or after is None:  # what comes before the call may have raised
        neither = before is None and after is None
        return neither and (arguments is None or final.raised is not None)
    return len(before) == len(after) == arguments


def _is_complete_session(action: Session, reply: Reply, final: FinalReply) -> bool:
    if (final.value, final.arguments_before, final.arguments) != (None, None, None):
        return False
    if final.raised is not None:  # what is given raised
        return final.variables is None and not reply.steps
    return final.variables is not None and len(reply.steps) == len(action.steps)
