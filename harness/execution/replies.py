"""Input that answers what a program prints: a generator of the course's, in a process of its own.

It is asked anew for each line, with all that was printed so far, so that nothing of it is kept
between two lines and none of it enters the process that runs a submission. Programs of a class
print much the same, so what it answered is remembered.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.driver import Answers, ToolFailed
from harness.model.stimulus import Replies, Typed

ENTRY = "course_replies:answer"
_LONGEST = 4000  # bytes of a line; a terminal takes no more than 4,095
_MOST_REMEMBERED = 4096  # answers
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


class ReplyFaultError(Exception):
    """The course's generator failed. `str()` names it and says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    text: str
    repeated: bool  # it was given twice


class RememberedAnswers:
    """What the generators answered, for all submissions of a driver."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, _Answer] = OrderedDict()

    def asking(self, tool: Callable[[], Answers]) -> Callable[[str], str]:
        """`tool` asked through what is remembered: twice, to see that the answer is the same, and
        no more. HarnessError where it is another."""

        def ask(payload: str) -> str:
            key = hashlib.sha256(payload.encode()).digest()
            known = self._answers.get(key)
            if known is not None and known.repeated:
                self._answers.move_to_end(key)
                return known.text
            text = tool().run(payload)
            if known is not None and known.text != text:
                raise HarnessError("the reply to the same printed text is not the same each time")
            if len(text) <= 2 * _LONGEST:
                self._answers[key] = _Answer(text=text, repeated=known is not None)
                if len(self._answers) > _MOST_REMEMBERED:
                    self._answers.popitem(last=False)
            return text

        return ask


Reply = Callable[[list[str]], Typed | None]


def replier(replies: Replies, ask: Callable[[str], str]) -> Reply:
    """What gives the next line from the text printed in each turn; None: nothing more is typed.

    `ask` gives the answer of `ENTRY`. ReplyFaultError when the generator raises, gives no text,
    does not end, or is not the same each time.
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
        if line is None or not line.isprintable() or len(line.encode()) > _LONGEST:
            raise ReplyFaultError(f"{name} must yield one line of text")
        return Typed(text=line)

    return reply
