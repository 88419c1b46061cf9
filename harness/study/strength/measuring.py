"""Runs every change of a reference against its scenarios."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from harness.common import files, serial
from harness.grading import GradingContext, Job, execution_digest, judging_digest, run_jobs
from harness.model.result import SubmissionResult
from harness.model.study import (
    ChangeOutcome,
    Equivalent,
    FunctionStrength,
    StrengthReport,
)
from harness.model.submission import Submission
from harness.study.strength.generating import Change, changes, with_change

_SAVED_EVERY = 10  # changes
_MOST_NAMED = 5  # scenarios kept for a change

Progress = Callable[[str, int, int], None]


def measure(
    context: GradingContext,
    equivalents: Sequence[Equivalent],
    *,
    cache: Path,
    jobs: int | None = None,
    progress: Progress = lambda what, done, total: None,
) -> StrengthReport:
    """Whether some scored scenario notices each change of the reference.

    A change is first run with the scenarios of its own function, then, if these pass, with all.
    What is known is kept below `cache` by content, also of a run that is interrupted. UserError
    where the generator is not installed.
    """
    specification = context.specification
    progress("changes", 0, 0)
    made = changes(specification.reference)
    kept = _Kept.open(cache, context)
    own = {change: _own_scenarios(context, change) for change in made}
    for stage, only in (("own scenarios", own), ("all scenarios", dict.fromkeys(made))):
        left = [
            change for change in made if not kept.settled(change, stage) and only[change] != _NONE
        ]
        of_job = {
            id(job): (job, change)
            for change in left
            for job in [_job(context, change, only[change])]
        }
        ended = run_jobs(context, [job for job, _ in of_job.values()], jobs)
        for done, (job, graded) in enumerate(ended, start=1):
            kept.add(of_job[id(job)][1], stage, _noticed_by(graded.result))
            progress(stage, done, len(left))
        kept.save()
    return _report(specification.plan.assignment.id, made, kept.found, equivalents)


_NONE: frozenset[str] = frozenset()
_LAST = "all scenarios"


@dataclass(slots=True)
class _Kept:
    """What is known of changes by the digests of their texts, in a file; `stages` of those that
    were not noticed."""

    path: Path
    found: dict[str, list[str]] = field(default_factory=dict)
    stages: dict[str, list[str]] = field(default_factory=dict)
    unsaved: int = 0

    @classmethod
    def open(cls, cache: Path, context: GradingContext) -> _Kept:
        plan = serial.dumps(context.specification.plan)
        parts = (plan, context.key.made_with, execution_digest(), judging_digest())
        name = sha256("\n".join(parts).encode()).hexdigest()[:32]
        kept = cls(cache / "strength" / f"{name}.json")
        try:
            data = json.loads(kept.path.read_text(encoding="utf-8"))
            kept.found, kept.stages = data["found"], data["stages"]
        except (OSError, ValueError, KeyError, TypeError):
            kept.found, kept.stages = {}, {}
        return kept

    def settled(self, change: Change, stage: str) -> bool:
        key = digest(change)
        done = self.stages.get(key, [])
        return bool(self.found.get(key)) or stage in done or _LAST in done

    def add(self, change: Change, stage: str, noticed_by: list[str]) -> None:
        key = digest(change)
        self.found[key] = noticed_by
        self.stages.setdefault(key, []).append(stage)
        self.unsaved += 1
        if self.unsaved >= _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        self.unsaved = 0
        data = {"found": self.found, "stages": self.stages}
        files.write(self.path, json.dumps(data, sort_keys=True))


def digest(change: Change) -> str:
    """What a change is known by."""
    return sha256(f"{change.file}\0".encode() + change.text).hexdigest()


def _own_scenarios(context: GradingContext, change: Change) -> frozenset[str]:
    return frozenset(
        scenario.id
        for scenario in context.specification.plan.scenarios
        if scenario.function == change.function
    )


def _job(context: GradingContext, change: Change, only: frozenset[str] | None) -> Job:
    program = Submission(
        id=f"change-{digest(change)[:12]}",
        files=with_change(context.specification.reference, change),
        origin="the reference",
    )
    return Job(submission=program, only=only)


def _noticed_by(result: SubmissionResult) -> list[str]:
    """The first scored scenarios that fail; a file that Python cannot read fails all."""
    failing = [one.scenario_id for one in result.scenarios if not one.verdict.passed and one.out_of]
    return failing[:_MOST_NAMED]


def _report(
    assignment: str,
    made: Sequence[Change],
    found: dict[str, list[str]],
    equivalents: Sequence[Equivalent],
) -> StrengthReport:
    reasons = {(e.file, e.function, e.before, e.after): e.why for e in equivalents}
    used: set[tuple[str, str, str, str]] = set()
    mistakes = []
    outcomes = []
    for change in made:
        key = (change.file, change.function, change.before, change.after)
        noticed_by = found.get(digest(change), [])
        if key in reasons:
            used.add(key)
            if noticed_by:
                mistakes.append(f"{_named(key)}: {noticed_by[0]} notices it")
        outcomes.append(
            ChangeOutcome(
                file=change.file,
                function=change.function,
                line=change.line,
                operator=change.operator,
                before=change.before,
                after=change.after,
                noticed_by=tuple(noticed_by),
                why=reasons.get(key, ""),
            )
        )
    mistakes += [f"{_named(key)}: there is no such change" for key in reasons.keys() - used]
    return StrengthReport(
        assignment=assignment,
        functions=tuple(
            _strength(name, [each for each in outcomes if each.function == name])
            for name in dict.fromkeys(each.function for each in outcomes)
        ),
        outcomes=tuple(outcomes),
        mistakes=tuple(sorted(mistakes)),
    )


def _named(key: tuple[str, str, str, str]) -> str:
    file, function, before, after = key
    return f"{file}, {function}: `{before}` as `{after}`"


def _strength(function: str, outcomes: Sequence[ChangeOutcome]) -> FunctionStrength:
    return FunctionStrength(
        function=function,
        changes=len(outcomes),
        noticed=sum(bool(each.noticed_by) for each in outcomes),
        equivalent=sum(bool(each.why) and not each.noticed_by for each in outcomes),
    )
