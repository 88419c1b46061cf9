"""What travels between the client and the workers: bytes of our own format (JSON), never pickles
of what a submission has made."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.common import serial
from harness.common.errors import UserError
from harness.grading.engines import Job, WorkerFailure, WorkerSetup
from harness.grading.grader import Graded
from harness.model.assignment import SourceFile
from harness.model.observation import Tier
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.results.reuse import Piece

MOST_SETUP = 50 << 20  # bytes of plan, answer key and reference
MOST_ANSWER = 16 << 20  # bytes of what is found of one submission
_DIGEST = 16  # bytes of a key, and of a text's digest


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupMessage:
    """A `WorkerSetup` without what a worker has of its own. `harness` is the client's
    `described()`, `python` and `build` its interpreter's."""

    harness: str
    python: str
    build: str
    tier: Tier
    plan: str
    key: str
    thorough: bool
    reference: tuple[SourceFile, ...]
    secret: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerAnswer:
    """What a worker has to say of a job or a setup: it does not take part (`refused`), or the job
    ended so, after `pieces`. `worker` is its address."""

    worker: str
    refused: str = ""
    ended: Graded | WorkerFailure | None = None
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _JobMessage:
    submission: Submission
    only: tuple[str, ...] | None = None


def pack_setup(setup: WorkerSetup, harness: str) -> bytes:
    """UserError for one that is too large to be sent to every worker."""
    message = SetupMessage(
        harness=harness,
        python=setup.interpreter.version,
        build=setup.interpreter.build,
        tier=setup.tier,
        plan=setup.plan,
        key=setup.key,
        thorough=setup.thorough,
        reference=setup.reference,
        secret=setup.secret or b"",
    )
    text = serial.dumps(message).encode("ascii")
    if len(text) > MOST_SETUP:
        raise UserError(
            f"plan and answer key are {len(text) >> 20} MiB, and a cluster takes "
            f"{MOST_SETUP >> 20} MiB",
            hint="grade without --scheduler, or use fewer draws and smaller provided files",
        )
    return zlib.compress(text, 6)


def unpack_setup(data: bytes) -> SetupMessage:
    """The inverse; SerialError."""
    return serial.loads(SetupMessage, _inflated(data))


def pack_job(job: Job) -> bytes:
    """A submission's bytes, and what is to be run of the plan."""
    only = None if job.only is None else tuple(sorted(job.only))
    return serial.dumps(_JobMessage(submission=job.submission, only=only)).encode("ascii")


def unpack_job(data: bytes) -> Job:
    """The inverse; SerialError."""
    message = serial.loads(_JobMessage, data)
    only = None if message.only is None else frozenset(message.only)
    return Job(submission=message.submission, only=only)


def pack_answer(answer: WorkerAnswer) -> bytes:
    """At most about `MOST_ANSWER` bytes. What is only kept to be used again is left out where it
    does not fit; a result that does not fit is a failure of ours."""
    pieces = _fitting(answer.pieces)
    plain: dict[str, Any] = {"worker": answer.worker, "refused": answer.refused}
    ended = answer.ended
    if isinstance(ended, WorkerFailure):
        plain["failed"] = {"id": ended.submission_id, "reason": ended.reason}
    elif ended is not None:
        plain["graded"] = {"result": serial.to_plain(ended.result)}
        plain["pieces"] = [_plain_piece(piece) for piece in pieces]
    text = json.dumps(plain, separators=(",", ":")).encode("ascii")
    if len(text) > 2 * MOST_ANSWER and isinstance(ended, Graded):
        reason = f"its result of {len(text) >> 20} MiB is too large to be sent"
        failure = WorkerFailure(submission_id=ended.result.id, reason=reason)
        return pack_answer(WorkerAnswer(worker=answer.worker, ended=failure))
    return text


def unpack_answer(data: object) -> WorkerAnswer:
    """The inverse; SerialError for what is no answer of ours."""
    if not isinstance(data, bytes) or len(data) > 2 * MOST_ANSWER:
        raise serial.SerialError("no answer of a worker of ours")
    try:
        plain = json.loads(data)
        ended: Graded | WorkerFailure | None = None
        if "failed" in plain:
            failed = plain["failed"]
            ended = WorkerFailure(submission_id=str(failed["id"]), reason=str(failed["reason"]))
        elif "graded" in plain:
            result = serial.from_plain(SubmissionResult, plain["graded"]["result"])
            ended = Graded(result=result, observations={}, verdicts={})
        return WorkerAnswer(
            worker=str(plain["worker"]),
            refused=str(plain["refused"]),
            ended=ended,
            pieces=tuple(_piece(each) for each in plain.get("pieces", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise serial.SerialError(f"no answer of a worker of ours: {error}") from None


def _fitting(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    size = sum(len(data) for piece in pieces for _, data in piece.texts)
    return tuple(pieces) if size <= MOST_ANSWER // 2 else ()


def _plain_piece(piece: Piece) -> dict[str, Any]:
    return {
        "texts": [[_text(digest), _text(data)] for digest, data in piece.texts],
        "observations": _text(b"".join(map(b"".join, piece.observations))),
        "verdicts": _text(b"".join(map(b"".join, piece.verdicts))),
    }


def _piece(plain: dict[str, Any]) -> Piece:
    return Piece(
        texts=tuple((_bytes(digest, _DIGEST), _bytes(data)) for digest, data in plain["texts"]),
        observations=tuple(_rows(plain["observations"])),
        verdicts=tuple(_rows(plain["verdicts"])),
    )


def _rows(text: str) -> Iterable[tuple[bytes, bytes]]:
    data = _bytes(text)
    if len(data) % (2 * _DIGEST):
        raise ValueError("a row is cut off")
    for start in range(0, len(data), 2 * _DIGEST):
        middle = start + _DIGEST
        yield data[start:middle], data[middle : middle + _DIGEST]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str, length: int | None = None) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
    if length is not None and len(data) != length:
        raise ValueError("a digest of another length")
    return data


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, MOST_SETUP + 1)
    except zlib.error as error:
        raise serial.SerialError(f"not compressed: {error}") from None
    if len(text) > MOST_SETUP or not inflater.eof:
        raise serial.SerialError("no setup of ours")
    return text
