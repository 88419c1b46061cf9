"""The tiers: what each prevents, which one is chosen, and what happens where one is refused. A
confinement layer is one new file: it belongs to its tiers and is in force in a scenario.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.execution import (
    Driver,
    Interpreter,
    TierTrial,
    choose_tier,
    find_interpreter,
    remedies,
    tier_layers,
    try_tier,
)
from harness.execution.confinement import Confinement, layers, probe
from harness.model.observation import Tier
from tests.conftest import Added, TryTier
from tests.execution import children
from tests.execution.small_world import call, observe, plain

CONFINING = [Tier.STRONG, Tier.STANDARD]
PATIENCE = 60
Log = pytest.LogCaptureFixture


@pytest.mark.parametrize("tier", CONFINING, indirect=True)
def test_a_confining_tier_prevents_every_forbidden_act(
    interpreter: Interpreter, tier: Tier, try_once: TryTier
) -> None:
    trial = try_once(interpreter, tier)
    assert trial.shortcoming == ""
    assert len(trial.probes) == 36
    assert [probe.name for probe in trial.probes if not probe.prevented] == []
    assert trial.input_mechanism == "kernel notification"
    assert trial.not_prevented.startswith("A submission can still read the Python installation")


def test_the_probes_tell_what_portable_allows(interpreter: Interpreter, try_once: TryTier) -> None:
    trial = try_once(interpreter, Tier.PORTABLE)
    assert trial.shortcoming == ""
    assert {probe.name for probe in trial.probes if not probe.prevented} >= {
        "read a file outside", "write a file outside", "signal the driver", "start a process",
        "run a program", "open a TCP socket", "connect to a Unix socket", "open a terminal",
    }  # fmt: skip
    assert trial.not_prevented.startswith("Only for self-checks, marks are not secure")


READS = """
import os
import kept
def f():
    with open(kept.__file__) as file:
        file.read()
    return os.stat(kept.__file__).st_atime == 0
"""


@pytest.mark.parametrize(("tier", "is_kept"), [(Tier.STRONG, True), (Tier.PORTABLE, False)])
def test_in_its_own_namespaces_reading_leaves_no_time_of_access(
    interpreter: Interpreter, tier: Tier, is_kept: bool, strong_here: bool, tmp_path: Path
) -> None:
    if tier is Tier.STRONG and not strong_here:
        pytest.skip("bubblewrap is not installed")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    module = tmp_path / "kept.py"
    module.write_text("")
    module.chmod(0o644)
    os.utime(module, (0, 0))
    if not is_kept and not _is_noted(module):
        pytest.skip("this file system keeps no times of access")
    with Driver(replace(interpreter, library=tmp_path), tier) as driver:
        assert plain(observe(driver, READS, call("f()")).value) == str(is_kept)


def _is_noted(file: Path) -> bool:
    """Whether reading a file changes its time of access; it has that of before again."""
    file.read_bytes()
    noted = file.stat().st_atime != 0
    os.utime(file, (0, 0))
    return noted


def test_the_temporary_directory_may_have_a_long_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, try_once: TryTier
) -> None:
    interpreter = find_interpreter("3.12")

    def outcomes(attempt: TryTier, tier: Tier) -> list[tuple[str, bool]]:
        return [(probe.name, probe.prevented) for probe in attempt(interpreter, tier).probes]

    place = tmp_path / ("x" * 120)
    place.mkdir()
    for tier in (Tier.STANDARD, Tier.PORTABLE):
        usual = outcomes(try_once, tier)
        with monkeypatch.context() as patch:
            patch.setattr("tempfile.tempdir", str(place))
            assert outcomes(try_tier, tier) == usual


def test_a_log_tells_the_trial_of_a_tier_from_what_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Log
) -> None:
    interpreter = find_interpreter("3.12")
    caplog.set_level("INFO", "harness.execution")
    try_tier(interpreter, Tier.PORTABLE)
    first, *processes, last = caplog.messages
    assert first == "trying the portable tier, with a program of the harness"
    assert last == "the portable tier holds"
    assert processes[0].startswith("observing ")
    caplog.clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    try_tier(interpreter, Tier.STRONG)
    assert caplog.messages == [
        "trying the strong tier, with a program of the harness",
        "the strong tier does not hold: bubblewrap (bwrap) is not installed",
    ]


def test_the_best_tier_is_chosen(
    strong_here: bool, monkeypatch: pytest.MonkeyPatch, try_once: TryTier
) -> None:
    monkeypatch.setattr(probe, "try_tier", try_once)
    interpreter = find_interpreter("3.12")
    best = Tier.STRONG if strong_here else Tier.STANDARD
    for require in (None, Tier.PORTABLE, Tier.STANDARD, best):
        assert choose_tier(interpreter, require).tier is best


MASKED_EQUAL, NEW_LISTENER, NEW_USER, NEW_MOUNTS = 7, 8, 0x10000000, 0x20000
NO_NAMESPACES = [
    ["unshare"],
    ["clone", [0, MASKED_EQUAL, NEW_USER, NEW_USER]],
    ["clone", [0, MASKED_EQUAL, NEW_MOUNTS, NEW_MOUNTS]],
]


def restricted(
    *refused: list[object],
    code: str = "EPERM",
    requires: tuple[Tier, ...] = (Tier.STANDARD,),
    path: str = os.environ["PATH"],
) -> dict[str, Any]:
    return answer(children.restrict, refused, code, requires, path)


def answer(work: Callable[..., None], *arguments: object) -> Any:
    """What a process sends that is made anew."""
    process, told = children.start(work, *arguments)
    sent = told.recv()
    process.join()
    return sent


def test_where_namespaces_are_refused_the_standard_tier_is_chosen(strong_here: bool) -> None:
    said = restricted(*NO_NAMESPACES, requires=(Tier.STRONG, Tier.STANDARD))
    assert said["chosen"]["standard"] == "standard"
    assert said["shortcomings"]["standard"] == ""
    if strong_here:
        assert "bwrap: " in said["shortcomings"]["strong"]
        assert [line.split(":")[0] for line in said["remedies"]] == ["for the strong tier"]
    refused = "the strong tier is required, but does not work"
    assert said["chosen"]["strong"].startswith(refused)


def test_without_bubblewrap_the_standard_tier_is_chosen(tmp_path: Path) -> None:
    said = restricted(path=str(tmp_path))
    assert said["chosen"]["standard"] == "standard"
    assert said["shortcomings"]["strong"] == "bubblewrap (bwrap) is not installed"
    assert said["remedies"] == ["for the strong tier: install the package bubblewrap"]


@pytest.mark.parametrize(
    ("refused", "code", "reason"),
    [
        (["landlock_create_ruleset"], "ENOSYS", "it needs Landlock ABI 3, this kernel has 0"),
        pytest.param(
            ["landlock_restrict_self"],
            "EPERM",
            "ConfinementError: landlock: Operation not perm",
            marks=pytest.mark.release,
        ),
        (["seccomp"], "EPERM", "ConfinementError: seccomp: Operation not permitted"),
        pytest.param(
            ["prctl", [0, 4, 36]],
            "EINVAL",
            "ConfinementError: prctl 36: Invalid argument",
            marks=pytest.mark.release,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value[0]),
)
def test_a_tier_that_a_machine_refuses_fails_closed(
    refused: list[object], code: str, reason: str, strong_here: bool
) -> None:
    said = restricted(refused, code=code, requires=(Tier.STANDARD, Tier.PORTABLE))
    assert reason in said["shortcomings"]["standard"]
    assert reason in said["shortcomings"]["strong"] or not strong_here
    none = "the standard tier is required, but does not work"
    assert said["chosen"]["standard"].startswith(none)
    assert said["remedies"][0].startswith("for the standard tier: ")
    if refused != ["prctl", [0, 4, 36]]:
        assert said["chosen"]["portable"] == "portable"


def test_where_the_kernel_may_not_tell_of_reads_a_stand_in_does(strong_here: bool) -> None:
    said = restricted(["seccomp", [1, MASKED_EQUAL, NEW_LISTENER, NEW_LISTENER]], code="EBUSY")
    assert said["shortcomings"]["standard"] == ""
    assert said["input"]["standard"] == "standard input stand-in"
    assert said["chosen"]["standard"] == ("strong" if strong_here else "standard")
    assert said["remedies"][-1].startswith("the kernel does not report reads here")


@pytest.mark.parametrize("only_root", [False, True])
def test_the_tiers_hold_under_tight_limits(
    only_root: bool, strong_here: bool, why_not_strong: str
) -> None:
    if only_root and not strong_here:
        pytest.skip(f"no strong tier here: {why_not_strong}")
    strong, standard, portable = answer(children.tighten, only_root)
    assert (standard, portable) == ("", "")
    assert strong == "" or not strong_here


def test_possible_improvements_are_named() -> None:
    assert remedies([TierTrial(tier=tier) for tier in Tier]) == ()


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
def toy(added: Added) -> None:
    added(layers, "small_queue", TOY)


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
    with pytest.raises(ValueError, match="unknown confinement layer landlok, secomp"):
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
