"""What a cluster costs beside workers of this machine: `python -m benchmarks.scale PART`.

- `overhead`: the same class here and on a cluster of this machine with as many processes; wall
  time, and the CPU time of whatever does not grade, a submission.
- `memory`: one large class on the cluster, and here with an interruption in the middle; resident
  memory of client, scheduler and workers.
- `here`: the second half of `memory` alone.
- `transport`: the same without grading: an answer of a real size for every submission, through
  client, scheduler, worker and store in one process; CPU time a submission, and memory.
- `store`: how many answers a second the client reads and stores, by CPU time: the limit of a
  cluster, however many workers it has.

Submissions are the samples of an assignment in turn, each with a comment of its own; with
`--small` the corpus's small course: correct programs and every combination of its mistakes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import distributed

import harness
from benchmarks.soak import course, runs
from benchmarks.soak.cluster import LocalCluster, graded
from benchmarks.soak.machine import MemorySamples
from harness.grading.check import cohort_of
from harness.grading.context import GradingContext, prepare, run_facts
from harness.grading.engines import Job, WorkerSetup
from harness.grading.engines.dask import RESOURCE, Cluster, host
from harness.grading.engines.dask.engine import DaskEngine
from harness.grading.engines.worker import SpawnedWorker
from harness.grading.grader import Graded
from harness.intake.terms import ClassOptions
from harness.model.observation import Tier
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.results.database import STORE_NAME
from harness.results.reuse import Piece
from harness.results.store import Store

ROOT = Path(__file__).parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Of one run: wall seconds; CPU seconds of the client by itself, of the scheduler and of the
    workers' own processes (those that grade are not among them); memory by process, MiB, of the
    first and of the last quarter, and at most."""

    seconds: float
    client_cpu: float
    others_cpu: float
    memory: dict[str, tuple[float, float]]
    peaks: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """Submissions of an assignment whose specs/ lie in `root`."""

    root: Path
    place: Path
    assignment: str

    @property
    def count(self) -> int:
        """How many submissions."""
        return len(list(self.place.iterdir()))


def small_class(folder: Path, count: int) -> Class:
    """`count` submissions of the corpus's small course."""
    root = course.with_class(folder / "course", count)
    (assignment,) = (each.name for each in (root / "specs").iterdir())
    return Class(root=root, place=root / "class", assignment=assignment)


def class_of(folder: Path, assignment: str, count: int, sample: str = "*") -> Class:
    """`count` submissions: the samples of such names in turn, each with a comment of its own."""
    samples = sorted((ROOT / "submissions" / assignment).glob(sample))
    place = folder / f"class-{count}"
    for number in range(count):
        sample = samples[number % len(samples)]
        mine = place / f"s{number:05}"
        shutil.copytree(sample, mine, ignore=shutil.ignore_patterns("expect.yaml"))
        for file in sorted(mine.glob("*.py"))[:1]:
            with file.open("ab") as text:
                text.write(f"\n# {number}\n".encode())
    return Class(root=ROOT, place=place, assignment=assignment)


def measured(
    graded_class: Class, out: Path, *arguments: str, cluster: LocalCluster | None, stop_at: int = 0
) -> Measured:
    """Run `harness grade` to its end, or with `stop_at` until that many are stored (SIGINT)."""
    named = [str(graded_class.place), "--assignment", graded_class.assignment]
    others = [] if cluster is None else list(cluster.running.items())
    before = {name: cpu_of(process.pid) for name, process in others}
    started = time.monotonic()
    client = runs.started(graded_class.root, out, *named, *arguments, stderr=subprocess.PIPE)
    samples = {"client": MemorySamples(client.pid)}
    samples |= {name: MemorySamples(process.pid) for name, process in others}
    spent, ended = [0.0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            spent[0] = max(spent[0], cpu_of(client.pid))
            if stop_at and graded(out, 0) >= stop_at:
                client.send_signal(signal.SIGINT)
                return

    watching = threading.Thread(target=watch)
    watching.start()
    said = client.communicate()[1]
    end = time.monotonic()
    ended.set()
    watching.join()
    for each in samples.values():
        each.stop()
    assert client.returncode in (0, 130), said
    memory: dict[str, tuple[float, float]] = {}
    peaks: dict[str, float] = {}
    for name, each in samples.items():
        for part, quarters in each.quarters(started, end).items():
            memory[name if part == "the run" else f"{name}: grading"] = quarters
        for part, peak in each.peaks.items():
            key = name if part == "the run" else f"{name}: {part.split()[0]}"
            peaks[key] = max(peaks.get(key, 0.0), peak)
    others_cpu = sum(cpu_of(process.pid) - before[name] for name, process in others)
    return Measured(
        seconds=end - started,
        client_cpu=spent[0],
        others_cpu=others_cpu,
        memory=memory,
        peaks=peaks,
    )


def cpu_of(pid: int) -> float:
    """CPU seconds of this process without its children; 0 when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def overhead(folder: Path, submitted: Class, rounds: int, processes: int) -> None:
    """Alternately here and on a cluster, and how they compare."""
    count = submitted.count
    here: list[Measured] = []
    there: list[Measured] = []
    with LocalCluster(folder=folder, port=18790, workers=1, jobs=processes).started() as cluster:
        cluster.wait_for_workers()
        for number in range(rounds):
            out = folder / f"here-{number}"
            here.append(measured(submitted, out, "--jobs", str(processes), cluster=None))
            away = folder / f"there-{number}"
            away.mkdir()
            shutil.copy(out / ".audit-secret", away)
            there.append(measured(submitted, away, "--scheduler", cluster.address, cluster=cluster))
            assert runs.timeless(out) == runs.timeless(away), "other results"
            assert runs.pages(out) == runs.pages(away), "other pages"
            print(f"here {here[-1].seconds:.1f} s, cluster {there[-1].seconds:.1f} s", flush=True)
    ratio = statistics.median(a.seconds / b.seconds for a, b in zip(here, there, strict=True))
    own = statistics.median(each.client_cpu for each in here)
    client = statistics.median(each.client_cpu for each in there)
    others = statistics.median(each.others_cpu for each in there)
    print(f"{count} of {submitted.assignment}, {processes} processes, {rounds} rounds:")
    print(f"here / cluster, wall: {ratio:.2f}")
    print(f"CPU of what does not grade: here {own:.1f} s, cluster {client:.1f} + {others:.1f} s:")
    print(f"{1000 * (client + others - own) / count:.0f} ms a submission more")


def memory(folder: Path, submitted: Class, processes: int) -> None:
    """A large class on the cluster; then here, as `interrupted`, with the same results."""
    with LocalCluster(folder=folder, port=18791, workers=1, jobs=processes).started() as cluster:
        cluster.wait_for_workers()
        away = folder / "there"
        there = measured(submitted, away, "--scheduler", cluster.address, cluster=cluster)
        show("cluster", there)
    out = folder / "here"
    out.mkdir()
    shutil.copy(away / ".audit-secret", out)
    interrupted(out, submitted)
    assert runs.timeless(out) == runs.timeless(away), "other results"
    assert runs.pages(out) == runs.pages(away), "other pages"
    print("results and pages are the same bytes")


def interrupted(out: Path, submitted: Class) -> None:
    """A large class here, stopped in the middle and taken up again with eight workers a core."""
    half = submitted.count // 2
    show("here, first half", measured(submitted, out, cluster=None, stop_at=half))
    print(f"stopped after {graded(out, 0)} of {submitted.count}", flush=True)
    jobs = ("--jobs", str(8 * (os.cpu_count() or 1)))
    show("here, second half", measured(submitted, out, *jobs, cluster=None))
    assert graded(out, 0) == submitted.count, "not all are graded"


def show(name: str, found: Measured) -> None:
    """One run's memory as rows."""
    print(f"{name}: {found.seconds:.0f} s")
    for process, most in sorted(found.peaks.items()):
        first, last = found.memory.get(process, (0.0, 0.0))
        print(f"| {name} | {process} | {first:.0f} | {last:.0f} | {most:.0f} |", flush=True)


def store(folder: Path, submitted: Class) -> None:
    """The CPU time that the client takes for each answer, from bytes to the committed rows."""
    specification = harness.load_assignment(submitted.root, submitted.assignment)
    context = prepare(specification, cache=ROOT / ".harness-cache")
    plan = specification.plan
    setup = setup_of(context)
    submissions = cohort_of((submitted.place,), plan.assignment, ClassOptions()).submissions
    count = len(submissions)
    started = time.monotonic()
    answers = answers_of(setup, submissions)
    grading = time.monotonic() - started
    sizes = [len(data) for data in answers]
    with Store.open(folder / STORE_NAME) as rows:
        rows.begin(run_facts(context, ()), plan)
        before = time.process_time()
        for data in answers:
            answer = host.unpack_answer(data)
            for piece in answer.pieces:
                rows.add(piece)
            assert isinstance(answer.ended, SubmissionResult), answer.ended
            rows.save(answer.ended)
        spent = (time.process_time() - before) / count
    print(f"{count} of {submitted.assignment}: {grading / count:.2f} s each on one worker;")
    print(f"answers of {statistics.mean(sizes) / 1024:.0f} KiB, at most {max(sizes) / 1024:.0f};")
    print(f"the client takes {1000 * spent:.1f} ms of CPU each, {1 / spent:.0f} a second")


def transport(folder: Path, submitted: Class) -> None:
    """The CPU time of all that a cluster adds, and whether memory grows with the class."""
    specification = harness.load_assignment(submitted.root, submitted.assignment)
    plan = specification.plan
    submissions = cohort_of((submitted.place,), plan.assignment, ClassOptions()).submissions
    context = prepare(specification, cache=ROOT / ".harness-cache")
    setup = setup_of(context)
    answer = host.unpack_answer(answers_of(setup, submissions[:1])[0])
    count, every = len(submissions), max(1, len(submissions) // 10)
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            protocol="tcp",
            host="127.0.0.1",
            resources={RESOURCE: 2},
            dashboard_address=":0",
        ) as cluster,
        DaskEngine(Cluster(address=cluster.scheduler_address), print) as engine,
        Store.open(folder / STORE_NAME) as rows,
    ):
        host.be_host(Answering(answer))
        rows.begin(run_facts(context, ()), plan)
        started = before = time.process_time()
        done = 0
        jobs = [Job(submission=submission) for submission in submissions]
        for _, found in engine.run(setup, jobs):
            if isinstance(found, Piece):
                rows.add(found)
                continue
            assert isinstance(found, Graded), found
            rows.save(found.result)
            done += 1
            if done % every == 0:
                now = time.process_time()
                spent, before = 1000 * (now - before) / every, now
                print(f"| {done} | {spent:.1f} | {resident():.0f} |", flush=True)
    assert done == count
    print(f"{count} submissions: {1000 * (before - started) / count:.1f} ms of CPU each")


class Answering(host.WorkerHost):
    """Takes part in every run, and answers what it is given."""

    def __init__(self, answer: host.WorkerAnswer) -> None:
        super().__init__(jobs=1, python=None, require=Tier.PORTABLE)
        self._answer = answer

    def shortcoming(self, setup: bytes, name: str) -> str:
        """None."""
        return ""

    def grade(self, name: str, job: Job) -> host.WorkerAnswer:
        """The answer, as of this submission."""
        assert isinstance(self._answer.ended, SubmissionResult)
        ended = replace(self._answer.ended, id=job.submission.id)
        return replace(self._answer, ended=ended)


def resident() -> float:
    """MiB of this process."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * PAGE / (1 << 20)


def setup_of(context: GradingContext) -> WorkerSetup:
    """What a worker of a cluster is given."""
    grader = replace(context.grader_setup(), reference=context.specification.reference)
    return replace(context.worker_setup(grader), pack_alone=True)


def answers_of(setup: WorkerSetup, submissions: tuple[Submission, ...]) -> list[bytes]:
    """What a worker would send for each."""
    found = []
    worker = SpawnedWorker(setup)
    for submission in submissions:
        worker.send(Job(submission=submission))
        pieces: list[Piece] = []
        while worker.current is not None:
            ended = worker.receive()
            if isinstance(ended, Piece):
                pieces.append(ended)
        assert isinstance(ended, Graded), ended
        answer = host.WorkerAnswer(
            worker="tcp://127.0.0.1:1", ended=ended.result, pieces=tuple(pieces)
        )
        found.append(host.pack_answer(answer))
    worker.stop()
    return found


def main() -> None:
    """Measure one part."""
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    parser.add_argument("part", choices=["overhead", "memory", "here", "transport", "store"])
    parser.add_argument("--assignment", default="cs112-p4")
    parser.add_argument("--sample", default="*", help="samples of such names (default: all)")
    parser.add_argument("--small", action="store_true", help="the corpus's small course")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-") as name:
        folder = Path(name)
        submitted = (
            small_class(folder, options.count)
            if options.small
            else class_of(folder, options.assignment, options.count, options.sample)
        )
        if options.part == "overhead":
            overhead(folder, submitted, options.rounds, options.processes)
        elif options.part == "memory":
            memory(folder, submitted, options.processes)
        elif options.part == "here":
            interrupted(folder / "here", submitted)
        elif options.part == "transport":
            transport(folder, submitted)
        else:
            store(folder, submitted)


if __name__ == "__main__":
    main()
