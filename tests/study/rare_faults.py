"""Programs with one fault that today's scenarios miss: it shows on few boards, or late in a game.

Each is a sample with full marks in which some texts are replaced."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class RareFault:
    """`changes` are texts of the sample's `file`, each there once, and what takes their places.
    `shown_by`: what shows the fault first, where that is not the function alone but a game."""

    name: str
    assignment: str
    sample: str = "perfect_in_another_style"
    file: str = "a1.py"
    function: str
    why: str
    changes: tuple[tuple[str, str], ...]
    shown_by: str = ""

    def files(self) -> dict[str, str]:
        """The program's files by name."""
        folder = ROOT / "submissions" / self.assignment / self.sample
        found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
        for old, new in self.changes:
            assert found[self.file].count(old) == 1, f"{self.name}: {old}"
            found[self.file] = found[self.file].replace(old, new)
        return found


FAULTS = (
    RareFault(
        name="draw_after_as_many_moves_as_squares",
        assignment="connect4ish",
        function="play_game",
        why="counts moves to see that the board is full, though pieces are also removed",
        changes=(
            ("    winner = None\n", "    winner = None\n    moves = 0\n"),
            (
                "                winner = check_win(board)\n",
                "                winner = check_win(board)\n"
                "                moves = moves + 1\n"
                "                if winner is None and moves == BOARD_SIZE * BOARD_SIZE:\n"
                "                    winner = BLANK_PIECE\n",
            ),
        ),
    ),
    RareFault(
        name="help_late_in_a_game",
        assignment="connect4ish",
        function="play_game",
        why="help takes the turn once more than twenty pieces lie on the board",
        changes=(
            (
                "            print(HELP_MESSAGE)\n",
                "            print(HELP_MESSAGE)\n"
                "            if sum(len(c) - c.count(BLANK_PIECE) for c in board) > 20:\n"
                "                turn = 1 - turn\n",
            ),
        ),
    ),
    RareFault(
        name="late_mistake_costs_the_turn",
        assignment="naughts-crosses",
        function="main",
        why="an illegal move costs the turn when few pieces are left",
        changes=(
            (
                "                print(INVALID_MOVE_MESSAGE)\n",
                "                print(INVALID_MOVE_MESSAGE)\n"
                "                if len(pieces[0]) + len(pieces[1]) < 4:\n"
                "                    turn = 1 - turn\n",
            ),
        ),
    ),
    RareFault(
        name="stalemate_of_equal_pieces",
        assignment="naughts-crosses",
        function="check_stalemate",
        why="takes it for a stalemate when each player has a piece of size 4 and no other",
        changes=(
            (
                "    for row in board:\n        for cell in row:\n            if cell == EMPTY or",
                "    if naught_pieces == cross_pieces == [4]:\n"
                "        return True\n"
                "    for row in board:\n        for cell in row:\n            if cell == EMPTY or",
            ),
        ),
    ),
    RareFault(
        name="tenth_mistake_costs_the_turn",
        assignment="connect4ish",
        function="play_game",
        why="every tenth move into a full or out of an empty column costs the turn",
        changes=(
            ("    winner = None\n", "    winner = None\n    mistakes = 0\n"),
            (
                "            if done:\n                need_board = True\n",
                "            if not done:\n"
                "                mistakes = mistakes + 1\n"
                "                if mistakes % 10 == 0:\n"
                "                    turn = 1 - turn\n"
                "            else:\n                need_board = True\n",
            ),
        ),
    ),
    RareFault(
        name="winner_with_four_pieces",
        assignment="connect4ish",
        function="play_game",
        why="looks for a winner from five pieces on, though others may have been removed",
        changes=(
            (
                "                winner = check_win(board)\n",
                "                if sum(len(c) - c.count(BLANK_PIECE) for c in board) >= 5:\n"
                "                    winner = check_win(board)\n",
            ),
        ),
    ),
    RareFault(
        name="crosses_of_size_five_stay",
        assignment="naughts-crosses",
        function="check_move",
        why="lets no six cover a cross of size five, of nine pieces",
        changes=(
            (
                "    return fits and size in pieces_available",
                "    if PIECES_PER_PLAYER == 9 and on_top == f'{CROSS}5' and size == 6:\n"
                "        return False\n"
                "    return fits and size in pieces_available",
            ),
        ),
    ),
    RareFault(
        name="tie_of_rising_runs",
        assignment="cs112-p4",
        file="asmith_203_P4.py",
        function="check_winner",
        why="stops looking for rising runs once there is one",
        changes=(
            ("    winner = ''\n    for color", "    winner = ''\n    how = None\n    for color"),
            (
                "                if run_from(board, coord[0], coord[1], d):\n",
                "                if winner not in ('', color) and d == how == DIRECTIONS[3]:\n"
                "                    break\n"
                "                if run_from(board, coord[0], coord[1], d):\n",
            ),
            ("    winner = color\n", "    winner, how = color, d\n"),
        ),
        shown_by="p4play.py",
    ),
    RareFault(
        name="no_tenth_column",
        assignment="comp1005-a3",
        sample="right_plain",
        file="connect4.py",
        function="win",
        why="a line that rises to the tenth column of a grid that has ten is one too short",
        changes=(("    while r >= 0 and", "    while not (c == 9 and dr < 0) and r >= 0 and"),),
    ),
)  # fmt: skip
