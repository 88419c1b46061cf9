"""A run in the forms that other programs read: one module per format or gradebook."""

from __future__ import annotations

from harness.common.discovery import import_modules
from harness.common.errors import UserError
from harness.reporting.export.exporter import Exported, Exporter, ExportRequest, Marks

__all__ = ["ExportRequest", "Exported", "Exporter", "Marks", "exporter", "exporters"]


def exporters() -> dict[str, Exporter]:
    """Every format by name, sorted: the `EXPORTER` of each module beside this one, and what the
    platforms in `gradebooks` take."""
    modules = import_modules(__name__, __path__)
    found: list[Exporter] = []
    for module in modules:
        members = vars(module)
        found += [members["EXPORTER"]] if "EXPORTER" in members else []
        found += members["gradebook_exporters"]() if "gradebook_exporters" in members else ()
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def exporter(name: str) -> Exporter:
    """The format of this name; UserError when there is none."""
    known = exporters()
    if name not in known:
        raise UserError(f"there is no format {name!r}", hint=f"--to {' | '.join(known)}")
    return known[name]
