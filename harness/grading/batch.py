"""Grades many submissions on all cores into one store.

Grading can be interrupted and resumed at any time, and can be limited to a part of the class.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from harness.common import serial
from harness.common.errors import UserError
from harness.common.words import plural
from harness.execution import cores
from harness.grading.context import GradingContext, now, run_facts
from harness.grading.engines import CausesJob, Engine, Job, WorkerFailure, WorkerSetup
from harness.grading.engines.local import worker_pool
from harness.grading.grader import Graded
from harness.grading.observing.setup import GraderSetup
from harness.grading.slow_last import graded_slow_last
from harness.judging.not_taken import RULE as NOT_TAKEN
from harness.marking.mark import without_mark
from harness.model.plan import Plan
from harness.model.result import (
    CausesBegun,
    CausesFound,
    CohortFacts,
    CommandLine,
    Event,
    Notice,
    RunFacts,
    RunFinished,
    RunResult,
    RunStarted,
    StrengthFigures,
    SubmissionGraded,
    SubmissionResult,
    SubmissionStatus,
    of_submission,
)
from harness.model.submission import Submission, Withheld
from harness.model.verdict import StandInOutcome, VerdictKind
from harness.policy.sources import POLICY_DIGEST
from harness.results.database import STORE_NAME, StoreReader
from harness.results.reuse import Piece, execution_digest, judging_digest
from harness.results.store import Store

Listener = Callable[[Event], None]
OnEach = Callable[[SubmissionResult], SubmissionResult]
_LISTED = 3  # ids in a message
# The state of an earlier result kept after our own failure: the next run tries again.
_NO_STATE = ""
_SOON = 8  # up to this many pending submissions, the report waits for their causes
EARLIER_NOTE = "the harness failed on this submission, so this result is from an earlier run"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How to grade, and into which folder."""

    out: Path
    paths: tuple[Path, ...] = ()  # sources of the submissions
    only: frozenset[str] | None = None  # the ids to grade; all others stay unchanged
    jobs: int | None = None  # workers; None: one a core
    engine: Engine | None = None  # instead of workers on this machine
    fresh: bool = False
    thorough: bool = False
    probes: bool = True  # failed scenarios run again to find causes
    # Facts and remarks about the uploads.
    cohort: CohortFacts | None = None
    notices: tuple[str, ...] = ()
    # Creates, from all ids and the plan, the function that local workers call with each result: it
    # writes the result's pages, or holds the result if that fails.
    on_graded: (
        Callable[[Sequence[str], Plan], Callable[[SubmissionResult], SubmissionResult]] | None
    ) = None
    # Called with the run when all marks are known and many causes are still to be found.
    on_marks: Callable[[RunResult], None] | None = None
    strength: StrengthFigures | None = None  # the strength of the scenarios, if known
    command: CommandLine | None = None  # the command that grades the whole class again


class Interrupted(Exception):  # noqa: N818  (what happened, not an error)
    """Raised on Ctrl-C or SIGTERM: finished results are stored; `run` is resumable.

    If only causes are still pending, all marks are known and the run is complete.
    """

    def __init__(self, run: RunResult, total: int, *, only_causes: bool = False) -> None:
        done = f"after {len(run.submissions)} of {total}"
        if only_causes:
            done = "while searching for causes; all marks are complete"
        super().__init__(f"interrupted {done}; run the same command to go on")
        self.run = run


def grade_batch(
    context: GradingContext,
    submissions: Sequence[Submission],
    options: BatchOptions,
    listener: Listener,
) -> RunResult:
    """Grade every submission; those that the store holds from the same inputs are kept. Then find
    the causes of failures.

    Raise UserError (the store cannot be written, or holds submissions that would be lost) and
    Interrupted (Ctrl-C, SIGTERM).
    """
    with Store.open(options.out / STORE_NAME, fresh=options.fresh) as store:
        state = _state_digest(context, probes=options.probes)
        grader = _grader_setup(context, options)
        chosen, is_class = submissions, True
        if options.only is not None:
            chosen = _chosen(submissions, options.only)
            is_class = _is_of_whole_class(store, options.paths)
        facts = _begin(store, context, submissions, options, state)
        todo = [submission for submission in chosen if not _is_done(store, submission, grader)]
        listener(RunStarted(facts=facts, total=len(chosen), kept=len(chosen) - len(todo)))
        names = {submission.id for submission in submissions}
        batch = _Batch(
            store=store,
            state=state,
            setup=_worker_setup(context, grader, options, names | store.states().keys()),
            options=options,
            listener=listener,
            engine=options.engine or worker_pool(options.jobs),
        )
        with batch.engine:
            try:
                batch.grade(todo)
            except KeyboardInterrupt:
                raise Interrupted(store.run(), len(chosen)) from None
            if is_class and names <= store.states().keys():
                facts = replace(facts, finished=now(), complete=True)
            store.finish(facts)
            facts = _find_causes(batch, chosen, facts)
        listener(RunFinished(facts=facts))
        return store.run()


def _grader_setup(context: GradingContext, options: BatchOptions) -> GraderSetup:
    return replace(
        context.grader_setup(),
        thorough=options.thorough,
        reference=context.specification.reference,
        probes=options.probes,
    )


def _worker_setup(
    context: GradingContext, grader: GraderSetup, options: BatchOptions, ids: AbstractSet[str]
) -> WorkerSetup:
    """Return the data that workers need. `ids` are the ids of all submissions in the report."""
    setup = replace(context.worker_setup(grader), store=options.out / STORE_NAME)
    if options.on_graded is None:
        return setup
    on_graded = partial(options.on_graded, tuple(sorted(ids)))
    return replace(setup, on_graded=on_graded)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """Grades submissions into a store, and then finds their causes."""

    store: Store
    state: str
    setup: WorkerSetup
    options: BatchOptions
    listener: Listener
    engine: Engine

    @property
    def workers(self) -> int | None:
        """Return the number of workers; None if they run on other machines."""
        if self.options.engine is not None:
            return None
        return self.options.jobs or len(cores())

    def grade(self, todo: Sequence[Submission]) -> None:
        """Grade these submissions; store each result when it arrives."""
        store = self.store
        for found in _grade_groups(todo, self.setup, self.engine, self.workers, self.listener):
            if isinstance(found, Piece):
                store.add(found)
                continue
            result = _not_lost(found, store)
            state = _NO_STATE if result.earlier else self.state
            store.save(result, state_digest=state)
            _tell_of_odd_runs(result, self.listener)
            self.listener(SubmissionGraded(result=result))

    def find_causes(self, chosen: Sequence[Submission]) -> bool:
        """Find the missing causes of these submissions; return whether there were any."""
        pending = [submission for submission in chosen if self._is_pending(submission)]
        if not pending:
            return False
        self.listener(CausesBegun(total=len(pending)))
        if len(pending) > _SOON and self.options.on_marks is not None:
            self.options.on_marks(self.store.run())
        groups = _groups(pending)

        def jobs() -> Iterator[CausesJob]:
            for members in groups.values():
                result = self._pending(members[0])
                if result is not None:
                    yield CausesJob(submission=members[0], result=result)

        for job, found in self.engine.run(self.setup, jobs()):
            if isinstance(found, Piece):
                self.store.add(found)
            elif isinstance(found, WorkerFailure):
                what = f"{job.submission.id}: the causes of its failures could not be found"
                self.listener(Notice(text=f"{what}: {found.reason}"))
            elif isinstance(found, Graded):
                self._save_causes(groups[job.submission.id], job.result, found.result)
        return True

    def _is_pending(self, submission: Submission) -> bool:
        # Most are correct, so the rest need not be read.
        outline = self.store.outline(submission.id)
        return outline is not None and outline.pending is not None

    def _pending(self, submission: Submission) -> SubmissionResult | None:
        """Return the stored result if its causes are still missing, otherwise None."""
        result = self.store.result(submission.id)
        if result is None or result.pending is None:
            return None
        return result

    def _save_causes(
        self, members: Sequence[Submission], before: SubmissionResult, found: SubmissionResult
    ) -> None:
        """Store the findings about the result that the first of a group had `before`."""
        for submission in members:
            result = self._pending(submission)
            if result is None:
                continue
            if submission is members[0] or found.status is not before.status:
                result = of_submission(found, submission)
            else:
                result = replace(
                    result,
                    causes=found.causes,
                    students_causes=found.students_causes,
                    pending=None,
                )
            self.store.save(result, state_digest=self.state)
            self.listener(CausesFound(result=result))


def _find_causes(batch: _Batch, chosen: Sequence[Submission], facts: RunFacts) -> RunFacts:
    """Find the causes of failures, and return the facts of the run, which then ends later. Raise
    Interrupted on Ctrl-C and SIGTERM."""
    store = batch.store
    try:
        found_some = batch.find_causes(chosen)
    except KeyboardInterrupt:
        raise Interrupted(store.run(), len(chosen), only_causes=True) from None
    if found_some and facts.complete:
        facts = replace(facts, finished=now())
        store.finish(facts)
    return facts


def _begin(
    store: Store,
    context: GradingContext,
    submissions: Sequence[Submission],
    options: BatchOptions,
    state: str,
) -> RunFacts:
    """Store the facts that the run begins with, and drop the results of other states."""
    plan = context.specification.plan
    facts = run_facts(context, options.notices)
    facts = replace(
        facts, cohort=options.cohort, strength=options.strength, command=options.command
    )
    # From the report's folder, so that class and report can be moved together.
    folder = store.path.parent.resolve()
    paths = tuple(os.path.relpath(path.resolve(), folder) for path in options.paths)
    if options.only is None:
        _refuse_to_lose(store, submissions, options.paths)
        store.begin(facts, plan, paths)
        store.keep_only([submission.id for submission in submissions], state_digest=state)
        return facts
    _refuse_other_states(store, options.only, state)
    before = store.earlier_facts()
    is_part = bool(store.states().keys() - {submission.id for submission in submissions})
    if before is not None and before.assignment == facts.assignment and is_part:
        command = before.command or facts.command
        facts = replace(facts, cohort=before.cohort, command=command)
    store.begin(facts, plan, None if store.paths() else paths)
    store.drop_stale(options.only, state)
    return facts


def _tell_of_odd_runs(result: SubmissionResult, listener: Listener) -> None:
    kinds = [scenario.verdict.kind for scenario in result.scenarios]
    stopped = kinds.count(VerdictKind.STOPPED_EARLY)
    if stopped:
        what = f"{result.id}: {stopped} of {len(kinds)} scenarios stopped early, because"
        why = "every call of their functions timed out; --thorough runs all with full limits"
        listener(Notice(text=f"{what} {why}"))
    second = [scenario.verdict.stand_in for scenario in result.scenarios]
    broken = second.count(StandInOutcome.BROKEN)
    if broken:
        what = f"{result.id}: the course's own stand-in failed in {broken} of its second runs"
        listener(Notice(text=f"{what}. No mark changes; results.json names them"))
    over = result.over_budget
    if over is not None:
        listener(Notice(text=f"{result.id}: {over}; {over.go_on(result.id)}"))


def _state_digest(context: GradingContext, *, probes: bool) -> str:
    """Return a digest of everything that may change a result.

    The time that a submission has is not part of it: it changes only results that used it up, which
    show that themselves.
    """
    plan = context.specification.plan
    timeless = replace(plan, assignment=replace(plan.assignment, total_seconds=None))
    parts = [
        serial.dumps(timeless),  # its digest leaves out the removed parts
        plan.reference_digest,
        context.key.made_with,
        execution_digest(),
        judging_digest(),
        POLICY_DIGEST,
    ]
    if not probes:
        parts.append("no probes")
    return sha256("\n".join(parts).encode()).hexdigest()


def _not_lost(result: SubmissionResult, store: Store) -> SubmissionResult:
    """Return the result. If the harness failed, return instead the good result that an earlier run
    stored for the same files.

    It is stored without a state, so that the next run tries again.
    """
    if result.status is not SubmissionStatus.HARNESS_ERROR:
        return result
    earlier = store.earlier(result.id, result.source_digest)
    if earlier is None:
        return result
    notes = tuple(note for note in earlier.notes if note != EARLIER_NOTE)
    notes = (*notes, EARLIER_NOTE)
    earlier = replace(earlier, earlier=True, flagged=True, notes=notes, pending=None)
    return of_submission(earlier, result)


def _is_done(store: Store, submission: Submission, grader: GraderSetup) -> bool:
    """Return whether the stored result can be kept, because grading again would give the same."""
    earlier = store.result(submission.id)
    if earlier is None or earlier.status is SubmissionStatus.HARNESS_ERROR:
        return False
    if _has_more_time(earlier, grader) or not _is_of_same_upload(earlier, submission):
        return False
    # Messages about modules beside the files depend on them too.
    if submission.not_taken:
        return False
    for entry in earlier.scenarios:
        verdict = entry.verdict
        if verdict.explanation is not None and verdict.explanation.rule == NOT_TAKEN:
            return False
        # These depend as much on the machine at that moment as on the submission. Scenarios that
        # ended at a limit of CPU time or output, full or shortened, do not.
        if verdict.on_wall_time or verdict.kind is VerdictKind.HARNESS_ERROR:
            return False
    return True


def _is_of_same_upload(earlier: SubmissionResult, submission: Submission) -> bool:
    withheld = None
    if earlier.over_budget is None:
        withheld = {reason.value: reason for reason in Withheld}.get(earlier.status.value)
    return (
        earlier.source_digest == submission.digest
        and earlier.problem == submission.problem
        and earlier == of_submission(earlier, submission)
        and earlier.notes[: len(submission.notes)] == submission.notes
        and withheld == submission.withheld
    )


def _has_more_time(earlier: SubmissionResult, grader: GraderSetup) -> bool:
    """Return whether scenarios that did not run, or did not finish, have enough time now."""
    if grader.total_seconds is None:
        kinds = {entry.verdict.kind for entry in earlier.scenarios}
        return earlier.over_budget is not None or VerdictKind.STOPPED_EARLY in kinds
    had = earlier.over_budget
    return had is not None and had.seconds < grader.total_seconds


def _grade_groups(
    todo: Sequence[Submission],
    setup: WorkerSetup,
    engine: Engine,
    workers: int | None,
    listener: Listener,
) -> Iterator[Piece | SubmissionResult]:
    """Yield every submission's pieces and result as they arrive. Our own failures have their own
    status. Files that a group submitted together are graded once, so that all have the same mark.
    """
    plan = setup.grader.plan
    groups = _groups(todo)
    jobs = [Job(submission=members[0], causes_later=True) for members in groups.values()]
    for job, found in graded_slow_last(engine, setup, jobs, workers, listener):
        if isinstance(found, Piece):
            yield found
            continue
        for submission in groups[job.submission.id]:
            if isinstance(found, WorkerFailure):
                listener(Notice(text=f"{submission.id}: could not be graded: {found.reason}"))
                problem = "the harness failed on this submission; run the same command again"
                failed = without_mark(plan, submission, SubmissionStatus.HARNESS_ERROR)
                yield replace(failed, problem=problem)
            else:
                result = found.result
                notes = (*submission.notes, *result.notes[len(job.submission.notes) :])
                yield of_submission(replace(result, notes=notes), submission)


def _groups(submissions: Iterable[Submission]) -> dict[str, list[Submission]]:
    """Return the submissions that were made together by a group, keyed by the id of the
    first one.
    """
    together: dict[tuple[str | None, ...], list[Submission]] = {}
    for submission in submissions:
        same = (submission.origin, submission.digest, submission.problem, submission.withheld)
        together.setdefault(same, []).append(submission)
    return {members[0].id: members for members in together.values()}


def _refuse_to_lose(
    store: StoreReader, submissions: Sequence[Submission], paths: Sequence[Path]
) -> None:
    """Raise UserError if this run would drop stored results whose files still exist, because a part
    of a class, or another class, must not replace the class's report."""
    lost = sorted(store.states().keys() - {submission.id for submission in submissions})
    if not lost or _covers(store, paths):
        return
    listed = ", ".join(lost[:_LISTED])
    if len(lost) > _LISTED:
        listed += " …"
    number = f"{len(lost)} {plural(len(lost), 'submission')}"
    raise UserError(
        f"contains the report of a class with {number} that would be lost ({listed})",
        place=str(store.path),
        hint="add --only ID to grade only some and keep the rest, --out FOLDER to write another "
        "report, or --fresh to start over",
    )


def _covers(store: StoreReader, paths: Sequence[Path]) -> bool:
    """Return whether `paths` contain everything that the stored run was asked to grade and that
    still exists.

    False if the run's selection is unknown.
    """
    folder = store.path.parent.resolve()
    before = [(folder / path).resolve() for path in store.paths()]
    if not before and store.states():
        return False
    now = [path.resolve() for path in paths]
    for path in before:
        if path.exists() and not any(path.is_relative_to(given) for given in now):
            return False
    return True


def _is_of_whole_class(store: StoreReader, paths: Sequence[Path]) -> bool:
    """Return whether the run is complete after a part of the class is graded: it was before, or
    everything that it was asked to grade was read again."""
    if _covers(store, paths):
        return True
    before = store.earlier_facts()
    return before is not None and before.complete


def _chosen(submissions: Sequence[Submission], only: frozenset[str]) -> tuple[Submission, ...]:
    """Return the submissions with these ids. Raise UserError for an unknown id."""
    known = {submission.id for submission in submissions}
    for name in sorted(only - known):
        near = difflib.get_close_matches(name, known, n=3)
        hint = "the report lists the ids"
        if near:
            hint = f"there is {', '.join(near)}"
        raise UserError(f"no submission has the id {name!r}", hint=hint)
    return tuple(submission for submission in submissions if submission.id in only)


def _refuse_other_states(store: StoreReader, only: frozenset[str], state: str) -> None:
    """Raise UserError if the class's other results come from other scenarios, another reference or
    another harness, because a report has only one plan."""
    other: list[str] = []
    for name, found_with in store.states().items():
        if name not in only and found_with not in (state, _NO_STATE):
            other.append(name)
    if other:
        number = f"{len(other)} other {plural(len(other), 'submission')} of this report"
        what = f"{number} were graded with other scenarios or another harness"
        hint = "grade the whole class again, without --only"
        raise UserError(what, place=str(store.path), hint=hint)
