"""Runs the lecturer's own Python in a spec folder: strategies and generators, and their values."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.common.errors import UserError
from harness.model.values import Value


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
