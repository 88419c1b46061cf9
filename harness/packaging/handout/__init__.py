"""What a course gives its students."""

from typing import TYPE_CHECKING

from harness.common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from harness.packaging.handout.handout import handout_zip
    from harness.packaging.handout.selfcheck_file import program_file
    from harness.packaging.handout.student_part import student_key, student_plan

__all__ = ["handout_zip", "program_file", "student_key", "student_plan"]

__getattr__ = lazy_exports(
    __name__,
    {
        "handout": ("handout_zip",),
        "selfcheck_file": ("program_file",),
        "student_part": ("student_key", "student_plan"),
    },
)
