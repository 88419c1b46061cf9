"""The learning platforms whose downloads are read, one a file."""

from harness.intake.layouts.base import Layout, Times
from harness.intake.layouts.blackboard import BLACKBOARD
from harness.intake.layouts.brightspace import BRIGHTSPACE
from harness.intake.layouts.canvas import CANVAS
from harness.intake.layouts.gradescope import GRADESCOPE
from harness.intake.layouts.moodle import MOODLE

# A name that two of them know is the first one's: Canvas's say least.
LAYOUTS = (GRADESCOPE, MOODLE, BLACKBOARD, BRIGHTSPACE, CANVAS)

__all__ = ["LAYOUTS", "Layout", "Times"]
