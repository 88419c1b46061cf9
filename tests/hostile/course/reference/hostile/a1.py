"""The right answers; `code` holds what no submission may ever see."""

from a1_support import *


def total(numbers: list[int]) -> int:
    """The sum."""
    result = 0
    for number in numbers:
        result += number
    return result


def label(number: int) -> str:
    """A row's name."""
    return f"row {number}"


def is_even(number: int) -> bool:
    """Whether it is even."""
    return number % 2 == 0


def half(number: int) -> float:
    """Half of it."""
    return number / 2


def rows(count: int) -> list[str]:
    """The names of so many rows."""
    return [label(number + 1) for number in range(count)]


def fill(board: list[int]) -> None:
    """Zeros everywhere."""
    for place in range(len(board)):
        board[place] = 0


def greet(name: str) -> None:
    """A friendly word."""
    print(f"Hello, {name}!")


def code(number: int) -> str:
    """The secret word."""
    return "canary-5f0c9d2e7ab84c31"


def main() -> None:
    """Guess a number."""
    guess = int(input(PROMPT))
    while guess != NUMBER:
        print("Too big" if guess > NUMBER else "Too small")
        guess = int(input(PROMPT))
    print("Right!")


if __name__ == "__main__":
    main()
