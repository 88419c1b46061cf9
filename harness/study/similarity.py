"""Which programs of a class are alike: from fingerprints to pairs and groups."""

from __future__ import annotations

import base64
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from importlib import resources
from itertools import combinations
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import Answers, ToolFailed, choose_tier, create_driver, find_interpreter
from harness.grading.check import cohort_of
from harness.grading.stub import handed_out_stubs
from harness.intake.terms import ClassOptions
from harness.model import study
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Tier
from harness.model.specification import Specification
from harness.model.submission import Submission
from harness.results.database import StoreReader

# A fingerprint that more than this share of a class has says nothing about two of it.
COMMON_SHARE = 0.25
COMMON_AT_LEAST = 10  # programs: in a small class a share is too few
MOST_LOOKS = 3_000_000  # at pairs that have a fingerprint in common
MOST_PAIRS = 200
MOST_MATCHES = 1000  # of a pair; programs of 500 KB can be made to have 60,000
GROUPED_FROM = 0.5  # of the score
_LEAST_WEIGHT = 20.0  # what is shorter than this is alike by chance

Names = tuple[str, str]


def similar_pairs(
    programs: Mapping[str, Sequence[study.Fingerprint]], base: Iterable[study.Fingerprint] = ()
) -> tuple[study.SimilarPair, ...]:
    """Pairs of programs, the most alike first; at most 200.

    `base`: what all were given (stub, provided files) or is likely to be written by anybody (the
    reference). A pair's score is the share of the smaller program's distinguishing fingerprints
    that the larger has too, rare ones weighing more; 1 is a whole copy.
    """
    given = {one.value for one in base}
    values = {
        name: frozenset(one.value for one in prints) - given for name, prints in programs.items()
    }
    weights = _weights(values)
    sizes = {name: math.fsum(weights.get(v, 0.0) for v in found) for name, found in values.items()}
    scored = []
    for first, second in _candidates(values, weights):
        shared = math.fsum(weights.get(v, 0.0) for v in values[first] & values[second])
        smaller = max(_LEAST_WEIGHT, min(sizes[first], sizes[second]))
        if shared > 0:
            scored.append((-shared / smaller, first, second))
    scored.sort()
    return tuple(
        study.SimilarPair(
            first=first,
            second=second,
            score=-score,
            matches=_matches(programs[first], programs[second], weights.keys()),
        )
        for score, first, second in scored[:MOST_PAIRS]
    )


def groups(pairs: Iterable[study.SimilarPair]) -> tuple[tuple[str, ...], ...]:
    """Programs that are connected by pairs with a score of at least 0.5, largest group first."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for pair in pairs:
        if pair.score >= GROUPED_FROM:
            first, second = sorted((find(pair.first), find(pair.second)))
            leader[second] = first
    members = defaultdict(list)
    for name in sorted(leader):
        members[find(name)].append(name)
    return tuple(sorted((tuple(names) for names in members.values()), key=lambda g: (-len(g), g)))


def _weights(values: Mapping[str, Set[int]]) -> dict[int, float]:
    """Of each fingerprint that some other programs have, but not all: the rarer, the heavier."""
    having = Counter(value for found in values.values() for value in found)
    most = max(COMMON_AT_LEAST, COMMON_SHARE * len(values))
    return {
        value: math.log(1 + len(values) / count) for value, count in having.items() if count <= most
    }


def _candidates(values: Mapping[str, Set[int]], weights: Mapping[int, float]) -> set[Names]:
    """Pairs with something in common, found by their rarest fingerprints first; of a class so
    large or so alike that there are too many, those that have only common ones are left out."""
    owners: dict[int, list[str]] = defaultdict(list)
    for name in sorted(values):
        for value in values[name] & weights.keys():
            owners[value].append(name)
    candidates: set[Names] = set()
    looks_left = MOST_LOOKS
    for names in sorted(owners.values(), key=lambda each: (len(each), each)):
        looks_left -= len(names) * (len(names) - 1) // 2
        if looks_left < 0:
            break
        candidates.update(combinations(names, 2))
    return candidates


def _matches(
    first: Sequence[study.Fingerprint], second: Sequence[study.Fingerprint], telling: Set[int]
) -> tuple[study.MatchedLines, ...]:
    """The lines of the first beside those of the second, joined where they follow each other; of
    the first `MOST_MATCHES`."""
    places: dict[int, study.Fingerprint] = {}
    for one in second:
        places.setdefault(one.value, one)
    matches: dict[study.MatchedLines, None] = {}
    for one in sorted(first, key=lambda each: (each.file, each.first_line, each.last_line)):
        other = places.get(one.value)
        if other is None or one.value not in telling:
            continue
        now = study.MatchedLines(first=_range(one), second=_range(other))
        last = next(reversed(matches), now)
        if _follows(last.first, now.first) and _follows(last.second, now.second):
            now = study.MatchedLines(
                first=_join(last.first, now.first), second=_join(last.second, now.second)
            )
            matches.pop(last, None)
        elif len(matches) == MOST_MATCHES:
            break
        matches.setdefault(now)
    return tuple(matches)


def _range(one: study.Fingerprint) -> study.LineRange:
    return study.LineRange(file=one.file, first=one.first_line, last=one.last_line)


def _follows(before: study.LineRange, after: study.LineRange) -> bool:
    near = after.first <= before.last + 2 and after.last >= before.first - 2
    return before.file == after.file and near


def _join(one: study.LineRange, other: study.LineRange) -> study.LineRange:
    return study.LineRange(
        file=one.file, first=min(one.first, other.first), last=max(one.last, other.last)
    )


MOST_BYTES = 512 * 1024  # of a submission's files together

Progress = Callable[[int], None]


@contextmanager
def program_reader(
    assignment: Assignment, function: str, python: Path | None, require: Tier | None
) -> Iterator[Answers]:
    """A function of `program_texts` in a confined process. UserError when this machine has no
    usable interpreter or not the tier `require`."""
    module = "program_texts"
    text = resources.files("harness.study").joinpath(f"{module}.py").read_text("utf-8")
    interpreter = find_interpreter(assignment.python, python)
    with (
        create_driver(interpreter, choose_tier(interpreter, require).tier) as driver,
        driver.tool({module: text}, f"{module}:{function}") as tool,
    ):
        yield tool


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
    submissions = cohort_of(paths, store.plan().assignment, ClassOptions()).submissions
    same = tuple(each for each in submissions if each.files and graded.get(each.id) == each.digest)
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
) -> study.SimilarityReport:
    """Compare each submission with every other one.

    `progress` is called with the number of submissions that are read. Raises UserError when this
    machine has no usable interpreter or not the tier `require`.
    """
    assignment = specification.plan.assignment
    given = (
        *specification.reference, *handed_out_stubs(specification),
        *assignment.variants[0].files, *assignment.extra_files,
    )  # fmt: skip
    programs: dict[str, tuple[study.Fingerprint, ...]] = {}
    omitted: list[study.Omitted] = []
    with program_reader(assignment, "run_fingerprints", python, require) as tool:
        base = [one for file in given for one in _fingerprints(tool, (file,))]
        for number, submission in enumerate(submissions, start=1):
            try:
                programs[submission.id] = _fingerprints(tool, submission.files)
            except ToolFailed as failure:
                omitted.append(
                    study.Omitted(id=submission.id, reason=f"it could not be read: {failure}")
                )
            if progress is not None:
                progress(number)
    omitted += [
        study.Omitted(id=name, reason="nothing of it can be compared")
        for name, found in programs.items()
        if not found
    ]
    pairs = similar_pairs({name: found for name, found in programs.items() if found}, base)
    return study.SimilarityReport(
        compared=sum(bool(found) for found in programs.values()),
        pairs=pairs,
        groups=groups(pairs),
        omitted=tuple(sorted(omitted, key=lambda each: each.id)),
    )


def _fingerprints(tool: Answers, files: Sequence[SourceFile]) -> tuple[study.Fingerprint, ...]:
    if sum(len(file.data) for file in files) > MOST_BYTES:
        raise ToolFailed(Ending.MEMORY_LIMIT, f"more than {MOST_BYTES // 1024} KiB")
    payload = json.dumps([base64.b64encode(file.data).decode() for file in files])
    return tuple(
        study.Fingerprint(value=value, first_line=first, last_line=last, file=file)
        for value, first, last, file in json.loads(tool.run(payload))
    )
