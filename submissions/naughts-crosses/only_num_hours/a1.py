from constants import *

Board = list[list[str]]
Pieces = list[int]
Move = tuple[int, int, int]


def num_hours() -> float:
    """Return the hours spent so far."""
    return 0.5


def main() -> None:
    """Coordinate the game."""
    pass


if __name__ == "__main__":
    main()
