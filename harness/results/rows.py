"""What observations and verdicts are stored as: each text once, found by its digest.

Most submissions do the same on most scenarios. A row of a submission is a key and the digest of a
text; a text that many share is sent and stored once.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from harness.common import serial
from harness.model.observation import Ending, Observation
from harness.model.verdict import Verdict, VerdictKind

PIECE_BYTES = 1 << 20  # of compressed texts; one text alone may be larger
PIECE_ROWS = 2048
_DIGEST_BYTES = 16
_MOST_SENT = 200_000  # digests to remember: 20 MB

# Never used again: these say as much about the machine at that moment as about the submission.
_TRANSIENT_ENDINGS = frozenset(
    {Ending.TIMEOUT, Ending.HARNESS_ERROR, Ending.STOPPED_EARLY, Ending.STAND_IN_FAILED}
)
_TRANSIENT_KINDS = frozenset(
    {VerdictKind.TIMEOUT, VerdictKind.HARNESS_ERROR, VerdictKind.STOPPED_EARLY}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Part of what a submission's grading found: new texts by digest, compressed, and rows of a key
    and a text's digest."""

    texts: tuple[tuple[bytes, bytes], ...] = ()
    observations: tuple[tuple[bytes, bytes], ...] = ()
    verdicts: tuple[tuple[bytes, bytes], ...] = ()


def row_key(key: str) -> bytes:
    """A key as it is stored: 16 bytes."""
    return _digest(key.encode())


def encoded(found: tuple[Observation, ...] | Verdict) -> bytes:
    """The text of a scenario's observations or of a verdict; without the time that they took, which
    differs from run to run and is never judged."""
    if isinstance(found, Verdict):
        return serial.dumps(found).encode("ascii")
    timeless = tuple(replace(each, cpu_seconds=0.0) for each in found)
    return serial.dumps(timeless, kind=tuple[Observation, ...]).encode("ascii")


def _may_be_used_again(found: tuple[Observation, ...] | Verdict) -> bool:
    if isinstance(found, Verdict):
        return found.kind not in _TRANSIENT_KINDS
    return not any(observation.ending in _TRANSIENT_ENDINGS for observation in found)


class Packer:
    """Packs rows into pieces of bounded size. A text goes out once, with the first row that needs
    it: the caller must store all of one packer, in their order."""

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def pieces(
        self,
        observations: Mapping[str, tuple[Observation, ...]],
        verdicts: Mapping[str, Verdict],
    ) -> Iterator[Piece]:
        """Rows by their keys, as pieces of at most about `PIECE_BYTES`. What says as much about the
        machine at that moment as about the submission is left out."""
        texts: list[tuple[bytes, bytes]] = []
        seen: list[tuple[bytes, bytes]] = []
        judged: list[tuple[bytes, bytes]] = []
        size = 0
        for found, rows in ((observations, seen), (verdicts, judged)):
            for key, value in found.items():
                if not _may_be_used_again(value):
                    continue
                text = encoded(value)
                digest = _digest(text)
                if digest not in self._sent:
                    data = compress(text)
                    self._remember(digest)
                    texts.append((digest, data))
                    size += len(data)
                rows.append((row_key(key), digest))
                if size >= PIECE_BYTES or len(seen) + len(judged) >= PIECE_ROWS:
                    yield _piece(texts, seen, judged)
                    texts.clear()
                    seen.clear()
                    judged.clear()
                    size = 0
        if seen or judged:
            yield _piece(texts, seen, judged)

    def _remember(self, digest: bytes) -> None:
        if len(self._sent) >= _MOST_SENT:
            self._sent.clear()  # then some go out twice, which changes nothing
        self._sent.add(digest)


def compress(text: bytes) -> bytes:
    """The text as it is stored."""
    return zlib.compress(text, 6)


def _piece(
    texts: list[tuple[bytes, bytes]],
    observations: list[tuple[bytes, bytes]],
    verdicts: list[tuple[bytes, bytes]],
) -> Piece:
    return Piece(texts=tuple(texts), observations=tuple(observations), verdicts=tuple(verdicts))


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()
