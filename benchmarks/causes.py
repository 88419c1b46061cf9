"""How good blame is: `python -m benchmarks.causes [--generated|--pairs] [--every N] [ASSIGNMENT…]`.

Every committed mutant of an assignment is graded on all scenarios; with `--generated` every change
instead that `harness strength` makes to the reference (with `--every N` one of N of them). Each
is one fault, so it should have one cause, in the function that was changed. With `--pairs` each two
mutants of one file are put together: two faults, which have one cause where one hides the other, or
nothing tells them apart. For each assignment:
how many have exactly one cause, of those that any scenario notices; how many have all causes where
the change is, of those for which that is defined (a function of the sheet, a helper, a constant:
not the code outside functions); and the part of the time that causes took.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from harness.assignment.loading import available, load
from harness.execution import create_driver, pick_cpu
from harness.grading.context import prepare
from harness.grading.grader import Grader
from harness.grading.observing.causes import CauseFinder
from harness.grading.validation.validate import mutated
from harness.model.assignment import SourceFile
from harness.model.specification import Specification
from harness.model.submission import Submission
from harness.policy.checking import check
from harness.study.strength import changes

ROOT = Path(__file__).parents[1]
ROOTS = (ROOT, *sorted(path.parent for path in (ROOT / "examples").glob("*/specs")))


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameFigures:
    """Of `mutants` that are noticed, `one` have exactly one cause; of those for which blame is
    `defined`, `right` have all causes where the change is. `share` of the time went into causes.
    `notes` name the others."""

    assignment: str
    mutants: int
    one: int
    defined: int
    right: int
    share: float
    notes: tuple[str, ...]

    def __str__(self) -> str:
        head = (
            f"{self.assignment}: one cause {self.one}/{self.mutants}, "
            f"right {self.right}/{self.defined}, time {self.share:.0%}"
        )
        return "\n".join([head, *self.notes])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The reference with one fault, and what the fault is."""

    why: str
    files: tuple[SourceFile, ...]


def main() -> None:
    """A line an assignment, then those that are not as they should be."""
    parser = argparse.ArgumentParser(prog="benchmarks.causes", description=__doc__)
    parser.add_argument("assignments", nargs="*", help="default: all, the examples among them")
    parser.add_argument("--generated", action="store_true", help="changes of `harness strength`")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one of N (default: 1)")
    parser.add_argument("--pairs", action="store_true", help="each two mutants of one file")
    options = parser.parse_args()
    courses = {name: root for root in ROOTS for name in available(root)}
    for name in options.assignments or courses:
        specification = load(courses[name], name)
        made = pairs if options.pairs else generated if options.generated else committed
        faults = made(specification)
        print(measured(specification, faults[:: options.every]), flush=True)


def committed(specification: Specification) -> tuple[Fault, ...]:
    """The mutants of mutants.yaml."""
    return tuple(
        Fault(why=mutant.why, files=mutated(specification.reference, mutant))
        for mutant in specification.mutants
    )


def generated(specification: Specification) -> tuple[Fault, ...]:
    """What `harness strength` tries."""
    reference = specification.reference
    return tuple(
        Fault(
            why=f"{made.file}:{made.line} {made.before} -> {made.after}",
            files=tuple(
                replace(file, data=change.text) if file.name == made.file else file
                for file in reference
            ),
        )
        for change in changes(reference)
        for made in [change.outcome]
    )


def pairs(specification: Specification) -> tuple[Fault, ...]:
    """Each two mutants of one file that can both be written into it."""
    found = []
    for one, other in combinations(specification.mutants, 2):
        first = mutated(specification.reference, one)
        both = mutated(first, other)
        if one.file == other.file and first != both:
            found.append(Fault(why=f"{one.why} + {other.why}", files=both))
    return tuple(found)


def measured(specification: Specification, faults: Sequence[Fault]) -> BlameFigures:
    """One assignment's figures."""
    context = prepare(specification)
    specification = context.specification
    plan, reference = specification.plan, specification.reference
    spent = {"causes": 0.0, "all": 0.0}
    find = CauseFinder.find

    def timed(*arguments: Any, **named: Any) -> object:
        started = time.perf_counter()
        try:
            return find(*arguments, **named)
        finally:
            spent["causes"] += time.perf_counter() - started

    noticed = one = right = defined = 0
    notes: list[str] = []
    with (
        patch.object(CauseFinder, "find", timed),
        create_driver(context.interpreter, context.tier.tier, cpu=pick_cpu()) as driver,
        Grader(plan, context.key, driver, reference=reference) as grader,
    ):
        for fault in faults:
            started = time.perf_counter()
            result = grader.grade(Submission(id="fault", files=fault.files, origin="")).result
            spent["all"] += time.perf_counter() - started
            if not result.causes and all(s.verdict.passed for s in result.scenarios):
                continue
            noticed += 1
            found = {cause.function for cause in result.causes}
            wanted = _blamable(reference, fault.files)
            one += len(result.causes) == 1
            defined += bool(wanted)
            right += bool(wanted) and bool(found) and found <= wanted
            if len(result.causes) != 1 or (wanted and not found <= wanted):
                notes.append(f"  {fault.why}: {len(result.causes)} causes: {sorted(found)}")
    return BlameFigures(
        assignment=plan.assignment.id,
        mutants=noticed,
        one=one,
        defined=defined,
        right=right,
        share=spent["causes"] / spent["all"],
        notes=tuple(notes),
    )


def _blamable(before: Sequence[SourceFile], after: Sequence[SourceFile]) -> frozenset[str]:
    """The changed name, and all that use it; none for a change outside functions and constants."""
    old, new = next(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
    lines = [file.data.decode("utf-8-sig").splitlines() for file in (old, new)]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*lines, strict=False))
    line = 1 + len(list(same))
    outline = check(after, None).outline
    for part in outline.members:
        if part.file == new.name and part.first <= line <= part.last:
            return frozenset({part.name})
    for part in outline.parts:
        if part.file == new.name and part.first <= line <= part.last:
            return frozenset(
                {part.name, part.file}
                | {
                    each.name
                    for each in outline.parts
                    if part.name in outline.reached_from([each.name])
                }
            )
    return frozenset()


if __name__ == "__main__":
    main()
