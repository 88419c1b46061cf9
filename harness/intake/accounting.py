"""What became of everything that lay in a download: a student's, for a person to look at, ignored.

Each thing is counted once, by what holds it in the end, so that nothing can be lost unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.intake.files.entries import Entry, EntryKind
from harness.intake.identity import shown_path
from harness.intake.recognising import UploadSource
from harness.model.result import Contents
from harness.model.submission import Submission, Withheld


def contents_of(sources: Sequence[UploadSource], submissions: Iterable[Submission]) -> Contents:
    """The account of all sources together, once it is known which submissions need review."""
    in_review = {one.origin for one in submissions if one.withheld is Withheld.NEEDS_REVIEW}
    kinds: set[EntryKind] = set()
    total = of_students = students = 0
    review: list[str] = []
    ignored: list[str] = []
    metadata: list[str] = []
    for source in sources:
        held, doubted, count = _holders(source, in_review)
        students += count
        total += len(source.contents)
        for entry in source.contents:
            shown = shown_path(entry.name)
            if entry.name in doubted:
                review.append(shown)
            elif entry.name in held:
                of_students += 1
            elif entry.name == source.metadata:
                metadata.append(shown)
                continue
            else:
                ignored.append(shown)
                continue
            kinds.add(_plain_kind(entry))
    return Contents(
        what=f"{kinds.pop().value}s" if len(kinds) == 1 else "files and folders",
        total=total,
        students=students,
        of_students=of_students,
        review=tuple(review),
        ignored=tuple(ignored),
        metadata=tuple(metadata),
    )


def _holders(source: UploadSource, in_review: set[str]) -> tuple[set[str], set[str], int]:
    """The names that are a student's, those that need review, and how many students have none of
    the second."""
    held: set[str] = set()
    doubted: set[str] = set()
    students = 0
    for uploads in source.uploads:
        origins = {attempt.files.origin for attempt in uploads.attempts}
        parts = {part for attempt in uploads.attempts for part in attempt.files.parts}
        if origins & in_review:
            doubted |= parts
        else:
            held |= parts
            students += bool(parts)
    return held, doubted, students


def _plain_kind(entry: Entry) -> EntryKind:
    return EntryKind.FOLDER if entry.kind is EntryKind.FOLDER else EntryKind.FILE
