"""A run in the forms that other programs read: one module per format or gradebook."""

from harness.common.discovery import extensions
from harness.common.errors import UserError
from harness.reporting.export.exporter import Exporter
from harness.reporting.export.gradebooks import gradebook_exporters

# Formats that people look for and no platform has: the error, and its hint.
_NO_WAY = {
    "gradescope": (
        "marks cannot be imported into Gradescope",
        "harness gradescope ID builds an autograder that gives marks there",
    ),
    "feedback-gradescope": (
        "feedback files cannot be imported into Gradescope",
        "harness gradescope ID builds an autograder that shows feedback there",
    ),
    "feedback-blackboard": (
        "Blackboard cannot import feedback files for a whole class",
        "--to blackboard fills in comments; harness mail RUN writes emails with the pages",
    ),
}


def exporters() -> dict[str, Exporter]:
    """Return every format by name, sorted: those of the modules beside this one and those of the
    platforms.
    """
    formats = extensions(__name__, __path__, Exporter, _name)
    every = sorted((*formats, *gradebook_exporters()), key=_name)
    return dict(zip(map(_name, every), every, strict=True))


def _name(exporter: Exporter) -> str:
    return exporter.name


def exporter(name: str) -> Exporter:
    """Return the format of this name. Raise UserError if there is none."""
    formats = exporters()
    if name in _NO_WAY:
        what, hint = _NO_WAY[name]
        raise UserError(what, hint=hint)
    if name not in formats:
        raise UserError(f"unknown format {name!r}", hint=f"--to {' | '.join(formats)}")
    return formats[name]
