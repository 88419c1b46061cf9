# ruff: noqa: E501
"""Wrong programs that return objects, files or messages subtly wrong: not one has all marks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.examples.test_examples import EXAMPLES, copied

# By example: what is changed in which file of the reference.
WRONG: dict[str, list[tuple[str, str, str]]] = {
    "bank": [
        ("bank.py", "self.owner = owner", "self.owner = [owner]"),
        ("bank.py", "self.balance += amount", "self.balance = str(self.balance + amount)"),
        ("bank.py", "only {self.balance} dollars", "only {self.balance} dollars."),
        ("bank.py", "amount must be positive", "Amount must be positive"),
        ("bank.py", 'f"Account({self.owner!r}, {self.balance})"', 'f"Account({self.owner!r},{self.balance})"'),
        ("bank.py", "super().__init__(owner, balance)", "super().__init__(owner, max(balance, 0))"),
        ("bank.py", "    return best", "    return best and Account(best.owner, best.balance)"),
        ("bank.py", "found.setdefault(account.owner, []).append(account)", "found.setdefault(account.owner, []).insert(0, account)"),
        ("bank.py", "[Account(owner) for owner in owners]", "[SavingsAccount(owner) for owner in owners]"),
        ("bank.py", "[Account(owner) for owner in owners]", "tuple(Account(owner) for owner in owners)"),
        ("bank.py", "return (self.owner, self.balance) == (other.owner, other.balance)", "return True"),
        ("bank.py", "    target.deposit(amount)", "    target.balance += amount - 1"),
    ],
    "text-stats": [
        ("text_stats.py", "return set(words(text))", "return frozenset(words(text))"),
        ("text_stats.py", "len(found) if found else 0.0", "len(found) + 1e-6 if found else 0.0"),
        ("text_stats.py", "return pairs[:count]", "return [list(pair) for pair in pairs[:count]]"),
        ("text_stats.py", "yield word", "yield word + ' '"),
        ("text_stats.py", '{counts[word]}\\n"', '{counts[word]} \\n"'),
        ("text_stats.py", 'f"{word}: ', 'f"{word}:  '),
        ("text_stats.py", "file.write(report(text))", "file.write(report(text) + '\\n')"),
        ("text_stats.py", "file.write(report(text))", "file.write(report(text).replace('\\n', '\\r\\n'))"),
        ("text_stats.py", "        file.write(report(text))", "        file.write(report(text))\n    open('copy.txt', 'w').close()"),
        ("text_stats.py", 'file.write(text + "\\n")', 'file.write("\\n" + text)'),
        ("text_stats.py", 'raise ValueError("no words")', 'raise ValueError("No words")'),
        ("text_stats.py", 'print(f"words: {len(read_words(source))}")', 'print(f"Words: {len(read_words(source))}")'),
    ],
    "first-steps": [
        ("greeting.py", "2024 - int(year)", "24 - int(year) % 100"),
        ("greeting.py", "Hello {name}", "Hello {name[:3]}"),
        ("greeting.py", "while not year.isdigit()", "while not year"),
        ("greeting.py", "That is not a number.", "Try again."),
        ("greeting.py", 'input("Name: ")', 'input("Name:")'),
        ("triangle.py", '"*" * number', '"* " * number'),
        ("triangle.py", '"*" * number', 'number * "#"'),
        ("triangle.py", "height < 1", "height == 0"),
        ("guess.py", 'print(f"You needed {tries} tries.")', "print(tries)"),
        ("guess.py", "tries = 0", "tries = 1"),
        ("guess.py", "It is higher.", "It is lower."),
        ("guess.py", "random.randint(1, 100)", "random.randint(1, 50)"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_no_wrong_program_passes(name: str, tmp_path: Path) -> None:
    course = copied(name, tmp_path / name)
    shutil.rmtree(course.root / "submissions")
    reference = EXAMPLES / name / "reference" / name
    for number, (file, old, new) in enumerate(WRONG[name]):
        folder = course.root / "submissions" / f"wrong-{number}"
        shutil.copytree(reference, folder, ignore=shutil.ignore_patterns("__pycache__"))
        text = (folder / file).read_text("utf-8")
        assert old in text, old
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    assert course.run("grade", "submissions").status == 0
    run = json.loads((course.root / "reports" / name / "results.json").read_text("utf-8"))
    marks = {each["id"]: each["mark"] for each in run["submissions"]}
    most = run["submissions"][0]["out_of"]
    assert len(marks) == len(WRONG[name])
    passed = [
        WRONG[name][int(each.removeprefix("wrong-"))] for each in marks if marks[each] == most
    ]
    assert passed == []
