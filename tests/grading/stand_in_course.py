"""A course of two files, where the program is graded although the student's module is wrong."""

from collections.abc import Mapping
from pathlib import Path

from tests.tiny_course import Course

BANK = '''"""Money in tins."""
def put(tins: list[int], tin: int, amount: int) -> bool:
    if not 0 <= tin < len(tins):
        return False
    tins[tin] += amount
    return True
def largest(tins: list[int]) -> int:
    return max(tins)
'''
SHOP = '''"""Fill two tins."""

import bank

tins = [0, 0]
tin = input("Tin? ")
while tin != "q":
    if bank.put(tins, int(tin), 5):
        print("in it:", tins[int(tin)])
    else:
        print("no such tin")
    tin = input("Tin? ")
'''
# Another way to do the same, so that it is not the reference's own answer.
STAND_IN = """SECRET = "canary-of-the-stand-in"
def put(tins, tin, amount):
    fits = tin in range(len(tins))
    if fits:
        tins[tin] = tins[tin] + amount
    return fits
def largest(tins):
    return sorted(tins)[-1]
def _note():
    return SECRET
"""
FILES = {
    "specs/pair/assignment.yaml": (
        'title: Pair\ncourse: A course\npython: "3.12"\n'
        "submission: {files: [bank.py, shop.py]}\nfunctionality_marks: 4\n"
        "limits: {cpu_seconds: 0.3}\n"
    ),
    "specs/pair/bank.yaml": (
        "function: put\nvisible: true\nscenarios:\n"
        "  - name: puts\n    call: put([0, 0], 1, 5)\n    returns: true\n"
        "  - name: the largest\n    function: largest\n    call: largest([1, 2])\n"
    ),
    "specs/pair/shop.yaml": (
        "function: shop.py\nvisible: true\nstand_in: {bank.py: stand_in_bank.py}\nscenarios:\n"
        "  - name: two tins\n    run: shop.py\n    input: [1, 1, q]\n"
        "  - name: no such tin\n    run: shop.py\n    input: [2, q]\n"
        "    prints: {contains: no such tin}\n"
        "  - name: with their own\n    stand_in: {}\n    run: shop.py\n    input: [0, q]\n"
    ),
    "specs/pair/stand_in_bank.py": STAND_IN,
    "reference/pair/bank.py": BANK,
    "reference/pair/shop.py": SHOP,
}
RIGHT = {"bank.py": BANK, "shop.py": SHOP}
WRONG_BANK = BANK.replace("+= amount", "-= amount")
WRONG_SHOP = SHOP.replace("no such tin", "No!")


def write(root: Path, changes: Mapping[str, str] | None = None) -> Path:
    """The course, with some files changed or added; its root."""
    return Course.lay(root, {**FILES, **(changes or {})}).root


def hand_in(root: Path, student: str, files: Mapping[str, str]) -> Path:
    """A student's folder."""
    names = {f"submissions/pair/{student}/{name}": text for name, text in files.items()}
    return Course.lay(root, names).root / "submissions/pair"
