"""A confinement layer is one new file: it belongs to its tiers and is in force in a scenario."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.execution import Driver, Interpreter, tier_layers
from harness.execution.confinement import Confinement, layers
from harness.model.observation import Tier
from tests.conftest import Added
from tests.execution.small_world import call, observe, plain

TOY = """
from harness.execution.confinement.layers import Layer, ServerSetup
from harness.model.observation import Tier

class SmallQueue(Layer):
    name = "small_queue"
    tiers = frozenset({Tier.STANDARD, Tier.PORTABLE})

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.rlimits.append(("RLIMIT_MSGQUEUE", 4321))
"""
READS_LIMIT = """
import resource
def f():
    return resource.getrlimit(resource.RLIMIT_MSGQUEUE)[0]
"""
KNOWN = {
    "namespaces": {Tier.STRONG},
    "user": {Tier.STRONG, Tier.STANDARD},
    "landlock": {Tier.STRONG, Tier.STANDARD},
    "seccomp": {Tier.STRONG, Tier.STANDARD},
    "rlimits": set(Tier),
    "undumpable": set(Tier),
    "subreaper": set(Tier),
    "die_with_parent": set(Tier),
}


@pytest.fixture
def toy(added: Added) -> Iterator[None]:
    added(layers, "small_queue", TOY)
    layers.known_layers.cache_clear()
    yield
    layers.known_layers.cache_clear()


def limit(interpreter: Interpreter, tier: Tier, names: frozenset[str] | None = None) -> str:
    with Driver(interpreter, tier, layers=names) as driver:
        observation = observe(driver, READS_LIMIT, call("f()"))
    return plain(observation.value)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("tier", [Tier.STANDARD, Tier.PORTABLE])
def test_a_new_layer_is_in_force_in_its_tiers(interpreter: Interpreter, tier: Tier) -> None:
    assert limit(interpreter, tier) == "4321"
    assert limit(interpreter, tier, tier_layers(tier) - {"small_queue"}) != "4321"
    assert "small_queue" not in tier_layers(Tier.STRONG)


def test_the_layers_that_are_known() -> None:
    assert [each.name for each in layers.known_layers()] == list(KNOWN)
    for tier in Tier:
        assert tier_layers(tier) == {name for name, tiers in KNOWN.items() if tier in tiers}


def test_a_name_without_a_layer_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no confinement layer landlok, secomp"):
        Confinement(frozenset({"landlok", "secomp", "rlimits"}))


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("order", "says"),
    [("", "the place of SmallQueue is taken"), ("\n    order = 1", "the same name")],
)
def test_two_layers_cannot_have_one_name(order: str, says: str, added: Added) -> None:
    again = TOY.replace("SmallQueue", "Again").replace('"small_queue"', f'"small_queue"{order}')
    added(layers, "again", again)
    with pytest.raises(ValueError, match=says):
        layers.known_layers()
