"""The autograder package for Gradescope."""

from typing import TYPE_CHECKING

from harness.common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from harness.packaging.gradescope.package import gradescope_zip
    from harness.packaging.gradescope.settings import PLATFORM_SECONDS

__all__ = ["PLATFORM_SECONDS", "gradescope_zip"]

__getattr__ = lazy_exports(
    __name__, {"package": ("gradescope_zip",), "settings": ("PLATFORM_SECONDS",)}
)
