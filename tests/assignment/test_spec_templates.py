"""`{{ NAME }}` in texts, and texts with their messages put back to names."""

from __future__ import annotations

import re

import pytest

from harness.assignment import as_template
from harness.assignment.provided import TemplateError, render
from harness.model.plan import ProvidedVariant, SourceFile

CONSTANTS: dict[str, object] = {
    "SIZE": 8,
    "PIECE": "X",
    "PROMPT": "Your move? (y/n): ",
    "LONG": "Your move? (y/n): now, please",
    "HELP": "Help:\n  a1 adds\n",
    "SIZES": (4, 10),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ SIZE }}", "8"),
        ("a{{SIZE}}b{{ PIECE }}", "a8bX"),
        ("{{ SIZES }}", "(4, 10)"),
        ("{ SIZE } {{", "{ SIZE } {{"),
        ("{{ HELP }}\n", "Help:\n  a1 adds\n\n"),
    ],
)
def test_render(text: str, expected: str) -> None:
    assert render(text, CONSTANTS) == expected


def test_a_pattern_takes_the_text_of_a_constant_as_it_is() -> None:
    pattern = render("^{{ PROMPT }}$", CONSTANTS, re.escape)
    assert re.fullmatch(pattern, "Your move? (y/n): ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a {{ NAME }}", "unknown constant NAME"),
        ("{{ SIZE + 1 }}", "{{ SIZE + 1 }} is not the name of a constant"),
        ("{{ SIZE | upper }}", "{{ SIZE | upper }} is not the name of a constant"),
        ("{{}}", "{{}} is not the name of a constant"),
    ],
)
def test_only_names_of_constants_are_rendered(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render(text, CONSTANTS)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Your move? (y/n): y\n", "{{ PROMPT }}y\n"),
        ("Your move? (y/n): now, please\n", "{{ LONG }}\n"),
        ("Help:\n  a1 adds\n\nX 8\n", "{{ HELP }}\nX 8\n"),
        ("{{ PROMPT }} Your move? (y/n): ", "{{ PROMPT }} Your move? (y/n): "),
        ("", ""),
    ],
)
def test_messages_become_names_and_the_result_renders_back(text: str, expected: str) -> None:
    assert as_template(text, CONSTANTS) == expected


def test_a_variant_is_as_good_as_its_constants() -> None:
    source = SourceFile(name="s.py", data=b'SIZE = 4\nM = f"1 to {SIZE} only"\n')
    variant = ProvidedVariant(constants=(), files=(source,))
    assert as_template("1 to 4 only\n", variant) == "{{ M }}\n"
