"""Makes the draws that an assignment asks for and stores them as JSON.

This and `harness.study.fuzz` run the lecturer's strategies and import Hypothesis.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.assignment.compile import compile_assignment
from harness.assignment.scenarios.draws import (
    DrawRequest,
    freeze,
    literals,
    load_module,
    no_constants_of_loaded_modules,
)
from harness.common.errors import UserError
from harness.common.files import write


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
        module = modules.get(request.file) or load_module(folder, request.file)
        modules[request.file] = module
        path = folder / name
        text = freeze(request, _draw(request, getattr(module, request.function)))
        write(path, text)
        written.append(path)
    for old in (folder / "draws").glob("*.json"):
        if old not in written:
            old.unlink()
    return tuple(written)


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
