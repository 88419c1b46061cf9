"""Twenty programs in five styles, none from another, and twenty disguised copies of them."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.study.disguises import DISGUISES, disguised, half_of

SAMPLES = Path(__file__).parents[2] / "submissions" / "connect4ish"
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
