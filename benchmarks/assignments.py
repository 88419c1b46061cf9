"""What one more right submission costs, against the same stimuli without any isolation.

For each shipped assignment, in one run: the *floor* (every stimulus executed in one process, each
with a fresh namespace, inputs out of a list, nothing confined or compared), and *one more*: what
`harness grade` takes for a larger batch of right submissions beyond what it takes for a smaller
one, for each that the larger one has more. That is all of it: policy, audit, causes, store, pages,
results.json. Beside it the same submission graded only, in shared processes, and with `--alone`
each scenario in a process of its own. CPU seconds of all processes: the least of a few rounds, and
the median of the ratios within a round.

    python -m benchmarks.assignments [--rounds N] [--more N] [--alone] [ID…]
"""

from __future__ import annotations

import argparse
import marshal
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from operator import truediv
from pathlib import Path

from harness import load_assignment
from harness.execution import Driver, pick_cpu
from harness.execution.linux.processes import StimulusCompiler
from harness.execution.protocol.jobs import Jobs, server_setup
from harness.grading.context import GradingContext, isolated, prepare
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
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


_SMALLER = 2  # submissions in the batch that the larger one is compared with


def main() -> None:
    """Print a line for each assignment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--more", type=int, default=10, help="submissions of the larger batch")
    parser.add_argument("--alone", action="store_true", help="measure a process a scenario, too")
    parser.add_argument("ids", nargs="*")
    chosen = parser.parse_args()
    ids = chosen.ids or sorted(path.name for path in (ROOT / "specs").iterdir())
    heads = ["one more", "graded only", *(["alone"] if chosen.alone else [])]
    columns = "".join(f"{head + ' s':>15}{'/ floor':>9}" for head in heads)
    print(f"{'assignment':<18}{'stimuli':>8}{'floor s':>9}{columns}")
    for name in ids:
        _print_assignment(name, chosen)


def _print_assignment(name: str, chosen: argparse.Namespace) -> None:
    context = prepare(load_assignment(ROOT, name))
    count, data = _floor_job(context)
    floors: list[float] = []
    ways: list[list[float]] = []
    with ExitStack() as stack:
        shared = stack.enter_context(_one_more(context, alone=False))
        contenders = [partial(_batched, context, chosen.more), partial(_cpu_of, shared)]
        if chosen.alone:
            alone = stack.enter_context(_one_more(context, alone=True))
            contenders.append(partial(_cpu_of, alone))
        ways = [[] for _ in contenders]
        _batch(context, _SMALLER)  # what the first one finds out is kept for all later ones
        # In turn: the speed of a busy machine drifts, and with it all that a round measures.
        for _ in range(chosen.rounds):
            floors.append(_floor(context, data, count))
            for measured, measure in zip(ways, contenders, strict=True):
                measured.append(measure())
    print(f"{name:<18}{count:>8}{min(floors):>9.3f}", end="")
    for measured in ways:
        ratio = statistics.median(map(truediv, measured, floors))
        print(f"{min(measured):>15.3f}{ratio:>9.2f}", end="")
    print(flush=True)


def _floor_job(context: GradingContext) -> tuple[int, bytes]:
    """How many stimuli the floor executes, and what its process reads."""
    plan = context.specification.plan
    jobs_of = Jobs(plan.assignment)
    functions = tuple(function.name for function in plan.assignment.functions)
    jobs = []
    with Driver(context.interpreter, context.tier.tier) as driver:
        compiler = StimulusCompiler(driver._zygote)
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


def _batched(context: GradingContext, more: int) -> float:
    """CPU seconds of one more right submission in a batch, everything included."""
    smaller, larger = (_batch(context, _SMALLER), _batch(context, _SMALLER + more))
    return (larger - smaller) / more


def _batch(context: GradingContext, count: int) -> float:
    """CPU seconds of `harness grade` on so many right submissions, no two with the same bytes."""
    assignment = context.specification.plan.assignment.id
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            place = Path(folder) / "class" / f"s{number}"
            for file in context.specification.reference:
                path = place / file.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.data + b"\n# %d\n" % number)
        command = ["grade", str(Path(folder) / "class"), "--assignment", assignment]
        options = ["--out", str(Path(folder) / "out"), "--jobs", "1", "--root", str(ROOT)]
        done = subprocess.Popen(
            [sys.executable, "-m", "harness", *command, *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, used = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
        assert done.returncode == 0, f"harness grade ended with {done.returncode}"
    return used.ru_utime + used.ru_stime


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
    before = tree_cpu()
    act()
    return tree_cpu() - before


def tree_cpu() -> float:
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
