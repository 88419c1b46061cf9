"""Without a reference a function comes after the failing functions that it calls."""

from dataclasses import replace

import pytest

from harness.model.assignment import SourceFile
from harness.packaging.web.callees_first import callees_first
from harness.results.redaction import ShownCause

PROGRAM = b"""
def win(board):
    return line(board)

def line(board):
    return even(len(board))

def main():
    show(win([]))

def show(text):
    print(text)

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n != 0 and even(n - 1)
"""
ORDERS = {
    "main win": "win main",
    "main line win": "line win main",
    "main show win": "show win main",
    "show win": "show win",
    "win show": "win show",
    "odd even": "odd even",  # they use each other
    "main odd even": "odd even main",
    "unknown main win": "unknown win main",
    "a1.py win": "win a1.py",  # the program as a whole
}


def in_order(names: str, data: bytes = PROGRAM) -> str:
    causes = [replace(ShownCause(function=name)) for name in names.split()]
    ordered = callees_first(causes, [SourceFile(name="a1.py", data=data)])
    return " ".join(cause.function for cause in ordered)


@pytest.mark.parametrize("names", ORDERS)
def test_callees_come_first_and_all_else_stays(names: str) -> None:
    assert in_order(names) == ORDERS[names]


def test_a_file_that_cannot_be_read_changes_nothing() -> None:
    assert in_order("main win", b"def (") == "main win"
