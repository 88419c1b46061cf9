"""The game once more, written in another way than the reference: rows of text, lines by searching.

Deliberately slow and plain. It knows the provided constants and nothing of the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

COMMAND = re.compile(r"(?P<special>[hHqQ])|(?P<action>[aArR])(?P<column>[0-9]+)")
Constants = dict[str, object]


def diagonals(rows: list[str]) -> Iterator[str]:
    """Every diagonal's text, in both directions."""
    size = len(rows)
    for grid in (rows, [row[::-1] for row in rows]):
        for offset in range(-size, size):
            yield "".join(grid[r][r + offset] for r in range(size) if 0 <= r + offset < size)


def owners_of_lines(rows: list[str], pieces: str = "XO") -> set[str]:
    """The pieces that have four or more in a line."""
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    text = "\n".join([*rows, *columns, *diagonals(rows)])
    return {piece for piece in pieces if piece * 4 in text}


def outcome(board: list[str]) -> str | None:
    """What check_win should say of a board of columns."""
    owners = owners_of_lines(["".join(row) for row in zip(*board, strict=True)])
    return "-" if len(owners) == 2 else next(iter(owners), None)


def picture(board: list[str]) -> str:
    """What display_board should print of a board of columns."""
    rows = ["".join(f"|{cell}" for cell in row) + "|\n" for row in zip(*board, strict=True)]
    return "".join(rows) + "".join(f" {n}" for n in range(1, len(board) + 1)) + " \n"


def complaint(command: str, constants: Constants) -> str | None:
    """What check_input should print of a command, None for a valid one."""
    parts = COMMAND.fullmatch(command)
    if parts is None:
        return f"{constants['INVALID_FORMAT_MESSAGE']}\n"
    if parts["column"] and not 1 <= int(parts["column"]) <= int(str(constants["BOARD_SIZE"])):
        return f"{constants['INVALID_COLUMN_MESSAGE']}\n"
    return None


def added(column: str, piece: str) -> str | None:
    """The column with a piece more, None if it is full."""
    pieces = column.lstrip("-")
    return (piece + pieces).rjust(len(column), "-") if len(pieces) < len(column) else None


def removed(column: str) -> str | None:
    """The column without its lowest piece, None if it is empty."""
    pieces = column.lstrip("-")
    return pieces[:-1].rjust(len(column), "-") if pieces else None


class InputEndsError(Exception):
    """The program asks for more than there is to type."""


@dataclass
class Play:
    """A person's sitting: what is typed, and what the screen shows."""

    constants: Constants
    typed: list[str]
    screen: str = ""
    taken: int = 0

    def say(self, name: str) -> None:
        self.screen += f"{self.constants[name]}\n"

    def ask(self, name: str) -> str:
        self.screen += str(self.constants[name])
        if self.taken == len(self.typed):
            raise InputEndsError
        answer = self.typed[self.taken]
        self.taken += 1
        self.screen += answer + "\n"
        return answer

    def game(self) -> None:
        """Steps 1 to 7."""
        size = int(str(self.constants["BOARD_SIZE"]))
        board = ["-" * size for _ in range(size)]
        moves = 0
        while not owners_of_lines(["".join(row) for row in zip(*board, strict=True)]):
            self.screen += picture(board)
            self.say(f"PLAYER_{moves % 2 + 1}_MOVE_MESSAGE")
            while (command := self.command()) not in ("h", "H"):
                if command in ("q", "Q"):
                    return
                if self.move(board, command, "XO"[moves % 2]):
                    moves += 1
                    break
            else:
                self.say("HELP_MESSAGE")
        self.screen += picture(board)
        winner = outcome(board)
        self.say(
            {"X": "PLAYER_1_VICTORY_MESSAGE", "O": "PLAYER_2_VICTORY_MESSAGE"}.get(
                str(winner), "DRAW_MESSAGE"
            )
        )

    def command(self) -> str:
        while message := complaint(command := self.ask("ENTER_COMMAND_MESSAGE"), self.constants):
            self.screen += message
        return command

    def move(self, board: list[str], command: str, piece: str) -> bool:
        index = int(command[1:]) - 1
        adds = command[0] in "aA"
        column = added(board[index], piece) if adds else removed(board[index])
        if column is None:
            self.say("FULL_COLUMN_MESSAGE" if adds else "EMPTY_COLUMN_MESSAGE")
            return False
        board[index] = column
        return True

    def program(self) -> None:
        """Steps 1 to 8."""
        self.game()
        while self.ask("CONTINUE_MESSAGE") in ("y", "Y"):
            self.game()
