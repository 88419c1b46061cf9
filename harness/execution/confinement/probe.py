"""Tests a tier by trying the forbidden acts in it, because settings prove nothing.

Also names the packages and settings that would improve confinement on this machine.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from harness.common.errors import HarnessError, UserError
from harness.common.escaping import visible
from harness.common.logs import logger_of
from harness.execution.confinement import NOT_PREVENTED, Confinement, tier_layers
from harness.execution.confinement.layers.namespaces import Namespaces
from harness.execution.confinement.layers.seccomp import Seccomp
from harness.execution.folder import scratch_directory
from harness.execution.interpreter import Interpreter
from harness.execution.runner import has_terminals
from harness.model.assignment import Assignment, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.observation import Ending, Observation, Probe, Tier
from harness.model.stimulus import Limits, Stimulus, Typed
from harness.stimuli.call import Call

if TYPE_CHECKING:
    from harness.execution.linux.driver import Driver

_log = logger_of(__name__)
_CANARY = "the canary sings"
_LIMITS = Limits(cpu_seconds=5.0, wall_seconds=5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierTrial:
    """The result of trying a tier on this machine.

    `shortcoming` says why the tier does not hold; empty if it holds. `probes` is empty if no act
    could be tried. `input_mechanism` is how the harness notices that a program wants to read.
    """

    tier: Tier
    shortcoming: str = ""
    probes: tuple[Probe, ...] = ()
    input_mechanism: str = ""

    @property
    def not_prevented(self) -> str:
        """Return one sentence about the acts that this tier cannot prevent."""
        return NOT_PREVENTED[self.tier]


def choose_tier(interpreter: Interpreter, require: Tier | None = None) -> TierTrial:
    """Return the best tier under which every forbidden act failed.

    Raise UserError, naming the missing layers, if that tier is worse than `require`.
    """
    shortcomings: list[str] = []
    for tier in Tier:
        trial = try_tier(interpreter, tier)
        if not trial.shortcoming:
            return trial
        shortcomings.append(f"{tier}: {trial.shortcoming}")
        if tier is require:
            raise UserError(
                f"the {tier} tier is required, but does not work on this machine: "
                + "; ".join(shortcomings),
                hint="see `harness doctor`, or ask for a weaker one with --require-tier.",
            )
    raise HarnessError("no tier works on this machine: " + "; ".join(shortcomings))


def try_tier(interpreter: Interpreter, tier: Tier) -> TierTrial:
    """Try every forbidden act under one tier. The portable tier holds in any case."""
    _log.info("trying the %s tier, with a program of the harness", tier)
    trial = _trial(interpreter, tier)
    if trial.shortcoming:
        _log.info("the %s tier does not hold: %s", tier, visible(trial.shortcoming))
    else:
        _log.info("the %s tier holds", tier)
    return trial


def _trial(interpreter: Interpreter, tier: Tier) -> TierTrial:
    if not has_terminals():
        if tier is not Tier.PORTABLE:
            return TierTrial(tier=tier, shortcoming="it needs Linux")
        return TierTrial(tier=tier, input_mechanism="standard input stand-in, over pipes")
    from harness.execution.linux.driver import Driver  # noqa: PLC0415  (needs terminals)

    confinement = Confinement(tier_layers(tier))
    if shortcoming := confinement.unavailable():
        return TierTrial(tier=tier, shortcoming=shortcoming)
    for notify in (True, False) if confinement.confined else (False,):
        try:
            with Driver(interpreter, tier, notify=notify) as driver:
                probes, hears = _probe(driver)
        except HarnessError as error:
            shortcoming = str(error)
            continue
        if not hears:
            shortcoming = "typed input did not arrive"
            continue
        escaped = ", ".join(probe.name for probe in probes if not probe.prevented)
        return TierTrial(
            tier=tier,
            shortcoming=f"not prevented: {escaped}" if escaped and confinement.confined else "",
            probes=probes,
            input_mechanism="kernel notification" if notify else "standard input stand-in",
        )
    return TierTrial(tier=tier, shortcoming=shortcoming)


def _probe(driver: Driver) -> tuple[tuple[Probe, ...], bool]:
    """Try every act, and check whether typed input arrives."""
    with scratch_directory() as place:
        place.chmod(0o755)
        canary = place / "canary"
        canary.write_text(_CANARY, "utf-8")
        canary.chmod(0o644)
        reached = os.open(place, os.O_PATH | os.O_DIRECTORY)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
                # The folder's own name may be longer than the name of a socket may be.
                listening.bind(f"/proc/self/fd/{reached}/socket")
                (place / "socket").chmod(0o777)
                listening.listen(1)
                return _probe_from(driver, place)
        finally:
            os.close(reached)


def _probe_from(driver: Driver, place: Path) -> tuple[tuple[Probe, ...], bool]:
    facts = f"PLACE = {str(place)!r}\nDRIVER = {os.getpid()}\n"
    acts = resources.files("harness.execution.confinement").joinpath("forbidden_acts.py")
    source = SourceFile(name="acts.py", data=(facts + acts.read_text("utf-8")).encode())
    assignment = _assignment(source.name, "names", "act", "read_line")
    with driver.submission(assignment, (source,)) as server:
        if (names := server.observe(_call("names()"), _LIMITS).value) is None:
            raise HarnessError("the standard library cannot be imported by a confined process")
        probes = tuple(
            _judged(name.text, server.observe(_call(f"act({name.text!r})"), _LIMITS))
            for name in names.items
        )
    with driver.submission(assignment, (source,)) as server:  # the first one was ended, then
        typed = server.observe(replace(_call("read_line()"), inputs=(Typed(text="yes"),)), _LIMITS)
    return probes, typed.value is not None and typed.value.text == "yes"


def _call(expression: str) -> Stimulus:
    return Stimulus(action=Call(expression=expression))


def _judged(name: str, observation: Observation) -> Probe:
    """Convert an act's observation to a result.

    The act succeeded if it returned, or if its process became another program.
    """
    if observation.raised is None:
        has_crashed = observation.ending is Ending.CRASHED
        return Probe(name=name, prevented=has_crashed, detail=observation.detail)
    # Paths differ every time.
    message, _, _ = observation.raised.message.partition(": '")
    return Probe(name=name, prevented=True, detail=f"{observation.raised.type_name}: {message}")


def _assignment(file: str, *functions: str) -> Assignment:
    return Assignment(
        id="probe",
        title="Probe",
        course="",
        python="3.11",
        submission_files=(file,),
        laid_as=None,
        functionality_marks=Fraction(0),
        limits=_LIMITS,
        policy=None,
        clauses=(),
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in functions),
        variants=(ProvidedVariant(constants=(), files=()),),
    )


_PROGRAM = SourceFile(name="sums.py", data=b"def add(a, b):\n    return a + b\n")


def try_together(interpreter: Interpreter, tier: Tier) -> str:
    """Return why two calls of a plain function could not run in one process under this tier.

    The text is empty if they could. Otherwise every scenario gets its own process, which is correct
    but slower.
    """
    if not has_terminals():
        return "it needs Linux"
    from harness.execution.linux.driver import Driver  # noqa: PLC0415  (needs terminals)

    try:
        with (
            Driver(interpreter, tier) as driver,
            driver.submission(_assignment(_PROGRAM.name, "add"), (_PROGRAM,)) as server,
        ):
            (group,) = server.group({n: (_call(f"add({n}, 2)"), _LIMITS) for n in range(2)})
            outcome = server.observe_together(group, list(group.jobs))
    except HarnessError as failure:
        return str(failure)
    missing = "" if set(outcome.answers) == set(group.jobs) else "not every answer came back"
    return outcome.refused or missing


_SETTINGS = (
    ("user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
    ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0 (or give bwrap an AppArmor profile)",
    ),
)


def remedies(trials: Sequence[TierTrial]) -> tuple[str, ...]:
    """Return one line for each thing that the trials of all tiers found missing."""
    if not sys.platform.startswith("linux") or not has_terminals():
        return ("grade on Linux: the harness cannot confine programs on this system",)
    failed = {trial.tier for trial in trials if trial.shortcoming}
    lines: list[str] = []
    if Tier.STANDARD in failed:
        lines.append(_NO_SECCOMP if Seccomp().unavailable() else _NO_LANDLOCK)
    elif Tier.STRONG in failed:  # it has all of the standard tier in it
        refused = [fix for name, value, fix in _SETTINGS if _setting(name) == value]
        if Namespaces().unavailable():
            lines.append(_NO_BUBBLEWRAP)
        else:
            lines += [f"for the strong tier: sysctl -w {fix}" for fix in refused]
            lines += [] if refused else [_NO_NAMESPACES]
    if any(trial.input_mechanism.startswith("standard input") for trial in trials[:-1]):
        lines.append(
            "the kernel does not report reads here, probably because a container runtime uses "
            "that channel: a program that does not read through sys.stdin gets no input"
        )
    return tuple(lines)


_NO_SECCOMP = (
    "for the standard tier: install libseccomp (Debian, Ubuntu: libseccomp2; elsewhere "
    "libseccomp) and the Python package pyseccomp"
)
_NO_LANDLOCK = (
    "for the standard tier: use Linux 6.2 or later with the Landlock security module (the boot "
    "option lsm=landlock,… adds it). A container also needs a runtime that allows Landlock and "
    "seccomp filters"
)
_NO_BUBBLEWRAP = "for the strong tier: install the package bubblewrap"
_NO_NAMESPACES = (
    "for the strong tier: allow bubblewrap to create namespaces. Few containers do: grade on the "
    "host itself, or use the standard tier"
)


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text("ascii").strip()
    except OSError:
        return ""
