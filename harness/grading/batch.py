"""Grading many submissions on all cores, into one store, resumable at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from harness.common import serial
from harness.grading import part_of_class as part
from harness.grading.context import GradingContext, finished_facts, run_facts
from harness.grading.engines import EngineFactory, Job, OnGraded, WorkerFailure, WorkerSetup
from harness.grading.engines.local import Pool
from harness.grading.grader import Graded
from harness.grading.observing.cache import execution_digest, judging_digest
from harness.model.plan import Plan
from harness.model.result import (
    CohortFacts,
    Event,
    Notice,
    RunFinished,
    RunResult,
    RunStarted,
    StrengthFigures,
    SubmissionGraded,
    SubmissionResult,
    SubmissionStatus,
    not_yet_given,
    of_submission,
)
from harness.model.submission import Submission, Withheld
from harness.model.verdict import Verdict, VerdictKind
from harness.policy import POLICY_DIGEST
from harness.results import STORE_NAME, Piece, Store

Listener = Callable[[Event], None]

EARLIER_NOTE = "the harness failed on this submission; this result is from an earlier run"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How to grade: into `out`, with `jobs` workers (None: one a core), or by another engine.

    `paths` is what the submissions were read from. `only` has the ids to grade, where all others
    stay as they are. `cohort` and `notices` are what there is to say of what was handed in.
    `on_graded` is what the workers of this machine do with each result, beside grading. `strength`
    is what is known of how strong the scenarios are.
    """

    out: Path
    paths: tuple[Path, ...] = ()
    only: frozenset[str] | None = None
    jobs: int | None = None
    engine: EngineFactory | None = None
    fresh: bool = False
    thorough: bool = False
    cohort: CohortFacts | None = None
    notices: tuple[str, ...] = ()
    on_graded: OnGraded | None = None
    strength: StrengthFigures | None = None


class Interrupted(Exception):  # noqa: N818  (what happened, not an error)
    """Ctrl-C or SIGTERM: what is done is stored; `run` is incomplete and resumable."""

    def __init__(self, run: RunResult, total: int) -> None:
        done = len(run.submissions)
        super().__init__(
            f"interrupted after {done} of {total}; the same command goes on from there"
        )
        self.run = run


def grade_batch(
    context: GradingContext,
    submissions: Sequence[Submission],
    options: BatchOptions,
    listener: Listener,
) -> RunResult:
    """Grade every submission; those that the store holds from the same inputs are kept.

    Raises UserError (the store cannot be written, or holds submissions that would be lost) and
    Interrupted (Ctrl-C, SIGTERM).
    """
    plan = context.specification.plan
    with Store.open(options.out / STORE_NAME, fresh=options.fresh) as store:
        state = _state_digest(context, thorough=options.thorough)
        facts = run_facts(context)
        facts = replace(
            facts,
            cohort=options.cohort,
            notices=(*facts.notices, *options.notices),
            strength=options.strength,
        )
        if options.only is None:
            part.refuse_to_lose(store, submissions, options.paths)
            chosen = submissions
            store.begin(facts, plan, part.as_stored(options.paths, store))
            store.keep_only([each.id for each in submissions], state_digest=state)
        else:
            chosen = part.chosen(submissions, options.only)
            part.refuse_other_states(store, options.only, state)
            facts = part.facts_of_class(facts, store, submissions)
            is_class = part.is_class(store, options.paths)
            store.begin(
                facts, plan, None if store.paths() else part.as_stored(options.paths, store)
            )
            store.drop_stale(options.only, state)
        todo = [submission for submission in chosen if not _is_done(store, submission)]
        listener(RunStarted(facts=facts, total=len(chosen), kept=len(chosen) - len(todo)))
        setup = replace(
            context.worker_setup(),
            store=options.out / STORE_NAME,
            thorough=options.thorough,
            reference=context.specification.reference,
        )
        ids = tuple(sorted({each.id for each in submissions} | store.states().keys()))
        local = replace(setup, on_graded=options.on_graded, ids=ids)
        engine = options.engine or (lambda _: Pool(local, options.jobs))
        try:
            for found in _graded(todo, setup, engine, plan, listener):
                if isinstance(found, Piece):
                    store.add(found)
                    continue
                result = _not_lost(found.result, store)
                store.save(result, state_digest="" if result.earlier else state)
                _tell_of_stopped(result, listener)
                listener(SubmissionGraded(result=result))
        except KeyboardInterrupt:
            raise Interrupted(store.run(), len(chosen)) from None
        missing = {each.id for each in submissions} - store.states().keys()
        if options.only is None or (is_class and not missing):
            facts = finished_facts(facts)
        store.finish(facts)
        listener(RunFinished(facts=facts))
        return store.run()


def _tell_of_stopped(result: SubmissionResult, listener: Listener) -> None:
    kinds = [scenario.verdict.kind for scenario in result.scenarios]
    stopped = kinds.count(VerdictKind.STOPPED_EARLY)
    if stopped:
        listener(
            Notice(
                text=f"{result.id}: {stopped} of {len(kinds)} scenarios stopped early, as nothing "
                "of their functions ended; --thorough runs all at the full limit"
            )
        )


def _state_digest(context: GradingContext, *, thorough: bool) -> str:
    plan = context.specification.plan
    parts = [
        serial.dumps(plan),  # what was cut out of it is not in its digest
        plan.reference_digest,
        context.key.made_with,
        execution_digest(),
        judging_digest(),
        POLICY_DIGEST,
        str(thorough),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()


def _not_lost(result: SubmissionResult, store: Store) -> SubmissionResult:
    """The result, or where we failed the good one that an earlier run has of the same bytes.

    It is stored under no state, so that the next run tries again.
    """
    if result.status is not SubmissionStatus.HARNESS_ERROR:
        return result
    earlier = store.earlier(result.id, result.source_digest)
    if earlier is None:
        return result
    notes = tuple(note for note in earlier.notes if note != EARLIER_NOTE)
    return replace(
        earlier,
        earlier=True,
        flagged=True,
        notes=(*notes, EARLIER_NOTE),
        student=result.student,
        handed_in=result.handed_in,
        attempt=result.attempt,
        attempts=result.attempts,
        source=result.source,
    )


def _is_done(store: Store, submission: Submission) -> bool:
    earlier = store.result(submission.id)
    return (
        earlier is not None
        and earlier.status is not SubmissionStatus.HARNESS_ERROR
        and earlier.source_digest == submission.digest
        and earlier.problem == submission.problem
        and earlier == of_submission(earlier, submission)
        and earlier.notes[: len(submission.notes)] == submission.notes
        and _withheld(earlier) == submission.withheld
        and not any(_is_transient(entry.verdict) for entry in earlier.scenarios)
    )


def _is_transient(verdict: Verdict) -> bool:
    """Whether it says as much about the machine at that moment as about the submission: tried
    again. What ended at a limit of CPU time or output, full or shortened, does not."""
    return verdict.on_wall_time or verdict.kind is VerdictKind.HARNESS_ERROR


def _withheld(result: SubmissionResult) -> Withheld | None:
    known = {reason.value: reason for reason in Withheld}
    return known.get(result.status.value)


def _graded(
    todo: Sequence[Submission],
    setup: WorkerSetup,
    create_engine: EngineFactory,
    plan: Plan,
    listener: Listener,
) -> Iterator[Piece | Graded]:
    """Every submission's pieces and result as they come, our own failures as a status of their own.

    What a group handed in together is graded once, so that all of them have the same mark.
    """
    together: dict[tuple[str | None, ...], list[Submission]] = {}
    for submission in todo:
        same = (submission.origin, submission.digest, submission.problem, submission.withheld)
        together.setdefault(same, []).append(submission)
    groups = {members[0].id: members for members in together.values()}
    with create_engine(setup) as engine:
        for job, found in engine.run([Job(submission=members[0]) for members in groups.values()]):
            if isinstance(found, Piece):
                yield found
                continue
            for submission in groups[job.submission.id]:
                if isinstance(found, WorkerFailure):
                    listener(Notice(text=f"{submission.id}: could not be graded: {found.reason}"))
                    yield _harness_error(submission, plan)
                else:
                    yield _as_own(found, job.submission, submission)


def _as_own(found: Graded, first: Submission, member: Submission) -> Graded:
    if member is first:
        return found
    notes = (*member.notes, *found.result.notes[len(first.notes) :])
    result = of_submission(replace(found.result, notes=notes), member)
    return Graded(result=result, observations={}, verdicts={})


def _harness_error(submission: Submission, plan: Plan) -> Graded:
    result = SubmissionResult(
        id=submission.id,
        status=SubmissionStatus.HARNESS_ERROR,
        mark=None,
        out_of=plan.assignment.functionality_marks,
        problem="the harness failed on this submission; run the same command again",
        notes=submission.notes,
        source_digest=submission.digest,
        manual=not_yet_given(plan.assignment),
    )
    return Graded(result=of_submission(result, submission), observations={}, verdicts={})
