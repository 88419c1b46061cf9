"""Every regular expression of ours, used as our code uses it, takes a time that is linear in its
text: texts come from students. The expressions are found in the source, so a new one is tried."""

import ast
import importlib
import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import harness

ROOT = Path(harness.__file__).parent
METHODS = ("search", "match", "fullmatch", "sub", "finditer", "findall", "split", "subn")
LENGTH = 100_000  # characters; what is quadratic takes ten seconds, what is linear a hundredth
BUDGET = 2.0  # seconds of CPU time, however busy the machine is


@dataclass(frozen=True, slots=True)
class Use:
    """A pattern of ours and a method by which it is used."""

    place: str
    pattern: re.Pattern[Any]
    method: str


def uses() -> Iterator[Use]:
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        names: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                    args=[ast.Constant(value=text), *_],
                ) if method in METHODS:
                    flags = re.MULTILINE if "MULTILINE" in ast.unparse(node) else 0
                    yield Use(f"{path.name}:{node.lineno}", re.compile(text, flags), method)
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method in METHODS:
                    names.setdefault(name, set()).add(method)
        compiled = [name for name in names if name in path.read_text("utf-8") and name != "re"]
        if compiled:
            yield from _of_names(path, {name: names[name] for name in compiled})


def _of_names(path: Path, names: dict[str, set[str]]) -> Iterator[Use]:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    for name, methods in sorted(names.items()):
        pattern = vars(module).get(name)
        if isinstance(pattern, re.Pattern):
            for method in sorted(methods):
                yield Use(f"{path.name}:{name}", pattern, method)


def characters(tree: Any, found: set[str]) -> set[str]:
    """What the parts of a pattern match: a character for each."""
    for operation, value in tree:
        match str(operation):
            case "LITERAL":
                found.add(chr(value))
            case "IN":
                characters([part for part in value if str(part[0]) != "NEGATE"], found)
            case "RANGE":
                found.add(chr(value[0]))
            case "CATEGORY":
                found.add({"DIGIT": "1", "SPACE": " "}.get(str(value).rpartition("_")[2], "a"))
            case "ANY" | "NOT_LITERAL":
                found.add("x")
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                characters(value[2], found)
            case "SUBPATTERN":
                characters(value[3], found)
            case "BRANCH":
                for branch in value[1]:
                    characters(branch, found)
            case "ASSERT" | "ASSERT_NOT":
                characters(value[1], found)
            case "ATOMIC_GROUP":
                characters(value, found)
    return found


def texts(pattern: re.Pattern[Any], most: int, pairs: int = 0) -> Iterator[Any]:
    """Texts of one repeated character that it matches, of all of them, and of two in turn."""
    found = sorted(characters(parser.parse(pattern.pattern, pattern.flags), {"x", " "}))
    units = [*found[:most], "".join(found[:most])]
    units += [one + other for one in found[:pairs] for other in found[:pairs] if one != other]
    for unit in units:
        text = "!" + unit * (LENGTH // len(unit)) + "\0"
        yield text.encode("utf-8", "surrogatepass") if isinstance(pattern.pattern, bytes) else text


def _used(use: Use, text: Any) -> None:
    if use.method in ("sub", "subn"):
        getattr(use.pattern, use.method)(text[:0], text)
        return
    found = getattr(use.pattern, use.method)(text)
    if use.method == "finditer":
        for _ in found:
            continue


class SlowError(Exception):
    """The budget is used up."""


def slow_uses(among: Iterable[Use], most: int, pairs: int = 0) -> Iterator[str]:
    """Say which of these uses take more than the budget for one of the texts."""

    def stop(number: int, frame: object) -> None:
        raise SlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        for use in among:
            for text in texts(use.pattern, most, pairs):
                signal.setitimer(signal.ITIMER_VIRTUAL, BUDGET)
                try:
                    _used(use, text)
                except SlowError:
                    yield f"{use.place} {use.pattern.pattern!r} {use.method} of {text[1:5]!r}…"
                    break
                finally:
                    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_every_pattern_of_ours_reads_a_long_text_in_linear_time() -> None:
    assert list(slow_uses(uses(), 3)) == []


@pytest.mark.release
def test_every_pattern_of_ours_reads_every_long_text_in_linear_time() -> None:
    assert list(slow_uses(uses(), 40, pairs=8)) == []


def test_a_slow_pattern_is_found() -> None:
    slow = Use("here", re.compile("a*b"), "search")
    linear = Use("there", re.compile("(?<!a)a*b"), "search")
    assert [said.split()[0] for said in slow_uses([slow, linear], 3)] == ["here"]
    assert {use.place for use in uses()} >= {"suspects.py:_CALLED", "shown_text.py:_WORD"}
