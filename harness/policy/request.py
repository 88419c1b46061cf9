"""The request to the limited process: the files to check, and the policy to check them against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.common import serial
from harness.model.policy import Policy


class NamedBytes(Protocol):
    """A `SourceFile`, or anything else with a file's name and bytes."""

    @property
    def name(self) -> str:
        """The file's name, without folders."""

    @property
    def data(self) -> bytes:
        """The file's bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file to check. (`SourceFile` lives beside the whole plan, which takes long to load.)"""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Files as they are imported: the submission's, and the course's beside them."""

    submitted: tuple[File, ...]
    provided: tuple[File, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """What is to be checked against what, and the `program` that may share a process."""

    files: tuple[File, ...]
    policy: Policy | None = None
    program: Program | None = None


def payload(
    files: Sequence[NamedBytes], policy: Policy | None, program: Program | None = None
) -> str:
    """The text that `harness.policy.checking.run` takes."""
    return serial.dumps(PolicyRequest(files=plain(files), policy=policy, program=program))


def plain(files: Sequence[NamedBytes]) -> tuple[File, ...]:
    """These files as a request holds them."""
    return tuple(File(name=file.name, data=file.data) for file in files)
