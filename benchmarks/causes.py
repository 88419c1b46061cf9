"""How good blame is: `python -m benchmarks.causes [ASSIGNMENT…]` grades every mutant whole.

A mutant has one fault, so it should have one cause, in the function that was changed. For each
assignment: how many mutants have exactly one cause; how many have all causes where the change is,
of those for which that is defined (a function of the sheet, a helper, a constant: not the code
outside functions); and the part of the time that causes took.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from unittest.mock import patch

from harness.assignment import available, load
from harness.execution import create_driver, pick_cpu
from harness.grading import prepare
from harness.grading.grader import Grader
from harness.grading.observing.causes import CauseFinder
from harness.grading.validation.mutation import mutated
from harness.model.assignment import SourceFile
from harness.model.policy import Outline
from harness.model.specification import Mutant, Specification
from harness.model.submission import Submission
from harness.policy import check

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameFigures:
    """Of `mutants`, `one` have exactly one cause; of those for which blame is `defined`, `right`
    have all causes where the change is. `share` of the time went into causes. `notes` name the
    others."""

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


def main(names: list[str]) -> None:
    """A line an assignment, then those that are not as they should be."""
    for name in names or available(ROOT):
        print(measured(load(ROOT, name)), flush=True)


def measured(specification: Specification) -> BlameFigures:
    """One assignment's figures."""
    context = prepare(specification)
    specification = context.specification
    plan, reference = specification.plan, specification.reference
    spent = {"causes": 0.0, "all": 0.0}
    find = CauseFinder.find

    def timed(*arguments: object) -> object:
        started = time.perf_counter()
        try:
            return find(*arguments)  # type: ignore[arg-type]
        finally:
            spent["causes"] += time.perf_counter() - started

    one = right = defined = 0
    notes: list[str] = []
    with (
        patch.object(CauseFinder, "find", timed),
        create_driver(context.interpreter, context.tier.tier, cpu=pick_cpu()) as driver,
        Grader(plan, context.key, driver, reference=reference) as grader,
    ):
        for mutant in specification.mutants:
            files = mutated(reference, mutant)
            started = time.perf_counter()
            result = grader.grade(Submission(id="mutant", files=files, origin="")).result
            spent["all"] += time.perf_counter() - started
            found = {cause.function for cause in result.causes}
            wanted = _blamable(check(files, None).outline, files, mutant)
            one += len(result.causes) == 1
            defined += bool(wanted)
            right += bool(wanted) and bool(found) and found <= wanted
            if len(result.causes) != 1 or (wanted and not found <= wanted):
                notes.append(f"  {mutant.why} {len(result.causes)} causes: {sorted(found)}")
    return BlameFigures(
        assignment=plan.assignment.id,
        mutants=len(specification.mutants),
        one=one,
        defined=defined,
        right=right,
        share=spent["causes"] / spent["all"],
        notes=tuple(notes),
    )


def _blamable(outline: Outline, files: Sequence[SourceFile], mutant: Mutant) -> frozenset[str]:
    """The changed name, and all that use it; none for a change outside functions and constants."""
    text = next(file.data.decode() for file in files if file.name == mutant.file)
    begin = text[: text.index(mutant.replace)].count("\n") + 1
    same = takewhile(lambda pair: pair[0] == pair[1], zip(
        mutant.find.splitlines(), mutant.replace.splitlines(), strict=False
    ))  # fmt: skip
    line = begin + len(list(same))
    for part in outline.parts:
        if part.file == mutant.file and part.first <= line <= part.last:
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
    main(sys.argv[1:])
