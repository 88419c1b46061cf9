"""Converts a run into formats for other programs. Each format or gradebook has its own module."""

from harness.common.discovery import extensions
from harness.common.errors import UserError
from harness.reporting.export.exporter import Exporter
from harness.reporting.export.gradebooks import gradebook_exporters

# Names that people try although no such format exists: the error and the hint for each.
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
    """Return every export format by name, sorted: the modules in this package and the gradebook
    platforms.
    """
    formats = extensions(__name__, __path__, Exporter, _name)
    every = sorted((*formats, *gradebook_exporters()), key=_name)
    return dict(zip(map(_name, every), every, strict=True))


def _name(exporter: Exporter) -> str:
    return exporter.name


def exporter(name: str) -> Exporter:
    """Return the format with this name. Raise UserError if there is none."""
    formats = exporters()
    if name in _NO_WAY:
        what, hint = _NO_WAY[name]
        raise UserError(what, hint=hint)
    if name not in formats:
        raise UserError(f"unknown format {name!r}", hint=f"--to {' | '.join(formats)}")
    return formats[name]
