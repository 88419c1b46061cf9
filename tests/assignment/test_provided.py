"""Overrides rewrite the provided source, so that what is computed from them follows; `{{ NAME }}`
stands for a constant in a text, and texts get their messages put back to names. A compiled
specification is kept by the content of all it came from; a plan and its subsets."""

import os
import sys
from pathlib import Path

import pytest

from harness.assignment.compile import record_draws
from harness.assignment.document import HintedError
from harness.assignment.loading import load
from harness.assignment.symbols import (
    ProvidedError,
    TemplateError,
    as_template,
    constants_of,
    render,
    with_overrides,
)
from harness.common.serial import dumps, loads
from harness.model.plan import Plan, ProvidedVariant, SourceFile
from harness.model.stimulus import Binding
from tests.assignment.small_assignment import (
    BOARDS,
    POLICY,
    REFERENCE,
    SCENARIOS,
    SUPPORT,
    errors_of,
    scenario_file,
    write,
)
from tests.tiny_course import ran


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


MORE, NONE = (
    "s.py assigns SIZE more than once",
    ("s.py has no simple assignment to SIZE at module level"),
)
REFUSED = [
    ("B = 1\n", NONE),
    ("SIZE = 1\nSIZE = 2\n", MORE),
    ("SIZE, B = 1, 2\n", NONE),
    ("SIZE = B = 1\n", NONE),
    ("SIZE = 1\nSIZE += 1\n", MORE),
    ("if True:\n    SIZE = 1\n", NONE),
    ("SIZE = 1\nfor SIZE in []:\n    pass\n", MORE),
    ("SIZE: int\n", NONE),
]


@pytest.mark.parametrize(("source", "message"), REFUSED)
def test_anything_but_one_plain_assignment_is_refused(source: str, message: str) -> None:
    with pytest.raises(HintedError) as caught:
        overridden(source, "4")
    assert str(caught.value) == message


def file(name: str, text: str) -> SourceFile:
    return SourceFile(name=name, data=text.encode("utf-8"))


def test_a_message_computed_from_the_constant_follows() -> None:
    files = (file("s.py", 'SIZE = 8\nM = f"1 to {SIZE}"\n'),)
    assert constants_of(files) == {"SIZE": 8, "M": "1 to 8"}
    overridden = with_overrides(files, (Binding(name="SIZE", literal="10"),))
    assert constants_of(overridden) == {"SIZE": 10, "M": "1 to 10"}


def test_a_name_in_two_modules_cannot_be_overridden() -> None:
    files = (file("a.py", "SIZE = 8\n"), file("b.py", "SIZE = 9\n"))
    with pytest.raises(HintedError, match=r"a\.py or b\.py assigns SIZE more than once"):
        with_overrides(files, (Binding(name="SIZE", literal="10"),))


def test_constants_are_public_plain_values_of_modules_other_than_drivers() -> None:
    other = "import math\n_B = 1\nC = math\ndef d(): pass\nclass E: pass\nF = object()\n"
    files = (
        file("driver.py", "from p4 import play\nX = play()\n"),
        file("other.py", f"LIST = [1, (2,)]\n{other}"),
        file("a.py", "from b import *\nTWICE = 2 * ONE\n"),
        file("b.py", "print('hello')\nONE = 1\n"),
        file("notes.txt", "not Python at all\n"),
    )
    assert constants_of(files, ["p4.py"]) == {"LIST": [1, (2,)], "ONE": 1, "TWICE": 2}


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


BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"yaml", "pydantic", "pydantic_core", "click", "hypothesis"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from harness.model.plan import Plan
from harness.common.serial import dumps, loads
from pathlib import Path

text = (Path(sys.argv[1]) / "plan.json").read_text()
print(dumps(loads(Plan, text)) == text)
from harness.assignment.loading import load

print([s.id for s in load(Path(sys.argv[1]), "small").plan.scenarios])
(Path(sys.argv[1]) / ".harness-cache/small.json").unlink()
try:
    load(Path(sys.argv[1]), "small")
except ImportError as error:
    print(error)
"""


def entry(root: Path) -> Path:
    return root / ".harness-cache" / "small.json"


@pytest.mark.process
def test_a_second_load_is_the_same_and_needs_no_yaml(tmp_path: Path) -> None:
    plan(tmp_path)
    first = load(tmp_path, "small")
    kept = entry(tmp_path).read_bytes()
    assert load(tmp_path, "small") == first
    assert entry(tmp_path).read_bytes() == kept
    (tmp_path / "plan.json").write_text(dumps(first.plan))
    done = ran([sys.executable, "-W", "error", "-c", BLOCKED, str(tmp_path)])
    assert done.stderr == ""
    ids = [scenario.id for scenario in first.plan.scenarios]
    assert done.stdout.splitlines() == ["True", str(ids), "yaml is blocked"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("specs/small/f.yaml", SCENARIOS.replace('"a1"', '"a2"')),
        ("specs/small/policy.yaml", POLICY.replace("1.5", "2")),
        ("specs/small/g.yaml", scenario_file("name: s\ncall: check_input('')")),
        ("reference/small/a1.py", REFERENCE + "\n\ndef more():\n    pass\n"),
        ("reference/small/a1_support.py", SUPPORT.replace("= 8", "= 9")),
    ],
)
def test_a_changed_file_is_read_again(name: str, text: str, tmp_path: Path) -> None:
    before = load(write(tmp_path), "small")
    write(tmp_path, {name: text})
    assert load(tmp_path, "small") != before


def test_a_mistake_made_later_is_found(tmp_path: Path) -> None:
    load(write(tmp_path), "small")
    assert errors_of(tmp_path, {"specs/small/f.yaml": SCENARIOS.replace("true", "no")})


@pytest.mark.parametrize("damage", [b"", b"\n", b"{}", b"\xff\xff\n{}", None])
def test_a_damaged_entry_is_replaced(damage: bytes | None, tmp_path: Path) -> None:
    first = load(write(tmp_path), "small")
    whole = entry(tmp_path).read_bytes()
    entry(tmp_path).write_bytes(whole[:-40] if damage is None else damage)
    assert load(tmp_path, "small") == first
    assert entry(tmp_path).read_bytes() == whole


def test_where_nothing_can_be_kept_loading_still_works(tmp_path: Path) -> None:
    (tmp_path / ".harness-cache").write_text("a file in the way")
    assert load(write(tmp_path), "small") == load(tmp_path, "small")


def test_a_moved_folder_is_told_by_its_new_place(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    load(write(old), "small")
    os.rename(old, new)  # noqa: PTH104 - a folder moves with its cache
    assert load(new, "small").folder == str(new / "specs" / "small")


def test_recording_never_reads_or_keeps(tmp_path: Path) -> None:
    load(write(tmp_path, {"specs/small/boards.py": BOARDS}), "small", recording=True)
    assert not entry(tmp_path).exists()


@pytest.mark.process
def test_the_python_loader_stands_in_loudly_and_reads_the_same(tmp_path: Path) -> None:
    expected = load(write(tmp_path), "small").plan.spec_digest
    entry(tmp_path).unlink()
    code = (
        "import yaml; del yaml.CSafeLoader\n"
        "from pathlib import Path; from harness.assignment.loading import load; import sys\n"
        "print(load(Path(sys.argv[1]), 'small').plan.spec_digest)"
    )
    done = ran([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert done.stdout == f"{expected}\n"
    assert "RuntimeWarning: PyYAML is installed without its C loader" in done.stderr


BODIES = (
    "name: visible\nvisible: true\ncall: check_input('a1')\nreturns: {matches: a}",
    "name: sizes\nvisible: true\nconstants: {BOARD_SIZE: [4, 10]}\ncall: check_input('a9')\n"
    "prints: '{{ COLUMN_MESSAGE }}'\npoints: 1/3",
    "name: hidden\nconstants: {BOARD_SIZE: [5]}\nrun: a1.py\nprovide: note.txt\ninput: [a1]\n"
    "turns: [a, {any: true}]\nraises: {type: E, message: m}",
    "name: drawn\ncall: add_piece(board, 'X', 0)\ncases: boards.every_column\n"
    "leaves: {board: {python: board}}",
    "name: session\nvisible: true\nsession: |\n  >>> x = get_action()\n  {{ PROMPT }}a1\n",
)


def plan(root: Path) -> Plan:
    files = {"specs/small/f.yaml": scenario_file(*BODIES), "specs/small/note.txt": "note"}
    write(root, dict(files))
    record_draws(root, "small")
    return load(root, "small").plan


def test_a_subset_holds_all_that_it_needs_and_nothing_else(tmp_path: Path) -> None:
    whole = plan(tmp_path)
    part = whole.subset(lambda scenario: scenario.visibility == "visible")
    ids = ["f/visible", "f/sizes[BOARD_SIZE=4]", "f/sizes[BOARD_SIZE=10]", "f/session"]
    assert [scenario.id for scenario in part.scenarios] == ids
    again = loads(Plan, dumps(part))
    assert again == part
    for scenario in again.scenarios:
        for stimulus in scenario.stimuli:
            assert again.assignment.variant(stimulus.constants).files
    assert (len(whole.assignment.variants), len(part.assignment.variants)) == (4, 3)
    assert (len(whole.assignment.extra_files), part.assignment.extra_files) == (1, ())
    assert "hidden" not in dumps(part)
    assert "note.txt" not in dumps(part)
