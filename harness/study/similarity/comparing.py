"""Compares the programs of a graded class: each is parsed in a confined process of its own."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import Answers, ToolFailed, choose_tier, create_driver, find_interpreter
from harness.grading import cohort_of, handed_out_stubs
from harness.intake import ClassOptions
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Tier
from harness.model.specification import Specification
from harness.model.study.reports import Fingerprint, Omitted, SimilarityReport
from harness.model.submission import Submission
from harness.results import StoreReader
from harness.study.similarity.likeness import groups, similar_pairs

_MODULE = "fingerprints"
MOST_BYTES = 512 * 1024  # of a submission's files together

Progress = Callable[[int], None]


def graded_submissions(store: StoreReader) -> tuple[tuple[Submission, ...], tuple[str, ...]]:
    """A run's submissions, read again from where they were graded, and the ids of those that have
    been changed or removed since. Raises UserError when none is left."""
    folder = store.path.parent.resolve()
    paths = [
        path for path in ((folder / each).resolve() for each in store.paths()) if path.exists()
    ]
    if not paths:
        raise UserError(
            "what was graded is not where it was",
            place=str(store.path),
            hint="put it back, or grade again from where it is",
        )
    graded = {result.id: result.source_digest for result in store.run().submissions}
    found = cohort_of(paths, store.plan().assignment, ClassOptions()).submissions
    same = tuple(each for each in found if each.files and graded.get(each.id) == each.digest)
    missing = {name for name, digest in graded.items() if digest} - {each.id for each in same}
    return same, tuple(sorted(missing))


def without_ids(submissions: Sequence[Submission]) -> tuple[Submission, ...]:
    """The same submissions with numbers as ids, in an order that does not reveal the ids."""
    ordered = sorted(submissions, key=lambda each: (each.digest, each.id))
    width = len(str(len(ordered)))
    return tuple(
        replace(each, id=f"student-{number:0{width}}")
        for number, each in enumerate(ordered, start=1)
    )


def compare_class(
    specification: Specification,
    submissions: Sequence[Submission],
    *,
    python: Path | None = None,
    require: Tier | None = Tier.STANDARD,
    progress: Progress | None = None,
) -> SimilarityReport:
    """Compare each submission with every other one.

    `progress` is called with the number of submissions that are read. Raises UserError when this
    machine has no usable interpreter or not the tier `require`.
    """
    assignment = specification.plan.assignment
    interpreter = find_interpreter(assignment.python, python)
    tier = choose_tier(interpreter, require)
    text = resources.files("harness.study.similarity").joinpath(f"{_MODULE}.py").read_text("utf-8")
    given = (
        *specification.reference, *handed_out_stubs(specification),
        *assignment.variants[0].files, *assignment.extra_files,
    )  # fmt: skip
    programs: dict[str, tuple[Fingerprint, ...]] = {}
    omitted: list[Omitted] = []
    with (
        create_driver(interpreter, tier.tier) as driver,
        driver.tool({_MODULE: text}, f"{_MODULE}:run") as tool,
    ):
        base = [one for file in given for one in _fingerprints(tool, (file,))]
        for number, submission in enumerate(submissions, start=1):
            try:
                programs[submission.id] = _fingerprints(tool, submission.files)
            except ToolFailed as failure:
                omitted.append(Omitted(id=submission.id, reason=f"it could not be read: {failure}"))
            if progress is not None:
                progress(number)
    omitted += [
        Omitted(id=name, reason="nothing of it can be compared")
        for name, found in programs.items()
        if not found
    ]
    pairs = similar_pairs({name: found for name, found in programs.items() if found}, base)
    return SimilarityReport(
        compared=sum(bool(found) for found in programs.values()),
        pairs=pairs,
        groups=groups(pairs),
        omitted=tuple(sorted(omitted, key=lambda each: each.id)),
    )


def _fingerprints(tool: Answers, files: Sequence[SourceFile]) -> tuple[Fingerprint, ...]:
    if sum(len(file.data) for file in files) > MOST_BYTES:
        raise ToolFailed(Ending.MEMORY_LIMIT, f"more than {MOST_BYTES // 1024} KiB")
    payload = json.dumps([base64.b64encode(file.data).decode() for file in files])
    return tuple(
        Fingerprint(value=value, first_line=first, last_line=last, file=file)
        for value, first, last, file in json.loads(tool.run(payload))
    )
