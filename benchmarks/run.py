"""`make bench`: ours beside the floor and `pexpect.spawn`, in one run, every verdict asserted.

Rounds interleave the contenders, and the floor is measured before and after each of them, so that
a machine whose speed drifts moves both: a ratio is the median over rounds of a contender's time to
the mean of the floors beside it. Processor time is the driver's and that of every process below.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import spawned
from benchmarks.soak.machine import cpu_of_all
from benchmarks.workload import REFERENCE, Workload, workload
from harness.execution import (
    Driver,
    Interpreter,
    SubmissionServer,
    choose_tier,
    find_interpreter,
    tier_layers,
)
from harness.execution.linux.processes import ProcessClock
from harness.judging.judge import Judge
from harness.model.assignment import FunctionSignature, ProvidedVariant, SourceFile
from harness.model.expectation import Expectation, Expected
from harness.model.observation import Observation, Tier
from harness.model.stimulus import Limits, Stimulus, Typed
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests import plans

_UNCONFINED = "ours, no layer at all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Seconds for the 120 calls, the 30 games, and the whole submission; of the whole also the
    processor time."""

    calls: float
    games: float
    submission: float
    cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """A contender's round, and the floors that were measured before and after it."""

    own: Round
    floors: tuple[Round, Round]


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--skip-spawn", action="store_true", help="leave pexpect.spawn out")
    options = parser.parse_args()
    load = workload()
    interpreter = find_interpreter("3.12")
    contenders: dict[str, Callable[[], Round]] = {}
    best = choose_tier(interpreter).tier
    for tier in list(Tier)[list(Tier).index(best) :]:
        contenders[f"ours, {tier}"] = _ours(interpreter, tier, tier_layers(tier), load)
    contenders[_UNCONFINED] = _ours(interpreter, Tier.PORTABLE, frozenset(), load)
    if not options.skip_spawn:
        contenders["pexpect.spawn"] = lambda: _spawned(interpreter, load)
    cpu = sorted(os.sched_getaffinity(0))[0]
    os.sched_setaffinity(0, {cpu})
    laps: dict[str, list[Lap]] = {name: [] for name in contenders}
    before = _floor(interpreter, load)
    for _ in range(options.rounds):
        for name, measure in contenders.items():
            own = measure()
            after = _floor(interpreter, load)
            laps[name].append(Lap(own=own, floors=(before, after)))
            before = after
    _print(interpreter, laps, options.rounds)


def _print(interpreter: Interpreter, laps: dict[str, list[Lap]], count: int) -> None:
    print(f"Python {interpreter.version}, pinned to one core, medians of {count} rounds\n")
    print("| contender | unit, ms | game, ms | 150 scenarios, ms | to the floor | in CPU time |")
    print("|---|---|---|---|---|---|")
    floors = [lap.floors[1] for measured in laps.values() for lap in measured]
    print(f"| floor {_row(floors)} 1.00 | 1.00 |")
    for name, measured in laps.items():
        row = _row([lap.own for lap in measured])
        print(f"| {name} {row} {_ratio(measured):.2f} | {_cpu_ratio(measured):.2f} |")
    print()
    for tier in (Tier.STRONG, Tier.STANDARD):
        ours = laps.get(f"ours, {tier}")
        if ours is None:
            print(f"This machine does not have the {tier} tier.")
            continue
        bare = laps[_UNCONFINED]
        wall, cpu = _ratio(ours) / _ratio(bare), _cpu_ratio(ours) / _cpu_ratio(bare)
        print(f"{tier} takes {wall:.2f} times {_UNCONFINED}, {cpu:.2f} times in CPU time.")
        if "pexpect.spawn" in laps:
            spawn = _ratio(laps["pexpect.spawn"]) / _ratio(ours)
            print(f"pexpect.spawn takes {spawn:.1f} times {tier}.")


def _row(rounds: list[Round]) -> str:
    unit = statistics.median(each.calls for each in rounds) / 120 * 1000
    game = statistics.median(each.games for each in rounds) / 30 * 1000
    whole = statistics.median(each.submission for each in rounds) * 1000
    return f"| {unit:.2f} | {game:.2f} | {whole:.0f} |"


def _ratio(laps: list[Lap]) -> float:
    return statistics.median(
        lap.own.submission / statistics.mean(floor.submission for floor in lap.floors)
        for lap in laps
    )


def _cpu_ratio(laps: list[Lap]) -> float:
    return statistics.median(
        lap.own.cpu / statistics.mean(floor.cpu for floor in lap.floors) for lap in laps
    )


def _floor(interpreter: Interpreter, load: Workload) -> Round:
    request = {"folder": str(REFERENCE), "calls": load.calls, "games": load.games}
    answered = subprocess.run(
        [str(interpreter.path), "-I", "-S", str(Path(__file__).parent / "floor.py")],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(answered.stdout)
    expected = [f"{printed}{value}\0" for value, printed in load.call_answers]
    assert found["call_answers"] == expected, "the floor answered wrongly"
    assert found["game_answers"] == list(load.game_answers), "the floor played wrongly"
    calls, games = found["call_seconds"], found["game_seconds"]
    return Round(calls=calls, games=games, submission=calls + games, cpu=found["cpu_seconds"])


def _spawned(interpreter: Interpreter, load: Workload) -> Round:
    before = cpu_of_all()
    outcome = spawned.measure(interpreter.path, REFERENCE, load.calls, load.games)
    expected = tuple(f"{printed}{value}\0" for value, printed in load.call_answers)
    assert outcome.call_answers == expected, "pexpect.spawn answered wrongly"
    assert outcome.game_answers == load.game_answers, "pexpect.spawn played wrongly"
    calls, games = outcome.call_seconds, outcome.game_seconds
    return Round(calls=calls, games=games, submission=calls + games, cpu=cpu_of_all() - before)


def _ours(
    interpreter: Interpreter, tier: Tier, layers: frozenset[str], load: Workload
) -> Callable[[], Round]:
    support = SourceFile(name="a1_support.py", data=(REFERENCE / "a1_support.py").read_bytes())
    names = ("check_input", "add_piece", "remove_piece", "check_win")
    assignment = plans.assignment(
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in names),
        variants=(ProvidedVariant(constants=(), files=(support,)),),
    )
    files = (SourceFile(name="a1.py", data=(REFERENCE / "a1.py").read_bytes()),)
    calls = [Stimulus(action=Call(expression=expression)) for expression in load.calls]
    games = [
        Stimulus(action=Run(program="a1.py"), inputs=tuple(Typed(text=line) for line in game))
        for game in load.games
    ]
    with (
        Driver(interpreter, tier, layers=layers) as driver,
        driver.submission(assignment, files) as server,
    ):
        key = {stimulus: server.observe(stimulus, Limits()) for stimulus in [*calls, *games]}
    _assert_key(load, [key[s] for s in calls], [key[s] for s in games])

    judges = {
        stimulus: Judge(Expectation(stated=Expected(), reference=observed), stimulus)
        for stimulus, observed in key.items()
    }

    def timed(server: SubmissionServer, stimuli: list[Stimulus]) -> tuple[float, float]:
        """Seconds, and the processor time of the scenarios' processes."""
        started, cpu = time.perf_counter(), 0.0
        for stimulus in stimuli:
            observation = server.observe(stimulus, Limits())
            verdict = judges[stimulus].verdict(observation)
            assert verdict.passed, (stimulus, verdict.message)
            cpu += observation.cpu_seconds
        return time.perf_counter() - started, cpu

    def measure() -> Round:
        core = sorted(os.sched_getaffinity(0))[0]
        with Driver(interpreter, tier, cpu=core, layers=layers) as driver:
            # As in a batch, the driver has had a submission before, and knows the stimuli.
            with driver.submission(assignment, files) as server:
                timed(server, [*calls, *games])
            # The server's own start is part of what a submission costs; the driver's is not.
            started, cpu = time.perf_counter(), time.process_time()
            with driver.submission(assignment, files) as server:
                call_seconds, call_cpu = timed(server, calls)
                game_seconds, game_cpu = timed(server, games)
                cpu -= call_cpu + game_cpu + ProcessClock(server.pid).cpu()
            whole, used = time.perf_counter() - started, time.process_time() - cpu
        return Round(calls=call_seconds, games=game_seconds, submission=whole, cpu=used)

    return measure


def _assert_key(load: Workload, calls: list[Observation], games: list[Observation]) -> None:
    for observed, (value, printed) in zip(calls, load.call_answers, strict=True):
        assert observed.value is not None
        assert (observed.value.source(), observed.printed) == (value, printed), observed
    for observed, text in zip(games, load.game_answers, strict=True):
        assert observed.printed == text, observed


if __name__ == "__main__":
    main()
