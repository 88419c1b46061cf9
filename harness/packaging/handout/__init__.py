"""What a course gives its students."""

from typing import TYPE_CHECKING

from harness.common.discovery import lazy_exports

if TYPE_CHECKING:
    from harness.packaging.handout.handout import handout_zip, student_key, student_plan

__all__ = ["handout_zip", "student_key", "student_plan"]

__getattr__ = lazy_exports(__name__, {"handout": ("handout_zip", "student_key", "student_plan")})
