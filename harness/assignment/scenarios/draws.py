"""Reads recorded draws: generated inputs of a sample or list of cases, stored in files.

`harness record` makes them. Grading only reads them and never runs the course's generator code.
Each file also stores the request that made it, so that outdated draws are noticed.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from harness.assignment.document import HintedError
from harness.assignment.symbols import AssignmentSymbols
from harness.common.errors import UserError
from harness.common.extras import install_command
from harness.model.plan import Place
from harness.model.stimulus import Binding, Replies
from harness.model.study import CourseFunction
from harness.model.values import Value

if TYPE_CHECKING:
    from harness.assignment.scenarios.shape import SampleShape

DRAWS = "draws"
# Many scenarios draw from the same file.
_parsed = functools.lru_cache(maxsize=32)(ast.parse)


class OutdatedDrawsError(HintedError):
    """The stored draws are missing, damaged, or were made for a different request."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "run harness record")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRequest:
    """The inputs to generate, and the function that generates them."""

    kind: str  # key in the scenario: "sample" or "cases"
    function: CourseFunction
    count: int = 0
    seed: int = 0
    generator: str  # digest of the file with the function

    def plain(self) -> dict[str, Any]:
        constants = {constant.name: constant.literal for constant in self.function.constants}
        return {
            "kind": self.kind,
            "source": self.function.source,
            "count": self.count,
            "seed": self.seed,
            "constants": constants,
            "generator": self.generator,
        }


def request_for(
    symbols: AssignmentSymbols, asked: SampleShape | str, constants: Mapping[str, object]
) -> DrawRequest:
    """Return the request for a `sample`, or for the source named in `cases`.

    Raise HintedError if its function does not exist.
    """
    source = asked if isinstance(asked, str) else asked.strategy
    function = with_constants(course_function(symbols, source), constants)
    text = (symbols.folder / function.file).read_bytes()
    generator = hashlib.sha256(text).hexdigest()
    request = DrawRequest(kind="cases", function=function, generator=generator)
    if isinstance(asked, str):
        return request
    return replace(request, kind="sample", count=asked.count, seed=asked.seed)


def course_function(
    symbols: AssignmentSymbols,
    source: str,
    example: str = "boards.any_board is any_board in boards.py",
) -> CourseFunction:
    """Return the function named `file.function` in a Python file of the spec folder, without
    constants.

    The file is not run. Raise HintedError with an example if the function does not exist.
    """
    module, _, function = source.partition(".")
    if not (module.isidentifier() and function.isidentifier()):
        raise HintedError(f"expected file.function, got {source!r}", example)
    try:
        body = _parsed((symbols.folder / f"{module}.py").read_bytes()).body
    except OSError:
        raise HintedError(f"{module}.py is not in the spec folder") from None
    except (SyntaxError, ValueError) as error:
        raise HintedError(f"{module}.py is not Python ({error})") from None
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            parameters = tuple(argument.arg for argument in arguments)
            shown = f"{symbols.shown_folder}/{module}.py"
            place = Place(file=shown, line=node.lineno, column=1)
            return CourseFunction(source=source, parameters=parameters, constants=(), place=place)
    raise HintedError(f"{module}.py has no function {function}")


def with_constants(
    function: CourseFunction, constants: Mapping[str, object], names: Sequence[str] | None = None
) -> CourseFunction:
    """Return the function with these constants as arguments (None: one for every parameter).

    Raise HintedError if one is not a provided constant.
    """
    if names is None:
        names = function.parameters
    bound: list[Binding] = []
    for name in names:
        if name not in constants:
            what = f"{function.source} asks for {name}, which is not a provided constant"
            raise HintedError(what)
        bound.append(Binding(name=name, literal=repr(constants[name])))
    return replace(function, constants=tuple(bound))


def replies_of(symbols: AssignmentSymbols, source: str, constants: Mapping[str, object]) -> Replies:
    """Return the function that answers a program's prompts.

    Its first parameter is the output so far, its others are constants. Raise HintedError if it does
    not exist.
    """
    function = course_function(symbols, source, "guesses.bisect is bisect in guesses.py")
    try:
        text = (symbols.folder / function.file).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise HintedError(f"{function.file} is not Python ({error})") from None
    if not function.parameters:
        raise HintedError(f"{source} has no parameter", "the first parameter gets the printed text")
    bound = with_constants(function, constants, function.parameters[1:]).constants
    symbols.used.add(function.file)
    return Replies(file=function.file, function=function.function, source=text, constants=bound)


def file_name(group: str, swept: tuple[str, ...]) -> str:
    """Return the path, relative to the spec folder, of the file that stores a scenario's draws for
    these constants.
    """
    stem, _, name = group.partition("/")
    parts = [stem, name]
    for mark in swept:
        parts.append(re.sub(r"[^\w.=+-]", _escaped, mark))
    return f"{DRAWS}/{'.'.join(parts)}.json"


def _escaped(odd: re.Match[str]) -> str:
    return f"%{ord(odd[0]):02X}"


def _bindings_of(draw: dict[str, str]) -> tuple[Binding, ...]:
    """Return the names of a stored draw with their literals.

    Raise ValueError or SyntaxError if one is not a literal.
    """
    bindings: list[Binding] = []
    for name, literal in draw.items():
        ast.literal_eval(literal)
        bindings.append(Binding(name=name, literal=literal))
    return tuple(bindings)


def read_draws(folder: Path, name: str, request: DrawRequest) -> list[tuple[Binding, ...]]:
    """Return the stored draws for a request.

    Raise OutdatedDrawsError if they are missing, damaged or made for a different request.
    """
    try:
        frozen = json.loads((folder / name).read_text(encoding="utf-8"))
        recorded = dict(frozen["request"])
        draws = [_bindings_of(draw) for draw in frozen["draws"]]
    except FileNotFoundError:
        raise OutdatedDrawsError(f"{name} is not there") from None
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise OutdatedDrawsError(f"{name} is damaged ({what})") from None
    changed = {"generator": f"another {request.function.file}", "constants": "other constants"}
    for field, value in request.plain().items():
        if recorded.get(field) != value:
            what = changed.get(field, f"another {field}")
            raise OutdatedDrawsError(f"{name} was recorded with {what}")
    names: set[tuple[str, ...]] = set()
    for draw in draws:
        names.add(tuple(binding.name for binding in draw))
    if len(names) != 1:
        raise OutdatedDrawsError(f"{name} is damaged (its draws have different names)")
    return draws


def freeze(request: DrawRequest, draws: list[dict[str, str]]) -> str:
    """Return the text of the file that stores the draws: one line for each, smallest first."""
    sizes: dict[str, int] = {}
    for draw in draws:
        sizes[json.dumps(draw)] = sum(map(len, draw.values()))
    ordered = sorted(sizes, key=lambda text: (sizes[text], text))
    lines = ",\n".join(f"  {text}" for text in ordered)
    return f'{{"request": {json.dumps(request.plain())},\n "draws": [\n{lines}\n]}}\n'


def load_module(folder: Path, file: str) -> ModuleType:
    """Run a Python file of the spec folder and return its module. Raise UserError if it fails."""
    name = f"_harness_draws_{folder.name}_{file.removesuffix('.py')}".replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, folder / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module in sys.modules
    before = sys.dont_write_bytecode
    path = list(sys.path)
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
def _no_constants_of_loaded_modules() -> Iterator[None]:
    """Stop Hypothesis from trying constants found in loaded modules.

    Otherwise the draws would depend on which program makes them.
    """
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
    """Return a draw as {name: literal}, sorted by name. `source` and `place` name the function
    that made it.

    Raise UserError if the draw is not a dict of names, or if a value cannot be written as a
    literal.
    """
    if not isinstance(draw, dict) or not draw:
        gave = type(draw).__name__
        raise UserError(
            f"{source} must return dicts with names as keys, but returned {gave}", place=place
        )
    by_name: dict[str, str] = {}
    for name, value in draw.items():
        if not (isinstance(name, str) and name.isidentifier()):
            raise UserError(f"{source} gave {name!r}, which is not a name", place=place)
        literal, read_back = repr(value), NotImplemented
        with contextlib.suppress(TypeError, ValueError, SyntaxError, RecursionError):
            literal = Value.of(
                value
            ).source()  # sort sets, so that the order does not depend on the hash seed
            read_back = ast.literal_eval(literal)
        if type(read_back) is not type(value) or read_back != value:
            gave = f"{name} = {literal[:60]}"
            raise UserError(f"{source} gave {gave}, which is not a Python literal", place=place)
        by_name[name] = literal
    ordered = sorted(by_name.items())
    return dict(ordered)


def draw(request: DrawRequest, run: Callable[..., Any]) -> list[dict[str, str]]:
    """Call the course's function for a request and return its draws as literals.

    Raise UserError if it fails.
    """
    function = request.function
    place = function.file
    constants: dict[str, Any] = {}
    for binding in function.constants:
        constants[binding.name] = ast.literal_eval(binding.literal)
    try:
        result = run(**constants)
        values = _examples(result, request) if request.kind == "sample" else list(result)
    except UserError:
        raise
    except Exception as error:
        what = f"{function.source} failed ({type(error).__name__}: {error})"
        raise UserError(what, place=place) from error
    draws = [literals(function.source, value, place=place) for value in values]
    if not draws:
        raise UserError(f"{function.source} generated no value", place=place)
    names = set(map(tuple, draws))
    if len(names) != 1:
        what = f"{function.source} gave different names in different draws"
        raise UserError(what, place=place)
    return draws


def _examples(strategy: Any, request: DrawRequest) -> list[Any]:
    try:
        import hypothesis  # noqa: PLC0415
    except ImportError:
        hint = install_command("record")
        raise UserError("generated cases need the package hypothesis", hint=hint) from None
    by_text: dict[str, Any] = {}

    def collect(draw: Any) -> None:
        if len(by_text) < request.count:
            by_text.setdefault(repr(draw), draw)

    # Draws may be equal, so ask for more than are needed.
    most = request.count * 4
    phases = [hypothesis.Phase.generate]
    run_given(strategy, collect, seed=request.seed, count=most, phases=phases)
    return list(by_text.values())


def run_given(
    strategy: Any, body: Callable[[Any], None], *, seed: int, count: int, phases: Sequence[Any]
) -> None:
    """Call `body` with about `count` draws from a Hypothesis strategy, always the same for the
    same seed.
    """
    hypothesis: Any = importlib.import_module("hypothesis")  # hypothesis is an optional dependency
    settings = hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )

    def drawn(value: Any) -> None:
        body(value)

    with _no_constants_of_loaded_modules():
        hypothesis.seed(seed)(settings(hypothesis.given(strategy)(drawn)))()
