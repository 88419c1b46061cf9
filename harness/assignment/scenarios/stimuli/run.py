"""`run:` a program, on a terminal."""

from __future__ import annotations

from harness.assignment.document import Loc
from harness.assignment.scenarios.context import Context
from harness.assignment.scenarios.stimulus import StimulusKind, StimulusParts
from harness.matchers.reading import nearest
from harness.model.stimulus import Run, Typed


def _read(context: Context, loc: Loc, inputs: tuple[Typed, ...]) -> StimulusParts:
    program = context.text("run")
    paths = (*context.vocabulary.file_names, *context.own.provide)
    programs = [path.rsplit("/", 1)[-1] for path in paths]
    if program not in programs:
        hint = nearest(program, programs) or f"known files are {', '.join(programs)}"
        context.refuse(loc, f"{program} is neither a submitted nor a provided file", hint)
    return StimulusParts(action=Run(program=program, argv=tuple(context.own.argv)), inputs=inputs)


RUN = StimulusKind(
    name="run",
    description="A submitted or provided program, run as `__main__` on a terminal.",
    takes=("prints", "stderr", "turns", "transcript", "raises", "exit", "argv", "stdin", "replies"),
    read=_read,
    order=30,
    by_name=False,
)
