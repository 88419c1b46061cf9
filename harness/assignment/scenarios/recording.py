"""Makes the draws that an assignment asks for and stores them as JSON.

Only this module runs the lecturer's strategies and imports Hypothesis.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.assignment.compile import compile_assignment
from harness.assignment.scenarios.draws import DrawRequest, freeze
from harness.common.errors import UserError
from harness.common.files import write
from harness.model.values import Value


def record_draws(root: Path, assignment_id: str) -> tuple[Path, ...]:
    """Write the frozen draws of every sample and list of cases, and return the files' paths.

    The same request gives the same draws (of one Hypothesis version). Draws that no scenario asks
    for any more are removed. Raises SpecErrors, or UserError when a strategy or generator fails.
    """
    root = root.resolve()
    compilation = compile_assignment(root, assignment_id, support=None, recording=True)
    folder = Path(compilation.specification.folder)
    written: list[Path] = []
    modules: dict[str, ModuleType] = {}
    for name, request in compilation.requests.items():
        module = modules.get(request.file) or _module(folder, request.file)
        modules[request.file] = module
        path = folder / name
        text = freeze(request, _draw(request, getattr(module, request.function)))
        write(path, text)
        written.append(path)
    for old in (folder / "draws").glob("*.json"):
        if old not in written:
            old.unlink()
    return tuple(written)


def _module(folder: Path, file: str) -> ModuleType:
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


def _draw(request: DrawRequest, function: Callable[..., Any]) -> list[dict[str, str]]:
    constants = {binding.name: ast.literal_eval(binding.literal) for binding in request.constants}
    try:
        made = function(**constants)
        drawn = _examples(made, request) if request.kind == "sample" else _all(made)
    except UserError:
        raise
    except Exception as error:
        what = f"{request.source} failed ({type(error).__name__}: {error})"
        raise UserError(what, place=request.file) from error
    draws = [_frozen(request, draw) for draw in drawn]
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

    with _no_constants_of_loaded_modules():
        collect()
    return list(found.values())


@contextlib.contextmanager
def _no_constants_of_loaded_modules() -> Iterator[None]:
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


def _frozen(request: DrawRequest, draw: Any) -> dict[str, str]:
    if not isinstance(draw, dict) or not draw:
        what = f"{request.source} must give dicts of names, gave {type(draw).__name__}"
        raise UserError(what, place=request.file)
    literals: dict[str, str] = {}
    for name, value in draw.items():
        if not (isinstance(name, str) and name.isidentifier()):
            what = f"{request.source} gave {name!r}, which is no name"
            raise UserError(what, place=request.file)
        literal, same = repr(value), NotImplemented
        with contextlib.suppress(TypeError, ValueError, SyntaxError, RecursionError):
            literal = Value.of(value).source()  # a set in one order, whatever the hash seed
            same = ast.literal_eval(literal)
        if type(same) is not type(value) or same != value:
            what = f"{request.source} gave {name} = {literal[:60]}, which is no Python literal"
            raise UserError(what, place=request.file)
        literals[name] = literal
    return dict(sorted(literals.items()))
