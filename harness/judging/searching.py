"""A stated pattern tried on a text, for no longer than its budget."""

from __future__ import annotations

import re
import signal
import threading
from types import FrameType
from typing import NoReturn

from harness.judging.visible import quoted
from harness.model.errors import HarnessError

# Of CPU time, so that the load of the machine decides nothing. Sane patterns take milliseconds.
BUDGET_SECONDS = 2.0


class _OverBudgetError(Exception):
    pass


def found(pattern: str, text: str, flags: int = 0) -> bool:
    """Whether `re.search` finds the pattern anywhere in the text.

    Raises HarnessError when that takes more than `BUDGET_SECONDS` of CPU time: the pattern is at
    fault, and nothing is known of who printed the text. Signals reach the main thread alone;
    matching in any other has no budget.
    """
    if threading.current_thread() is not threading.main_thread():
        return re.search(pattern, text, flags) is not None
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, BUDGET_SECONDS)
            return re.search(pattern, text, flags) is not None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _OverBudgetError:
        what = f"the pattern {quoted(pattern)} takes more than {BUDGET_SECONDS:g} s of CPU time"
        mend = "make it try fewer ways: (?>…), possessive *+ and bounds such as {0,80} help"
        raise HarnessError(f"{what} on a text of {len(text)} characters; {mend}") from None
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise _OverBudgetError
