"""Input that answers what a program prints: a generator of the course's, in a process of its own.

It is asked anew for each line, with all that was printed so far, so that nothing of it is kept
between two lines and none of it enters the process that runs a submission.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.driver import ToolFailed
from harness.model.stimulus import Replies, Typed

ENTRY = "course_replies:answer"
_LONGEST = 4000  # bytes of a line; a terminal takes no more than 4,095
_PROGRAM = """
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
SOURCES = {"course_replies": _PROGRAM}


class Answering(Protocol):
    """A loaded function, as a driver's `tool` gives it."""

    def run(self, payload: str) -> str:
        """Its answer; ToolFailed when it gave none."""


class ReplyFaultError(Exception):
    """The course's generator failed. `str()` names it and says how."""


Reply = Callable[[list[str]], Typed | None]


def replier(replies: Replies, tool: Callable[[], Answering]) -> Reply:
    """What gives the next line from the text printed in each turn; None: nothing more is typed.

    ReplyFaultError when the generator raises, gives no text, or does not end.
    """
    name = f"{replies.file}: {replies.function}"

    def reply(printed: list[str]) -> Typed | None:
        if len(printed) > replies.most:
            return None
        payload = json.dumps(
            {
                "module": replies.file.removesuffix(".py"),
                "source": replies.source,
                "function": replies.function,
                "constants": [(each.name, each.literal) for each in replies.constants],
                "printed": printed,
            }
        )
        try:
            answer = json.loads(tool().run(payload))
        except ToolFailed as failure:
            raise ReplyFaultError(f"{name} gives no reply ({failure})") from None
        except HarnessError as failure:
            raise ReplyFaultError(f"{name}: {failure}") from None
        if "error" in answer:
            raise ReplyFaultError(f"{name} raised {visible(answer['error'])}")
        if "ended" in answer:
            return None
        line = answer["line"]
        if line is None or not line.isprintable() or len(line.encode()) > _LONGEST:
            raise ReplyFaultError(f"{name} must yield one line of text")
        return Typed(text=line)

    return reply
