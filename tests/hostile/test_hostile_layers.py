"""Every layer is needed: alone it stops an attack of the corpus that succeeds without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hostile_proofs import Proof, proofs_here
from hostile_stage import Stage, staged

from harness.model.result import Tier


@pytest.fixture(scope="module")
def bare_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("bare")
    folder.chmod(0o755)
    with staged(Tier.PORTABLE, folder / "course") as running:
        yield running


@pytest.mark.parametrize("proof", proofs_here(), ids=lambda each: f"{each.layer}-{each.entry}")
def test_the_attack_is_stopped_by_the_layer_alone(proof: Proof, bare_stage: Stage) -> None:
    assert not proof.succeeds(bare_stage, True)
    assert proof.succeeds(bare_stage, False)
