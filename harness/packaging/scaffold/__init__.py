"""A course's first files: an assignment that validates at once, to be changed from there."""

from harness.packaging.scaffold.files import (
    Begun,
    copied,
    from_reference,
    from_template,
    keep_out,
    of_several,
    shipped,
)

__all__ = [
    "Begun",
    "copied",
    "from_reference",
    "from_template",
    "keep_out",
    "of_several",
    "shipped",
]
