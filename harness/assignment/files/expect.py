"""expect.yaml: the result that a sample submission must get."""

from __future__ import annotations

import difflib
import json
import re
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from harness.assignment.document import Document
from harness.assignment.loading import find_root, shown
from harness.assignment.problems import Problems, nearest
from harness.assignment.shapes import (
    Expects,
    Positive,
    Shape,
    Whole,
    WholeOrZero,
    Words,
    listed,
    shaped,
)
from harness.common.errors import UserError
from harness.model.rule_words import rule_words
from harness.model.specification import ExpectedCause, ExpectedVerdict, SampleExpectation
from harness.model.verdict import VerdictKind
from harness.policy import finding_kinds


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """The names that a key takes: what a failure is, what the policy finds, how a scenario ends."""
    return {
        "causes": tuple(rule_words()),
        "findings": tuple(kind.name for kind in finding_kinds()),
        "verdicts": tuple(str(kind) for kind in VerdictKind),
    }


_LIKE_A_RULE = re.compile(r"[a-z]+(?:_[a-z]+)+")
_MISSPELLED = 0.85  # of 1: a function's name may be a little like a rule's


class ExpectShape(Shape):
    """expect.yaml of a sample submission."""

    fails: list[str] = []
    """Globs: exactly these scenario ids fail."""
    mark: Annotated[
        float | Annotated[list[float], Field(min_length=2, max_length=2)],
        Expects("a number or [least, most]", whole=True, instead=0),
    ] = []
    """The mark, or an inclusive range."""
    explains: list[str] = []
    """Texts that its explanations hold."""
    findings: list[str] = []
    """Policy rules it breaks."""
    verdicts: dict[str, str] = {}
    """Verdicts by glob, where they are not plain failures."""
    causes: dict[str, Words] = {}
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
    """What an expect.yaml says; SpecErrors with every mistake in it."""
    problems = Problems()
    try:
        name = shown(find_root(path.parent), path.resolve())
    except UserError:
        name = path.as_posix()
    document = Document.open(path, name, problems)
    problems.raise_any()
    assert document is not None
    found = read_expectation(document)
    problems.raise_any()
    return found


def read_expectation(document: Document) -> SampleExpectation:
    """The expectation; mistakes are noted in the document's problems."""
    shape = shaped(ExpectShape, document, (), document.data)
    if shape is None:
        return SampleExpectation()
    stated = shape.model_fields_set
    return SampleExpectation(
        fails=tuple(shape.fails),
        mark=_mark(document, shape.mark) if "mark" in stated else (),
        explains=tuple(_sentences(document, shape.explains)),
        findings=tuple(_rules(document, shape.findings)),
        verdicts=tuple(_verdicts(document, shape.verdicts)),
        causes=tuple(_causes(document, shape.causes)) if "causes" in stated else None,
        tier=shape.tier,
        layer=shape.layer,
        wall_seconds=shape.wall_seconds if "wall_seconds" in stated else None,
        memory_mib=shape.memory_mib if "memory_mib" in stated else None,
        survivors=shape.survivors if "survivors" in stated else None,
    )


def expectation_text(expected: SampleExpectation) -> str:
    """An expect.yaml that says this, and reads back as the same; an empty one says `fails: []`."""
    keys: dict[str, object] = {"fails": list(expected.fails)}
    if expected.mark:
        keys["mark"] = list(expected.mark)
    if expected.explains:
        keys["explains"] = list(expected.explains)
    if expected.findings:
        keys["findings"] = [str(rule) for rule in expected.findings]
    if expected.verdicts:
        keys["verdicts"] = {each.pattern: str(each.kind) for each in expected.verdicts}
    if expected.causes is not None:
        keys["causes"] = _by_function(expected.causes)
    for name in ("tier", "layer", "wall_seconds", "memory_mib", "survivors"):
        if (value := getattr(expected, name)) not in ("", None):
            keys[name] = value
    return "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in keys.items()
    )


def _by_function(causes: tuple[ExpectedCause, ...]) -> dict[str, str | list[str]]:
    """The rule of each function, or the rules where it has several causes."""
    rules: dict[str, list[str]] = {}
    for each in causes:
        rules.setdefault(each.function, []).append(each.rule)
    return {name: found[0] if len(found) == 1 else found for name, found in rules.items()}


def _mark(document: Document, mark: float | list[float]) -> tuple[float, ...]:
    least, most = mark if isinstance(mark, list) else (mark, mark)
    if least > most:
        document.add(("mark",), "the least is more than the most")
    return float(least), float(most)


def _hint(key: str, name: str) -> str:
    """Where a name stands that its key does not take, or the one that it may be meant for."""
    elsewhere = next((other for other, names in _names().items() if name in names), "")
    return f"it stands under {elsewhere}" if elsewhere else nearest(name, _names()[key])


def _sentences(document: Document, texts: list[str]) -> list[str]:
    """Parts of messages. One word with an underscore that is a rule's name, or nearly, is none."""
    known = {name: key for key, names in reversed(_names().items()) for name in names}
    for index, text in enumerate(texts):
        if not _LIKE_A_RULE.fullmatch(text):
            continue
        close = difflib.get_close_matches(text, known, n=1, cutoff=_MISSPELLED)
        if close:
            named = f"the rule {text}" if text in known else text
            where = f"it stands under {known[close[0]]}"
            hint = where if text in known else f"did you mean {close[0]}? I{where[1:]}"
            what = f"expected words of a message, got {named}"
            document.add(("explains", index), what, hint)
    return texts


def _rules(document: Document, names: list[str]) -> list[str]:
    known = _names()["findings"]
    found: list[str] = []
    for index, name in enumerate(names):
        if name in known:
            found.append(name)
        else:
            hint = _hint("findings", name) or f"rules are {listed(known)}"
            document.add(("findings", index), f"unknown rule {name}", hint)
    return found


def _causes(document: Document, causes: dict[str, list[str]]) -> list[ExpectedCause]:
    for function, rules in causes.items():
        for rule in rules:
            if rule not in _names()["causes"]:
                hint = _hint("causes", rule) or "docs/causes.md lists the rules"
                document.add(("causes", function), f"there is no rule {rule}", hint)
    return [
        ExpectedCause(function=function, rule=rule)
        for function, rules in causes.items()
        for rule in rules
    ]


def _verdicts(document: Document, verdicts: dict[str, str]) -> list[ExpectedVerdict]:
    known = _names()["verdicts"]
    found: list[ExpectedVerdict] = []
    for pattern, name in verdicts.items():
        if name in known:
            found.append(ExpectedVerdict(pattern=pattern, kind=VerdictKind(name)))
        else:
            hint = _hint("verdicts", name) or f"verdicts are {listed(known)}"
            document.add(("verdicts", pattern), f"unknown verdict {name}", hint)
    return found
