"""Runs a program as `__main__` and observes its exit status."""

from __future__ import annotations

from ..running import run_as_main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..modules import Library
    from ..scenario.evaluate import StimulusAnswer


def perform(library: Library, name: str, answer: StimulusAnswer) -> None:
    """Run a module as `__main__`.

    Set `exit` in the answer and, after an uncaught exception, `raised`.
    """
    answer.fields["exit"] = str(run_as_main(library, name, answer.put_raised, ends=True))
