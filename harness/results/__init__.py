"""A run's results: the store, the keys for using results again, and the exports."""

from typing import TYPE_CHECKING

from harness.common.discovery import lazy_exports
from harness.results.results_json import ResultsText, mark_string, results_json
from harness.results.reuse import (
    EmptyCache,
    Packer,
    Piece,
    ResultCache,
    encoded,
    execution_digest,
    judging_digest,
    observation_key,
    shared_key,
    verdict_key,
)
from harness.results.student_view import (
    ALWAYS,
    EVERYTHING,
    hidden_kind,
    put_together,
    student_view,
)

if TYPE_CHECKING:
    from harness.results.comparing import (
        MarkChange,
        RunComparison,
        RunSnapshot,
        ScenarioChange,
        SnapshotEntry,
        compare_runs,
        read_snapshot,
    )
    from harness.results.database import STORE_NAME, StoreReader, read_run, store_of
    from harness.results.store import Store
    from harness.results.strength_file import latest_strength, write_strength

__all__ = [
    "ALWAYS",
    "EVERYTHING",
    "STORE_NAME",
    "EmptyCache",
    "MarkChange",
    "Packer",
    "Piece",
    "ResultCache",
    "ResultsText",
    "RunComparison",
    "RunSnapshot",
    "ScenarioChange",
    "SnapshotEntry",
    "Store",
    "StoreReader",
    "compare_runs",
    "encoded",
    "execution_digest",
    "hidden_kind",
    "judging_digest",
    "latest_strength",
    "mark_string",
    "observation_key",
    "put_together",
    "read_run",
    "read_snapshot",
    "results_json",
    "shared_key",
    "store_of",
    "student_view",
    "verdict_key",
    "write_strength",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "comparing": (
            "MarkChange",
            "RunComparison",
            "ScenarioChange",
            "RunSnapshot",
            "SnapshotEntry",
            "compare_runs",
            "read_snapshot",
        ),
        "database": ("STORE_NAME", "StoreReader", "read_run", "store_of"),
        "store": ("Store",),
        "strength_file": ("latest_strength", "write_strength"),
    },
)
