"""Paths in, submissions out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.intake.archives.unpack import unpack
from harness.intake.cohort.attempts import Due, SelectedAttempt, latest_in_time
from harness.intake.cohort.matching import RosterEntry, on_roster, with_extensions
from harness.intake.cohort.terms import ClassOptions, read_terms
from harness.intake.cohort.times import shown
from harness.intake.gathering import gathered
from harness.intake.identity import safe_id, unique_ids
from harness.intake.selection import choose
from harness.intake.sources import sources
from harness.model.plan import Assignment, OtherFiles, SourceFile
from harness.model.result import CohortFacts
from harness.model.submission import Submission, Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """Everybody, in the order of ids; what there is to say of where it came from; and lines that
    the user should see."""

    submissions: tuple[Submission, ...]
    facts: CohortFacts
    notices: tuple[str, ...] = ()


def read(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """The submissions alone, as `read_cohort` finds them when nothing is asked for."""
    return read_cohort(paths, assignment, ClassOptions()).submissions


def read_cohort(paths: Sequence[Path], assignment: Assignment, asked: ClassOptions) -> Cohort:
    """Every student's submission under the paths, each once, and what is known of them.

    What is wrong with one submission is its own `problem` and stops no other. Raises UserError
    when a path itself is missing or cannot be read, its layout is not clear, it holds more than
    can be read, or what was asked for (due time, extensions, roster) cannot be used.
    """
    terms = read_terms(asked, assignment)
    with ExitStack() as stack:
        class_ = gathered(sources(paths, assignment, asked.layout, stack), terms)
        standings = [RosterEntry(handed=handed) for handed in class_.handed]
        notices = list(class_.notices)
        if terms.roster is not None:
            standings, strangers = on_roster(class_.handed, terms.roster, str(asked.roster))
            notices += strangers
        class_.check_times(standings, terms)
        standings = with_extensions(standings, terms.extensions, Due(at=terms.due))
        standings.sort(key=_order)
        ids = unique_ids(standing.handed.identity for standing in standings)
        submissions = [
            _submission(name, standing, assignment)
            for name, standing in zip(ids, standings, strict=True)
        ]
    facts = CohortFacts(
        layouts=class_.layouts,
        submissions=class_.submissions,
        students=len(class_.handed),
        due=shown(terms.due) if terms.due else "",
        time_zone=terms.zone.key if terms.zone else "",
    )
    submissions.sort(key=lambda submission: submission.id)
    return Cohort(submissions=tuple(submissions), facts=facts, notices=tuple(notices))


def _order(standing: RosterEntry) -> tuple[str, str]:
    attempts = standing.handed.attempts
    return safe_id(standing.handed.identity), attempts[0].found.origin if attempts else ""


def _submission(name: str, standing: RosterEntry, assignment: Assignment) -> Submission:
    handed = standing.handed
    if not handed.attempts:
        why = handed.doubt or "on the roster, and nothing was handed in"
        withheld = Withheld.NEEDS_REVIEW if handed.doubt else Withheld.NO_SUBMISSION
        return Submission(
            id=name,
            files=(),
            origin=standing.listed.place if standing.listed else "",
            notes=(why,),
            student=handed.student,
            withheld=withheld,
        )
    taken = latest_in_time(handed, standing.due)
    return _of_attempt(name, handed.notes, taken, standing, assignment)


def _of_attempt(
    name: str,
    notes: tuple[str, ...],
    taken: SelectedAttempt,
    standing: RosterEntry,
    assignment: Assignment,
) -> Submission:
    found = taken.attempt.found
    student = standing.handed.student
    files: tuple[SourceFile, ...] = ()
    problem, withheld = "", taken.withheld
    notes = (*notes, *taken.notes)
    if withheld is None and student and not found.entries and not found.problem:
        withheld = Withheld.NO_SUBMISSION
        notes = (*notes, "handed in without any file")
    elif withheld is None:
        chosen = choose(unpack(found, assignment), assignment)
        files, problem = chosen.files, chosen.problem
        notes = (*notes, *chosen.notes)
        if problem and (chosen.ours or assignment.otherwise is OtherFiles.REVIEW):
            withheld = Withheld.NEEDS_REVIEW
    return Submission(
        id=name,
        files=files,
        origin=found.origin,
        problem=problem,
        notes=notes,
        student=student,
        handed_in=shown(taken.attempt.at) if taken.attempt.at else "",
        attempt=taken.number if student else None,
        attempts=taken.of if student else None,
        withheld=withheld,
        source=found.source,
    )
