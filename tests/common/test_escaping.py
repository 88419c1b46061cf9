"""Untrusted text is shown safely, by one function for sentences, pages and terminals."""

from __future__ import annotations

import pytest

from harness.common.escaping import plain, quoted, shortened, visible

STACKED = "a" + "\u0488" * 5  # an enclosing sign: it combines, though its combining class is 0

VISIBLE = [
    ("plain text", "plain text"),
    ("a\nb\tc\r", "a\\nb\\tc\\r"),
    ("\x1b[31m\x07\x7f\x85", "\\x1b[31m\\x07\\x7f\\x85"),
    ("\u202eabc\u2028", "\\u202eabc\\u2028"),
    ("\u3164\u2800\u00a0", "\\u3164\\u2800\\xa0"),
    ("\U000e0041\ud800", "\\U000e0041\\ud800"),
    ("é e\u0301 \u00df 漢 \U0001f600", "é e\u0301 \u00df 漢 \U0001f600"),
    ("a\u0301\u0301\u0301\u0301b\u0301", "a\u0301\u0301\\u0301\\u0301b\u0301"),
    (STACKED, "a\u0488\u0488" + "\\u0488" * 3),
]


@pytest.mark.parametrize(("text", "shown"), VISIBLE)
def test_what_would_act_hide_or_pile_up_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert plain(text) == shown
    assert quoted(text) == f'"{shown}"'


def test_a_text_is_shortened_around_a_place() -> None:
    text = "0123456789" * 10
    assert shortened(text, 200) == text
    assert shortened(text, 10) == "0123456789…"
    assert shortened(text, 10, at=50) == "…5678901234…"
    assert shortened(text, 10, at=99) == "…0123456789"
