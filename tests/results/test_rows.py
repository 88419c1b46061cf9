"""What goes from a worker to the store: bounded pieces, each text once."""

from __future__ import annotations

import random
from pathlib import Path

from harness.model.observation import Observation
from harness.model.verdict import Verdict, VerdictKind
from harness.results import Packer, Piece, Store
from harness.results.reuse import PIECE_BYTES
from tests.results.small_run import observed


def noise(number: int, size: int) -> tuple[Observation, ...]:
    """A text that does not compress well."""
    data = random.Random(number).randbytes(size // 2).hex()
    return (observed(text=data),)


def size(piece: Piece) -> int:
    return sum(len(data) for _, data in piece.texts)


def test_pieces_are_bounded() -> None:
    large = {f"k{number}": noise(number, 300_000) for number in range(20)}
    pieces = list(Packer().pieces(large, {}))
    assert len(pieces) > 2
    largest = max(len(data) for piece in pieces for _, data in piece.texts)
    assert max(map(size, pieces)) < PIECE_BYTES + largest
    assert sum(len(piece.observations) for piece in pieces) == 20


def test_many_rows_are_several_pieces() -> None:
    same = (observed(),)
    pieces = list(Packer().pieces({f"k{number}": same for number in range(5000)}, {}))
    assert [len(piece.texts) for piece in pieces] == [1, 0, 0]
    assert sum(len(piece.observations) for piece in pieces) == 5000


def test_a_text_is_sent_once_by_a_packer() -> None:
    packer, same = Packer(), (observed(),)
    passed = Verdict(kind=VerdictKind.PASSED)
    (first,) = packer.pieces({"a": same, "b": same}, {"v": passed})
    (second,) = packer.pieces({"c": same}, {"w": passed})
    assert [len(first.texts), len(second.texts)] == [2, 0]
    assert list(packer.pieces({}, {})) == []


def test_what_was_added_is_there_though_its_result_never_came(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    verdict = Verdict(kind=VerdictKind.PASSED)
    with Store.open(path) as store:
        for piece in Packer().pieces({"k": (observed(),)}, {"v": verdict}):
            store.add(piece)
    with Store.open(path) as store:
        assert store.observations("k") == (observed(),)
        assert store.verdict("v") == verdict
        assert store.states() == {}
