"""What runs inside the limited process: one JSON text in, one out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.model import serial
from harness.model.policy import Policy
from harness.policy.check import NamedBytes, check


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file to check. (`SourceFile` lives beside the whole plan, which takes long to load.)"""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be checked against what."""

    files: tuple[File, ...]
    policy: Policy | None = None


def payload(files: Sequence[NamedBytes], policy: Policy | None) -> str:
    """The text that `run` takes."""
    plain = tuple(File(name=file.name, data=file.data) for file in files)
    return serial.dumps(Request(files=plain, policy=policy))


def run(request: str) -> str:
    """A `Request` as JSON in, a `PolicyReport` as JSON out; SerialError for anything else."""
    asked = serial.loads(Request, request)
    return serial.dumps(check(asked.files, asked.policy))
