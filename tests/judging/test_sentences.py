"""The sentences that are made from facts, word for word. Other tests assert facts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.model.explanation.facts import (
    ArgumentNotChanged,
    DidNotEnd,
    Facts,
    FaultyHelper,
    GrowsTooFast,
    Guess,
    InLoop,
    InRecursion,
    Lead,
    LinesOfSize,
    LoopEnd,
    NoReturn,
    NotJudged,
    NotPython,
    OtherConstant,
    RaisedAsLoaded,
    RaisedAtLine,
    Reason,
    ReturnedNone,
    SourceLine,
    Stated,
    StatedOfLine,
    WrongBranch,
)
from harness.model.notebook import Notebook, NotebookCell
from harness.model.verdict import Explanation

WRONG = Stated(sentence="f returned 1 instead of 2.")
NO_END = DidNotEnd(clause="f did not end")
COUNTS = (LinesOfSize(size=1000, lines=2100), LinesOfSize(size=2000, lines=8400))

OF_FACTS: dict[str, Facts] = {
    "f did not end: perhaps a loop whose condition stays true, or a function that calls "
    "itself.": NO_END,
    "f returned None instead of 8.": ReturnedNone(function="f", wanted="8"),
    "In step 2, f returned None instead of 8.": ReturnedNone(
        where="in step 2", function="f", wanted="8"
    ),
    "b: it is not changed. Does it change a copy instead?": ArgumentNotChanged(
        sentence="b: it is not changed.", guess=Guess.COPY
    ),
    "b: it is not changed. Does it round the result, or change a copy instead?": (
        ArgumentNotChanged(sentence="b: it is not changed.", guess=Guess.ROUNDED_OR_COPY)
    ),
    "The answer is right, but costs too much. For an input twice as large, 4.0 times as many lines "
    "run: 2,100 lines for size 1,000, 8,400 lines for size 2,000. Asked for: n log n.": (
        GrowsTooFast(asked="n log n", counts=COUNTS, times=Fraction(4))
    ),
    "This could not be judged: line 3.": NotJudged(place="line 3"),
    "This could not be judged.": NotJudged(place=""),
}
OF_REASONS: dict[str, tuple[Facts, Reason]] = {
    "f returned None instead of 8: is a return missing?": (
        ReturnedNone(function="f", wanted="8"),
        NoReturn(),
    ),
    "f did not end: the loop in line 3 of g does not end.": (
        NO_END,
        InLoop(line=3, function="g", ends=LoopEnd.NEVER),
    ),
    "f did not end: the loop in line 3 does not end, or takes too long for so much.": (
        NO_END,
        InLoop(line=3, function="", ends=LoopEnd.NEVER_OR_LATE),
    ),
    "f returned 1 instead of 2. The loop in line 3 of g was still running.": (
        WRONG,
        InLoop(line=3, function="g", ends=LoopEnd.LATER_PERHAPS),
    ),
    "f did not end: g (line 1) calls itself again and again.": (
        NO_END,
        InRecursion(line=1, function="g"),
    ),
}
OF_LEADS: dict[str, Lead] = {
    "Line 4 goes the wrong way: line 5 prints an unexpected line.": WrongBranch(
        condition=4, prints=5, taken=True
    ),
    "Line 4 goes the wrong way after is_entry: line 5 prints the expected line.": WrongBranch(
        condition=4, prints=5, taken=False, asked="is_entry"
    ),
    "The fault may be in SIZE, which is 3 on line 9: compare it with the sheet.": OtherConstant(
        name="SIZE", value="3", line=9
    ),
    "The fault seems to be in g, line 4.": FaultyHelper(function="g", first=4, last=4),
    "The fault seems to be in g, lines 4 to 6.": FaultyHelper(function="g", first=4, last=6),
}


@pytest.mark.parametrize(("said", "facts"), OF_FACTS.items(), ids=OF_FACTS)
def test_facts_have_a_sentence(said: str, facts: Facts) -> None:
    assert Explanation(rule="rule", facts=facts).message == said


@pytest.mark.parametrize(("said", "known"), OF_REASONS.items(), ids=OF_REASONS)
def test_a_reason_takes_the_place_of_a_guess(said: str, known: tuple[Facts, Reason]) -> None:
    facts, reason = known
    assert Explanation(rule="rule", facts=facts, reason=reason).message == said


@pytest.mark.parametrize(("said", "lead"), OF_LEADS.items(), ids=OF_LEADS)
def test_a_lead_comes_first(said: str, lead: Lead) -> None:
    explanation = Explanation(rule="rule", facts=WRONG, lead=lead)
    assert explanation.message == f"{said} {WRONG.sentence}"


# Lines 12 to 19 of the program are those of cell 3.
CELLS = (
    NotebookCell(number=0, first=3, last=8),
    NotebookCell(number=2, first=10, last=10),
    NotebookCell(number=3, first=12, last=19),
)
NOTEBOOK = Notebook(handed_in="a1.ipynb", file="a1.py", cells=CELLS)
AT_13 = SourceLine(number=13, text="x = 1 / 0")
AS_LOADED = "Code outside the functions ran at import: as soon as the file is loaded, it raised"
IN_CELLS: dict[str, Explanation] = {
    "f raised E (line 2 of cell 3: x = 1 / 0).": Explanation(
        rule="rule", facts=RaisedAtLine(clause="f raised E", line=AT_13)
    ),
    f"{AS_LOADED} E on line 2 of cell 3: x = 1 / 0.": Explanation(
        rule="rule", facts=RaisedAsLoaded(raised="it raised E", line=AT_13)
    ),
    "Python cannot read the file: bad (a1.py, line 2 of cell 3): x = 1 / 0.": Explanation(
        rule="rule", facts=NotPython(reason="bad", file="a1.py", line=AT_13)
    ),
    "Line 1 of cell 2 asks for input.": Explanation(
        rule="rule", facts=StatedOfLine(line=10, after=" asks for input.")
    ),
    "You have g on line 1 of cell 3: is that it?": Explanation(
        rule="rule", facts=StatedOfLine(before="You have g on ", line=12, after=": is that it?")
    ),
    "f did not end: the loop of g in line 2 of cell 3 does not end.": Explanation(
        rule="rule", facts=NO_END, reason=InLoop(line=13, function="g", ends=LoopEnd.NEVER)
    ),
    "f did not end: g (line 1 of cell 2) calls itself again and again.": Explanation(
        rule="rule", facts=NO_END, reason=InRecursion(line=10, function="g")
    ),
    f"The fault seems to be in g, lines 1 to 8 of cell 3. {WRONG.sentence}": Explanation(
        rule="rule", facts=WRONG, lead=FaultyHelper(function="g", first=12, last=19)
    ),
    "Line 1 of cell 3 goes the wrong way: line 2 of cell 3 prints the expected line. "
    f"{WRONG.sentence}": Explanation(
        rule="rule", facts=WRONG, lead=WrongBranch(condition=12, prints=13, taken=False)
    ),
}


@pytest.mark.parametrize(("said", "explanation"), IN_CELLS.items(), ids=IN_CELLS)
def test_lines_of_a_notebook_are_those_of_its_cells(said: str, explanation: Explanation) -> None:
    assert explanation.in_notebook(NOTEBOOK).message == said
    assert "cell" not in explanation.message


def test_a_line_between_the_cells_is_the_programs() -> None:
    explanation = Explanation(rule="rule", facts=StatedOfLine(line=11, after=" is odd."))
    assert explanation.in_notebook(NOTEBOOK).message == "Line 11 is odd."
