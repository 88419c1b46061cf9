"""The autograder package for Gradescope."""

from harness.packaging.gradescope.package import gradescope_zip
from harness.packaging.gradescope.settings import PLATFORM_SECONDS

__all__ = ["PLATFORM_SECONDS", "gradescope_zip"]
