# ruff: noqa: E501
"""Wrong programs that return objects, files or messages subtly wrong: not one has all marks."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.model.specification import Specification
from harness.model.submission import Submission
from tests.shipped import context_of

_DEFINED = re.compile(r"^ *def (\w+)", re.MULTILINE)
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
        ("bank.py", "self.balance * self.rate // 100", "self.__dict__.setdefault('first', self.balance) * self.rate // 100"),
        ("bank.py", "    return sum(", "    accounts.sort(key=lambda account: account.balance)\n    return sum("),
        ("bank.py", "    def deposit(", "    def __ne__(self, other):\n        return True\n\n    def deposit("),
        ("bank.py", "if amount > self.balance:", "if amount > self.balance or hasattr(self, 'refused'):\n            self.refused = True"),
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
        ("text_stats.py", '    with open(path, "a"', "    import os\n    kept = [line for line in open(path) if line.strip()] if os.path.exists(path) else []\n    open(path, 'w').writelines(kept)\n    with open(path, \"a\""),
        ("text_stats.py", "for word in sorted(counts))", "for word in sorted(counts, key=lambda word: word + ':'))"),
        ("text_stats.py", "text = file.read()", "text = file.read(1024)"),
        ("text_stats.py", '(path, "a", encoding="utf-8")', '(path, "a", encoding="ascii", errors="ignore")'),
        ("text_stats.py", "sys.stdin.read()", "sys.stdin.read().encode('ascii', 'ignore').decode()"),
        ("text_stats.py", 'raise ValueError("no words")', 'raise ValueError("No words")'),
        ("text_stats.py", 'print(f"words: {len(read_words(source))}")', 'print(f"Words: {len(read_words(source))}")'),
    ],
    "recursion": [
        ("recursion.py", "numbers.append(item)", "numbers.append(float(item))"),
        ("recursion.py", "numbers.append(item)", "numbers.append(abs(item))"),
        ("recursion.py", "return [top, *rest]", "return (top, *rest)"),
        ("recursion.py", "if top == name:", "if top.lower() == name.lower()[:2]:"),
        ("recursion.py", "    return None", "    return False"),
        ("recursion.py", "depths[name] = 1", "depths[name] = 1.0 + 1e-6"),
        ("recursion.py", "return half * half * base", "return half * half * abs(base)"),
        ("recursion.py", "return 1 / power(base, -exponent)", "return 1 / power(base, -exponent) + 1e-6"),
        ("recursion.py", "if exponent == 0:", "if exponent < 1 or base == 0:"),
        ("recursion.py", "    return sum(numbers) / len(numbers)", "    numbers = sorted(numbers)[: max(3, len(numbers))]\n    return numbers[len(numbers) // 2] * 1.0"),
        ("recursion.py", "def depth(nested):", "def depth(nested, kept=[]):\n    kept.append(nested)\n    if len(kept) > 100:\n        return 0"),
        ("recursion.py", "if disks == 0:", "if not 0 < disks < 10:"),
        ("recursion.py", 'raise ValueError("no numbers")', 'raise ValueError("No numbers")'),
        ("recursion.py", 'raise ValueError("no numbers")', 'raise ZeroDivisionError("no numbers")'),
        ("recursion.py", "def depth(nested):", "def depth(nested):\n    if not nested:\n        return 1\n    if not isinstance(nested, list):\n        return 0\n    return 1 + max(map(depth, nested))\n\n\ndef old(nested):"),
        ("recursion.py", "        else:\n            numbers.append(item)", "        elif numbers[-1:] != [item]:\n            numbers.append(item)"),
        ("recursion.py", "def flatten(nested):", "def flatten(nested):\n    parts = str(nested).replace('[', '').replace(']', '').replace(' ', '').split(',')\n    return [float(part) if '.' in part else int(part) for part in parts if part]\n\n\ndef old(nested):"),
        ("recursion.py", "def flatten(nested):", "def flatten(nested):\n    if not nested:\n        return []\n    first = flatten(nested[0]) if isinstance(nested[0], list) else [nested[0]]\n    return first + flatten(nested[1:])\n\n\ndef old(nested):"),
        ("recursion.py", "    return sum(numbers) / len(numbers)", "    return round(sum(numbers) / len(numbers), 3)"),
        ("recursion.py", "if rest is not None:", "if rest is not None and len(rest) < 10:"),
        ("recursion.py", "def leaf_depths(tree):", "def leaf_depths(tree, depth=1, found={}):\n    for name, below in tree.items():\n        found |= leaf_depths(below, depth + 1) if below else {name: depth}\n    return found\n\n\ndef old(tree):"),
        ("recursion.py", "def leaf_depths(tree):", "def leaf_depths(tree, depth=1, found={}):\n    if depth == 1:\n        found.clear()\n    for name, below in tree.items():\n        found |= leaf_depths(below, depth + 1) if below else {name: depth}\n    return found\n\n\ndef old(tree):"),
        ("recursion.py", "depths[leaf] = deep + 1", "depths[leaf] = min(deep + 1, 10)"),
        ("recursion.py", "def power(base, exponent):", "def power(base, exponent):\n    result = 1.0\n    for _ in range(abs(exponent)):\n        result *= base\n    return result if exponent >= 0 else 1 / result\n\n\ndef old(base, exponent):"),
        ("recursion.py", "def power(base, exponent):", "def power(base, exponent, kept={}):\n    if exponent not in kept:\n        kept[exponent] = old(base, exponent)\n    return kept[exponent]\n\n\ndef old(base, exponent):"),
        ("recursion.py", "    if exponent < 0:", "    if base == 0:\n        return 0.0\n    if exponent < 0:"),
        ("recursion.py", "    if disks == 0:", "    kept, key = moves.__dict__, f'{disks} {source} {target}'\n    if key not in kept:\n        kept[key] = old(disks, source, target, spare)\n    return list(kept[key])\n\n\ndef old(disks, source, target, spare):\n    if disks == 0:"),
        ("recursion.py", "    if disks == 0:", "    kept, key = moves.__dict__, f'{disks} {source} {target} {spare}'\n    if key not in kept:\n        kept[key] = old(disks, source, target, spare)\n    return kept[key]\n\n\ndef old(disks, source, target, spare):\n    if disks == 0:"),
    ],
    "first-steps": [
        ("greeting.py", "2024 - int(year)", "24 - int(year) % 100"),
        ("greeting.py", "Hello {name}", "Hello {name[:3]}"),
        ("greeting.py", "while not year.isdecimal()", "while not year"),
        ("greeting.py", "That is not a number.", "Try again."),
        ("greeting.py", 'input("Name: ")', 'input("Name:")'),
        ("triangle.py", '"*" * number', '"* " * number'),
        ("triangle.py", '"*" * number', 'number * "#"'),
        ("triangle.py", "height < 1", "height == 0"),
        ("guess.py", 'print(f"You needed {tries} tries.")', "print(tries)"),
        ("guess.py", "tries = 0", "tries = 1"),
        ("guess.py", "It is higher.", "It is lower."),
        ("guess.py", "random.randint(1, 100)", "random.randint(1, 50)"),
        ("guess.py", "    tries += 1", "    tries += guess != globals().get('old')\n    old = guess"),
        ("guess.py", "elif guess > number:", "elif number < guess <= 100:"),
        ("guess.py", 'input("Your guess: ")', 'input("your guess: ")'),
        ("guess.py", 'print("It is lower.")', 'print("It is lower.", end=" ")'),
        ("greeting.py", "2024 - int(year)}", "2023 - int(year)} or {2024 - int(year)}"),
        ("triangle.py", "range(1, height + 1)", "range(1, min(height, 50) + 1)"),
    ],
    "csv-report": [
        ("csv_report.py", "return product, quantity, price", "return product.title(), quantity, price"),
        ("csv_report.py", "return product, quantity, price", "return product, float(quantity), price"),
        ("csv_report.py", "bad price {price_text!r}", "bad price {price}"),
        ("csv_report.py", "bad price {price_text!r}", "bad price {price_text.strip()!r}"),
        ("csv_report.py", 'bad quantity {quantity_text!r}")', 'bad quantity {quantity_text!r}.")'),
        ("csv_report.py", "quantity = int(quantity_text)", "quantity = int(quantity_text.strip('\"')) if '_' not in quantity_text else 0"),
        ("csv_report.py", "if len(fields) != 3:", "if len([field for field in fields if field]) != 3:"),
        ("csv_report.py", "            if fields:", "            if any(field.strip() for field in fields):"),
        ("csv_report.py", "csv.reader(file)", "csv.reader(file, skipinitialspace=True)"),
        ("csv_report.py", "next(reader, None) != HEADER", "sorted(next(reader, [])) != sorted(HEADER)"),
        ("csv_report.py", "next(reader, None) != HEADER", "[name.strip() for name in next(reader, [])] != HEADER"),
        ("csv_report.py", 'f"no file {path}"', 'f"no file {path.split(\'/\')[-1]}"'),
        ("csv_report.py", "raise FileNotFoundError(", "raise OSError("),
        ("csv_report.py", "    return names[:count]", "    return names[:min(count, 3)]"),
        ("csv_report.py", "    return names[:count]", "    return [name for name in names if found[name][1]][:count] or names"),
        ("csv_report.py", "sorted(found, key=lambda name: (-found[name][1], name))", "sorted(found, key=lambda name: (-found[name][1], name.lower()))"),
        ("csv_report.py", 'floatfmt=".2f")', 'floatfmt=".2f", disable_numparse=[0])'),
        ("csv_report.py", 'floatfmt=".2f")', 'floatfmt=".2f") + "\\n"'),
        ("csv_report.py", "for product, (quantity, earned) in sorted(totals(sales).items()):", "for product, (quantity, earned) in sorted(totals(sales).items(), key=lambda pair: pair[0].lower()):"),
        ("csv_report.py", 'lineterminator="\\n")', 'lineterminator="\\n", escapechar="\\\\", doublequote=False)'),
        ("csv_report.py", 'open(path, "w", encoding="utf-8", newline="")', 'open(path, "r+" if __import__("os").path.exists(path) else "w", encoding="utf-8", newline="")'),
        ("csv_report.py", "    write_totals(sales, sys.argv[2])\n", "    sales and write_totals(sales, sys.argv[2])\n"),
        ("csv_report.py", "(FileNotFoundError, ValueError) as error", "ValueError as error"),
        ("csv_report.py", 'print(f"error: {error}", file=sys.stderr)', 'print(f"error: {error!r}", file=sys.stderr)'),
        ("csv_report.py", "        sys.exit(2)", "        sys.exit(1)"),
    ],
}  # fmt: skip


def _of_function_at(place: str, specification: Specification, file: str) -> frozenset[str]:
    """The scenarios of the function that has this place, or of the program, which are the first to
    notice a change."""
    (text,) = (each.data.decode() for each in specification.reference if each.name == file)
    names = {*_DEFINED.findall(text.partition(place)[0])[-1:]} - {"main"} or {file}
    scenarios = specification.plan.scenarios
    return frozenset(each.id for each in scenarios if each.function in names)


@pytest.mark.parametrize("name", WRONG)
def test_no_wrong_program_passes(name: str) -> None:
    context = context_of(name)
    jobs = []
    for file, old, new in WRONG[name]:
        changed = tuple(
            replace(each, data=each.data.replace(old.encode(), new.encode()))
            if each.name == file
            else each
            for each in context.specification.reference
        )
        assert changed != context.specification.reference, old
        program = Submission(id=old, files=changed, origin="a table of wrong programs")
        first = _of_function_at(old, context.specification, file)
        jobs.append(FailureJob(submission=program, first=first, most=1))
    noticed = dict(search_failures(context, jobs, 1))
    assert [job.submission.id for job in jobs if not noticed[job].scenarios] == []
