"""Hostile text in every place where foreign text can stand: inert, and visible."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
import unicodedata
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest
from rich.console import Console

from harness.model.result import RunResult, SubmissionResult
from harness.model.verdict import VerdictKind
from harness.reporting.html import class_page as class_page_module
from harness.reporting.html.class_page import first_page, further_pages
from harness.reporting.html.environment import TAB_SIGN
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.results.student_view import student_view
from tests.reporting.pages_read import assert_inert, on_terminal
from tests.reporting.report_samples import (
    CANARY,
    IMPORT_ASKS,
    MANY_FAULTS,
    PLAN,
    RUN,
    SECRET,
    UNREADABLE,
    class_page,
    overview,
)

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
    ours = {"id", "scenario_id", "function", "clause", "python", "python_wanted", "group"}
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
    if path[-1] == "clauses":
        return value
    return value + attack


def assert_visible(text: str) -> None:
    """It can be written, and a reader sees each of its characters."""
    text.encode("utf-8")
    text = text.replace(TAB_SIGN, "")  # a tab as it was printed or written
    seen = {unicodedata.category(character) for character in text if character != "\n"}
    assert not seen & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def hostile(attack: str) -> tuple[SubmissionResult, Any, RunResult]:
    plan = _replaced(PLAN, attack)
    result = replace(_replaced(MANY_FAULTS, attack), id="student" + attack)
    facts = _replaced(RUN.facts, attack)
    return result, plan, RunResult(facts=facts, submissions=(result, IMPORT_ASKS))


@pytest.mark.parametrize("name", ATTACKS)
def test_pages_stay_inert(name: str) -> None:
    result, plan, run = hostile(ATTACKS[name])
    pages = [
        (submission_page(result, plan), 0),
        (feedback_page(student_view(result, plan)), 0),
        (class_page(run, plan), 1),
    ]
    for html, scripts in pages:
        page = assert_inert(html, scripts)
        assert "student" in page.text
        assert_visible(html)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("script", "<script>alert(1)</script>"),
        ("bidi", "\\u202eevil\\u202c"),
        ("ansi", "\\x1b[2J"),
        ("surrogate", "\\ud83d"),
        ("template", "{{ 7 * 7 }}"),
        ("entity", "&lt;b&gt;"),
    ],
)
def test_attacks_are_shown_for_what_they_are(name: str, shown: str) -> None:
    result, plan, run = hostile(ATTACKS[name])
    assert shown in assert_inert(submission_page(result, plan)).text
    assert shown in assert_inert(feedback_page(student_view(result, plan))).text
    assert shown in assert_inert(class_page(run, plan), 1).text


@pytest.mark.parametrize(("students", "pages"), [(0, 1), (150, 1), (151, 2), (201, 3)])
def test_a_class_has_one_page_up_to_150_and_more_beyond(students: int, pages: int) -> None:
    _, plan, run = hostile(ATTACKS["script"])
    several = tuple(replace(UNREADABLE, id=f"s{number}") for number in range(students))
    assert len(overview(replace(run, submissions=several), plan).pages()) == pages


@pytest.mark.parametrize("name", ATTACKS)
def test_the_pages_of_a_large_class_stay_inert(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_page_module, "MOST_ROWS", 3)  # a class of more has further pages
    monkeypatch.setattr(class_page_module, "ROWS_A_PAGE", 3)
    result, plan, run = hostile(ATTACKS[name])
    others = tuple(replace(UNREADABLE, id=f"s{number}") for number in range(3))
    numbers = overview(replace(run, submissions=(result, *others, result)), plan)
    first = first_page(run.facts, numbers)
    (*_, (_, last)) = further_pages(numbers)
    packed = assert_inert(first, 1).text
    assert "student" in packed
    assert "student" in assert_inert(last).text
    for html in (first.replace("\t", ""), last):  # tabs are between the cells of the packed rows
        assert_visible(html)
    (row,) = {line for line in first.split("\n") if line.startswith('<pre id="packed"')}
    assert row.count("\t") == 5 + len(numbers.functions)


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


def test_no_page_of_a_student_holds_anything_hidden() -> None:
    assert CANARY in submission_page(MANY_FAULTS, PLAN)
    html = feedback_page(student_view(MANY_FAULTS, PLAN))
    assert CANARY not in html
    assert SECRET.id not in html
    assert SECRET.name in html


def test_no_terminal_of_a_student_shows_anything_hidden() -> None:
    assert CANARY not in explain_failures(student_view(MANY_FAULTS, PLAN), 50, width=200)


@pytest.mark.parametrize("page", ["index", "submission", "feedback"])
def test_the_policy_allows_our_style_and_script_alone(page: str) -> None:
    html = {
        "index": lambda: class_page(RUN, PLAN),
        "submission": lambda: submission_page(MANY_FAULTS, PLAN),
        "feedback": lambda: feedback_page(student_view(MANY_FAULTS, PLAN)),
    }[page]()
    read = assert_inert(html, scripts=1 if page == "index" else 0)
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
    verdict = next(s.verdict for s in MANY_FAULTS.scenarios if s.verdict.conversation)
    conversation = verdict.conversation
    assert conversation is not None
    assert conversation.actual is not None
    big = replace(
        verdict,
        kind=VerdictKind.OUTPUT_LIMIT,
        conversation=replace(conversation, actual=replace(conversation.actual, printed=flood)),
    )
    outcomes = tuple(
        replace(s, verdict=big, points=Fraction(0)) if s.verdict == verdict else s
        for s in MANY_FAULTS.scenarios
    )
    small = len(submission_page(MANY_FAULTS, PLAN))
    assert len(submission_page(replace(MANY_FAULTS, scenarios=outcomes), PLAN)) < small + 20_000
