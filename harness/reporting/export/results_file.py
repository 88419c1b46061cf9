"""`results.json` of a run with what people gave since, in its newest version or the one before."""

from __future__ import annotations

from harness.reporting.export.exporter import Exported, Exporter, ExportRequest
from harness.results import results_json, results_json_v1


def _export(request: ExportRequest) -> Exported:
    write = results_json_v1 if request.schema == 1 else results_json
    return Exported(data=write(request.run, request.plan).encode("ascii"))


EXPORTER = Exporter(
    name="json",
    help="results.json, hidden scenarios included",
    export=_export,
    may_be_anonymous=True,
)
