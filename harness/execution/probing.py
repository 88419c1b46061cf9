"""Tries what a submission must not be able to do, under a tier, rather than trusting settings."""

from __future__ import annotations

import os
import socket
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path

from harness.execution.driver import Driver
from harness.execution.interpreter import Interpreter
from harness.execution.tiers import LAYERS, NOT_PREVENTED, Confinement
from harness.model.errors import HarnessError, UserError
from harness.model.observation import Ending, Observation
from harness.model.plan import Assignment, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.result import Probe, Tier
from harness.model.stimulus import Call, Limits, Stimulus, Typed

_BEST_FIRST = (Tier.STRONG, Tier.STANDARD, Tier.PORTABLE)
_CANARY = "the canary sings"
_LIMITS = Limits(cpu_seconds=5.0, wall_seconds=5.0)

FORBIDDEN = {
    "read a file outside": "read_file",
    "list a folder outside": "list_folder",
    "read the driver's memory": "read_memory",
    "read the driver's environment": "read_environment",
    "trace the driver": "trace",
    "signal the driver": "signal",
    "change the driver's limits": "change_limits",
    "change the driver's priority": "change_priority",
    "start a process": "start_process",
    "start a thread": "start_thread",
    "run a program": "run_program",
    "open a UDP socket": "open_udp",
    "open a TCP socket": "open_tcp",
    "connect to a Unix socket": "open_unix",
    "write a file outside": "write_file",
    "write a file in its folder": "write_here",
    "open a terminal": "open_terminal",
    "type into its terminal": "type_into_terminal",
    "choose its processor": "choose_processor",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierChoice:
    """The tier that holds on this machine, what was tried under it, what it cannot prevent, and
    how a program's wish to read is heard."""

    tier: Tier
    probes: tuple[Probe, ...]
    not_prevented: str
    input_mechanism: str


def choose_tier(interpreter: Interpreter, require: Tier | None = None) -> TierChoice:
    """The best tier under which every forbidden act failed.

    UserError, naming what was missing, when that is worse than `require`.
    """
    shortcomings: list[str] = []
    for tier in _BEST_FIRST:
        choice, shortcoming = _try(interpreter, tier)
        if choice is not None:
            if require is not None and _BEST_FIRST.index(tier) > _BEST_FIRST.index(require):
                raise UserError(
                    f"the {require} tier was required and this machine gives {tier}: "
                    + ("; ".join(shortcomings) or f"there is no {require} tier in this release"),
                    hint=f"see `harness doctor`, or say --require-tier {tier}.",
                )
            return choice
        shortcomings.append(f"{tier}: {shortcoming}")
    raise HarnessError("no tier works on this machine: " + "; ".join(shortcomings))


def _try(interpreter: Interpreter, tier: Tier) -> tuple[TierChoice | None, str]:
    confinement = Confinement(LAYERS[tier])
    lacking = confinement.unavailable()
    if lacking:
        return None, lacking
    for notify in (True, False) if confinement.confined else (False,):
        try:
            with Driver(interpreter, tier, notify=notify) as driver:
                probes, hears = _probe(driver)
        except HarnessError as error:
            lacking = str(error)
            continue
        if not hears:
            lacking = "typed input did not arrive"
            continue
        escaped = [probe.name for probe in probes if not probe.prevented]
        if escaped and confinement.confined:
            return None, "not prevented: " + ", ".join(escaped)
        heard = "kernel notification" if notify else "standard input stand-in"
        choice = TierChoice(
            tier=tier,
            probes=probes,
            not_prevented=NOT_PREVENTED[tier],
            input_mechanism=heard,
        )
        return choice, ""
    return None, lacking


def _probe(driver: Driver) -> tuple[tuple[Probe, ...], bool]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        canary = place / "canary"
        canary.write_text(_CANARY, "utf-8")
        canary.chmod(0o644)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(str(place / "socket"))
            (place / "socket").chmod(0o777)
            listening.listen(1)
            return _probe_from(driver, place)
        finally:
            listening.close()


def _probe_from(driver: Driver, place: Path) -> tuple[tuple[Probe, ...], bool]:
    facts = f"PLACE = {str(place)!r}\nDRIVER = {os.getpid()}\n"
    body = resources.files("harness.execution").joinpath("forbidden_acts.py").read_text("utf-8")
    source = SourceFile(name="acts.py", data=(facts + body).encode())
    with driver.submission(_assignment(), (source,)) as server:
        if server.observe(_call("use_library"), _LIMITS).ending is not Ending.ANSWERED:
            raise HarnessError("the standard library cannot be imported by a confined process")
        probes = tuple(
            _judged(name, server.observe(_call(act), _LIMITS)) for name, act in FORBIDDEN.items()
        )
        typed = server.observe(_call("read_line", "yes"), _LIMITS)
    hears = typed.value is not None and typed.value.text == "yes"
    return probes, hears


def _call(act: str, *lines: str) -> Stimulus:
    return Stimulus(
        action=Call(expression=f"{act}()"),
        inputs=tuple(Typed(text=line) for line in lines),
    )


def _judged(name: str, seen: Observation) -> Probe:
    """An act that returned succeeded, and so did one whose process became another program."""
    if seen.raised is None:
        return Probe(name=name, prevented=seen.ending is Ending.CRASHED, detail=seen.detail)
    message = seen.raised.message.partition(": '")[0]  # without paths, which differ every time
    detail = f"{seen.raised.type_name}: {message}"
    return Probe(name=name, prevented=True, detail=detail)


def _assignment() -> Assignment:
    names = [*FORBIDDEN.values(), "use_library", "read_line"]
    return Assignment(
        id="probe",
        title="Probe",
        course="",
        python="3.11",
        submission_files=("acts.py",),
        laid_as=None,
        functionality_marks=Fraction(0),
        limits=_LIMITS,
        policy=None,
        clauses=(),
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in names),
        variants=(ProvidedVariant(constants=(), files=()),),
    )
