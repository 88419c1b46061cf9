"""Turn paths into submissions in five stages: find, recognise, identify, select, submission."""

from collections.abc import Iterable, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from harness.intake.entries import Entry, shown_path, unique_ids
from harness.intake.identifying import Decisions, identify, not_listed, submissions_of
from harness.intake.recognising import Download, find, recognise
from harness.intake.terms import ClassOptions, iso_time, read_terms
from harness.model.plan import Assignment
from harness.model.result import CohortFacts, Contents
from harness.model.submission import Submission, Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The submissions of a class in the order of ids, their origin, and lines that the user should
    see.
    """

    submissions: tuple[Submission, ...]
    facts: CohortFacts
    notices: tuple[str, ...] = ()


def read(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """Return only the submissions, as `read_cohort` finds them without options."""
    return read_cohort(paths, assignment, ClassOptions()).submissions


def read_cohort(
    paths: Sequence[Path],
    assignment: Assignment,
    asked: ClassOptions,
    decisions: Decisions = MappingProxyType({}),
) -> Cohort:
    """Return every student's submission under the paths, each once, with people's earlier
    decisions about held ones.

    A fault of one submission is its own `problem` and stops no other. Raise UserError if a path
    itself is missing or cannot be read, its layout is not clear, it holds more than can be read, or
    an option (due time, extensions, roster) cannot be used.
    """
    terms = read_terms(asked, assignment)
    hands_in_archives = assignment.archive is not None and asked.layout is None
    with ExitStack() as archives:
        named = find(paths, archives, students_hand_in_archives=hands_in_archives)
        downloads = recognise(named, assignment, asked.layout)
        class_ = identify(downloads, terms)
        ids = unique_ids(uploads.identity for uploads in class_.members)
        members = list(zip(ids, class_.members, strict=True))
        submissions = list(submissions_of(members, assignment, decisions))
    broken = [f"{place.where} {place.fault}. Download it again" for place in named if place.fault]
    notices = (*broken, *class_.notices, *not_listed(members, decisions))
    facts = CohortFacts(
        layouts=tuple(dict.fromkeys(download.name for download in downloads)),
        submissions=class_.submissions,
        students=class_.students,
        due=iso_time(terms.due) if terms.due else "",
        time_zone=terms.zone.key if terms.zone else "",
        contents=_contents(downloads, submissions),
    )
    submissions.sort(key=lambda submission: submission.id)
    return Cohort(submissions=tuple(submissions), facts=facts, notices=notices)


def _contents(downloads: Sequence[Download], submissions: Sequence[Submission]) -> Contents:
    """Return what became of everything in the downloads: a student's, for a person to look at, or
    ignored.

    Each file or folder is counted once, by its final owner, so that nothing can be lost unnoticed.
    """
    in_review = set()
    for submission in submissions:
        if submission.withheld is Withheld.NEEDS_REVIEW:
            in_review.add(submission.origin)
    kinds: set[str] = set()
    total = of_students = students = 0
    review: list[str] = []
    ignored: list[str] = []
    metadata: list[str] = []
    for download in downloads:
        total += len(download.contents)
        graded_students, needs_review = _parts_of_students(download, in_review)
        students += graded_students
        metadata_name = download.layout.needs if download.layout else ""
        for entry in download.contents:
            if entry.name not in needs_review:
                names = metadata if entry.name == metadata_name else ignored
                names.append(_listed(entry))
                continue
            kinds.add("folders" if entry.is_folder else "files")
            if needs_review[entry.name]:
                review.append(shown_path(entry.name))
            else:
                of_students += 1
    return Contents(
        what=kinds.pop() if len(kinds) == 1 else "files and folders",
        total=total,
        students=students,
        of_students=of_students,
        review=tuple(review),
        ignored=tuple(ignored),
        metadata=tuple(metadata),
        left_out=_left_out(submissions),
    )


def _parts_of_students(download: Download, in_review: Set[str]) -> tuple[int, dict[str, bool]]:
    """Return the number of students whose uploads are graded, and the names in the download that
    are students', each with whether a person must look at it."""
    students = 0
    needs_review: dict[str, bool] = {}
    for uploads in download.uploads:
        doubted = any(attempt.origin in in_review for attempt in uploads.attempts)
        if uploads.parts and not doubted:
            students += 1
        for part in uploads.parts:
            needs_review[part] = doubted or needs_review.get(part, False)
    return students, needs_review


def _listed(entry: Entry) -> str:
    """Return its name, or the reason why it belongs to no submission."""
    return entry.fault or shown_path(entry.name)


_OF_SAMPLES = "expect.yaml"  # the course's own file beside a sample


def _left_out(submissions: Iterable[Submission]) -> tuple[str, ...]:
    """Return the paths of ignored files, each after its submission's id."""
    found: list[str] = []
    for submission in submissions:
        for path in submission.left_out:
            if path != _OF_SAMPLES:
                found.append(f"{submission.id}/{path}")
    return tuple(found)
