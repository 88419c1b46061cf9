"""expect.yaml: the result that a sample submission must get."""

from __future__ import annotations

import difflib
import json
import re
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from harness.assignment.loading import find_root, shown
from harness.assignment.shapes import (
    Expects,
    OneOrMore,
    Positive,
    Shape,
    Whole,
    WholeOrZero,
    load_shape,
    wrong,
)
from harness.common.errors import UserError
from harness.common.words import listed
from harness.matchers import nearest
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


def _hint(key: str, name: str) -> str:
    """Where a name stands that its key does not take, or the one that it may be meant for."""
    elsewhere = next((other for other, names in _names().items() if name in names), "")
    return f"it stands under {elsewhere}" if elsewhere else nearest(name, _names()[key])


def _named(key: str, name: str, what: str, every: str) -> str:
    if name not in _names()[key]:
        raise wrong(what, _hint(key, name) or every, instead=_names()[key][0])
    return name


def _finding(name: str) -> str:
    every = f"rules are {listed(_names()['findings'], 'or')}"
    return _named("findings", name, f"unknown rule {name}", every)


def _verdict(name: str) -> str:
    every = f"verdicts are {listed(_names()['verdicts'], 'or')}"
    return _named("verdicts", name, f"unknown verdict {name}", every)


def _cause(name: str) -> str:
    return _named("causes", name, f"there is no rule {name}", "docs/causes.md lists the rules")


def _sentence(text: str) -> str:
    """A part of a message; one word with an underscore that is nearly a rule's name is none."""
    keys = {name: key for key, names in reversed(_names().items()) for name in names}
    close = difflib.get_close_matches(text, keys, n=1, cutoff=_MISSPELLED)
    if _LIKE_A_RULE.fullmatch(text) and close:
        named = f"the rule {text}" if text in keys else text
        where = f"it stands under {keys[close[0]]}"
        hint = where if text in keys else f"did you mean {close[0]}? I{where[1:]}"
        raise wrong(f"expected words of a message, got {named}", hint, instead="")
    return text


def _range(mark: float | list[float]) -> tuple[float, float]:
    least, most = mark if isinstance(mark, list) else (mark, mark)
    if least > most:
        raise wrong("the least is more than the most", instead=0)
    return least, most


class ExpectShape(Shape):
    """expect.yaml of a sample submission."""

    fails: list[str] = []
    """Globs: exactly these scenario ids fail."""
    mark: Annotated[
        float | Annotated[list[float], Field(min_length=2, max_length=2)],
        Expects("a number or [least, most]", whole=True, instead=0),
        AfterValidator(_range),
    ] = []
    """The mark, or an inclusive range."""
    explains: list[Annotated[str, AfterValidator(_sentence)]] = []
    """Texts that its explanations hold."""
    findings: list[Annotated[str, AfterValidator(_finding)]] = []
    """Policy rules it breaks."""
    verdicts: dict[str, Annotated[str, AfterValidator(_verdict)]] = {}
    """Verdicts by glob, where they are not plain failures."""
    causes: dict[str, Annotated[list[Annotated[str, AfterValidator(_cause)]], OneOrMore()]] = {}
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
    try:
        name = shown(find_root(path.parent), path.resolve())
    except UserError:
        name = path.as_posix()
    shape = load_shape(ExpectShape, path, name)
    stated = {key: getattr(shape, key) for key in shape.model_fields_set}
    causes = [
        ExpectedCause(function=function, rule=rule)
        for function, rules in shape.causes.items()
        for rule in rules
    ]
    return SampleExpectation(
        fails=tuple(shape.fails),
        mark=stated.get("mark", ()),
        explains=tuple(shape.explains),
        findings=tuple(shape.findings),
        verdicts=tuple(
            ExpectedVerdict(pattern=pattern, kind=VerdictKind(name))
            for pattern, name in shape.verdicts.items()
        ),
        causes=tuple(causes) if "causes" in stated else None,
        tier=shape.tier,
        layer=shape.layer,
        wall_seconds=stated.get("wall_seconds"),
        memory_mib=stated.get("memory_mib"),
        survivors=stated.get("survivors"),
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
