"""Foreign text can neither act nor hide."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from harness.common import escaping
from harness.reporting.html.environment import block, code, environment


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("é ü 漢字 🙂", "é ü 漢字 🙂"),
        ("a\nb", "a\\nb"),
        ("a\tb\r", "a\\tb\\r"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x00\x07\x7f\x9b", "\\x00\\x07\\x7f\\x9b"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("no\u00a0break", "no\\xa0break"),
        ("line\u2028sep", "line\\u2028sep"),
        ("\U000e0041", "\\U000e0041"),
        ("blank\u3164letter", "blank\\u3164letter"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 4, "e\u0301\u0301\\u0301\\u0301"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert escaping.visible(text) == shown


def test_every_shown_character_can_be_encoded() -> None:
    everything = "".join(map(chr, range(0x3000))) + "".join(map(chr, range(0xD7F0, 0xE010)))
    assert escaping.visible(everything).encode("utf-8").isascii() is False
    assert not any(escaping.is_unseen(character) for character in escaping.visible(everything))


def test_code_escapes_markup_and_sets_our_escapes_apart() -> None:
    shown = code("<b>&\x1b\"'")
    assert shown == Markup('&lt;b&gt;&amp;<span class="esc">\\x1b</span>"\'')


def test_code_tells_an_escape_from_a_backslash_that_was_there() -> None:
    assert code("\\x1b") == Markup("\\x1b")


def test_blanks_are_visible_on_request() -> None:
    assert code("a \tb", spaces=True) == Markup("a<i>·</i><i>⇥</i>b")


def test_a_block_keeps_its_lines() -> None:
    assert block("a\n<\n") == Markup("a\n&lt;\n")


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
