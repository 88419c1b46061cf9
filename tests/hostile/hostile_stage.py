"""One tier, ready to grade corpus entries by the real parts, an honest submission beside each; an
outcome against what its entry expects."""

import hashlib
import os
import re
import runpy
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from harness.assignment.loading import load
from harness.common import serial
from harness.common.errors import UserError
from harness.execution import Driver, find_interpreter
from harness.grading.grader import Graded, Grader
from harness.grading.observing.answer_key import make_key
from harness.grading.observing.setup import GraderSetup
from harness.intake.pipeline import read
from harness.model.observation import Isolation, Observation, Tier
from harness.model.plan import Plan, Specification
from harness.model.result import SubmissionResult
from harness.model.verdict import Verdict
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.results.student_view import student_view
from tests.hostile.hostile_attempt import HERE, driver_under, told
from tests.hostile.hostile_entries import Entry
from tests.hostile.hostile_machine import Meter, adopting_orphans, below

CANARY = "canary-5f0c9d2e7ab84c31"
NEIGHBOURS = "what nobody can know"  # the honest submission has it instead of the canary


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an entry, and of the world around it."""

    results: tuple[SubmissionResult, ...] = ()
    observations: tuple[Observation, ...] = ()
    memory_mib: float
    cpu_seconds: float
    survivors: int = 0
    neighbours_same: bool = True
    pages: str = ""
    refusals: tuple[str, ...] = ()


class Stage:
    """Grades entries with one driver and one grader, as a batch's worker does."""

    def __init__(
        self, specification: Specification, driver: Driver, grader: Grader, course: Path, port: int
    ) -> None:
        self.driver = driver
        self.plan = specification.plan
        self._grader = grader
        self._course = course
        self._port = port
        self._bare = ExitStack()
        self._suites: Grader | None = None
        self.under = cache(self._under)
        self._class = course / "class"
        (self._class / "honest").mkdir(parents=True)
        (self._class / "honest" / "a1.py").write_text(honest_program(), "utf-8")
        self._honest = self._grade_honest()
        self._start_all()

    def _start_all(self) -> None:
        """Grade a failing program that asks for an address: it is run in all the ways there are,
        each by processes of ours that stay."""
        folder = self._class / "starts"
        folder.mkdir()
        (folder / "a1.py").write_text("def total(numbers):\n    id(numbers)\n", "utf-8")
        (submission,) = read([folder], self.plan.assignment)
        self._grader.grade(submission)
        shutil.rmtree(folder)

    def run(self, entry: Entry) -> Outcome:
        """Hand it in beside the honest one and grade it; where it attacks neighbours, then the
        honest one again."""
        folder = self._class / entry.name
        lay(entry, folder, self.facts())
        try:
            is_spec = entry.expect.entry_point == "spec"
            return self._refused(folder) if is_spec else self._graded(entry)
        finally:
            shutil.rmtree(folder)

    def facts(self) -> Mapping[str, str]:
        """What an attacker would have to find out."""
        return {
            "@DRIVER@": str(os.getpid()),
            "@COURSE@": str(self._course),
            "@NEIGHBOUR@": str(self._class / "honest" / "a1.py"),
            "@PORT@": str(self._port),
        }

    def _under(self, layers: frozenset[str]) -> Driver:
        """A driver with these layers and no others, which lives as long as the stage."""
        return self._bare.enter_context(driver_under(self.plan.assignment, layers))

    def _grader_of(self, entry: Entry) -> Grader:
        """Return the grader of the entry's assignment. That of tests is made when it is needed, and
        has graded right ones: the texts of pytest are read once."""
        if entry.expect.entry_point != "tests":
            return self._grader
        if self._suites is None:
            laid = replace(specification("suites"), folder=str(self._course / "specs" / "suites"))
            setup = GraderSetup(plan=laid.plan, key=make_key(laid, self.driver))
            self._suites = self._bare.enter_context(Grader(setup, self.driver))
            right = HERE / "course" / "reference" / "suites" / "test_a1.py"
            folder = self._class / "right tests"
            folder.mkdir()
            shutil.copyfile(right, folder / "test_a1.py")
            (submission,) = read([folder], laid.plan.assignment)
            result = self._suites.grade(submission).result
            shutil.rmtree(folder)
            assert result.mark == result.out_of, result
        return self._suites

    def close(self) -> None:
        """End the drivers under chosen layers."""
        self._bare.close()

    def _graded(self, entry: Entry) -> Outcome:
        grader = self._grader_of(entry)
        plan = self.plan
        if entry.expect.entry_point == "archive":
            plan = replace(plan, assignment=replace(plan.assignment, archive="a1.zip"))
        elif entry.expect.entry_point == "tests":
            plan = specification("suites").plan
        processes, files = below(os.getpid()), _contents(self._class)
        only = frozenset(entry.expect.verdicts) or None
        meter = Meter()
        graded = [
            grader.grade(submission, only=only)
            for submission in read([self._class / entry.name], plan.assignment)
        ]
        memory, cpu = meter.memory_mib(), meter.cpu_seconds()
        survivors = below(os.getpid()) - processes
        same = not entry.expect.attacks_neighbours or self.honest_is_the_same()
        return Outcome(
            results=tuple(each.result for each in graded),
            observations=tuple(_observations(graded)),
            memory_mib=memory,
            cpu_seconds=cpu,
            survivors=len(survivors),
            neighbours_same=same and _contents(self._class) == files,
            pages="".join(_pages(each.result, plan) for each in graded),
        )

    def _refused(self, folder: Path) -> Outcome:
        """Each file as one more scenario file of the course: what loading it says."""
        meter = Meter()
        refusals: list[str] = []
        extra = self._course / "specs" / "hostile" / "extra.yaml"
        for path in sorted(folder.iterdir()):
            shutil.copyfile(path, extra)
            try:
                load(self._course, "hostile")
            except UserError as error:
                refusals.append(f"{path.name}: {error}")
            else:
                refusals.append(f"{path.name} was accepted")
            extra.unlink()
        return Outcome(
            memory_mib=meter.memory_mib(),
            cpu_seconds=meter.cpu_seconds(),
            refusals=tuple(refusals),
        )

    def honest_is_the_same(self) -> bool:
        """Whether the honest submission, graded again, has the result of the beginning."""
        return self._grade_honest() == self._honest

    def _grade_honest(self) -> str:
        (honest,) = read([self._class / "honest"], self.plan.assignment)
        return serial.dumps(self._grader.grade(honest).result)


@cache
def specification(assignment: str = "hostile") -> Specification:
    """An assignment of the corpus's own course, compiled."""
    with tempfile.TemporaryDirectory() as folder:  # what is compiled is kept beside it
        return load(shutil.copytree(HERE / "course", Path(folder) / "course"), assignment)


@contextmanager
def staged(tier: Tier, course: Path, layers: frozenset[str] | None = None) -> Iterator[Stage]:
    """The corpus's own course laid into the new folder `course`, and graded under `tier`, or
    under these layers alone. What an earlier run kept lies there for everybody to read: nothing but
    the confinement is to stop anybody."""
    course.parent.chmod(0o755)
    shutil.copytree(HERE / "course", course)
    laid = replace(specification(), folder=str(course / "specs" / "hostile"))
    interpreter = find_interpreter(laid.plan.assignment.python)
    with ExitStack() as stack:
        stack.enter_context(adopting_orphans())
        driver = stack.enter_context(Driver(interpreter, tier, layers=layers))
        key = make_key(laid, driver)
        (course / "key.json").write_text(serial.dumps(key), "utf-8")
        grader = stack.enter_context(Grader(GraderSetup(plan=laid.plan, key=key), driver))
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        stage = Stage(laid, driver, grader, course, server.getsockname()[1])
        stack.callback(stage.close)
        yield stage


def honest_program() -> str:
    """The reference, but for what nobody can know."""
    reference = (HERE / "course" / "reference" / "hostile" / "a1.py").read_text("utf-8")
    return reference.replace(CANARY, NEIGHBOURS)


def lay(entry: Entry, folder: Path, facts: Mapping[str, str]) -> None:
    """What the entry hands in, into a new folder: what its `make.py` makes, or else its files,
    told the facts."""
    folder.mkdir()
    if (entry.folder / "make.py").exists():
        runpy.run_path(str(entry.folder / "make.py"))["make"](folder)
        return
    for path in entry.folder.iterdir():
        if path.is_file() and path.name != "expect.yaml":
            (folder / path.name).write_bytes(told(path.read_bytes(), facts))


def faults(entry: Entry, outcome: Outcome) -> list[str]:
    """Every fault as one line: none when all is as it must be."""
    expect = entry.expect
    found = [fault for result in outcome.results for fault in _of_result(entry, result)]
    found += [each for each in outcome.refusals if not re.search(expect.problem, each)]
    if not outcome.results and not outcome.refusals:
        found.append("nothing was handed in")
    found += [f"a page does not show {each}" for each in expect.shown if each not in outcome.pages]
    found += [f"a page holds {each}" for each in expect.absent if each in outcome.pages]
    if outcome.survivors:
        found.append(f"{outcome.survivors} processes were left")
    if not outcome.neighbours_same:
        found.append("the honest submission beside it was changed")
    if any(holds(seen, CANARY) for seen in outcome.observations):
        found.append("it saw the canary")
    if outcome.memory_mib > expect.memory_mib:
        found.append(f"the parent's memory grew by {outcome.memory_mib:.1f} MiB")
    if outcome.cpu_seconds > expect.cpu_seconds:
        found.append(f"the parent computed for {outcome.cpu_seconds:.2f} s")
    return found


def _observations(graded: Sequence[Graded]) -> Iterator[Observation]:
    for each in graded:
        for run in each.runs.values():
            if isinstance(run, tuple):
                yield from run


def holds(seen: Observation, text: str) -> bool:
    """Whether a submission said this text anywhere."""
    return text in repr(seen)


def _of_result(entry: Entry, result: SubmissionResult) -> Iterator[str]:
    expect = entry.expect
    if result.status != expect.status:
        yield f"{result.id}: {result.status} {result.problem}"
    reason = result.problem or (result.unparsable.reason if result.unparsable else "")
    if not re.search(expect.problem, reason):
        yield f"{result.id}: problem: {reason!r}"
    if not re.search(expect.note, "\n".join(result.notes)):
        yield f"{result.id}: notes: {result.notes!r}"
    may_share = Isolation.ALONE if result.isolation_reason else Isolation.SHARED
    if expect.isolation not in (None, may_share):
        yield f"{result.id}: ran {result.isolation}: {result.isolation_reason}"
    findings = "\n".join(f"{one.rule} line {one.line}: {one.message}" for one in result.findings)
    if expect.finding and not (result.flagged and re.search(expect.finding, findings)):
        yield f"{result.id}: findings: {findings!r}, flagged: {result.flagged}"
    verdicts = {each.scenario_id: each.verdict for each in result.scenarios}
    for name, expected in expect.verdicts.items():
        if name not in verdicts:
            yield f"{name}: there is no such scenario"
            continue
        seen = verdicts[name]
        is_expected = seen.kind is expected.verdict and expected.rule in {"", *_rules(seen)}
        if not is_expected or not re.search(expected.message, seen.message):
            yield f"{result.id}: {name}: {seen.kind}: {seen.message}"


def _rules(verdict: Verdict) -> Iterator[str]:
    """Yield the rule that explains a verdict, and the rule of what comes later in its run."""
    explanation = verdict.explanation
    if explanation is not None:
        yield explanation.rule
        if explanation.later is not None:
            yield explanation.later.rule


def _pages(result: SubmissionResult, plan: Plan) -> str:
    return submission_page(result, plan) + feedback_page(student_view(result, plan))


def _contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
