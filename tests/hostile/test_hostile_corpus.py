"""Every entry of the corpus ends as its `expect.yaml` says, and harms nobody. Every layer is
needed: alone it stops an attack of the corpus that succeeds without it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from harness.common.errors import HarnessError
from harness.model.observation import Tier
from tests.hostile.hostile_attempt import HERE
from tests.hostile.hostile_entries import LAYERS, ROWS, Entry, corpus, read_expect
from tests.hostile.hostile_machine import adopting_orphans, below, end
from tests.hostile.hostile_proofs import Proof, proofs_here
from tests.hostile.hostile_stage import Stage, faults, staged


def test_it_ends_as_it_must(stage: Stage, entry: Entry) -> None:
    assert faults(entry, stage.run(entry)) == []


def test_every_row_has_an_entry() -> None:
    assert {row for entry in corpus() for row in entry.expect.rows} == set(ROWS)


def test_every_layer_stops_something() -> None:
    from_files = {entry.expect.layer for entry in corpus()}
    proven_elsewhere = {"namespaces", "uid drop"}  # what others stop too: see below
    assert from_files | proven_elsewhere == set(LAYERS)


def test_every_folder_is_an_entry() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir()}
    assert folders - {"course", "__pycache__"} == {entry.name for entry in corpus()}


@pytest.mark.parametrize(
    "text",
    [
        "rows: [1]\nwhat: x\nlayer: landlock\nverdict: failed\n",
        "rows: [1]\nwhat: x\nlayer: landlock\nverdicts: {a/b: {verdict: failed, massage: x}}\n",
        "rows: [129]\nwhat: x\nlayer: landlock\n",
        "rows: [1]\nwhat: x\nlayer: hope\n",
        "rows: [1]\nwhat: x\nlayer: landlock\nverdicts: {a/b: fine}\n",
        "rows: [1]\nwhat: x\nlayer: landlock\nproblem: '('\n",
    ],
)
def test_an_unknown_key_or_word_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        read_expect(text)


ALONE = ("landlock", "seccomp")
NOT_HERE = {"name_service"}  # fails without a name server too
if os.geteuid() != 0:
    NOT_HERE.add("types_into_terminal")  # the kernel lets root alone type into another's terminal


@pytest.fixture(scope="module")
def bare_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(Tier.PORTABLE, tmp_path_factory.mktemp("bare") / "course") as running:
        yield running


@pytest.mark.parametrize("proof", proofs_here(), ids=lambda each: f"{each.layer}-{each.entry}")
def test_only_this_layer_stops_the_attack(proof: Proof, bare_stage: Stage) -> None:
    assert not proof.succeeds(bare_stage, True)
    assert proof.succeeds(bare_stage, False)


@pytest.mark.parametrize("layer", ALONE)
def test_an_entry_is_stopped_by_the_layer_it_names(layer: str, tmp_path: Path) -> None:
    named = [each for each in corpus() if each.expect.layer == layer and each.name not in NOT_HERE]
    assert _succeeding(named, frozenset({layer}), tmp_path) == []
    assert _succeeding(named, frozenset(), tmp_path) == [each.name for each in named]


def _succeeding(entries: list[Entry], layers: frozenset[str], folder: Path) -> list[str]:
    """Those that do not end as they must under these layers; what they leave is ended."""
    succeeding: list[str] = []
    with adopting_orphans():
        before = below(os.getpid())
        waiting = list(entries)
        while waiting:  # a new stage after one whose server was killed
            course = folder / f"{waiting[0].name}-{len(layers)}"
            with staged(Tier.STANDARD, course, layers) as stage:
                servers = below(os.getpid())
                while waiting:
                    entry = waiting.pop(0)
                    try:
                        succeeding += [entry.name] * bool(faults(entry, stage.run(entry)))
                    except HarnessError:  # the server was killed
                        succeeding.append(entry.name)
                        break
                    end(below(os.getpid()) - servers)
            end(below(os.getpid()) - before)
    return succeeding
