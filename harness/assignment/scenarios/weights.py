"""What files of scenarios are worth: `marks:` at a file's head, in marks of the assignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.assignment.yaml.document import Document
from harness.model.plan import Scenario

_NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedFile:
    """A file's scenarios with their points; `marks` is what they are worth together, where its
    head says so."""

    document: Document
    scenarios: tuple[Scenario, ...]
    marks: Fraction | None


def counted_points(scenarios: Sequence[Scenario]) -> Fraction:
    """The sum of points that full marks need; of extra credit alone, its own sum."""
    marked = [scenario for scenario in scenarios if not scenario.informational]
    counted = [scenario for scenario in marked if not scenario.extra_credit] or marked
    return sum((scenario.points for scenario in counted), _NOTHING)


def rescaled(scenarios: Sequence[Scenario], total: Fraction) -> tuple[Scenario, ...]:
    """The same scenarios, whose points add up to `total` (unchanged where none is counted)."""
    points = counted_points(scenarios)
    if not points:
        return tuple(scenarios)
    return tuple(replace(each, points=each.points * total / points) for each in scenarios)


def weighted(files: Sequence[WeightedFile], out_of: Fraction) -> list[Scenario]:
    """All scenarios, the files with `marks` worth just those of the assignment's `out_of`.

    The other files share what is left by their points. What cannot be shared out so is a problem
    of the last file with `marks`.
    """
    stated = [file for file in files if file.marks is not None]
    others = [file for file in files if file.marks is None]
    given = sum((file.marks or _NOTHING for file in stated), _NOTHING)
    points = sum((counted_points(file.scenarios) for file in others), _NOTHING)
    left = out_of - given
    if stated and (left < 0 or bool(left) != bool(points)):
        what = f"the files' marks add up to {given}, and functionality_marks is {out_of}"
        if left > 0:
            hint = "no other file has scenarios that could earn the rest"
        elif left < 0:
            hint = "they may not be more"
        else:
            hint = "nothing is left for the files without marks"
        stated[-1].document.add(("marks",), what, hint)
        return [scenario for file in files for scenario in file.scenarios]
    a_mark = points / left if left else Fraction(1)
    return [
        scenario
        for file in files
        for scenario in (
            file.scenarios if file.marks is None else rescaled(file.scenarios, file.marks * a_mark)
        )
    ]
