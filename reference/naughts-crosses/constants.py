"""Constants for Fancy Naughts & Crosses, provided beside a student's a1.py."""

NAUGHT = "O"
CROSS = "X"
EMPTY = "  "

PIECES_PER_PLAYER = 6
GRID_SIZE = 3

HELP_MESSAGE = "Enter a row, column & piece size in the format: row col size\n"

INVALID_FORMAT_MESSAGE = "Invalid move format. Please try again.\n"
INVALID_ROW_MESSAGE = "Invalid row. Please try again.\n"
INVALID_COLUMN_MESSAGE = "Invalid column. Please try again.\n"
INVALID_SIZE_MESSAGE = "Invalid piece size. Please try again.\n"
INVALID_MOVE_MESSAGE = (
    "Invalid move. Ensure you have a piece of the requested size, and that "
    "you're not putting it over a bigger piece and try again!"
)
