"""Classes in which it is known who copied, made from the samples of the assignments.

`programs`: twenty in five styles, none from another, and twenty disguised copies of them.
`made_class`: thirty independent programs, and one that some others have copied.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path

from harness.study.program_texts import fingerprints
from tests.study.disguises import DISGUISES, disguised, half_of
from tests.study.paraphrases import paraphrased

SUBMISSIONS = Path(__file__).parents[2] / "submissions"
SAMPLES = SUBMISSIONS / "connect4ish"
STYLES = {
    "one list of directions": (
        "perfect", "off_by_one_column", "loop_never_reads_input",
        "check_win_never_ends_on_some_boards"
    ),
    "short": (
        "five_in_a_row_not_a_win", "int_crash_on_ax", "print_instead_of_return",
        "upper_case_wrong"
    ),
    "scans": (
        "does_not_ask", "draw_reported_as_win", "labels_without_spaces",
        "new_board_instead_of_mutation"
    ),
    "comprehensions": (
        "comprehension_and_join", "add_returns_none", "one_diagonal_missed", "asks_for_more"
    ),
    "many helpers": (
        "crlf_and_bom", "diagonal_from_row_3_missed", "returned_instead_of_printed",
        "own_board_size"
    ),
}  # fmt: skip
STYLE_OF = {name: style for style, names in STYLES.items() for name in names}
PREFIX = "copy of "


def programs() -> dict[str, str]:
    """The independent programs by name, and each copy as "copy of" its original."""
    found = {name: (SAMPLES / name / "a1.py").read_text("utf-8-sig") for name in STYLE_OF}
    originals, kinds = list(found), list(DISGUISES)
    for number, name in enumerate(originals):
        if number % 5 == 4:  # half of it only, the rest from a program in another style
            other = ast.parse(found[originals[(number + 7) % len(originals)]])
            text = ast.unparse(half_of(ast.parse(found[name]), other))
            chosen: tuple[str, ...] = ("renamed", "without comments")
        else:
            text = found[name]
            chosen = tuple(kinds[at] for at in range(5) if (at + number) % 5 < 3)
        found[PREFIX + name] = disguised(text, chosen, number)
    return found


SOURCE = "source"
INDEPENDENT = 30
FUNCTIONS = 10  # of an independent program
TURNED = 0.4  # of its statements
TURNED_BY_COPIES = 0.2  # at most, of those who do more than disguise
_SAME_FUNCTION = 0.5  # share of fingerprints; more is another version of one function
_LEAST_FUNCTION = 4  # fingerprints


def made_class(
    copies: int, draw: int, *, independent: int = INDEPENDENT, turned: float = 0.0
) -> dict[str, str]:
    """Independent programs `own 0`…, a `source`, and disguised copies of it, `source 0`…, each
    with up to this share of its statements in another shape as well.

    An independent program has functions of all the samples, so two of them may have one in common,
    as an obvious one is written by many; but each writes it in a shape of its own. The source is a
    sample as it is, of another assignment with each draw.
    """
    chance = random.Random(f"{copies} copies, draw {draw}")
    found = {}
    for number in range(independent):
        chosen = chance.sample(range(len(all_functions())), FUNCTIONS)
        found[f"own {number}"] = written_anew(chosen, chance, TURNED)
    text = chance.choice(sources_by_assignment()[assignment_of(draw)])
    found[SOURCE] = text
    for number in range(copies):
        kinds = tuple(chance.sample(list(DISGUISES), chance.randint(1, len(DISGUISES))))
        copy = ast.parse(disguised(text, kinds, chance.randrange(1000)))
        share = chance.uniform(0, turned)
        copy.body = [
            paraphrased(node, chance, share) if isinstance(node, ast.FunctionDef) else node
            for node in copy.body
        ]
        found[f"{SOURCE} {number}"] = ast.unparse(ast.fix_missing_locations(copy)) + "\n"
    return found


def assignment_of(draw: int) -> str:
    """The one whose sample is the source."""
    return sorted(sources_by_assignment())[draw % len(sources_by_assignment())]


def reference_of(draw: int) -> str:
    """The reference of that assignment."""
    files = sorted((SUBMISSIONS.parent / "reference" / assignment_of(draw)).glob("*.py"))
    return "\n\n".join(file.read_text("utf-8") for file in files)


def alike_by_chance(count: int, draw: int, share: float) -> dict[str, str]:
    """Programs of the same plan, function by function, each written by somebody else."""
    chance = random.Random(f"alike {draw}")
    plan = chance.sample(range(len(all_functions())), FUNCTIONS)
    return {f"own {number}": written_anew(plan, chance, share) for number in range(count)}


def written_anew(functions: Sequence[int], chance: random.Random, share: float) -> str:
    """A program of these functions, this share of whose statements is in another shape."""
    body: list[ast.stmt] = [
        paraphrased(deepcopy(all_functions()[at]), chance, share) for at in functions
    ]
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, []))) + "\n"


@cache
def all_functions() -> tuple[ast.FunctionDef, ...]:
    """Of all samples, each in one version."""
    found: list[tuple[set[int], ast.FunctionDef]] = []
    for path in sorted(SUBMISSIONS.glob("*/*/*.py")):
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError:
            continue
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef):
                continue
            values = {value for value, *_ in fingerprints([ast.unparse(node).encode()])}
            if len(values) >= _LEAST_FUNCTION and not any(
                len(values & other) >= _SAME_FUNCTION * min(len(values), len(other))
                for other, _ in found
            ):
                found.append((values, node))
    return tuple(node for _, node in found)


@cache
def sources_by_assignment() -> dict[str, tuple[str, ...]]:
    """The samples of each assignment that Python can read, of 80 lines and more."""
    found = {}
    for folder in sorted(SUBMISSIONS.iterdir()):
        texts = []
        for sample in sorted(folder.iterdir()):
            files = sorted(sample.glob("*.py"))
            text = "\n\n".join(each.read_text("utf-8-sig") for each in files)
            if text.count("\n") >= 80 and fingerprints([text.encode()]):
                texts.append(text)
        found[folder.name] = tuple(texts)
    return found
