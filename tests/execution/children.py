"""What runs in a process of its own, forked from one that has imported the harness: a driver that
is killed, and what a machine says that refuses something."""

import ctypes
import errno
import multiprocessing
import os
import resource
import time
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import (
    Driver,
    TierTrial,
    choose_tier,
    find_interpreter,
    remedies,
    try_tier,
)
from harness.execution.confinement import probe
from harness.model.observation import Tier
from harness.model.stimulus import Limits
from tests.execution.small_world import assignment, call, source

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])
_NEW_USER = 0x10000000  # CLONE_NEWUSER

PROGRAMS = {
    "spins": "def f():\n    while True: pass",
    "sleeps": "import time\ndef f(): time.sleep(600)",
    "beside": "def f():\n    while True: pass",
    "compiles": "y = [" + "x+2*3," * 900000 + "]\n",
    "asks": "import os\ndef f():\n    while True: os.read(0, 0)",
}


def start(work: Callable[..., None], *arguments: object) -> tuple[ForkServerProcess, Connection]:
    """A new process that calls `work` with the sending end of a pipe, and the other end."""
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=work, args=(theirs, *arguments))
    process.start()
    theirs.close()
    return process, ours


def drive(told: Connection, tier: Tier, program: str) -> None:
    """Observe a program without end; says so when the driver is up and when it begins."""
    limits = Limits(cpu_seconds=500, wall_seconds=500)
    with Driver(find_interpreter("3.12"), tier) as driver:
        told.send("up")
        with driver.submission(assignment(), (source(PROGRAMS[program]),)) as server:
            told.send("begun")
            if program == "beside" and not (beside := os.fork()):
                time.sleep(5)  # with all our descriptors
                os._exit(0)
            told.send(beside if program == "beside" else 0)
            server.observe(call("f()", "one"), limits)


def restrict(
    told: Connection, refused: list[list[object]], code: str, requires: tuple[Tier, ...], path: str
) -> None:
    """What a machine says that refuses these system calls, as a container's profile would: by what
    a run requires, the tier that is chosen or why there is none."""
    import pyseccomp  # noqa: PLC0415  (what needs no rules runs without it)

    os.environ["PATH"] = path
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name, *arguments in refused:
        conditions = [pyseccomp.Arg(*argument) for argument in arguments]
        rules.add_rule(pyseccomp.ERRNO(getattr(errno, code)), name, *conditions)
    if refused:
        rules.load()
    interpreter = find_interpreter("3.12")
    probe.try_tier = cache(try_tier)  # it comes out the same each time
    trials = {
        tier: probe.try_tier(interpreter, tier) for tier in Tier if tier in (Tier.STRONG, *requires)
    }
    trials.setdefault(Tier.PORTABLE, TierTrial(tier=Tier.PORTABLE))  # it holds whatever is refused
    chosen = {}
    for require in requires:
        try:
            chosen[require] = str(choose_tier(interpreter, require).tier)
        except UserError as error:
            chosen[require] = str(error)
    told.send(
        {
            "chosen": chosen,
            "shortcomings": {tier: trial.shortcoming for tier, trial in trials.items()},
            "input": {tier: trial.input_mechanism for tier, trial in trials.items()},
            "remedies": list(remedies(list(trials.values()))),
        }
    )


def tighten(told: Connection, only_root: bool) -> None:
    """The tiers' shortcomings under low limits; where root is the `only` user, as by `podman`."""
    if only_root:
        user, group = os.getuid(), os.getgid()
        assert ctypes.CDLL(None).unshare(_NEW_USER) == 0
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
    resource.setrlimit(resource.RLIMIT_CPU, (1800, 1800))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
    told.send([try_tier(find_interpreter("3.12"), tier).shortcoming for tier in Tier])
