"""Foreign text can neither act nor hide; which of the student's lines stand beside a cause, and
which of them are marked.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from harness.common import escaping
from harness.model.plan import Clause, SourceFile
from harness.model.result import ScenarioResult
from harness.model.student_view import ShownCause, ShownCheck
from harness.model.verdict import CodePlace, Explanation, Suspect, Verdict, VerdictKind
from harness.reporting.html.environment import block, code, environment
from harness.reporting.html.submission_pages import submission_page
from harness.reporting.view.annotated import Mark, annotated
from harness.reporting.view.shown_causes import (
    MarkedPlace,
    below_headline,
    changes_return,
    clause_tallies,
    headline,
    indented,
    marked_lines,
    own_lines,
    quoted_clauses,
)
from tests import plans
from tests.reporting.pages_read import assert_inert
from tests.reporting.report_samples import HOURS, PERFECT, PLAN


def test_every_shown_character_can_be_encoded() -> None:
    everything = "".join(map(chr, range(0x3000))) + "".join(map(chr, range(0xD7F0, 0xE010)))
    assert escaping.visible(everything).encode("utf-8").isascii() is False
    assert not any(escaping.is_unseen(character) for character in escaping.visible(everything))


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (code("<b>&\x1b\"'"), '&lt;b&gt;&amp;<span class="esc">\\x1b</span>"\''),
        (code("\\x1b"), "\\x1b"),  # a backslash that was there
        (code("a \tb", spaces=True), 'a<i> </i><i class="tab">\t</i>b'),
        (block("a\n<\n"), "a\n&lt;\n"),
    ],
)
def test_code_is_escaped_and_our_signs_are_set_apart(shown: Markup, expected: str) -> None:
    assert shown == Markup(expected)


@pytest.mark.parametrize(
    ("source", "values", "shown"),
    [
        ("{{ x }}", {"x": "<script>\x1b"}, "&lt;script&gt;\\x1b"),
        ("<a title='{{ x }}'>", {"x": "' onclick='x"}, "<a title='&#39; onclick=&#39;x'>"),
        ("{{ x }}", {"x": 3}, "3"),
        ("{{ 'a' if x }}", {"x": False}, ""),
        ("{{ x }}", {"x": "{{ 7 * 7 }}"}, "{{ 7 * 7 }}"),
    ],
)
def test_templates_print_foreign_text_inert(
    source: str, values: dict[str, object], shown: str
) -> None:
    assert environment().from_string(source).render(values) == shown


@pytest.mark.parametrize("value", [None, True, 1.5, ["x"], object()])
def test_templates_refuse_to_print_what_is_no_text(value: object) -> None:
    with pytest.raises(TypeError, match="a template may not print"):
        environment().from_string("{{ x }}").render(x=value)


def test_templates_refuse_a_name_that_is_not_there() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nowhere }}").render()


def test_an_object_cannot_vouch_for_itself() -> None:
    class Liar(str):
        def __html__(self) -> str:
            return "<script>"

    shown = environment().from_string("{{ x }}").render(x=Liar("<b>"))
    assert "<" not in shown


LONG = "|".join(f"line {n}" for n in range(40))


def place(text: str) -> CodePlace:
    lines = tuple(text.split("|"))
    return CodePlace(file="a1.py", first=3, last=2 + len(lines), text=lines)


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        ("def f(x):|    return x", [], [3, 4]),
        ('def f(x):|    """One line."""|    return x', [], [3, 4, 5]),
        ('def f(x):|    """Two|    lines.|    """|    return x', [], [3, None, 7]),
        ("def f(x):|    '''Never closed.|    return x", [], [3, None]),
        ('def f(|    x,|):  # f|    """Two|    lines."""|    return x', [], [3, 4, 5, None, 8]),
        ('def f():|    print("""Menu:|1 play|""")|    return 1', [6], [3, 4, 5, 6, 7]),
        ("|".join(f"line {n}" for n in range(30)), [20], list(range(3, 33))),
        (LONG, [], [*range(3, 21), None, *range(35, 43)]),
        (LONG, [20], [3, None, *range(14, 27), None]),
        (LONG, [11, 35], [3, 4, *range(5, 18), None, *range(29, 42), 42]),
    ],
)
def test_lines(text: str, marked: list[int], expected: list[int | None]) -> None:
    lines = own_lines(place(text), marked)
    assert [line.number for line in lines] == expected
    assert [line.number for line in lines if line.marked] == marked


def cause(message: str, rule: str, **parts: object) -> ShownCause:
    check = ShownCheck.of(
        HOURS,
        ScenarioResult(
            scenario_id=HOURS.id,
            verdict=Verdict(
                kind=VerdictKind.FAILED, explanation=Explanation(rule=rule, message=message)
            ),
            points=Fraction(0),
            out_of=Fraction(1),
        ),
    )
    found = ShownCause(
        function="f", explanation=Explanation(rule="rule", message=message), checks=(check,)
    )
    return replace(found, **parts)  # type: ignore[arg-type]


BOARD = place("def f():|    for i in range(8):  # not 18|        show(board[i])  # 8")
HELPER = replace(place("def show(x):|    print(x[9])"), first=20, last=21)


HARD_CODED = (
    "This looks hard-coded to {}: an index is out of range when SIZE is 4; use SIZE in place of "
    "the number."
)
CRASHED = cause("raised", "raised_unexpectedly", place=BOARD)
OWN = Suspect(function="f", place=BOARD, lines=(4, 5))
MARKED = {
    "the lines with the number and not the crash": (
        cause(HARD_CODED.format(8), "hard_coded_size", place=BOARD, line=5),
        [MarkedPlace(place=BOARD, marked=[4])],
    ),
    "the crash, where no line has it": (
        cause(HARD_CODED.format(7), "hard_coded_size", place=BOARD, line=5),
        [MarkedPlace(place=BOARD, marked=[5])],
    ),
    "the function in which it crashed too": (
        replace(CRASHED, raised_in=HELPER, raised_at=21),
        [MarkedPlace(place=BOARD, marked=[]), MarkedPlace(place=HELPER, marked=[21])],
    ),
    "a line that is known alone": (
        replace(CRASHED, line=5, suspects=(OWN,)),
        [MarkedPlace(place=BOARD, marked=[5])],
    ),
}


@pytest.mark.parametrize(("found", "places"), MARKED.values(), ids=MARKED)
def test_which_lines_are_marked(found: ShownCause, places: list[MarkedPlace]) -> None:
    assert marked_lines(found) == places


LONG = replace(
    place("def far(x):|" + "|".join(f"    x += {n}" for n in range(9))), first=40, last=49
)


def test_the_most_suspect_lines_of_a_helper_stand_before_the_function() -> None:
    suspect = Suspect(function="far", place=LONG, lines=(42, 44))
    found = cause("returned 1", "wrong_value", place=BOARD, suspects=(suspect,))
    assert marked_lines(found) == [
        MarkedPlace(place=LONG, marked=[42, 44], exact=False, function="far"),
        MarkedPlace(place=BOARD, marked=[]),
    ]
    own = replace(suspect, function="f")
    (shown,) = marked_lines(replace(found, place=LONG, suspects=(own,)))
    assert (shown.function, shown.marked) == ("", [42, 44])  # its name is the card's


def test_where_nearly_all_of_few_lines_would_be_marked_none_is() -> None:
    found = cause("returned 1", "wrong_value", place=BOARD, suspects=(OWN,))
    assert marked_lines(found) == [MarkedPlace(place=BOARD, marked=[], exact=False)]
    one = replace(LONG, last=44)
    few = Suspect(function="far", place=one, lines=(42,))
    (shown, _) = marked_lines(replace(found, suspects=(few,)))
    assert shown.marked == [42]


def test_the_whole_program_stands_with_what_is_said_of_its_lines() -> None:
    lines = [b"def f():", b"    for i in range(8):", b"\tshow(board[i])", b"", b"<b>\x0c\x1b"]
    finding = plans.finding(line=4, message="m")
    submission = replace(
        PERFECT,
        files=(SourceFile(name="a1.py", data=b"\n" * 2 + b"\r\n".join(lines)),),
        findings=(finding, replace(finding, line=99), replace(finding, file="other.py")),
    )
    said = HARD_CODED.format(8)
    suspect = Suspect(function="f", place=replace(LONG, first=3, last=12), lines=(5,))
    causes = [
        cause(said, "hard_coded_size", place=BOARD, line=5),
        cause("returned 1", "wrong_value", suspects=(suspect,)),
    ]
    one_line = replace(BOARD, first=7, last=7, text=BOARD.text[:1])
    causes.append(cause("is 8", "wrong_value", place=one_line, line=7))
    (file,) = annotated(submission, causes)
    text = ("def f():", "    for i in range(8):", "    show(board[i])", "", "<b>\x0c\x1b")
    assert file.lines[2:] == text
    notes = {
        line: [(note.text, note.cause, note.mark) for note in file.notes[line]]
        for line in (3, 4, 5, 7)
    }
    assert notes == {
        3: [(f"f: {said}", 1, None), ("f: returned 1", 2, None)],
        4: [("", 1, Mark.EXACT), ("Imports: m", 0, Mark.EXACT)],
        5: [("", 2, Mark.LOOK)],
        7: [("f: is 8", 3, Mark.EXACT)],
    }
    page = assert_inert(submission_page(submission, PLAN))
    assert "def f():" in page.text
    assert "Imports: m" in page.text
    assert "The whole program" not in submission_page(PERFECT, PLAN)


def test_of_a_program_without_an_end_the_first_lines_are_shown() -> None:
    files = tuple(SourceFile(name=f"{n}.py", data=b"x\n" * 2000) for n in range(2))
    first, second = annotated(replace(PERFECT, files=files), [])
    assert (len(first.lines), first.left_out) == (2000, 0)
    assert (len(second.lines), second.left_out) == (1000, 1000)


def test_a_clause_is_quoted_once_and_the_one_that_names_the_function_first() -> None:
    size, put, win = (
        Clause(id=name, section=section, text=text)
        for name, section, text in (
            ("size", "1", "Everything works for every SIZE."),
            ("put", "2", "put changes the given board."),
            ("win", "win", "A row wins."),
        )
    )

    def failing(function: str, *clauses: Clause) -> ShownCause:
        found = cause("wrong", "wrong_value", function=function)
        return replace(found, checks=(replace(found.checks[0], clauses=clauses),), clauses=(win,))

    causes = [failing("put", size, put), failing("show", size), failing("tie", size)]
    causes.append(failing("win", win))
    checks = [check for each in causes for check in each.checks]
    assert quoted_clauses(causes, checks) == [(put,), (size,), (), (win,)]


def test_the_clause_that_fails_is_quoted_and_not_those_that_hold_elsewhere() -> None:
    start, first, turn = (Clause(id=name, section="3", text=name) for name in ("s", "f", "t"))
    found = cause("wrong", "wrong_value", function="play")
    failing = replace(found.checks[0], clauses=(start, first, turn))
    right = replace(failing, clauses=(start, first))
    mostly_right = [failing, right, right, replace(right, clauses=(start,))]
    assert quoted_clauses([replace(found, checks=(failing,))], mostly_right) == [(turn,)]
    assert quoted_clauses([replace(found, checks=(failing,))], [failing]) == [(start, first)]
    unseen = replace(found, checks=(), clauses=(start, turn))
    assert quoted_clauses([unseen], [right]) == [(start, turn)]


@pytest.mark.parametrize(
    ("rule", "message", "expected"),
    [
        ("printed_instead_of_returned", "f printed 5 instead of returning it.", True),
        ("argument_not_changed", "board is not changed: a new list is returned.", True),
        ("argument_not_changed", "board is not changed: item [0] is 1.", False),
        ("wrong_value", "f returned 1 instead of 2.", False),
    ],
)
def test_who_calls_it_is_to_be_checked(rule: str, message: str, *, expected: bool) -> None:
    assert changes_return(cause(message, rule)) is expected


LONG_NAME = "a row of red, and beside it one more that is red as well"
CALLED_AT = "f raised TypeError: can't multiply a text by (x) (line 3: a = b(c) * 'd').{}"


@pytest.mark.parametrize(
    ("message", "line", "expected", "below"),
    [
        ("It is wrong.", None, "It is wrong, for example in “is a float”.", ""),
        (
            "f returned a and b and c and d in place of e and f.",
            None,
            "f returned a and b and c and d in place of e and f.",
            "",
        ),
        (
            CALLED_AT.format(""),
            3,
            "f raised TypeError: can't multiply a text by (x) (line 3).",
            "",
        ),
        (
            CALLED_AT.format(" Is (x) a text? It should be the number that was read before."),
            3,
            "f raised TypeError: can't multiply a text by (x) (line 3). Is (x) a text?",
            "It should be the number that was read before.",
        ),
        (
            'After input 7 ("a1; b"), line 10 is "Its a Draw, it is!", it should be "One wins!".',
            None,
            'After input 7 ("a1; b"), line 10 is "Its a Draw, it is!"…',
            '… it should be "One wins!".',
        ),
        (
            "Line 3 calls main, which asks for input: put it below the guard, as the sheet says.",
            None,
            "Line 3 calls main, which asks for input.",
            "Put it below the guard, as the sheet says.",
        ),
        (
            "board: it is not changed. Change the list that is given, and return True as it says.",
            None,
            "board: it is not changed.",
            "Change the list that is given, and return True as it says.",
        ),
        (
            "board: it is not changed and a new list is given back, which is of no use here.",
            None,
            "board: it is not changed and a new list is given back…",
            "… which is of no use here.",
        ),
        (
            "The fault seems to be in Grid.put, lines 3 to 14. Is it wrong?",
            None,
            "Is it wrong?",
            "The fault seems to be in Grid.put, lines 3 to 14.",
        ),
        (
            "The fault seems to be in put, line 3. After input 1, one two three four five six seven"
            " eight nine ten, eleven twelve 13 14 15.",
            None,
            "After input 1, one two three four five six seven eight nine ten…",
            "… eleven twelve 13 14 15. The fault seems to be in put, line 3.",
        ),
        (
            "After input 1, there is no (really; that is odd, or) one at [1, (3, 4)], so it ends.",
            None,
            "After input 1, there is no (really; that is odd, or) one at…",
            "… [1, (3, 4)], so it ends.",
        ),
        (
            "f raised ValueError: 1 2 3 4 5 6 7 8 9 10 11 (with 12).",
            None,
            "f raised ValueError: 1 2 3 4 5 6 7 8 9 10 11…",
            "… (with 12).",
        ),
        (
            '"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" is shown.',
            None,
            '"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15…',
            '"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" is shown.',
        ),
        (
            "one two three four five six seven eight nine ten eleven twelve 13 14 15 16",
            None,
            "one two three four five six seven eight nine ten eleven twelve 13 14 15…",
            "… 16",
        ),
    ],
)
def test_a_headline_is_short_and_nothing_is_left_unsaid(
    message: str, line: int | None, expected: str, below: str
) -> None:
    found = cause(message, "wrong_value", line=line)
    assert headline(found) == expected
    assert below_headline(found) == below
    assert len(expected.split()) <= 15


def test_an_example_is_named_in_a_headline_that_stays_short() -> None:
    message = "f returned one and two and three in place of four."
    found = cause(message, "wrong_value")
    named = replace(found, checks=(replace(found.checks[0], name=LONG_NAME),))
    assert (headline(named), below_headline(named)) == (message, "")


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["def f():", "\treturn 1\t# 1"], ["def f():", "    return 1    # 1"]),
        (["def f():", "    a = 1\t# 1"], ["def f():", "    a = 1   # 1"]),
        (["if x:", "\ta()", "        b()"], ["if x:", "\ta()", "        b()"]),
        (["if x:", " \ta()\t# a"], ["if x:", " \ta() # a"]),
    ],
)
def test_tabs_are_spaces_unless_both_indent(lines: list[str], shown: list[str]) -> None:
    assert indented(lines) == shown


def test_a_clause_is_not_reached_where_nothing_came_as_far() -> None:
    clause, other = (Clause(id=name, section=name, text="It works.") for name in ("1", "2"))

    def checked(kind: VerdictKind, *clauses: Clause, id: str = "x") -> ShownCheck:
        check = cause("wrong", "wrong_value").checks[0]
        return replace(check, id=id, verdict=Verdict(kind=kind), clauses=clauses)

    def tallied(checks: list[ShownCheck], *causes: ShownCause) -> list[tuple[str, int, bool]]:
        found = clause_tallies(checks, causes)
        return [(tally.clause.id, tally.passed, tally.reached) for tally in found]

    missing = checked(VerdictKind.MISSING, clause)
    not_run = checked(VerdictKind.NOT_RUN, clause, other)
    failing = checked(VerdictKind.FAILED, other)
    assert tallied([missing, not_run]) == [("1", 0, False), ("2", 0, False)]
    assert tallied([missing, failing]) == [("1", 0, False), ("2", 0, True)]
    assert tallied([missing, checked(VerdictKind.PASSED, clause)]) == [("1", 1, True)]
    loaded = ShownCause(
        function="",
        explanation=Explanation(rule="rule", message="It fails as it is loaded."),
        checks=(failing,),
    )
    assert tallied([failing], loaded) == [("2", 0, False)]
