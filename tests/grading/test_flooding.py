"""A function that prints without end costs its own marks and nobody else's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from harness.assignment.loading import CACHE
from harness.grading.context import GradingContext, isolated, prepare
from harness.model.assignment import SourceFile
from harness.model.plan import Scenario
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind
from tests.inline import grader_of
from tests.per_commit import per_commit
from tests.shipped import ROOT, shipped

# The sample, what floods in it, and of which functions the scenarios get to that.
FLOODED = {
    "comp1005-a3": ("right_plain", "c4game.py", "main", {"c4game.py"}),
    "connect4ish": ("perfect", "a1.py", "play_game", {"main", "play_game"}),
    "cs112-p4": (
        "perfect_from_the_sheet",
        "p4.py",
        "show_board",
        {"show_board", "p4.py", "p4play.py"},
    ),
    "naughts-crosses": ("perfect_from_the_sheet", "a1.py", "main", {"main"}),
}


def handed_in(name: str, floods: bool) -> Submission:
    """The right sample; its function prints without end where it `floods`, as fast as it may and
    in characters that take the most memory."""
    sample, flooded, function, _ = FLOODED[name]
    files = []
    for path in sorted((ROOT / "submissions" / name / sample).glob("*.py")):
        file = "p4.py" if name == "cs112-p4" else path.name
        text = path.read_text(encoding="utf-8")
        if floods and file == flooded:
            text, count = re.subn(
                rf"(?m)^def {function}\(.*$",
                lambda found: f"{found[0]}\n    while True: print('\\U0001f30a' * 999)\n",
                text,
            )
            assert count == 1
        files.append(SourceFile(name=file, data=text.encode()))
    return Submission(id="s", origin=sample, files=tuple(files))


def graded(
    context: GradingContext, submission: Submission, *, alone: bool, backwards: bool
) -> dict[str, Verdict]:
    """Its verdicts by scenario."""
    way = isolated(context.specification) if alone else context.specification
    plan = way.plan
    if backwards:
        plan = replace(plan, scenarios=plan.scenarios[::-1])
    with grader_of(context, plan, secret=b"1") as grader:
        result = grader.grade(submission).result
    return {each.scenario_id: each.verdict for each in result.scenarios}


@pytest.mark.parametrize("name", per_commit(sorted(FLOODED), "cs112-p4"))
def test_a_flood_costs_no_other_function_anything(name: str) -> None:
    floods = FLOODED[name][3]
    every: dict[str, int] = {}

    def is_tried(scenario: Scenario) -> bool:
        every[scenario.function] = every.get(scenario.function, 0) + 1
        return scenario.function in floods or every[scenario.function] % 8 == 1

    whole = shipped(name)
    part = replace(whole, plan=whole.plan.subset(is_tried))
    context = prepare(part, cache=ROOT / CACHE, recall_tier=True)
    functions = {each.id: each.function for each in context.specification.plan.scenarios}

    def of_others(verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
        return {id: each for id, each in verdicts.items() if functions[id] not in floods}

    right = graded(context, handed_in(name, False), alone=True, backwards=False)
    assert {each.kind for each in of_others(right).values()} == {VerdictKind.PASSED}
    flooding = handed_in(name, True)
    ways = [(alone, backwards) for alone in (False, True) for backwards in (False, True)]
    found = [graded(context, flooding, alone=a, backwards=b) for a, b in ways]
    for verdicts in found:
        assert of_others(verdicts) == of_others(right)
        assert {id: each.kind for id, each in verdicts.items()} == {
            id: each.kind for id, each in found[0].items()
        }
    assert VerdictKind.OUTPUT_LIMIT in {each.kind for each in found[0].values()}
