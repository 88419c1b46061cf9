"""Foreign text can neither act nor hide; which of the student's lines stand beside a cause."""

import base64
import dataclasses
import hashlib
import re
import unicodedata
from dataclasses import replace
from enum import Enum
from typing import Any

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup
from rich.console import Console

from harness.common import escaping
from harness.model.explanation.facts import (
    ArgumentNotChanged,
    Facts,
    FaultyHelper,
    HardCoded,
    HardCodedSign,
    Lead,
    NoReturn,
    RaisedAtLine,
    ReturnedNone,
    SourceLine,
    Stated,
)
from harness.model.explanation.sentences import lead_words, own_words
from harness.model.observation import Turn
from harness.model.plan import Clause, SourceFile
from harness.model.result import RunResult, SubmissionResult
from harness.model.stimulus import Typed
from harness.model.verdict import CodePlace, Explanation, Suspect, Verdict, VerdictKind, stated
from harness.reporting.html.class_page import MAX_ROWS, first_page, further_pages
from harness.reporting.html.environment import TAB_SIGN, block, code, environment, with_code
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.reporting.view.annotated_files import LineMark, annotated
from harness.reporting.view.own_lines import MarkedPlace, indented, marked_lines, own_lines
from harness.reporting.view.shown_causes import (
    cards,
    changes_return,
    clause_tallies,
    headline,
    quoted_clauses,
)
from harness.results.redaction import ShownCause, ShownCheck
from harness.results.student_view import student_view
from tests import plans
from tests.reporting import report_samples
from tests.reporting.pages_read import Page, assert_inert, on_terminal
from tests.reporting.report_samples import ASKS, HOURS, MANY_FAULTS, PERFECT, both_pages, result


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


class Liar(str):
    """It cannot vouch for itself."""

    def __html__(self) -> str:
        return "<script>"


@pytest.mark.parametrize(
    ("source", "values", "shown"),
    [
        ("{{ x }}", {"x": "<script>\x1b"}, "&lt;script&gt;\\x1b"),
        ("<a title='{{ x }}'>", {"x": "' onclick='x"}, "<a title='&#39; onclick=&#39;x'>"),
        ("{{ x }}", {"x": 3}, "3"),
        ("{{ 'a' if x }}", {"x": False}, ""),
        ("{{ x }}", {"x": "{{ 7 * 7 }}"}, "{{ 7 * 7 }}"),
        ("{{ x }}", {"x": Liar("<b>")}, "&lt;b&gt;"),
    ],
)
def test_templates_print_text_inert(source: str, values: dict[str, object], shown: str) -> None:
    assert environment().from_string(source).render(values) == shown


@pytest.mark.parametrize("value", [None, True, 1.5, ["x"], object()])
def test_templates_refuse_values_that_are_not_text(value: object) -> None:
    with pytest.raises(TypeError, match="a template may not print"):
        environment().from_string("{{ x }}").render(x=value)
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nowhere }}").render(x=value)


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


def test_a_long_function_is_shown_around_lines_that_are_not_sure_enough_to_mark() -> None:
    lines = own_lines(place(LONG), near=[20])
    assert [line.number for line in lines] == [3, None, *range(14, 27), None]
    assert not any(line.marked for line in lines)


def cause(message: str | Explanation, rule: str, **parts: object) -> ShownCause:
    explanation = message if isinstance(message, Explanation) else stated(rule, message)
    verdict = replace(report_samples.failed(rule, ""), explanation=explanation)
    check = ShownCheck.of(HOURS, report_samples.outcome(HOURS.id, verdict))
    found = ShownCause(function="f", explanation=explanation, checks=(check,))
    return replace(found, **parts)  # type: ignore[arg-type]


def hard_coded(number: int) -> Explanation:
    facts = HardCoded(number=number, constant="SIZE", size=4, sign=HardCodedSign.INDEX_ERROR)
    return Explanation(rule="hard_coded_size", facts=facts)


BOARD = place("def f():|    for i in range(8):  # not 18|        show(board[i])  # 8")
HELPER = replace(place("def show(x):|    print(x[9])"), first=20, last=21)


LONG_PLACE = replace(
    place("def far(x):|" + "|".join(f"    x += {n}" for n in range(9))), first=40, last=49
)
CRASHED = cause("raised", "raised_unexpectedly", place=BOARD)
WRONG = cause("returned 1", "wrong_value", place=BOARD)
OWN = Suspect(function="f", place=BOARD, lines=(4, 5))
FAR = Suspect(function="far", place=LONG_PLACE, lines=(42, 44))
FEW = replace(FAR, place=replace(LONG_PLACE, last=44), lines=(42,))
MARKED = {
    "the lines with the number and not the crash": (
        cause(hard_coded(8), "hard_coded_size", place=BOARD, line=5),
        [MarkedPlace(place=BOARD, marked=[4])],
    ),
    "the crash, where no line has it": (
        cause(hard_coded(7), "hard_coded_size", place=BOARD, line=5),
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
    "the most suspect lines of a helper before the function": (
        replace(WRONG, suspects=(FAR,)),
        [
            MarkedPlace(place=LONG_PLACE, marked=[42, 44], exact=False, function="far"),
            MarkedPlace(place=BOARD, marked=[]),
        ],
    ),
    "suspect lines of the function that the card names": (
        replace(WRONG, place=LONG_PLACE, suspects=(replace(FAR, function="f"),)),
        [MarkedPlace(place=LONG_PLACE, marked=[42, 44], exact=False)],
    ),
    "none where nearly all of few lines would be": (
        replace(WRONG, suspects=(OWN,)),
        [MarkedPlace(place=BOARD, marked=[], exact=False)],
    ),
    "none where lines of several functions are suspect": (
        replace(WRONG, suspects=(FAR, replace(FAR, function="g"))),
        [
            MarkedPlace(place=LONG_PLACE, marked=[], near=[42, 44], exact=False, function="far"),
            MarkedPlace(place=LONG_PLACE, marked=[], near=[42, 44], exact=False, function="g"),
            MarkedPlace(place=BOARD, marked=[]),
        ],
    ),
    "one of few": (
        replace(WRONG, suspects=(FEW,)),
        [
            MarkedPlace(place=FEW.place, marked=[42], exact=False, function="far"),
            MarkedPlace(place=BOARD, marked=[]),
        ],
    ),
}


@pytest.mark.parametrize(("found", "places"), MARKED.values(), ids=MARKED)
def test_which_lines_are_marked(found: ShownCause, places: list[MarkedPlace]) -> None:
    assert marked_lines(found) == places


def test_the_program_or_its_first_lines_are_shown_with_their_notes() -> None:
    lines = [b"def f():", b"    for i in range(8):", b"\tshow(board[i])", b"", b"<b>\x0c\x1b"]
    finding = plans.finding(line=4, message="m")
    submission = replace(
        PERFECT,
        files=(SourceFile(name="a1.py", data=b"\n\n" + b"\r\n".join(lines)),),
        findings=(finding, replace(finding, line=99), replace(finding, file="other.py")),
    )
    said = hard_coded(8)
    suspect = Suspect(function="f", place=replace(LONG_PLACE, first=3, last=12), lines=(5,))
    causes = [
        cause(said, "hard_coded_size", place=BOARD, line=5),
        cause("returned 1", "wrong_value", suspects=(suspect,)),
    ]
    one_line = replace(BOARD, first=7, last=7, text=BOARD.text[:1])
    causes.append(cause("is 8", "wrong_value", place=one_line, line=7))
    (file,) = annotated(submission, cards(causes))
    text = ("def f():", "    for i in range(8):", "    show(board[i])", "", "<b>\x0c\x1b")
    assert file.lines[2:] == text
    assert {
        line: [(note.text, note.cause, note.mark) for note in file.notes[line]]
        for line in (3, 4, 5, 7)
    } == {
        3: [(f"f: {said.message}", 1, None), ("f: returned 1", 2, None)],
        4: [("", 1, LineMark.EXACT), ("Imports: m", 0, LineMark.EXACT)],
        5: [("", 2, LineMark.LOOK)],
        7: [("f: is 8", 3, LineMark.EXACT)],
    }
    page = Page(both_pages(submission)[0]).text
    assert "def f():" in page
    assert "Imports: m" in page
    assert "The whole program" not in both_pages(PERFECT)[0]
    files = tuple(SourceFile(name=f"{n}.py", data=b"x\n" * 2000) for n in range(2))
    first, second = annotated(replace(PERFECT, files=files), [])
    assert (len(first.lines), first.left_out) == (2000, 0)
    assert (len(second.lines), second.left_out) == (1000, 1000)


def test_a_clause_is_quoted_once_and_the_one_that_names_the_function_first() -> None:
    size = Clause(id="size", section="1", text="Everything works for every SIZE.")
    put = Clause(id="put", section="2", text="put changes the given board.")
    win = Clause(id="win", section="win", text="A row wins.")

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
    ("rule", "facts", "expected"),
    [
        ("printed_instead_of_returned", Stated(sentence="It prints."), True),
        ("argument_not_changed", ArgumentNotChanged(sentence="It is.", returned_new=True), True),
        ("argument_not_changed", ArgumentNotChanged(sentence="It is returned."), False),
        ("wrong_value", Stated(sentence="A new list is returned."), False),
    ],
)
def test_who_calls_it_is_to_be_checked(rule: str, facts: Facts, *, expected: bool) -> None:
    assert changes_return(cause(Explanation(rule=rule, facts=facts), rule)) is expected


CALLED_AT = RaisedAtLine(
    clause="f raised TypeError: can't multiply a text by (x)",
    line=SourceLine(number=3, text="a = b(c) * 'd'"),
)
QUESTION = ". Is (x) a text? It should be the number that was read before."


NONE_FOR_1 = ReturnedNone(function="f", wanted="1")
GRID_PUT = FaultyHelper(function="Grid.put", first=3, last=14)


def of(facts: Facts, lead: Lead | None = None) -> Explanation:
    return Explanation(rule="wrong_value", facts=facts, lead=lead)


HEADLINES: dict[str | Explanation, tuple[str, str]] = {
    "It is wrong.": ("It is wrong, for example in “is a float”.", ""),
    "f returned a and b and c and d instead of e and f.": (
        "f returned a and b and c and d instead of e and f.", "",
    ),
    of(CALLED_AT): ("f raised TypeError: can't multiply a text by (x) (line 3).", ""),
    of(replace(CALLED_AT, rest=QUESTION)): (
        "f raised TypeError: can't multiply a text by (x) (line 3). Is (x) a text?",
        "It should be the number that was read before.",
    ),
    'After input 7 ("a1; b"), line 10 is "Its a Draw, it is!", it should be "One wins!".': (
        'After input 7 ("a1; b"), line 10 is "Its a Draw, it is!"…',
        '… it should be "One wins!".',
    ),
    "Line 3 calls main, which asks for input: put it below the guard, as the sheet says.": (
        "Line 3 calls main, which asks for input.", "Put it below the guard, as the sheet says.",
    ),
    "board: it stays the same. Change the list that came in, and return True as it says.": (
        "board: it stays the same.", "Change the list that came in, and return True as it says.",
    ),
    "board: it stays the same and a new list is given back, which is of no use here.": (
        "board: it stays the same and a new list is given back…", "… which is of no use here.",
    ),
    Explanation(
        rule="wrong_value",
        facts=NONE_FOR_1,
        reason=NoReturn(),
        lead=GRID_PUT,
    ): (
        own_words(NONE_FOR_1).removesuffix(".") + ": is a return missing?",
        lead_words(GRID_PUT),
    ),
    of(
        Stated(
            sentence="After input 1, one two three four five six seven eight nine ten, eleven "
            "twelve 13 14 15."
        ),
        FaultyHelper(function="put", first=3, last=3),
    ): (
        "After input 1, one two three four five six seven eight nine ten…",
        "… eleven twelve 13 14 15. The fault seems to be in put, line 3.",
    ),
    "After input 1, there is no (really; that is odd, or) one at [1, (3, 4)], so it ends.": (
        "After input 1, there is no (really; that is odd, or) one at…",
        "… [1, (3, 4)], so it ends.",
    ),
    "f raised ValueError: 1 2 3 4 5 6 7 8 9 10 11 (with 12).": (
        "f raised ValueError: 1 2 3 4 5 6 7 8 9 10 11…", "… (with 12).",
    ),
    "f raised ValueError: Exceeds the limit for conversion; use one two three 4 5 6 7 (line 8).": (
        "f raised ValueError: Exceeds the limit for conversion; use one two three 4 5 6…",
        "… 7 (line 8).",
    ),
    '"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" is shown.': (
        '"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15…',
        '"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" is shown.',
    ),
    "one two three four five six seven eight nine ten eleven twelve 13 14 15 16": (
        "one two three four five six seven eight nine ten eleven twelve 13 14 15…", "… 16",
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", HEADLINES)
def test_a_headline_is_short_and_nothing_is_left_unsaid(message: str | Explanation) -> None:
    first, rest = headline(cause(message, "wrong_value", line=3))
    assert (first, rest) == HEADLINES[message]
    assert len(first.split()) <= 15


def test_an_example_is_named_in_a_headline_that_stays_short() -> None:
    message = "f returned one and two and three instead of four."
    found = cause(message, "wrong_value")
    long_name = "a row of red, and beside it one more that is red as well"
    named = replace(found, checks=(replace(found.checks[0], name=long_name),))
    assert headline(named) == (message, "")


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
        explanation=stated("rule", "It fails as it is loaded."),
        checks=(failing,),
    )
    assert tallied([failing], loaded) == [("2", 0, False)]


ATTACKS = {
    "script": "<script>alert(1)</script>",
    "end of pre": "</pre></code></td><img src=x onerror=alert(1)>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "comment": "<!-- --> ]]> <![CDATA[",
    "style": "</style><style>body{display:none}</style>",
    "link": "javascript:alert(1)",
    "template": "{{ 7 * 7 }}{% include '/etc/passwd' %}{# #}",
    "ansi": "\x1b[2J\x1b]0;title\x07\x9b31m",
    "bidi": "\u202eevil\u202c\u2066x\u2069",
    "controls": "".join(map(chr, [*range(32), *range(127, 160)])),
    "surrogate": "\ud83d \udc00",
    "unseen": "\u200b\ufeff\u00ad\u2028\u3164\U000e0001",
    "zalgo": "Z" + "\u0301" * 50,
    "rich": "[red]x[/red] [link=http://x]y[/link] :bomb:",
    "entity": "&lt;b&gt; &amp; &#x3c;",
    "long": "A" * 20_000,
}


def _replaced(value: Any, attack: str, path: tuple[str, ...] = ()) -> Any:
    """The same value with the attack in every text that comes from outside."""
    ours = {
        "id",
        "scenario_id",
        "function",
        "clause",
        "clauses",
        "python",
        "python_wanted",
        "group",
    }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {
            field.name: _replaced(getattr(value, field.name), attack, (*path, field.name))
            for field in dataclasses.fields(value)
        }
        return replace(value, **changes)
    if isinstance(value, tuple):
        return tuple(_replaced(item, attack, path) for item in value)
    if isinstance(value, Enum) or not isinstance(value, str) or path[-1] in ours:
        return value
    return value + attack


def assert_visible(text: str) -> None:
    """It can be written, and a reader sees each of its characters."""
    text.encode("utf-8")
    text = text.replace(TAB_SIGN, "")  # a tab as it was printed or written
    seen = {unicodedata.category(character) for character in text if character != "\n"}
    assert not seen & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def hostile(attack: str) -> tuple[SubmissionResult, Any, RunResult]:
    plan = _replaced(report_samples.PLAN, attack)
    result = replace(_replaced(MANY_FAULTS, attack), id="student" + attack)
    facts = _replaced(report_samples.RUN.facts, attack)
    return result, plan, RunResult(facts=facts, submissions=(result, report_samples.IMPORT_ASKS))


SHOWN = {
    "script": "<script>alert(1)</script>",
    "bidi": "\\u202eevil\\u202c",
    "ansi": "\\x1b[2J",
    "surrogate": "\\ud83d",
    "template": "{{ 7 * 7 }}",
    "entity": "&lt;b&gt;",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_pages_stay_inert_and_attacks_are_shown_for_what_they_are(name: str) -> None:
    result, plan, run = hostile(ATTACKS[name])
    whole = report_samples.class_page(run, plan)
    assert_inert(whole, scripts=1)
    for html in (*both_pages(result, plan), whole):
        page = Page(html)
        assert "student" in page.text
        assert SHOWN.get(name, "") in page.text
        assert_visible(html)


@pytest.mark.parametrize(("students", "pages"), [(0, 1), (150, 1), (151, 2), (201, 3)])
def test_a_class_has_one_page_up_to_150_and_more_beyond(students: int, pages: int) -> None:
    _, plan, run = hostile(ATTACKS["script"])
    several = tuple(replace(report_samples.UNREADABLE, id=f"s{n}") for n in range(students))
    assert len(report_samples.overview(replace(run, submissions=several), plan).pages()) == pages


@pytest.mark.parametrize("name", ATTACKS)
def test_the_pages_of_a_large_class_stay_inert(name: str) -> None:
    result, plan, run = hostile(ATTACKS[name])
    others = tuple(
        replace(report_samples.UNREADABLE, id=f"s{number}") for number in range(MAX_ROWS)
    )
    numbers = report_samples.overview(replace(run, submissions=(result, *others, result)), plan)
    first = first_page(run.facts, numbers)
    (*_, (_, last)) = further_pages(numbers)
    assert "student" in assert_inert(first, 1).text
    assert "student" in assert_inert(last).text
    for html in (first.replace("\t", ""), last):  # tabs are between the cells of the packed rows
        assert_visible(html)
    (row,) = {line for line in first.split("\n") if line.startswith('<pre id="packed"')}
    assert row.count("\t") == 6 + len(numbers.functions)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_terminal_stays_inert(name: str) -> None:
    result, plan, run = hostile(ATTACKS[name])
    console = Console(width=120, force_terminal=True, color_system=None, record=True)
    with console.capture() as capture:
        console.print(summary_table(run, plan))
        console.print(show_submission(result, plan))
    text = capture.get() + explain_failures(student_view(result, plan), 50, width=120, colours=True)
    assert_visible(re.sub(r"\x1b\[[0-9;]*m", "", text))  # without our own bold and reverse


def test_the_terminals_markup_is_only_text() -> None:
    _, plan, run = hostile(ATTACKS["rich"])
    text = on_terminal(summary_table(run, plan), 200)
    assert "student[red]x[/red] [link=http://x]y[/link] :bomb:" in text


@pytest.mark.parametrize(
    "html",
    [report_samples.class_page(report_samples.RUN, report_samples.PLAN), *both_pages(MANY_FAULTS)],
    ids=["index", "submission", "feedback"],
)
def test_the_policy_allows_only_our_style_and_script(html: str) -> None:
    read = Page(html)
    policy = next(
        attributes["content"]
        for tag, attributes in read.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, source in read.sources:
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_huge_differences_make_no_huge_page() -> None:
    flood = "x" * 200_000 + "\n" * 5000
    verdict = report_samples.VERDICTS[ASKS.id]
    assert verdict.conversation is not None
    talk = replace(verdict.conversation, actual=Turn(printed=flood, typed=Typed(text="")))
    big = replace(verdict, kind=VerdictKind.OUTPUT_LIMIT, conversation=talk)
    (small, _), (large, _) = (
        both_pages(result("x", report_samples.VERDICTS | {ASKS.id: each}))
        for each in (verdict, big)
    )
    assert len(large) < len(small) + 20_000


SENTENCES = {
    "put it below `if __name__`": "put it below <code>if __name__</code>",
    "`a` or `<b>`": "<code>a</code> or <code>&lt;b&gt;</code>",
    "printed a ` twice": "printed a ` twice",
    "cut at `impo…": "cut at `impo…",
}


@pytest.mark.parametrize("text", SENTENCES)
def test_code_in_a_sentence_is_shown_as_code(text: str) -> None:
    assert with_code(text) == SENTENCES[text]
