"""Grading a part of a class into the class's report: what is kept, and when it is refused."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.model.result import RunFacts
from harness.model.submission import Submission
from harness.results import StoreReader

_LISTED = 3  # ids in a message
_NO_STATE = ""  # of a result that replaces one that our machinery failed to find


def as_stored(paths: Iterable[Path], store: StoreReader) -> tuple[str, ...]:
    """Paths as they are stored: from the report's folder, so that class and report can be moved
    together."""
    folder = store.path.parent.resolve()
    return tuple(os.path.relpath(path.resolve(), folder) for path in paths)


def refuse_to_lose(
    store: StoreReader, submissions: Sequence[Submission], paths: Sequence[Path]
) -> None:
    """Raise UserError where the store has results that this run would drop, though what they were
    read from is still there: a part of a class, or another class, is not the class's report.

    A student whose folder is gone from the graded one is dropped.
    """
    lost = sorted(store.states().keys() - {submission.id for submission in submissions})
    if not lost or covers(store, paths):
        return
    listed = ", ".join(lost[:_LISTED]) + (" …" if len(lost) > _LISTED else "")
    plural = "" if len(lost) == 1 else "s"
    raise UserError(
        f"holds the report of a class with {len(lost)} submission{plural} that would be lost "
        f"({listed})",
        place=str(store.path),
        hint="--only ID grades some of a class and keeps the rest; --out FOLDER writes a report "
        "beside it; --fresh begins anew",
    )


def covers(store: StoreReader, paths: Sequence[Path]) -> bool:
    """Whether everything that the stored run was asked to grade, and that is still there, is below
    `paths` as well. False where it is not known what the run was asked to grade."""
    folder = store.path.parent.resolve()
    before = [(folder / path).resolve() for path in store.paths()]
    now = [path.resolve() for path in paths]
    return bool(before or not store.states()) and all(
        any(path.is_relative_to(each) for each in now) for path in before if path.exists()
    )


def is_class(store: StoreReader, paths: Sequence[Path]) -> bool:
    """Whether `paths` and what is stored are a whole class: a part was added to a run that was
    complete, or all that it was asked to grade was read again."""
    before = store.earlier_facts()
    return covers(store, paths) or (before is not None and before.complete)


def chosen(submissions: Sequence[Submission], only: frozenset[str]) -> tuple[Submission, ...]:
    """The submissions with these ids; UserError for an unknown id."""
    known = {submission.id for submission in submissions}
    for name in sorted(only - known):
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"there is {', '.join(near)}" if near else "the report lists the ids"
        raise UserError(f"no submission has the id {name!r}", hint=hint)
    return tuple(submission for submission in submissions if submission.id in only)


def refuse_other_states(store: StoreReader, only: frozenset[str], state: str) -> None:
    """Raise UserError where other results of the class were found with other scenarios, another
    reference or another harness: one report has one plan."""
    other = [
        name for name, with_state in store.states().items()
        if name not in only and with_state not in (state, _NO_STATE)
    ]  # fmt: skip
    if other:
        plural = "" if len(other) == 1 else "s"
        raise UserError(
            f"{len(other)} other submission{plural} of this report were graded with other "
            "scenarios or another harness",
            place=str(store.path),
            hint="grade the whole class again, without --only",
        )


def facts_of_class(
    facts: RunFacts, store: StoreReader, submissions: Sequence[Submission]
) -> RunFacts:
    """The facts, with the class's cohort where only a part of it was read now."""
    before = store.earlier_facts()
    read = {submission.id for submission in submissions}
    if before is None or before.assignment != facts.assignment or store.states().keys() <= read:
        return facts
    return replace(facts, cohort=before.cohort)
