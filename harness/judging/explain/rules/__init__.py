"""The rules that explain a failure, one file a theme; a new file is found by itself.

A rule states its place in the order with `@rule(stage, place)`. The first that applies wins.
"""

from harness.common.discovery import import_modules
from harness.judging.explain.rule import explain, is_general, registered_rules

import_modules(__name__, __path__)

__all__ = ["explain", "is_general", "registered_rules"]
