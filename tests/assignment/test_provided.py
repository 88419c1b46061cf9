"""Overrides rewrite the provided source, so that what is computed from them follows; `{{ NAME }}`
stands for a constant in a text, and texts get their messages put back to names."""

from __future__ import annotations

import re

import pytest

from harness.assignment.vocabulary import (
    OverrideError,
    ProvidedError,
    TemplateError,
    as_template,
    constants_of,
    render,
    with_overrides,
)
from harness.model.plan import ProvidedVariant, SourceFile
from harness.model.stimulus import Binding


def overridden(source: str, literal: str) -> str:
    files = (SourceFile(name="s.py", data=source.encode()),)
    return with_overrides(files, [Binding(name="SIZE", literal=literal)])[0].data.decode()


REWRITTEN = [
    ("SIZE = 8\n", "4", "SIZE = 4\n"),
    ("SIZE: int = 8  # columns\n", "4", "SIZE: int = 4  # columns\n"),
    ("SIZE = 2 * (3 + 1)\nM = SIZE\n", "4", "SIZE = 4\nM = SIZE\n"),
    ("é = 'é'; SIZE = 'é8'; B = 1\n", "'ü'", "é = 'é'; SIZE = 'ü'; B = 1\n"),
    ("SIZE = (\n  8,\n  9,\n)\nB = 2\n", "(4,)", "SIZE = ((4,)\n\n\n)\nB = 2\n"),
    ('SIZE = """a\nb"""\nB = 2\n', "'x'", "SIZE = ('x'\n)\nB = 2\n"),
    ("SIZE = 8", "-1", "SIZE = (-1)"),
    ("SIZE: int\nSIZE = 8\n", "4", "SIZE: int\nSIZE = 4\n"),
    ("def f():\n    SIZE = 1\nSIZE = 8\n", "4", "def f():\n    SIZE = 1\nSIZE = 4\n"),
]


@pytest.mark.parametrize(("source", "literal", "expected"), REWRITTEN)
def test_the_one_assignment_is_rewritten(source: str, literal: str, expected: str) -> None:
    assert overridden(source, literal) == expected


REFUSED = [
    ("B = 1\n", 0, 0),
    ("SIZE = 1\nSIZE = 2\n", 2, 0),
    ("SIZE, B = 1, 2\n", 0, 1),
    ("SIZE = B = 1\n", 0, 1),
    ("SIZE = 1\nSIZE += 1\n", 1, 1),
    ("if True:\n    SIZE = 1\n", 0, 1),
    ("SIZE = 1\nfor SIZE in []:\n    pass\n", 1, 1),
    ("SIZE: int\n", 0, 0),
]


@pytest.mark.parametrize(("source", "plain", "other"), REFUSED)
def test_anything_but_one_plain_assignment_is_refused(source: str, plain: int, other: int) -> None:
    with pytest.raises(OverrideError) as caught:
        overridden(source, "4")
    assert (caught.value.plain, caught.value.other) == (plain, other)


def file(name: str, text: str) -> SourceFile:
    return SourceFile(name=name, data=text.encode("utf-8"))


def test_a_message_computed_from_the_constant_follows() -> None:
    files = (file("s.py", 'SIZE = 8\nM = f"1 to {SIZE}"\n'),)
    assert constants_of(files) == {"SIZE": 8, "M": "1 to 8"}
    overridden = with_overrides(files, (Binding(name="SIZE", literal="10"),))
    assert constants_of(overridden) == {"SIZE": 10, "M": "1 to 10"}


def test_a_name_in_two_modules_cannot_be_overridden() -> None:
    files = (file("a.py", "SIZE = 8\n"), file("b.py", "SIZE = 9\n"))
    with pytest.raises(OverrideError):
        with_overrides(files, (Binding(name="SIZE", literal="10"),))


def test_constants_are_public_plain_values() -> None:
    text = (
        "import math\nA = [1, (2,)]\n_B = 1\nC = math\ndef d(): pass\nclass E: pass\nF = object()\n"
    )
    assert constants_of((file("s.py", text),)) == {"A": [1, (2,)]}


def test_provided_modules_import_one_another_and_drivers_define_nothing() -> None:
    files = (
        file("driver.py", "from p4 import play\nX = play()\n"),
        file("a.py", "from b import *\nTWICE = 2 * ONE\n"),
        file("b.py", "print('hello')\nONE = 1\n"),
        file("notes.txt", "not Python at all\n"),
    )
    assert constants_of(files, ["p4.py"]) == {"ONE": 1, "TWICE": 2}


def test_a_provided_module_that_fails_is_named() -> None:
    with pytest.raises(ProvidedError, match=r"^s\.py cannot be run: ZeroDivisionError: div"):
        constants_of((file("s.py", "1 / 0\n"),))


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
    source = "".join(f"{name} = {value!r}\n" for name, value in CONSTANTS.items())
    variant = ProvidedVariant(constants=(), files=(file("s.py", source),))
    assert as_template(text, variant) == expected
