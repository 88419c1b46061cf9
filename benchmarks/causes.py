"""How good blame is:
`python -m benchmarks.causes [--generated|--pairs] [--every N] [--spectrum] [ASSIGNMENT…]`.

Every committed mutant of an assignment is graded on all scenarios; with `--generated` every change
instead that `harness strength` makes to the reference (with `--every N` one of N of them). Each
is one fault, so it should have one cause, in the function that was changed. With `--pairs` each two
mutants of one file are put together: two faults, which have one cause where one hides the other, or
nothing tells them apart. For each assignment:
how many have exactly one cause, of those that any scenario notices; how many have all causes where
the change is, of those for which that is defined (a function of the sheet, a helper, a constant:
not the code outside functions); the part of the time that causes took, and in it that of finding
suspect lines. Of changes in functions: how often the function is named beside a cause, as the one
to blame or with lines to look at, and how often the changed line is among the five of a cause, in
functions of at most six lines and in longer ones; how many places of a student's page have lines
marked to look at first, and in how many of these the changed line is one. With `--spectrum` the
lines are looked for in all functions, whoever is to blame.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from harness.assignment.loading import available, load
from harness.execution import create_driver, pick_cpu
from harness.grading.context import prepare
from harness.grading.grader import Grader
from harness.grading.observing.causes import finding as observing
from harness.grading.observing.causes.finding import CauseFinder
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import SourceFile
from harness.model.plan import Specification
from harness.model.policy import Outline, OutlinePart
from harness.model.submission import Submission
from harness.model.verdict import Cause
from harness.policy.checking import check
from harness.reporting.view.own_lines import marked_lines
from harness.results.student_view import StudentView, student_view
from harness.study.strength import changes

ROOT = Path(__file__).parents[1]
ROOTS = (ROOT, *sorted(path.parent for path in (ROOT / "examples").glob("*/specs")))


SHORT = 6  # lines of a function


@dataclass(slots=True, kw_only=True)
class LineFigures:
    """Of changes in functions: in how many the function is `named`; how many are in `short`
    functions and in `long` ones, and in how many of each the line is `found`."""

    named: int = 0
    short: int = 0
    short_found: int = 0
    long: int = 0
    long_found: int = 0
    marked: int = 0  # places of a student's page with lines to look at first
    marked_right: int = 0
    share: float = 0.0  # of the time

    def add(self, part: OutlinePart, line: int, causes: Sequence[Cause]) -> bool:
        """Count a change of this line in this function; whether it is named and the line found."""
        suspects = [each for cause in causes for each in cause.suspects]
        named = {cause.function for cause in causes} | {each.function for each in suspects}
        lines = {(each.place.file, number) for each in suspects for number in each.lines}
        found = (part.file, line) in lines
        is_short = part.last - part.first < SHORT
        self.named += part.name in named
        self.short += is_short
        self.short_found += is_short and found
        self.long += not is_short
        self.long_found += found and not is_short
        return found and part.name in named

    def add_marked(self, view: StudentView, file: str, line: int) -> None:
        """Count the places that a student's page marks, for a change of this line."""
        for cause in view.causes:
            for each in marked_lines(cause):
                if each.marked and not each.exact:
                    self.marked += 1
                    self.marked_right += each.place.file == file and line in each.marked

    def __str__(self) -> str:
        return (
            f"named {self.named}/{self.short + self.long}, "
            f"line {self.short_found}/{self.short} short {self.long_found}/{self.long} long, "
            f"marked {self.marked_right}/{self.marked}, "
            f"time {self.share:.0%}"
        )


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
    lines: LineFigures
    notes: tuple[str, ...]

    def __str__(self) -> str:
        head = (
            f"{self.assignment}: one cause {self.one}/{self.mutants}, "
            f"right {self.right}/{self.defined}, time {self.share:.0%}, {self.lines}"
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
    parser.add_argument("--spectrum", action="store_true", help="lines of all functions")
    options = parser.parse_args()
    courses = {name: root for root in ROOTS for name in available(root)}
    for name in options.assignments or courses:
        specification = load(courses[name], name)
        made = pairs if options.pairs else generated if options.generated else committed
        faults = made(specification)
        with patch.object(observing, "functions_of", _all) if options.spectrum else nullcontext():
            print(measured(specification, faults[:: options.every]), flush=True)


def _all(cause: Cause, outline: Outline, sheet: object) -> tuple[OutlinePart, ...]:
    return tuple(part for part in (*outline.parts, *outline.members) if part.callable)


def committed(specification: Specification) -> tuple[Fault, ...]:
    """The mutants of mutants.yaml."""
    return tuple(
        Fault(why=mutant.why, files=mutant.written_into(specification.reference))
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
        first = one.written_into(specification.reference)
        both = other.written_into(first)
        if one.file == other.file and first != both:
            found.append(Fault(why=f"{one.why} + {other.why}", files=both))
    return tuple(found)


def measured(specification: Specification, faults: Sequence[Fault]) -> BlameFigures:
    """One assignment's figures."""
    context = prepare(specification)
    specification = context.specification
    plan, reference = specification.plan, specification.reference
    spent = {"causes": 0.0, "lines": 0.0, "all": 0.0}

    def timed(what: str, function: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*arguments: Any, **named: Any) -> object:
            started = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                spent[what] += time.perf_counter() - started

        return wrapped

    runs_again = observing._RunsAgain
    lines = LineFigures()
    noticed = one = right = defined = 0
    notes: list[str] = []
    with (
        patch.object(CauseFinder, "find", timed("causes", CauseFinder.find)),
        patch.object(runs_again, "with_suspects", timed("lines", runs_again.with_suspects)),
        create_driver(context.interpreter, context.tier.tier, cpu=pick_cpu()) as driver,
        Grader(GraderSetup(plan=plan, key=context.key, reference=reference), driver) as grader,
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
            part, line = _changed(reference, fault.files)
            changed_file, _ = _first_changed(reference, fault.files)
            lines.add_marked(student_view(result, plan), changed_file.name, line)
            if part is not None and part.callable and not lines.add(part, line, result.causes):
                shown = {(s.function, s.lines) for cause in result.causes for s in cause.suspects}
                notes.append(f"  {fault.why}: in {part.name}, shown are {sorted(shown)}")
    lines.share = spent["lines"] / spent["all"]
    return BlameFigures(
        assignment=plan.assignment.id,
        mutants=noticed,
        one=one,
        defined=defined,
        right=right,
        share=spent["causes"] / spent["all"],
        lines=lines,
        notes=tuple(notes),
    )


def _first_changed(
    before: Sequence[SourceFile], after: Sequence[SourceFile]
) -> tuple[SourceFile, int]:
    """The changed file, and its first line that is another."""
    old, new = next(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
    lines = [file.data.decode("utf-8-sig").splitlines() for file in (old, new)]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*lines, strict=False))
    return new, 1 + len(list(same))


def _changed(
    before: Sequence[SourceFile], after: Sequence[SourceFile]
) -> tuple[OutlinePart | None, int]:
    """The innermost function, method or constant that was changed, and the line."""
    new, line = _first_changed(before, after)
    outline = check(after, None).outline
    inside = [
        part
        for part in (*outline.members, *outline.parts)
        if part.file == new.name and part.first <= line <= part.last
    ]
    return min(inside, key=lambda part: part.last - part.first, default=None), line


def _blamable(before: Sequence[SourceFile], after: Sequence[SourceFile]) -> frozenset[str]:
    """The changed name, and all that use it; none for a change outside functions and constants."""
    new, line = _first_changed(before, after)
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
