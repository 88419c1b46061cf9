"""The autograder of an assignment for Classroom 50."""

from typing import TYPE_CHECKING

from harness.common.discovery import lazy_exports

if TYPE_CHECKING:
    from harness.packaging.classroom50.bundle import bundle

__all__ = ["bundle"]

__getattr__ = lazy_exports(__name__, {"bundle": ("bundle",)})
