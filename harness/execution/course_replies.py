"""Calls the course's reply generator: a function that gets a program's output and returns the next
line to type.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.scenario_monitor import ReplyFaultError
from harness.execution.trusted_function import ToolFailed, TrustedFunction
from harness.model.stimulus import Replies, Typed

REPLY_ENTRY = "course_replies:answer"
_MAX_LINE_LENGTH = 4000  # bytes; a terminal takes no more than 4,095
_MAX_REMEMBERED = 4096  # answers
# For each line the generator is started anew and given all that was printed so far, so that nothing
# is kept between two lines, and nothing of it is in the process that runs a submission.
_SOURCE = """
import json
def answer(payload):
    asked = json.loads(payload)
    space = {"__name__": asked["module"]}
    exec(compile(asked["source"], asked["module"] + ".py", "exec"), space)
    constants = {name: eval(text) for name, text in asked["constants"]}
    first, *others = asked["printed"]
    try:
        replies = space[asked["function"]](first, **constants)
        line = next(replies)
        for text in others:
            line = replies.send(text)
    except StopIteration:
        return json.dumps({"ended": True})
    except Exception as error:
        return json.dumps({"error": type(error).__name__ + ": " + str(error)[:300]})
    return json.dumps({"line": line if type(line) is str else None})
"""
REPLY_SOURCES = {"course_replies": _SOURCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class _SentReply:
    text: str
    confirmed: bool  # it was given twice


class RememberedAnswers:
    """Remembers the answers of reply generators for all submissions of a driver, which print much
    the same.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, _SentReply] = OrderedDict()

    def ask(self, tool: Callable[[], TrustedFunction], payload: str) -> str:
        """Return the tool's answer to `payload`.

        A new question is asked twice, to check that the answers are equal; later the answer is
        remembered. Raise HarnessError if they differ.
        """
        key = hashlib.sha256(payload.encode()).digest()
        before = self._answers.get(key)
        if before is not None and before.confirmed:
            self._answers.move_to_end(key)
            return before.text
        text = tool().run(payload)
        if before is not None and before.text != text:
            raise HarnessError("gives different replies to the same printed text")
        if len(text) <= 2 * _MAX_LINE_LENGTH:
            self._answers[key] = _SentReply(text=text, confirmed=before is not None)
            if len(self._answers) > _MAX_REMEMBERED:
                self._answers.popitem(last=False)
        return text


def next_reply(replies: Replies, ask: Callable[[str], str], printed: list[str]) -> Typed | None:
    """Return the next line to type after the output `printed`; None after the last one. `ask`
    calls the function `REPLY_ENTRY` with its argument as text.

    Raise ReplyFaultError if the generator raises an exception, does not return text, does not end,
    or gives different answers.
    """
    if len(printed) > replies.most:
        return None
    name = f"{replies.file}: {replies.function}"
    payload = json.dumps(
        {
            "module": replies.file.removesuffix(".py"),
            "source": replies.source,
            "function": replies.function,
            "constants": [(constant.name, constant.literal) for constant in replies.constants],
            "printed": printed,
        }
    )
    try:
        answer = json.loads(ask(payload))
    except ToolFailed as failure:
        raise ReplyFaultError(f"{name} gives no reply ({failure})") from None
    except HarnessError as failure:
        raise ReplyFaultError(f"{name}: {failure}") from None
    if "error" in answer:
        raise ReplyFaultError(f"{name} raised {visible(answer['error'])}")
    if "ended" in answer:
        return None
    line = answer["line"]
    if line is None or not line.isprintable() or len(line.encode()) > _MAX_LINE_LENGTH:
        raise ReplyFaultError(f"{name} must yield one line of text")
    return Typed(text=line)
