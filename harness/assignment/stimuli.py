"""What a scenario does to a submission: its one stimulus, and the names it may use."""

from __future__ import annotations

from dataclasses import dataclass

from harness.assignment.context import Context
from harness.assignment.document import Loc
from harness.assignment.problems import nearest
from harness.assignment.python_text import (
    PythonError,
    called_function,
    names_of,
    parse_statements,
)
from harness.assignment.sessions import (
    SessionError,
    parse_session,
    prompts_of,
    typed_in,
)
from harness.assignment.settings import Chosen
from harness.assignment.shape_checks import listed
from harness.assignment.stated import CALL, RUN, SESSION
from harness.assignment.typed_input import check_line, typed_inputs
from harness.model.stimulus import Call, Run, Session, Typed

KINDS = (CALL, SESSION, RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A stimulus as read: its action, what is typed, what a session shows, what it may leave."""

    action: Call | Session | Run
    inputs: tuple[Typed, ...]
    shown: tuple[str, ...] | None = None
    leaves: frozenset[str] | None = None


def kind_of(context: Context, chosen: Chosen) -> str | None:
    """The kind of the scenario's one stimulus; None, with a mistake, for none or several."""
    kinds = [kind for kind in KINDS if chosen.states(kind)]
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        what = f"expected exactly one of {listed(KINDS)}, got {' and '.join(kinds)}"
        context.add((*chosen.loc, kinds[1]), what, "make one scenario of each", key=True)
    elif not chosen.broken:
        context.add(chosen.loc, f"expected exactly one of {listed(KINDS)}, got none")
    return None


def asked(context: Context, chosen: Chosen, kind: str) -> Asked | None:
    """The stimulus under the context's constants; None if it cannot be read."""
    own, loc = chosen.own, (*chosen.loc, kind)
    inputs = typed_inputs(context, (*chosen.loc, "input"), own.input)
    if kind == CALL:
        return _call(context, loc, own.call, inputs)
    if kind == SESSION:
        return _session(context, loc, own.session, inputs if chosen.states("input") else None)
    return _run(context, chosen, loc, inputs)


def given(context: Context, chosen: Chosen) -> str:
    """The statements of every `given:` in force; their names join the context."""
    parts: list[str] = []
    for loc, text in chosen.layers("given"):
        source = text
        try:
            if text.startswith(">>>"):
                steps = parse_session(text)
                if any(line.strip() for step in steps for line in step.shown):
                    context.add(loc, "a given session shows nothing", "take the output out")
                source = "\n".join(step.source for step in steps) + "\n"
            tree = parse_statements(source)
        except SessionError as error:
            context.add(loc, str(error), error.hint, line=error.line)
            continue
        except PythonError as error:
            context.add(loc, f"not Python statements ({error})")
            continue
        context.check_names(tree, loc)
        context.names |= names_of(tree).bound
        parts.append(source if source.endswith("\n") else source + "\n")
    return "".join(parts)


def _call(context: Context, loc: Loc, text: str, inputs: tuple[Typed, ...]) -> Asked | None:
    tree = context.expression(text, loc)
    if tree is None:
        return None
    leaves: frozenset[str] | None = None
    if context.vocabulary.has_reference:
        leaves = frozenset(context.vocabulary.parameters(called_function(tree)) or ())
    return Asked(action=Call(expression=text.strip()), inputs=inputs, leaves=leaves)


def _session(
    context: Context, loc: Loc, text: str, inputs: tuple[Typed, ...] | None
) -> Asked | None:
    try:
        steps = parse_session(text)
    except SessionError as error:
        context.add(loc, str(error), error.hint, line=error.line)
        return None
    for step in steps:
        lines = enumerate(step.shown, start=step.shown_from)
        shown = [context.render(line, loc, line=number) for number, line in lines]
        step.shown = "".join(shown).splitlines(keepends=True)
    bound: set[str] = set()
    for step in steps:
        tree = parse_statements(step.source)
        bound |= names_of(tree).bound
        context.names |= bound
        context.check_names(tree, loc, line=step.line)
    if inputs is None:
        typed = typed_in(steps, prompts_of(context.constants.values()))
        for entry in typed:
            check_line(context, loc, entry.text)
        inputs = tuple(typed)
    return Asked(
        action=Session(steps=tuple(step.source for step in steps)),
        inputs=inputs,
        shown=tuple(step.text for step in steps),
        leaves=frozenset(context.names),
    )


def _run(context: Context, chosen: Chosen, loc: Loc, inputs: tuple[Typed, ...]) -> Asked | None:
    vocabulary = context.vocabulary
    programs = (*vocabulary.submission_files, *vocabulary.provided, *chosen.value("provide"))
    program = chosen.own.run
    known = [name.rsplit("/", 1)[-1] for name in programs]
    if program not in known:
        what = f"{program} is neither a submitted nor a provided file"
        context.add(loc, what, nearest(program, known) or f"known files are {', '.join(known)}")
        return None
    return Asked(action=Run(program=program, argv=tuple(chosen.own.argv)), inputs=inputs)
