"""What travels between the client and the workers: bytes of our own format (JSON), never pickles
of what a submission has made."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from harness.common import serial
from harness.common.errors import UserError
from harness.grading.engines import Job, WorkerFailure, WorkerSetup
from harness.model.assignment import SourceFile
from harness.model.expectation import AnswerKey
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
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
    plan: Plan
    key: AnswerKey
    thorough: bool
    reference: tuple[SourceFile, ...]
    secret: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerAnswer:
    """What a worker has to say of a job or a setup: it does not take part (`refused`), or the job
    ended so, after `pieces`. `worker` is its address."""

    worker: str
    refused: str = ""
    ended: SubmissionResult | WorkerFailure | None = None
    pieces: tuple[Piece, ...] = ()


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
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, MOST_SETUP + 1)
    except zlib.error as error:
        raise serial.SerialError(f"not compressed: {error}") from None
    if len(text) > MOST_SETUP or not inflater.eof:
        raise serial.SerialError("no setup of ours")
    return serial.loads(SetupMessage, text)


def pack_job(job: Job) -> bytes:
    """A submission's bytes, and what is to be run of the plan."""
    return serial.dumps(job).encode("ascii")


def unpack_job(data: bytes) -> Job:
    """The inverse; SerialError."""
    return serial.loads(Job, data)


def pack_answer(answer: WorkerAnswer) -> bytes:
    """At most about `MOST_ANSWER` bytes. What is only kept to be used again is left out where it
    does not fit; a result that does not fit is a failure of ours."""
    if not _fit(answer.pieces):
        answer = replace(answer, pieces=())
    text = serial.dumps(answer).encode("ascii")
    if len(text) > 2 * MOST_ANSWER:
        reason = f"its result of {len(text) >> 20} MiB is too large to be sent"
        return pack_answer(replace(answer, ended=WorkerFailure(reason=reason), pieces=()))
    return text


def unpack_answer(data: object) -> WorkerAnswer:
    """The inverse; SerialError for what is no answer of ours."""
    if not isinstance(data, bytes) or len(data) > 2 * MOST_ANSWER:
        raise serial.SerialError("no answer of a worker of ours")
    try:
        answer = serial.loads(WorkerAnswer, data)
    except (ValueError, RecursionError) as error:
        raise serial.SerialError(f"no answer of a worker of ours: {error}") from None
    if any(len(digest) != _DIGEST for piece in answer.pieces for digest in _digests(piece)):
        raise serial.SerialError("a digest of another length")
    return answer


def _fit(pieces: tuple[Piece, ...]) -> bool:
    return sum(len(data) for piece in pieces for _, data in piece.texts) <= MOST_ANSWER // 2


def _digests(piece: Piece) -> Iterator[bytes]:
    yield from (digest for digest, _ in piece.texts)
    yield from chain.from_iterable((*piece.observations, *piece.verdicts))
