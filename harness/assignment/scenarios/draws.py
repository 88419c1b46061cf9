"""Recorded draws: the values of a sample or a list of cases.

Draws are asked for in YAML, made by `harness record`, and only read for grading, which never runs
the course's own Python: strategies and generators in the spec folder. The request that made them
is stored with them, so that outdated draws are noticed.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.common.errors import UserError
from harness.model.stimulus import Binding, Replies
from harness.model.values import Value

DRAWS = "draws"
_FIELDS = ("kind", "source", "count", "seed", "constants", "generator")


class DrawError(ValueError):
    """The draws cannot be used, or the request makes no sense."""

    def __init__(self, what: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(what)


class OutdatedDrawsError(DrawError):
    """The frozen draws are missing, damaged, or of another request."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "run harness record")


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
        return f"{self.source.split('.')[0]}.py"

    @property
    def function(self) -> str:
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
    function = course_function(folder, source)
    return DrawRequest(
        kind=kind,
        source=source,
        count=count,
        seed=seed,
        constants=function.bound(function.parameters, constants),
        generator=hashlib.sha256(function.data).hexdigest(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSource:
    """A function in a Python file of the spec folder, which has not been run: `boards.any_board`.

    `data` is the file, `line` the function's.
    """

    source: str
    data: bytes
    line: int
    parameters: tuple[str, ...]

    @property
    def file(self) -> str:
        return f"{self.source.partition('.')[0]}.py"

    def bound(
        self, parameters: Iterable[str], constants: Mapping[str, object]
    ) -> tuple[Binding, ...]:
        """The constants that these parameters ask for; DrawError if one is no constant."""
        unknown = [name for name in parameters if name not in constants]
        if unknown:
            raise DrawError(f"{self.source} asks for {unknown[0]}, which is no provided constant")
        return tuple(Binding(name=name, literal=repr(constants[name])) for name in parameters)


def course_function(
    folder: Path, source: str, example: str = "boards.any_board is any_board in boards.py"
) -> FunctionSource:
    """The course's function of this name; DrawError, with an example of such a name, if it is not
    there."""
    module, _, function = source.partition(".")
    if not (module.isidentifier() and function.isidentifier()):
        raise DrawError(f"expected file.function, got {source!r}", example)
    try:
        data = (folder / f"{module}.py").read_bytes()
        functions = _functions(data)
    except OSError:
        raise DrawError(f"{module}.py is not in the spec folder") from None
    except (SyntaxError, ValueError) as error:
        raise DrawError(f"{module}.py is not Python ({error})") from None
    if function not in functions:
        raise DrawError(f"{module}.py has no function {function}")
    line, parameters = functions[function]
    return FunctionSource(source=source, data=data, line=line, parameters=parameters)


@functools.lru_cache(maxsize=32)  # many scenarios draw from one file
def _functions(data: bytes) -> dict[str, tuple[int, tuple[str, ...]]]:
    """The line and the parameters of each function in a Python file; the first of a name counts."""
    functions: dict[str, tuple[int, tuple[str, ...]]] = {}
    for node in ast.parse(data).body:
        if isinstance(node, ast.FunctionDef):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            parameters = tuple(argument.arg for argument in arguments)
            functions.setdefault(node.name, (node.lineno, parameters))
    return functions


def replies_of(folder: Path, source: str, constants: Mapping[str, object]) -> Replies:
    """The generator that a scenario names; DrawError if it is not there. Its first parameter is
    what was printed, the others are constants."""
    function = course_function(folder, source, "guesses.bisect is bisect in guesses.py")
    try:
        text = function.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DrawError(f"{function.file} is not Python ({error})") from None
    if not function.parameters:
        raise DrawError(f"{source} has no parameter", "the first is given what was printed")
    bound = function.bound(function.parameters[1:], constants)
    name = source.partition(".")[2]
    return Replies(file=function.file, function=name, source=text, constants=bound)


def file_name(group: str, swept: tuple[str, ...]) -> str:
    """The frozen file of a scenario and its swept values, below the spec folder."""
    stem, _, name = group.partition("/")
    marks = [re.sub(r"[^\w.=+-]", lambda odd: f"%{ord(odd[0]):02X}", mark) for mark in swept]
    return f"{DRAWS}/{'.'.join([stem, name, *marks])}.json"


def read_draws(folder: Path, name: str, request: DrawRequest) -> list[tuple[Binding, ...]]:
    """The frozen draws of a request; OutdatedDrawsError if there are none of this request."""
    try:
        frozen = json.loads((folder / name).read_text(encoding="utf-8"))
        recorded = dict(frozen["request"])
        found = [_bindings(draw) for draw in frozen["draws"]]
    except FileNotFoundError:
        raise OutdatedDrawsError(f"{name} is not there") from None
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise OutdatedDrawsError(f"{name} is damaged ({what})") from None
    wanted = request.plain()
    for field in _FIELDS:
        if recorded.get(field) != wanted[field]:
            changed = {"generator": f"another {request.file}", "constants": "other constants"}
            what = changed.get(field, f"another {field}")
            raise OutdatedDrawsError(f"{name} was recorded with {what}")
    if len({tuple(binding.name for binding in draw) for draw in found}) != 1:
        raise OutdatedDrawsError(f"{name} is damaged (no draws of the same names)")
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


def load_module(folder: Path, file: str) -> ModuleType:
    """A Python file of the spec folder, run; UserError where it cannot be."""
    name = f"_harness_draws_{folder.name}_{file.removesuffix('.py')}".replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, folder / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    before, path = sys.dont_write_bytecode, list(sys.path)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"cannot be run ({type(error).__name__}: {error})", place=file) from error
    finally:
        sys.dont_write_bytecode = before
        sys.path[:] = path
    return module


@contextlib.contextmanager
def no_constants_of_loaded_modules() -> Iterator[None]:
    """Hypothesis also tries the constants of whatever modules happen to be loaded, ours among
    them; the same request must give the same draws from whichever program it is made."""
    from hypothesis.internal.conjecture import providers  # noqa: PLC0415

    name = "_get_local_constants"
    before = getattr(providers, name, None)
    if before is None:  # another version's name; its draws are then that version's own
        yield
        return
    setattr(providers, name, vars(providers)["Constants"])
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        setattr(providers, name, before)
        providers.CONSTANTS_CACHE.cache.clear()


def literals(source: str, draw: Any, *, place: str) -> dict[str, str]:
    """A draw of the function `source`, defined at `place`, as literals by name, in the order of
    names; UserError for what is no dict of names, or cannot be written as a literal."""
    if not isinstance(draw, dict) or not draw:
        what = f"{source} must give dicts of names, gave {type(draw).__name__}"
        raise UserError(what, place=place)
    found: dict[str, str] = {}
    for name, value in draw.items():
        if not (isinstance(name, str) and name.isidentifier()):
            what = f"{source} gave {name!r}, which is no name"
            raise UserError(what, place=place)
        literal, same = repr(value), NotImplemented
        with contextlib.suppress(TypeError, ValueError, SyntaxError, RecursionError):
            literal = Value.of(value).source()  # a set in one order, whatever the hash seed
            same = ast.literal_eval(literal)
        if type(same) is not type(value) or same != value:
            what = f"{source} gave {name} = {literal[:60]}, which is no Python literal"
            raise UserError(what, place=place)
        found[name] = literal
    return dict(sorted(found.items()))


def draw(request: DrawRequest, function: Callable[..., Any]) -> list[dict[str, str]]:
    """What the course's function gives for a request, as literals; UserError where it fails. It
    imports Hypothesis for a sample, as `harness.study.fuzz` does."""
    constants = {binding.name: ast.literal_eval(binding.literal) for binding in request.constants}
    try:
        made = function(**constants)
        drawn = _examples(made, request) if request.kind == "sample" else _all(made)
    except UserError:
        raise
    except Exception as error:
        what = f"{request.source} failed ({type(error).__name__}: {error})"
        raise UserError(what, place=request.file) from error
    draws = [literals(request.source, draw, place=request.file) for draw in drawn]
    if not draws:
        raise UserError(f"{request.source} gave no draw", place=request.file)
    if len({tuple(draw) for draw in draws}) != 1:
        what = f"{request.source} gave different names in different draws"
        raise UserError(what, place=request.file)
    return draws


def _all(made: Iterable[Any]) -> list[Any]:
    return list(made)


def _examples(strategy: Any, request: DrawRequest) -> list[Any]:
    try:
        import hypothesis  # noqa: PLC0415
    except ImportError:
        hint = "pip install 'a1-harness[record]'"
        raise UserError("drawing samples needs Hypothesis", hint=hint) from None
    found: dict[str, Any] = {}

    @hypothesis.seed(request.seed)
    @hypothesis.settings(
        # Different choices can make equal draws, so ask for more than are wanted.
        max_examples=request.count * 4,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(draw: Any) -> None:
        if len(found) < request.count:
            found.setdefault(repr(draw), draw)

    with no_constants_of_loaded_modules():
        collect()
    return list(found.values())
