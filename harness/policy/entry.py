"""What runs inside the limited process: one JSON text in, one out."""

from __future__ import annotations

from harness.model import serial
from harness.policy.asking import Request
from harness.policy.checking import check


def run(request: str) -> str:
    """A `Request` as JSON in, a `PolicyReport` as JSON out; SerialError for anything else."""
    asked = serial.loads(Request, request)
    return serial.dumps(check(asked.files, asked.policy))
