"""What a submission costs that loops in every function, as it loads, or everywhere, on each of
the shipped assignments."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from textwrap import indent

from benchmarks.soak import machine
from benchmarks.soak.course import ROOT
from harness.assignment.loading import available, load
from harness.execution import Driver, SubmissionServer, pick_cpu
from harness.grading.context import GradingContext, prepare
from harness.grading.observing.draws import AloneObserver
from harness.grading.observing.running import Running
from harness.model.observation import Observation
from harness.model.plan import Assignment, SourceFile
from harness.model.stimulus import Limits, Stimulus

MOST = 20.0  # full limits
ENDLESS = "while True:\n    pass\n"


@dataclass(slots=True)
class Counted:
    """Observes like the server, and counts CPU seconds and runs."""

    server: SubmissionServer
    cpu_seconds: float = 0.0
    runs: int = 0

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """What the server observes."""
        observation = self.server.observe(stimulus, limits)
        self.cpu_seconds += observation.cpu_seconds
        self.runs += 1
        return observation


def run() -> None:
    """Print the table; AssertionError where one costs more than twenty full limits."""
    print("| assignment | loops | runs | CPU limits | stopped early | ended | CPU, s |")
    print("|---|---|---|---|---|---|---|")
    for assignment in available(ROOT):
        bench = prepare(load(ROOT, assignment), cache=ROOT / ".harness-cache")
        for where, source in looping(bench.specification.plan.assignment).items():
            counted, endings, seconds = measured(bench, source)
            cut, stopped = endings.pop("cpu_limit", 0), endings.pop("stopped_early", 0)
            ended = sum(endings.values())
            figures = f"{counted.runs} | {cut} | {stopped} | {ended} | {seconds:.1f}"
            print(f"| {assignment} | {where} | {figures} |", flush=True)
            most = MOST * bench.specification.plan.assignment.limits.cpu_seconds
            assert cut and stopped, "it does not loop"
            assert counted.cpu_seconds <= seconds <= most, f"{seconds} s of CPU time"


def looping(assignment: Assignment) -> dict[str, str]:
    """Programs by where they loop, with the functions of the reference."""
    functions = "".join(
        f"def {each.name}({', '.join(each.parameters)}):\n    while True:\n        pass\n\n\n"
        for each in assignment.functions
    )
    return {
        "in every function": functions,
        "while it loads": functions + ENDLESS,
        "everywhere": f"{functions}if __name__ == '__main__':\n{indent(ENDLESS, '    ')}",
    }


def measured(bench: GradingContext, source: str) -> tuple[Counted, Counter[str], float]:
    """The runs, how the scenarios ended, and the CPU seconds of all processes together."""
    plan = bench.specification.plan
    names = plan.assignment.submission_files
    files = tuple(SourceFile(name=name, data=source.encode()) for name in names)
    before = machine.cpu_of_all()
    with (
        Driver(bench.interpreter, bench.tier.tier, cpu=pick_cpu()) as driver,
        driver.submission(plan.assignment, files) as server,
    ):
        counted = Counted(server)
        ran = Running(AloneObserver(counted), plan, bench.key).run()
    endings = Counter(seen[-1].ending.value for seen in ran.observed.values())
    return counted, endings, machine.cpu_of_all() - before
