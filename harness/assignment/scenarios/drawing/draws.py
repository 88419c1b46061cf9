"""Recorded draws: the values of a sample or a list of cases.

Draws are asked for in YAML, made by `harness record`, and only read here: grading never runs the
strategy. The request that made them is stored with them, so that outdated draws are noticed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.model.stimulus import Binding, Replies

DRAWS = "draws"
_FIELDS = ("kind", "source", "count", "seed", "constants", "generator")


class DrawError(ValueError):
    """The draws cannot be used, or the request makes no sense."""

    def __init__(self, what: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(what)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRequest:
    """What is drawn: from which function (`boards.any_board`), given which constants' values.

    `count` and `seed` are 0 for cases. `generator` is the digest of the function's file.
    """

    kind: str
    source: str
    count: int
    seed: int
    constants: tuple[Binding, ...]
    generator: str

    def plain(self) -> dict[str, Any]:
        """The request as written in the frozen file."""
        constants = {binding.name: binding.literal for binding in self.constants}
        return {**{name: getattr(self, name) for name in _FIELDS}, "constants": constants}

    @property
    def file(self) -> str:
        """The Python file's name."""
        return f"{self.source.split('.')[0]}.py"

    @property
    def function(self) -> str:
        """The function's name."""
        return self.source.split(".")[1]


def request_for(
    folder: Path,
    kind: str,
    source: str,
    *,
    count: int,
    seed: int,
    constants: Mapping[str, object],
) -> DrawRequest:
    """The request that a scenario makes; DrawError if its function is not there."""
    data, parameters = _function_of(folder, source, "boards.any_board is any_board in boards.py")
    unknown = [name for name in parameters if name not in constants]
    if unknown:
        raise DrawError(f"{source} asks for {unknown[0]}, which is no provided constant")
    bindings = tuple(Binding(name=name, literal=repr(constants[name])) for name in parameters)
    return DrawRequest(
        kind=kind,
        source=source,
        count=count,
        seed=seed,
        constants=bindings,
        generator=hashlib.sha256(data).hexdigest(),
    )


def _function_of(folder: Path, source: str, example: str) -> tuple[bytes, list[str]]:
    """The file of a course's function, and the function's parameters; DrawError, with an example of
    such a name, where it is not there."""
    module, _, function = source.partition(".")
    if not (module.isidentifier() and function.isidentifier()):
        raise DrawError(f"expected file.function, got {source!r}", example)
    try:
        data = (folder / f"{module}.py").read_bytes()
        tree = ast.parse(data)
    except OSError:
        raise DrawError(f"{module}.py is not in the spec folder") from None
    except (SyntaxError, ValueError) as error:
        raise DrawError(f"{module}.py is not Python ({error})") from None
    return data, _parameters(tree, module, function)


def _parameters(tree: ast.Module, module: str, function: str) -> list[str]:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == function:
            arguments = statement.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            return [argument.arg for argument in every]
    raise DrawError(f"{module}.py has no function {function}")


def replies_of(folder: Path, source: str, constants: Mapping[str, object]) -> Replies:
    """The generator that a scenario names; DrawError if it is not there. Its first parameter is
    what was printed, the others are constants."""
    data, parameters = _function_of(folder, source, "guesses.bisect is bisect in guesses.py")
    module, _, function = source.partition(".")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DrawError(f"{module}.py is not Python ({error})") from None
    if not parameters:
        raise DrawError(f"{source} has no parameter", "the first is given what was printed")
    unknown = [name for name in parameters[1:] if name not in constants]
    if unknown:
        raise DrawError(f"{source} asks for {unknown[0]}, which is no provided constant")
    bound = tuple(Binding(name=name, literal=repr(constants[name])) for name in parameters[1:])
    return Replies(file=f"{module}.py", function=function, source=text, constants=bound)


def file_name(group: str, swept: tuple[str, ...]) -> str:
    """The frozen file of a scenario and its swept values, below the spec folder."""
    stem, _, name = group.partition("/")
    marks = [re.sub(r"[^\w.=+-]", lambda odd: f"%{ord(odd[0]):02X}", mark) for mark in swept]
    return f"{DRAWS}/{'.'.join([stem, name, *marks])}.json"


def read_draws(folder: Path, name: str, request: DrawRequest) -> list[tuple[Binding, ...]]:
    """The frozen draws of a request; DrawError if there are none or they are of another request."""
    again = "run harness record"
    try:
        frozen = json.loads((folder / name).read_text(encoding="utf-8"))
        recorded = dict(frozen["request"])
        found = [_bindings(draw) for draw in frozen["draws"]]
    except FileNotFoundError:
        raise DrawError(f"{name} is not there", again) from None
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError) as error:
        raise DrawError(f"{name} is damaged ({type(error).__name__}: {error})", again) from None
    wanted = request.plain()
    for field in _FIELDS:
        if recorded.get(field) != wanted[field]:
            changed = {"generator": f"another {request.file}", "constants": "other constants"}
            what = changed.get(field, f"another {field}")
            raise DrawError(f"{name} was recorded with {what}", again)
    if len({tuple(binding.name for binding in draw) for draw in found}) != 1:
        raise DrawError(f"{name} is damaged (no draws of the same names)", again)
    return found


def _bindings(draw: dict[str, str]) -> tuple[Binding, ...]:
    for literal in draw.values():
        ast.literal_eval(literal)
    return tuple(Binding(name=name, literal=literal) for name, literal in draw.items())


def freeze(request: DrawRequest, draws: list[dict[str, str]]) -> str:
    """The text of the frozen file: a line a draw, smallest first."""

    def size(draw: dict[str, str]) -> tuple[int, str]:
        text = json.dumps(draw)
        return sum(map(len, draw.values())), text

    distinct = {json.dumps(draw): draw for draw in draws}
    ordered = sorted(distinct.values(), key=size)
    lines = ",\n".join("  " + json.dumps(draw) for draw in ordered)
    return f'{{"request": {json.dumps(request.plain())},\n "draws": [\n{lines}\n]}}\n'
