"""clauses, exempt, equivalent and mutants.yaml, which hold one list each; and expect.yaml."""

import difflib
import json
import re
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, Field

from harness.assignment.document import Document
from harness.assignment.loading import EQUIVALENT, display_path, find_root
from harness.assignment.scenarios.python_text import PythonError, parse_statements
from harness.assignment.shapes import (
    Expects,
    OneOrMore,
    Positive,
    Shape,
    Whole,
    WholeOrZero,
    load_shape,
    read_shape,
    wrong,
)
from harness.assignment.symbols import AssignmentSymbols
from harness.common.errors import UserError
from harness.common.words import listed
from harness.matchers.reading import Refused, nearest
from harness.model.assignment import Clause, Exemption
from harness.model.plan import ExpectedCause, ExpectedVerdict, Mutant, SampleExpectation, glob
from harness.model.study import Equivalent
from harness.model.verdict import VerdictKind, rule_words
from harness.policy.rules import finding_kinds

_MISSPELLED = 0.85  # of 1: a function's name may be a little like a rule's


def _line(text: str) -> str:
    if "\n" in text.strip():
        raise wrong("expected one line, got several", instead="-")
    return text.strip()


def _reason(text: str) -> str:
    if not text.strip():
        raise wrong("expected a reason, got nothing", instead="-")
    return " ".join(text.split())


Stripped = Annotated[str, AfterValidator(str.strip)]
Line = Annotated[str, AfterValidator(_line)]
Reason = Annotated[str, AfterValidator(_reason)]


class ClauseShape(Shape):
    """One testable statement of the sheet."""

    id: str
    """Its id, quoted."""
    section: str
    """The sheet's section, quoted."""
    text: Line
    """One line in our own words."""
    unsettled: Stripped = ""
    """Why the sheet leaves it open; such a clause needs no scenario."""


class ClausesShape(Shape):
    """clauses.yaml."""

    clauses: list[ClauseShape]
    """Every testable statement."""


class ExemptionShape(Shape):
    """Scenarios that do not count, and for whom."""

    student: Stripped = ""
    """An id or email; everybody if left out."""
    scenarios: list[str]
    """Patterns of scenario ids; * stands for anything."""
    reason: Reason
    """The reason, which the student reads."""


class ExemptShape(Shape):
    """exempt.yaml."""

    exempt: list[ExemptionShape]
    """Scenarios that do not count, for one student or for all."""


class EquivalentShape(Shape):
    """A change of the reference that no input can distinguish from it."""

    file: str
    """The reference's file."""
    function: str
    """The function or method that has the line; `(module)` outside of all."""
    find: str
    """The original line, without its indentation."""
    replace: str
    """The changed line."""
    why: Reason
    """The reason why no scenario can notice it."""


class EquivalentsShape(Shape):
    """equivalent.yaml."""

    equivalent: list[EquivalentShape]
    """Changes that `harness strength` does not count."""


class MutantShape(Shape):
    """One single-fault change of the reference."""

    clause: str
    """The clause whose scenarios kill it."""
    file: str
    """The reference's file."""
    find: str
    """A text that occurs in the file exactly once (its indentation may be left out)."""
    replace: str
    """The new text."""
    why: Stripped
    """The mistake that it shows."""


class MutantsShape(Shape):
    """mutants.yaml."""

    mutants: list[MutantShape]
    """At least one for each clause."""


def read_clauses(document: Document) -> tuple[Clause, ...] | None:
    """Return the clauses, in the file's order; None, with errors noted, if it cannot be read."""
    shape = read_shape(ClausesShape, document)
    if shape is None:
        return None
    clauses: dict[str, Clause] = {}
    for index, part in enumerate(shape.clauses):
        if part.id in clauses:
            document.add(("clauses", index, "id"), f"the clause {part.id} appears twice")
        clauses[part.id] = Clause(**dict(part))
    return tuple(clauses.values())


def read_exemptions(document: Document, scenario_ids: Sequence[str]) -> tuple[Exemption, ...]:
    """Return the exemptions; errors are noted."""
    shape = read_shape(ExemptShape, document)
    if shape is None:
        return ()
    exemptions: list[Exemption] = []
    for index, part in enumerate(shape.exempt):
        for place, pattern in enumerate(part.scenarios):
            matches = glob(pattern).fullmatch
            if not any(map(matches, scenario_ids)):
                loc = ("exempt", index, "scenarios", place)
                hint = nearest(pattern, scenario_ids)
                document.add(loc, f"{pattern} matches no scenario", hint)
        fields = dict(part) | {"scenarios": tuple(part.scenarios)}
        exemptions.append(Exemption(**fields))
    return tuple(exemptions)


def load_equivalents(folder: Path) -> tuple[Equivalent, ...]:
    """Read the entries of `folder`/equivalent.yaml, if it exists. Raise SpecErrors with all
    errors."""
    path = folder / EQUIVALENT
    if not path.exists():
        return ()
    shape = load_shape(EquivalentsShape, path, f"{folder.parent.name}/{folder.name}/{EQUIVALENT}")
    return tuple(_equivalent(part) for part in shape.equivalent)


def _equivalent(part: EquivalentShape) -> Equivalent:
    return Equivalent(
        file=part.file,
        function=part.function,
        before=part.find.strip(),
        after=part.replace.strip(),
        why=part.why,
    )


def read_mutants(document: Document, symbols: AssignmentSymbols) -> tuple[Mutant, ...]:
    """Return the mutants that can be made; note errors for the others."""
    shape = read_shape(MutantsShape, document)
    if shape is None:
        return ()
    files = symbols.tested_program or symbols.reference
    texts = {file.name: file.data.decode("utf-8-sig") for file in files}
    mutants: list[Mutant] = []
    for index, part in enumerate(shape.mutants):
        is_listed = symbols.has_clause(document, ("mutants", index, "clause"), part.clause)
        with suppress(Refused):
            mutant = _mutant(document, index, part, texts)
            if is_listed:
                mutants.append(mutant)
    return tuple(mutants)


def _mutant(document: Document, index: int, part: MutantShape, texts: dict[str, str]) -> Mutant:
    def refuse(key: str, what: str, hint: str = "") -> NoReturn:
        document.add(("mutants", index, key), what, hint)
        raise Refused

    file = part.file
    if file not in texts:
        refuse("file", f"the reference has no file {file}", nearest(file, texts))
    places = places_of(texts[file], part.find, part.replace)
    if not places:
        hint = ""
        if "\n" in part.find.strip("\n"):
            hint = "several lines must be whole lines; only their indentation may differ"
        refuse("find", f"this text is not in {file}", hint)
    if len(places) > 1:
        what = f"this text occurs {len(places)} times in {file}"
        refuse("find", what, "add a line before or after it")
    find, replacement = places[0]
    if find == replacement:
        refuse("replace", "this changes nothing")
    try:
        parse_statements(texts[file].replace(find, replacement))
    except PythonError as error:
        refuse("replace", f"the changed {file} is not Python ({error})")
    fields = dict(part) | {"find": find, "replace": replacement}
    return Mutant(**fields)


def places_of(text: str, find: str, replacement: str) -> list[tuple[str, str]]:
    """Return every place of `find` in the text: a piece of text that occurs once, and its
    replacement.

    Whole lines are found at any indentation (a YAML block has lost it), otherwise any piece of
    text.
    """
    lines = text.splitlines(keepends=True)
    old = _dedented(find)
    new = _dedented(replacement)
    places: list[tuple[str, str]] = []
    for start in range(len(lines) - len(old) + 1):
        block = "".join(lines[start : start + len(old)])
        if old and _dedented(block) == old:
            margin = block[: len(lines[start].rstrip("\r\n")) - len(old[0])]
            before = start
            while text.count("".join(lines[before:start]) + block) > 1 and before > 0:
                before -= 1
            context = "".join(lines[before:start])
            places.append((context + block, context + _indented(new, margin)))
    if places:
        return places
    piece = find.removesuffix("\n")
    if not piece:
        return []
    return [(piece, replacement.removesuffix("\n"))] * text.count(piece)


def _dedented(text: str) -> list[str]:
    return textwrap.dedent(text).strip("\n").splitlines()


def _indented(lines: Sequence[str], margin: str) -> str:
    text = ""
    for line in lines:
        if line.strip():
            text += margin + line
        text += "\n"
    return text


@cache
def _names() -> dict[str, tuple[str, ...]]:
    return {
        "causes": tuple(rule_words()),
        "findings": tuple(kind.name for kind in finding_kinds()),
        "verdicts": tuple(str(kind) for kind in VerdictKind),
    }


def _check_name(key: str, what: str, every: str, name: str) -> str:
    """Return the name if it may stand under this key of an expect.yaml.

    Otherwise raise the error "`what` name", with the key that takes it, or the nearest name, or
    `every` with all names as the hint.
    """
    names = _names()[key]
    if name in names:
        return name
    elsewhere = next((other for other, others in _names().items() if name in others), "")
    hint = f"write it under {elsewhere}" if elsewhere else nearest(name, names)
    raise wrong(f"{what} {name}", hint or every.format(listed(names, "or")), instead=names[0])


_FINDING = AfterValidator(partial(_check_name, "findings", "unknown rule", "rules are {}"))
_VERDICT = AfterValidator(partial(_check_name, "verdicts", "unknown verdict", "verdicts are {}"))
_CAUSE = AfterValidator(
    partial(_check_name, "causes", "unknown rule", "docs/causes.md lists the rules")
)


def _sentence(text: str) -> str:
    """Return the text if it is the name of an explanation rule or part of a message.

    Raise an error if it looks like a misspelt rule, or like a rule that belongs under another key.
    """
    if text in rule_words():
        return text
    keys: dict[str, str] = {}
    for key, names in _names().items():
        for name in names:
            keys.setdefault(name, key)
    close = difflib.get_close_matches(text, keys, n=1, cutoff=_MISSPELLED)
    if close and re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text):
        what, hint = f"the rule {text}", f"write it under {keys[close[0]]}"
        if text not in keys:
            what, hint = text, f"did you mean {close[0]}?"
        raise wrong(f"expected a rule or words of a message, got {what}", hint, instead="")
    return text


def _range(mark: float | list[float]) -> tuple[float, float]:
    if not isinstance(mark, list):
        return mark, mark
    least, most = mark
    if least > most:
        raise wrong("the minimum is above the maximum", instead=0)
    return least, most


class ExpectShape(Shape):
    """expect.yaml of a sample submission."""

    fails: list[str] = []
    """The ids of all failing scenarios; * stands for anything."""
    mark: Annotated[
        float | Annotated[list[float], Field(min_length=2, max_length=2)],
        Expects("a number or [least, most]", whole=True, instead=0),
        AfterValidator(_range),
    ] = []
    """The mark, or an inclusive range."""
    explains: list[Annotated[str, AfterValidator(_sentence)]] = []
    """Rules of the expected explanations, or parts of their texts."""
    findings: list[Annotated[str, _FINDING]] = []
    """The policy rules that it breaks."""
    verdicts: dict[str, Annotated[str, _VERDICT]] = {}
    """Verdicts other than plain failures, by scenario id; * stands for anything."""
    causes: dict[str, Annotated[list[Annotated[str, _CAUSE]], OneOrMore()]] = {}
    """All causes: the function to fix ("" the whole file) and the rule of the example, or a list of
    rules."""
    tier: str = ""
    """Hostile corpus: the minimum tier."""
    layer: str = ""
    """Hostile corpus: the layer that stops it."""
    wall_seconds: Positive = 1.0
    """Hostile corpus: the most time the parent may take."""
    memory_mib: Whole = 1
    """Hostile corpus: the most memory the parent may take."""
    survivors: WholeOrZero = 0
    """Hostile corpus: processes left running."""


def load_expectation(path: Path) -> SampleExpectation:
    """Read an expect.yaml. Raise SpecErrors with all errors."""
    try:
        name = display_path(find_root(path.parent), path.resolve())
    except UserError:
        name = path.as_posix()
    shape = load_shape(ExpectShape, path, name)
    stated: dict[str, Any] = {}
    for key in shape.model_fields_set:
        value = getattr(shape, key)
        stated[key] = tuple(value) if isinstance(value, list) else value
    verdicts: list[ExpectedVerdict] = []
    for pattern, kind in shape.verdicts.items():
        verdicts.append(ExpectedVerdict(pattern=pattern, kind=VerdictKind(kind)))
    stated["verdicts"] = tuple(verdicts)
    if "causes" in stated:
        causes: list[ExpectedCause] = []
        for name, rules in shape.causes.items():
            causes += (ExpectedCause(function=name, rule=rule) for rule in rules)
        stated["causes"] = tuple(causes)
    return SampleExpectation(**stated)


def expectation_text(expected: SampleExpectation) -> str:
    """Return an expect.yaml that reads back as this expectation; an empty one states
    `fails: []`."""
    keys = {field.name: getattr(expected, field.name) for field in fields(expected)}
    keys["verdicts"] = {verdict.pattern: verdict.kind for verdict in expected.verdicts} or None
    if expected.causes is not None:
        keys["causes"] = _rules_by_function(expected.causes)
    text = ""
    for name, value in keys.items():
        if value not in ((), "", None) or name == "fails":
            text += f"{name}: {json.dumps(value, ensure_ascii=False)}\n"
    return text


def _rules_by_function(causes: Sequence[ExpectedCause]) -> dict[str, str | list[str]]:
    """Return the rules of each function's causes: a list only if there are several."""
    rules: dict[str, list[str]] = {}
    for cause in causes:
        rules.setdefault(cause.function, []).append(cause.rule)
    written: dict[str, str | list[str]] = {}
    for name, of_function in rules.items():
        is_single = len(of_function) == 1
        written[name] = of_function[0] if is_single else of_function
    return written
