"""A course's first files: an assignment that validates at once, to be changed from there."""

from harness.packaging.scaffold.files import from_reference, from_template
from harness.packaging.scaffold.shipped import copied, shipped

__all__ = ["copied", "from_reference", "from_template", "shipped"]
