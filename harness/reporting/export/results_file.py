"""`results.json` of a run, with what people gave since."""

from harness.reporting.export.exporter import text_exporter
from harness.results.results_json import results_json

EXPORTER = text_exporter(
    "json", "results.json, hidden scenarios included", results_json, may_be_anonymous=True
)
