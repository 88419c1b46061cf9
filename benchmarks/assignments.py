"""What one more right submission costs, against the same stimuli without any isolation.

For each shipped assignment, in one run: the *floor* (every stimulus executed in one process, each
with a fresh namespace, inputs out of a list, nothing confined or compared), and the reference
graded as one more submission of a batch, with the shared run and with a process for every scenario.
CPU seconds of all processes, the audit included, report pages not: the least of a few rounds, and
the median of the ratios within a round.

    python -m benchmarks.assignments [--rounds N] [ID…]
"""

from __future__ import annotations

import argparse
import marshal
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import truediv
from pathlib import Path

from harness import load_assignment
from harness.execution import Driver, pick_cpu
from harness.execution.linux.processes import StimulusCompiler
from harness.execution.protocol.jobs import Jobs, server_setup
from harness.grading.context import GradingContext, isolated, prepare
from harness.grading.grader import Grader
from harness.grading.observing.judged_runs import GraderSetup
from harness.model.submission import Submission

ROOT = Path(__file__).resolve().parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")
_FLOOR = """
import builtins, gc, io, marshal, random, resource, sys, types
sys.path.insert(0, sys.argv[1])
from harness.execution.inside.scenario import evaluate
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.scenario.process import Files, copied
from harness.execution.inside.modules import by_module_name
from harness.execution.inside.stimuli import call, run, session

setup, jobs = marshal.load(sys.stdin.buffer)
out, real = io.StringIO(), sys.stdout
submitted = by_module_name(setup["files"])
functions = frozenset(setup["functions"])
lines = []
def ask(prompt=""):
    out.write(prompt)
    return lines.pop()
builtins.input = ask
sources, answers = Sources({}), 0
def clock():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
started = clock()
sys.stdout = out
loaded = {}
for job in jobs:
    files = loaded.get(job["selection"])
    if files is None:
        for name in [*submitted, *(n for f in loaded.values() for n in f.library.sources)]:
            sys.modules.pop(name, None)
        sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "Library"]
        files = loaded[job["selection"]] = Files(job["selection"], setup, submitted)
        sys.meta_path.insert(0, files.library)
        constants = {}
        for name in files.loaded_early:
            module = files.library.load(name)
            constants.update({k: v for k, v in vars(module).items() if k[:2] != "__"})
        main = files.library.load(setup["main"][:-3])
    random.seed(job["seed"])
    lines[:] = job["lines"][::-1]
    out.seek(0)
    out.truncate()
    answer = evaluate.StimulusAnswer(sources, files.comparison, lambda phase: None)
    if job["runs"]:
        run.perform(files.library, job["program"][:-3], answer)
    else:
        context = evaluate.EvaluationContext()
        context.names.update({k: copied(v) for k, v in constants.items()})
        context.add_functions(vars(main), functions)
        stimulus = evaluate.CompiledStimulus(marshal.loads(job["stimulus"]))
        for name, literal in job["bindings"]:
            context.names[name] = eval(literal, context.names)
        context.begin(stimulus, [])
        kind = call if job["action"] == "call" else session
        kind.perform(stimulus, context, answer, lambda outcome: None)
    answer.json()
    answers += 1
sys.stdout = real
print(clock() - started, answers)
"""


def main() -> None:
    """Print a line for each assignment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("ids", nargs="*")
    chosen = parser.parse_args()
    ids = chosen.ids or sorted(path.name for path in (ROOT / "specs").iterdir())
    print(f"{'assignment':<18}{'stimuli':>8}{'floor s':>9}{'shared s':>10}{'alone s':>9}"
          f"{'shared/floor':>14}{'alone/floor':>13}")  # fmt: skip
    for name in ids:
        context = prepare(load_assignment(ROOT, name))
        count, data = _floor_job(context)
        floors: list[float] = []
        together: list[float] = []
        apart: list[float] = []
        with _one_more(context, alone=False) as shared, _one_more(context, alone=True) as alone:
            # In turn: the speed of a busy machine drifts, and with it all that a round measures.
            for _ in range(chosen.rounds):
                floors.append(_floor(context, data, count))
                together.append(_cpu_of(shared))
                apart.append(_cpu_of(alone))
        shared_ratio = statistics.median(map(truediv, together, floors))
        alone_ratio = statistics.median(map(truediv, apart, floors))
        print(f"{name:<18}{count:>8}{min(floors):>9.3f}{min(together):>10.3f}{min(apart):>9.3f}"
              f"{shared_ratio:>14.2f}{alone_ratio:>13.2f}", flush=True)  # fmt: skip


def _floor_job(context: GradingContext) -> tuple[int, bytes]:
    """How many stimuli the floor executes, and what its process reads."""
    plan = context.specification.plan
    jobs_of = Jobs(plan.assignment)
    functions = tuple(function.name for function in plan.assignment.functions)
    jobs = []
    with Driver(context.interpreter, context.tier.tier) as driver:
        compiler = StimulusCompiler(driver._base)
        for scenario in plan.scenarios:
            for stimulus in scenario.stimuli:
                job = jobs_of.job(stimulus)
                compiled, _ = compiler.compile(job, functions)
                lines = [typed.text for typed in stimulus.inputs]
                jobs.append(vars(compiled) | {"bindings": job.bindings, "lines": lines})
        compiler.close()
    jobs.sort(key=lambda job: repr(job["selection"]))
    setup = server_setup(plan.assignment, context.specification.reference)
    return len(jobs), marshal.dumps((setup, jobs), 2)  # type: ignore[arg-type]


def _floor(context: GradingContext, data: bytes, expected: int) -> float:
    done = subprocess.run(
        [str(context.interpreter.path), "-c", _FLOOR, str(ROOT)],
        input=data, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr.decode())
    seconds, count = done.stdout.split()
    assert int(count) == expected
    return float(seconds)


@contextmanager
def _one_more(context: GradingContext, *, alone: bool) -> Iterator[Callable[[], None]]:
    """Grades the reference once more in a batch that has graded it before."""
    specification = isolated(context.specification) if alone else context.specification
    files = specification.reference
    with (
        Driver(context.interpreter, context.tier.tier, cpu=pick_cpu()) as driver,
        Grader(GraderSetup(plan=specification.plan, key=context.key), driver) as grader,
    ):

        def grade() -> None:
            result = grader.grade(Submission(id="s", origin="s", files=files)).result
            assert result.mark is not None, result.status
            assert result.mark >= result.out_of, result.mark  # more: extra credit

        grade()
        yield grade


def _cpu_of(act: Callable[[], None]) -> float:
    before = _tree_cpu()
    act()
    return _tree_cpu() - before


def _tree_cpu() -> float:
    """CPU seconds of this process and all below it, those that have ended included."""
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(path.parent.name)
        parents.setdefault(int(fields[1]), []).append(pid)
        ticks[pid] = sum(int(field) for field in fields[11:15])
    total = 0
    pending = [os.getpid()]
    while pending:
        pid = pending.pop()
        total += ticks.get(pid, 0)
        pending += parents.get(pid, [])
    return total / _TICKS


if __name__ == "__main__":
    main()
