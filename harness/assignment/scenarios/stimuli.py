"""What a scenario does to a submission: its one stimulus, the names it may use, what is typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.assignment.scenarios.drawing.draws import DrawError, replies_of
from harness.assignment.scenarios.expected import CALL, RUN, SESSION
from harness.assignment.scenarios.folders import given_files, has_folder
from harness.assignment.scenarios.python_text import (
    PythonError,
    names_of,
    parse_statements,
)
from harness.assignment.scenarios.sessions import SessionError, parse_session, prompts_of, typed_in
from harness.assignment.scenarios.settings import Context, Setting
from harness.assignment.schema.validators import describe, listed
from harness.assignment.vocabulary import Overrides
from harness.assignment.yaml.document import Loc
from harness.assignment.yaml.errors import nearest
from harness.model.stimulus import (
    Binding,
    Call,
    Key,
    Replies,
    Run,
    Session,
    Stimulus,
    Typed,
    called_function,
)

KINDS = (CALL, SESSION, RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class StimulusParts:
    """A stimulus as read: its action, what is typed, what a session shows, what it may leave."""

    action: Call | Session | Run
    inputs: tuple[Typed, ...]
    shown: tuple[str, ...] | None = None
    leaves: frozenset[str] | None = None


def kind_of(context: Context, chosen: Setting) -> str | None:
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


def asked(context: Context, chosen: Setting, kind: str) -> StimulusParts | None:
    """The stimulus under the context's constants; None if it cannot be read."""
    own, loc = chosen.own, (*chosen.loc, kind)
    inputs = typed_inputs(context, chosen.at("input"), own.input)
    if kind == CALL:
        return _call(context, loc, own.call, inputs)
    if kind == SESSION:
        return _session(context, loc, own.session, inputs if chosen.states("input") else None)
    return _run(context, chosen, loc, inputs)


def stimulus_of(
    context: Context, chosen: Setting, overrides: Overrides, parts: StimulusParts
) -> Stimulus:
    """The whole stimulus of a case: what is asked, and all that surrounds the program."""
    return Stimulus(
        action=parts.action,
        inputs=parts.inputs,
        constants=overrides,
        provide=tuple(name.rsplit("/", 1)[-1] for name in chosen.value("provide")),
        seed=chosen.value("seed"),
        folder=has_folder(chosen),
        files=given_files(context, chosen),
        stdin=chosen.own.stdin if chosen.states("stdin") else None,
        replies=_replies(context, chosen),
        environment=tuple(
            Binding(name=name, literal=text) for name, text in chosen.value("environment").items()
        ),
    )


def _replies(context: Context, chosen: Setting) -> Replies | None:
    if not chosen.states("replies"):
        return None
    try:
        return replies_of(context.vocabulary.folder, chosen.own.replies, context.constants)
    except DrawError as error:
        context.add((*chosen.loc, "replies"), str(error), error.hint)
        return None


def given(context: Context, chosen: Setting) -> str:
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


def _call(context: Context, loc: Loc, text: str, inputs: tuple[Typed, ...]) -> StimulusParts | None:
    tree = context.expression(text, loc)
    if tree is None:
        return None
    leaves: frozenset[str] | None = None
    if context.vocabulary.has_reference:
        leaves = frozenset(context.vocabulary.parameters(called_function(text)) or ())
    return StimulusParts(action=Call(expression=text.strip()), inputs=inputs, leaves=leaves)


def _session(
    context: Context, loc: Loc, text: str, inputs: tuple[Typed, ...] | None
) -> StimulusParts | None:
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
    return StimulusParts(
        action=Session(steps=tuple(step.source for step in steps)),
        inputs=inputs,
        shown=tuple(step.text for step in steps),
        leaves=frozenset(context.names),
    )


def _run(
    context: Context, chosen: Setting, loc: Loc, inputs: tuple[Typed, ...]
) -> StimulusParts | None:
    vocabulary = context.vocabulary
    programs = (*vocabulary.submission_files, *vocabulary.provided, *chosen.value("provide"))
    program = chosen.own.run
    known = [name.rsplit("/", 1)[-1] for name in programs]
    if program not in known:
        what = f"{program} is neither a submitted nor a provided file"
        context.add(loc, what, nearest(program, known) or f"known files are {', '.join(known)}")
        return None
    return StimulusParts(action=Run(program=program, argv=tuple(chosen.own.argv)), inputs=inputs)


LONGEST_LINE = 4095  # bytes; a terminal takes no longer line
KEYS = tuple(str(key) for key in Key)


def typed_inputs(context: Context, loc: Loc, items: list[Any]) -> tuple[Typed, ...]:
    """What the items type, templates filled in; mistakes noted for those that cannot be typed."""
    _check_commas(context, loc, len(items))
    typed = [_typed(context, (*loc, index), item) for index, item in enumerate(items)]
    return tuple(entry for entry in typed if entry is not None)


def check_line(context: Context, loc: Loc, line: str) -> None:
    """A mistake for a line that no person can type."""
    size = len(line.encode("utf-8", "surrogatepass"))
    if size > LONGEST_LINE:
        what = f"a line of {size} bytes cannot be typed (a terminal takes {LONGEST_LINE:,})"
        context.add(loc, what)
    elif "\n" in line or "\r" in line:
        context.add(loc, "an input is one line", "make one item of each line")
    elif any(ord(character) < 32 and character != "\t" for character in line):
        what = "a control character cannot be typed"
        context.add(loc, what, "write {key: ctrl-d} or {key: ctrl-c}")


def _typed(context: Context, loc: Loc, item: Any) -> Typed | None:
    if isinstance(item, dict):
        return _key(context, loc, item)
    if type(item) is int:
        return Typed(text=context.document.raw(loc))
    if not isinstance(item, str):
        hint = "quote it" if item is None or isinstance(item, float | bool) else ""
        context.add(loc, f"expected text or a whole number, got {describe(item)}", hint)
        return None
    if not context.uncut(loc):
        return None
    text = context.render(item, loc)
    check_line(context, loc, text)
    return Typed(text=text)


def _key(context: Context, loc: Loc, item: dict[Any, Any]) -> Typed | None:
    if list(item) != ["key"]:
        context.add(loc, "expected text, a whole number or {key: …}, got a mapping", "quote it")
        return None
    if item["key"] not in KEYS:
        hint = nearest(str(item["key"]), KEYS)
        context.add((*loc, "key"), f"expected {listed(KEYS)}, got {describe(item['key'])}", hint)
        return None
    return Typed(key=Key(item["key"]))


def _check_commas(context: Context, loc: Loc, count: int) -> None:
    # `[4,6]` is two items to YAML, and one to most people who write it.
    document = context.document
    for index in range(1, count):
        before = document.spots[*loc, index - 1]
        after = document.spots[*loc, index]
        if before.plain and after.plain and document.text[before.end : after.start] == ",":
            pair = f"{before.text},{after.text}"
            hint = f'write "{pair}" for one input, {before.text}, {after.text} for two'
            context.add((*loc, index - 1), f"{pair} looks like a pair", hint)
