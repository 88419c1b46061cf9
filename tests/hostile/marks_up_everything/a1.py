MARKS = "\x1b[31m\x1b]8;;http://x\x07link\x1b]8;;\x07\u202eadA\u2066\x9b2J[bold red]loud[/bold red][link=http://x]"


class Problem(Exception):
    pass


Problem.__name__ = Problem.__qualname__ = f"Problem {MARKS}"


def total(numbers):
    raise Problem(MARKS)


def label(number):
    return MARKS


def rows(count):
    return [MARKS, {MARKS: MARKS}]


def is_even(number):
    """The control: marks that nobody is shown."""
    hidden = MARKS
    return number % 2 == 0


def half(number):
    return Problem(MARKS)


def fill(board):
    board[:] = [MARKS]


def greet(name):
    print(MARKS)


def code(number):
    """The variant: a line of the source that is shown because it raised."""
    return {}["‮⁦[bold red]loud[/bold red]"]


if __name__ == "__main__":
    input(MARKS)
    print(MARKS)
