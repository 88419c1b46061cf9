"""What a student has to fix as Markdown, for pages that a platform makes: from what may be seen."""

from __future__ import annotations

import re

from harness.common.escaping import visible
from harness.model.plan import Plan
from harness.model.student_view import StudentView
from harness.reporting.terminal.cards import explain_failures

MOST_BYTES = 60_000  # of an explanation; platforms refuse pages of a megabyte
_COLUMNS = 100


def markdown_summary(view: StudentView, plan: Plan, failures: int) -> str:
    """A heading, the functions with what passed, and the first `failures` explained.

    What a program printed is put into a code block that it cannot end.
    """
    rows = [
        f"| {_code(each.function)} | {each.passed} of {each.total} |" for each in view.functions
    ]
    table = ["| function | checks passed |", "|---|---|", *rows] if rows else []
    text = explain_failures(view, plan, failures, width=_COLUMNS, colours=False)
    parts = [f"### {_inline(view.title)}", "\n".join(table), fenced(text)]
    # A name in a note is a student's: only in code is it no mention, reference or address.
    notes = [f"- {_code(visible(note))}" for note in view.notes]
    parts.append("\n".join(notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def fenced(text: str) -> str:
    """A code block of the text, cut at `MOST_BYTES`; its fence is longer than any in the text."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > MOST_BYTES:
        text = data[:MOST_BYTES].decode("utf-8", "ignore") + "\n… (cut)\n"
    text = text.strip("\n")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _inline(text: str) -> str:
    """Text of the course that is no Markdown and no HTML."""
    return re.sub(r"([\\`*_{}\[\]<>()#+.!|~&@-])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """A line of the text as code, also in a table."""
    return f"`{text.replace('`', chr(39)).replace('|', '¦')}`"
