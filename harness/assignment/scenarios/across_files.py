"""What is gathered over all files of scenarios: draws, what they need, what a file is worth."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from graphlib import CycleError

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.context import Context, slug
from harness.assignment.scenarios.draws import DrawRequest
from harness.assignment.vocabulary import Overrides
from harness.matchers.reading import Refused, nearest
from harness.model.plan import Scenario, SourceFile, Visibility, in_turn, needed
from harness.model.specification import TranscriptFile

_OPEN = tuple(Visibility)  # who sees it first comes first
_NOTHING = Fraction(0)


@dataclass(slots=True)
class Compiled:
    """What the scenario files came to. While `recording`, draws and transcripts may be missing."""

    recording: bool = False
    scenarios: list[Scenario] = field(default_factory=list)
    transcripts: list[TranscriptFile] = field(default_factory=list)
    requests: dict[str, DrawRequest] = field(default_factory=dict)  # by frozen file
    provide: set[str] = field(default_factory=set)
    stand_ins: dict[str, SourceFile] = field(default_factory=dict)  # by name
    data_files: set[str] = field(default_factory=set)  # those of `files:`
    samples: dict[tuple[str, Overrides], DrawRequest] = field(default_factory=dict)
    """The requests of strategies, by the scenarios' group and their constants."""
    needs: list[Context] = field(default_factory=list)  # that need something


def with_needs(scenarios: Sequence[Scenario], stated: Sequence[Context]) -> tuple[Scenario, ...]:
    """The scenarios with what they need; a mistake for every name that cannot be needed."""
    if not stated:
        return tuple(scenarios)
    by_name = _ByName(scenarios)
    needs = {context.group: by_name.needed_by(context) for context in stated}
    resolved = tuple(replace(each, needs=needs.get(each.group, ())) for each in scenarios)
    try:
        list(in_turn(resolved, needed(resolved)))
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]  # each needs the next
        group = next(each.group for each in scenarios if each.id == circle[0])
        context = next(each for each in stated if each.group == group)
        what = f"these scenarios need one another: {' needs '.join(circle)}"
        context.add((*context.where("needs"), 0), what)
    return resolved


class _ByName:
    """What may be needed, by the name that a scenario file uses."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        self._functions: dict[str, list[Scenario]] = {}
        self._ids: dict[str, list[Scenario]] = {}
        for scenario in scenarios:
            self._functions.setdefault(scenario.function, []).append(scenario)
            for name in {scenario.id, scenario.group}:
                self._ids.setdefault(name, []).append(scenario)

    def needed_by(self, context: Context) -> tuple[str, ...]:
        names: list[str] = []
        for index, name in enumerate(context.value("needs")):
            with suppress(Refused):
                names.append(self._needed(context, (*context.where("needs"), index), name))
        return tuple(dict.fromkeys(names))

    def _needed(self, context: Context, loc: Loc, name: str) -> str:
        own = self._ids.get(context.group, [])
        if name in self._functions:
            needed_name, others = name, self._functions[name]
            if any(one.function == name for one in own):
                what = f"this is a scenario of {name} itself"
                context.refuse(loc, what, "name the scenarios that come first")
        else:
            in_file = f"{context.group.partition('/')[0]}/{slug(name)}"
            needed_name = name if name in self._ids else in_file
            others = self._ids.get(needed_name, [])
            if not others:
                what = f"there is no function and no scenario {name!r}"
                context.refuse(loc, what, nearest(name, (*self._functions, *self._ids)))
            if needed_name == context.group:
                context.refuse(loc, "a scenario cannot need itself")
            if any(_is_seen_less(other, one) for other in others for one in own):
                what = f"{needed_name} is hidden from students who see this scenario"
                context.refuse(loc, what, "make both visible, or need its function")
        if all(other.informational for other in others):
            context.refuse(loc, f"{name} is informational, which touches no marks")
        return needed_name


def _is_seen_less(other: Scenario, one: Scenario) -> bool:
    return _OPEN.index(other.visibility) > _OPEN.index(one.visibility)


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
