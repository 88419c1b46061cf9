"""A run's results: the store, the keys for using what is stored again, and the ways out of it."""

from harness.results.keys import observation_key, verdict_key
from harness.results.reader import StoreReader
from harness.results.results_json import mark_string, results_json
from harness.results.store import Store
from harness.results.student_view import student_view

__all__ = [
    "Store",
    "StoreReader",
    "mark_string",
    "observation_key",
    "results_json",
    "student_view",
    "verdict_key",
]
