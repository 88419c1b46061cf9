"""Paths in, submissions out, in five stages: find, recognise, identify, select, submission."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.intake.accounting import contents_of
from harness.intake.cohort.terms import ClassOptions, read_terms
from harness.intake.cohort.times import shown
from harness.intake.finding import find
from harness.intake.identifying import identify
from harness.intake.identity import unique_ids
from harness.intake.recognising import recognise
from harness.intake.selecting import select_attempt
from harness.intake.submissions import submission_of
from harness.model.plan import Assignment
from harness.model.result import CohortFacts
from harness.model.submission import Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The submissions of a class in the order of ids; where they came from; and lines that the
    user should see."""

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
    hands_in_archives = assignment.archive is not None and asked.layout is None
    with ExitStack() as archives:
        found = find(paths, archives, students_hand_in_archives=hands_in_archives)
        sources = recognise(found, assignment, asked.layout)
        class_ = identify(sources, terms)
        ids = unique_ids(member.uploads.identity for member in class_.members)
        selected = [select_attempt(member.uploads, member.due) for member in class_.members]
        submissions = [
            submission_of(name, member, attempt, assignment)
            for name, member, attempt in zip(ids, class_.members, selected, strict=True)
        ]
    facts = CohortFacts(
        layouts=tuple(dict.fromkeys(source.layout for source in sources)),
        submissions=class_.submissions,
        students=class_.students,
        due=shown(terms.due) if terms.due else "",
        time_zone=terms.zone.key if terms.zone else "",
        contents=contents_of(sources, submissions),
    )
    submissions.sort(key=lambda submission: submission.id)
    return Cohort(submissions=tuple(submissions), facts=facts, notices=class_.notices)
