"""A program as `__main__`, and its exit status."""

from __future__ import annotations

from ..running import run_as_main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..modules import Library
    from ..scenario.evaluate import StimulusAnswer


def perform(library: Library, name: str, answer: StimulusAnswer) -> None:
    """Run a module as `__main__`, into `exit` and, for an uncaught exception, `raised`."""
    answer.fields["exit"] = str(run_as_main(library, name, answer.put_raised, ends=True))
