"""`results.json` of a run, with what people gave since."""

from __future__ import annotations

from harness.reporting.export.exporter import Exported, Exporter, ExportRequest
from harness.results import results_json


def _export(request: ExportRequest) -> Exported:
    return Exported(data=results_json(request.run, request.plan).encode("ascii"))


EXPORTER = Exporter(
    name="json",
    help="results.json, hidden scenarios included",
    export=_export,
    may_be_anonymous=True,
)
