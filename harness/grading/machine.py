"""Finds the interpreter, confinement tier and drivers of this machine.

Tests do this only once and share running drivers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness import execution
from harness.common.replaceable import Replaceable
from harness.judging.shown_text import hide_folder_of

if TYPE_CHECKING:
    from harness.execution import AnyDriver, Driver, Interpreter
    from harness.model.observation import Tier

find_interpreter = Replaceable(execution.find_interpreter)
choose_tier = Replaceable(execution.choose_tier)
try_tier = Replaceable(execution.try_tier)


@Replaceable
def create_driver(interpreter: Interpreter, tier: Tier, **options: Any) -> AnyDriver:
    """Return a driver. The folder of its Python interpreter is never shown on pages."""
    hide_folder_of(str(interpreter.path))
    return execution.create_driver(interpreter, tier, **options)


@Replaceable
def terminal_driver(interpreter: Interpreter, tier: Tier, **options: Any) -> Driver:
    """Return a driver that needs terminals, and accepts all options of a `Driver`."""
    return execution.Driver(interpreter, tier, **options)
