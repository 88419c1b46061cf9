"""`session:` statements and what is shown after each, as the sheet prints them."""

from __future__ import annotations

from harness.assignment.document import Loc
from harness.assignment.scenarios.context import Context
from harness.assignment.scenarios.python_text import (
    names_of,
    parse_session,
    parse_statements,
    typed_in,
)
from harness.assignment.scenarios.stimulus import StimulusKind, StimulusParts, check_line
from harness.model.stimulus import Session, Typed


def _read(context: Context, loc: Loc, inputs: tuple[Typed, ...]) -> StimulusParts:
    with context.noted(loc):
        steps = parse_session(context.text("session"))
    for step in steps:
        lines = enumerate(step.shown, start=step.shown_from)
        shown = [context.render(line, loc, line=number) for number, line in lines]
        step.shown = "".join(shown).splitlines(keepends=True)
        tree = parse_statements(step.source)
        context.names |= names_of(tree).bound
        context.check_names(tree, loc, line=step.line)
    if not context.states("input"):
        inputs = tuple(typed_in(steps, context.constants.values()))
        for entry in inputs:
            check_line(context, loc, entry.text)
    return StimulusParts(
        action=Session(steps=tuple(step.source for step in steps)),
        inputs=inputs,
        shown=tuple("".join(step.shown) for step in steps),
        leaves=frozenset(context.names),
    )


SESSION = StimulusKind(
    name="session",
    description="A REPL session as pasted from the sheet.",
    takes=("leaves",),
    read=_read,
    order=20,
    elsewhere="state it in the session",
)
