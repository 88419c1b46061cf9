"""The example assignments: sound, and each of their wrong programs fails where it should; wrong
programs that return objects, files or messages subtly wrong: not one has all marks.
"""

# ruff: noqa: E501

import json
import os
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from harness.assignment.files.small_files import load_expectation
from harness.assignment.loading import load
from harness.cli.commands.assignments.validate import read_samples
from harness.grading.check import check_submissions
from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.grading.validation.samples import compare
from harness.model.plan import Specification
from harness.model.submission import Submission
from tests.per_commit import per_commit
from tests.shipped import context_of, shipped
from tests.tiny_course import Course, ran

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/sheet.md"))
MIN_SCENARIOS = 40
MIN_SAMPLES = 12
# Each scenario has a process of its own, which imports a package.
SLOW = {"csv-report", "heat-map", "test-writing", "town-plots"}
# Those of the last one are faults that tests notice: each runs all tests several times.
FEW_SCENARIOS = {"heat-map": 25, "test-writing": 20, "town-plots": 15}


@pytest.mark.parametrize("name", per_commit(NAMES, *(each for each in NAMES if each not in SLOW)))
def test_every_fourth_sample_of_an_example_is_as_expected(name: str) -> None:
    context = context_of(name)
    plan = context.specification.plan
    samples = read_samples(EXAMPLES / name / "submissions", plan.assignment)[1::4]
    results = check_submissions(context, [sample.submission for sample in samples])
    found = [
        compare(result, sample.expected, plan)
        for sample, result in zip(samples, results, strict=True)
    ]
    assert len(found) >= 3
    assert [(each.name, each.parts) for each in found if each.parts] == []


@pytest.mark.release
@pytest.mark.parametrize("name", [*NAMES, "hangman"])  # the class of `harness demo`
def test_an_example_is_sound(name: str, tmp_path: Path) -> None:
    context_of(name)  # the copy has its packages then
    outcome = Course.copy(EXAMPLES / name, tmp_path / name).run("validate")
    assert (outcome.status, outcome.out.splitlines()[0]) == (0, f"{name}: sound")


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_large_enough_to_learn_from(name: str) -> None:
    """What the programs pass and fail is compared when the example is validated."""
    samples = sorted((EXAMPLES / name / "submissions").iterdir())
    right = [each for each in samples if each.name.startswith("right-")]
    assert len(samples) >= MIN_SAMPLES
    assert len(right) >= 2
    for each in samples:
        fails = load_expectation(each / "expect.yaml").fails
        assert bool(fails) == (each not in right), each.name
    fewest = FEW_SCENARIOS.get(name, MIN_SCENARIOS)
    assert len(shipped(name).plan.scenarios) >= fewest


def test_an_example_is_graded_from_outside_its_folder(tmp_path: Path) -> None:
    """As the guide says."""
    course = Course.copy(EXAMPLES / "bank", tmp_path / "bank")
    right = sorted((course.root / "submissions").glob("right-*"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    course.ok("grade", *right, cwd=elsewhere)
    run = json.loads((course.root / "reports" / "bank" / "results.json").read_text("utf-8"))
    assert len(run["submissions"]) == len(right)
    assert all(each["mark"] == each["out_of"] for each in run["submissions"])


def test_the_folders_hold_nothing_that_was_generated() -> None:
    for name in NAMES:
        shown = {path.name for path in (EXAMPLES / name).iterdir()}
        generated = {"reports", ".harness-cache"}
        assert shown - generated == {"reference", "sheet.md", "specs", "submissions"}


CHECKS = ("coverage", "goldens", "mutants", "policy", "repeat", "samples")
# Blocks of the same section about programs that no example has.
OTHER_BLOCKS = (
    """\
  - {name: the helper is there, exists: add_student, parameters: [name, age=0]}
  - {name: the class is there, class: Pet, parameters: [name], attributes: [name, hungry]}
""",
    """\
    steps:
      - {do: stack = new_stack()}
      - {do: "stack = push(stack, 1)"}
      - {call: top(stack), returns: 1}
      - {call: is_empty(stack), returns: false}
    leaves: {any: true}                            # the stack itself is not compared
""",
    """\
  - name: a die
    function: roll
    call: roll()
    over: 500
    returns: {one_of: [1, 2, 3, 4, 5, 6]}          # each result is one of these
    occur: [1, 2, 3, 4, 5, 6]                      # each of these occurs
    share: {6: 17% ± 12%}                          # the share of sixes
""",
)
REFERENCE_OF_OTHERS = """\
import random


def add_student(name, age=0):
    return name, age


class Pet:
    def __init__(self, name):
        self.name = name
        self.hungry = True


def new_stack():
    return []


def push(stack, value):
    return [*stack, value]


def top(stack):
    return stack[-1]


def is_empty(stack):
    return not stack


def roll():
    return random.randint(1, 6)
"""


def test_the_other_blocks_of_the_guide_are_sound(tmp_path: Path) -> None:
    names, steps, chance = OTHER_BLOCKS
    named = f"  - name: a stack\n    function: push\n{steps}"
    scenarios = f"function: add_student\nscenarios:\n{names}{named}{chance}"
    course = Course.small(tmp_path, "e", REFERENCE_OF_OTHERS, scenarios, "functionality_marks: 4\n")
    outcome = course.run("validate", "e")
    found = [line for line in outcome.out.splitlines() if line.startswith(CHECKS)]
    assert [line for line in found if not line.startswith("coverage")] == []
    assert "4 scenarios" in outcome.out


# Parts of blocks of the same section that need packages or pictures, and what each begins with to
# be a file of scenarios. They are read, not run.
READ_BLOCKS = {
    "shirt.py": "function: main\nscenarios:\n",
    "draw_growth": "function: draw_growth\nscenarios:\n",
}
REFERENCE_OF_READ = "def main():\n    pass\n\n\ndef draw_growth(years, people):\n    pass\n"


def blocks_of_section() -> list[str]:
    guide = (EXAMPLES.parent / "docs" / "writing-scenarios.md").read_text("utf-8")
    section = guide.partition("## Classes, files, values, chance\n")[2].partition("\n## ")[0]
    # The first courses' tests run the blocks about turtles.
    return [block for block in section.split("```")[1::2] if "turtle" not in block]


@pytest.mark.parametrize("part", READ_BLOCKS)
def test_blocks_of_the_guide_that_need_packages_are_read(part: str, tmp_path: Path) -> None:
    (block,) = (block for block in blocks_of_section() if part in block)
    scenarios = READ_BLOCKS[part] + block.removeprefix("yaml\n")
    settings = "functionality_marks: 1\n"
    files = {"specs/e/pictures/before.png": ""}
    course = Course.small(tmp_path, "e", REFERENCE_OF_READ, scenarios, settings, **files)
    assert len(load(course.root, "e").plan.scenarios) == 1


def test_the_guide_shows_lines_of_the_examples() -> None:
    """Whatever the guide prints of classes, files, values and chance is validated above."""
    known: set[str] = set()
    for kind in ("yaml", "py"):
        for path in EXAMPLES.glob(f"*/specs/*/*.{kind}"):
            known |= {line.strip() for line in path.read_text("utf-8").splitlines()}
    known |= {line.strip() for line in "".join(OTHER_BLOCKS).splitlines()}
    blocks = []
    for block in blocks_of_section():
        if not any(part in block for part in READ_BLOCKS):
            blocks.append(block)
    assert len(blocks) == 6 + len(OTHER_BLOCKS)
    for block in blocks:
        assert [line for line in block.splitlines()[1:] if line.strip() not in known] == []


@pytest.mark.parametrize("name", per_commit(NAMES, "text-stats"))
def test_the_self_check_of_an_example_passes_a_right_program(name: str, tmp_path: Path) -> None:
    python = context_of(name).interpreter  # packages are compiled for one version
    library = python.library
    course = Course.copy(EXAMPLES / name, tmp_path / name)
    course.ok("handout", name, "--output", tmp_path / "handout.zip")
    home = tmp_path / "home"
    with zipfile.ZipFile(tmp_path / "handout.zip") as archive:
        archive.extractall(home)
    right = next((course.root / "submissions").glob("right-*"))
    programs = [path.name for path in right.iterdir() if path.suffix in (".py", ".ipynb")]
    for program in programs:
        (home / program).write_bytes((right / program).read_bytes())
    installed = {**os.environ, "PYTHONPATH": str(library)} if library else os.environ
    check = [str(python.path), "selfcheck.pyz", programs[0]]
    done = ran(check, cwd=home, timeout=120, env=installed)
    assert done.returncode == 0, done.stdout + done.stderr


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
        ("recursion.py", "def depth(", "DEEPEST = 0\n\n\ndef depth(nested, level=1):\n    global DEEPEST\n    DEEPEST = max(DEEPEST, level)\n    for item in nested:\n        if isinstance(item, list):\n            depth(item, level + 1)\n    return DEEPEST\n\n\ndef old_depth("),
        ("recursion.py", "    numbers = []\n    for item", "    if len(nested) == 1 and isinstance(nested[0], list) and not any(isinstance(i, list) for i in nested[0]):\n        return nested[0]\n    numbers = []\n    for item"),
        ("recursion.py", "if not numbers:", "if not any(numbers):"),
        ("recursion.py", "def path_to(", "FOUND = None\n\n\ndef path_to(tree, name, path=()):\n    global FOUND\n    for top, below in tree.items():\n        if top == name:\n            FOUND = [*path, name]\n            return list(FOUND)\n        rest = path_to(below, name, (*path, top))\n        if rest is not None:\n            return list(FOUND)\n    return list(FOUND) if FOUND and not path else None\n\n\ndef old_path_to("),
        ("recursion.py", "if top == name:", "if top.lower() == name.lower():"),
        ("recursion.py", "def leaf_depths(", "def _all(tree, level, depths, inner):\n    for name, below in tree.items():\n        depths[name] = level\n        if below:\n            inner.add(name)\n            _all(below, level + 1, depths, inner)\n\n\ndef leaf_depths(tree):\n    depths, inner = {}, set()\n    _all(tree, 1, depths, inner)\n    return {name: deep for name, deep in depths.items() if name not in inner}\n\n\ndef old_leaf_depths("),
        ("recursion.py", "    return sum(numbers) / len(numbers)", "    return abs(sum(numbers)) / len(numbers)"),
        ("recursion.py", "    for top, below in tree.items():\n        if top == name:\n            return [name]", "    for top, below in sorted(tree.items()):\n        if top == name:\n            return [name]"),
        ("recursion.py", "    for top, below in tree.items():\n        if top == name:", "    if name in tree and not tree[name]:\n        return [name]\n    for top, below in tree.items():\n        if top == name:"),
        ("recursion.py", "def flatten(", "def flatten(nested, seen=None):\n    seen = set() if seen is None else seen\n    numbers = []\n    for item in nested:\n        if isinstance(item, list):\n            if id(item) not in seen:\n                seen.add(id(item))\n                numbers += flatten(item, seen)\n        else:\n            numbers.append(item)\n    return numbers\n\n\ndef old_flatten("),
        ("recursion.py", "        for leaf, deep in leaf_depths(below).items():\n            depths[leaf] = deep + 1", "        for leaf, deep in list(leaf_depths(below).items())[:2]:\n            depths[leaf] = deep + 1"),
        ("recursion.py", "def depth(", "def depth(nested):\n    if not nested:\n        return 1\n    best = 0\n    for item in nested:\n        if isinstance(item, list):\n            best = max(best, depth(item))\n        elif best:\n            break\n    return best + 1\n\n\ndef old_depth("),
        ("recursion.py", "            numbers.append(item)", "            if item == item:\n                numbers.append(item)"),
        ("recursion.py", "    numbers = flatten(nested)\n    if not", "    if [] in nested:\n        raise ValueError('no numbers')\n    numbers = flatten(nested)\n    if not"),
        ("recursion.py", "        rest = path_to(below, name)\n        if rest is not None:\n            return [top, *rest]", "        if name in str(below):\n            return [top, *path_to(below, name)]"),
        ("recursion.py", "def path_to(", "def path_to(tree, name, seen=None):\n    seen = set() if seen is None else seen\n    for top, below in tree.items():\n        if top == name:\n            return [name]\n        if top in seen:\n            continue\n        seen.add(top)\n        rest = path_to(below, name, seen)\n        if rest is not None:\n            return [top, *rest]\n    return None\n\n\ndef old_path_to("),
        ("recursion.py", "def leaf_depths(", "def leaf_depths(tree, depth=1, seen=None):\n    seen = set() if seen is None else seen\n    found = {}\n    for name, below in tree.items():\n        if not below:\n            found[name] = depth\n        elif name not in seen:\n            seen.add(name)\n            found.update(leaf_depths(below, depth + 1, seen))\n    return found\n\n\ndef old_leaf_depths("),
        ("recursion.py", "def flatten(", "FLAT = []\n\n\ndef _fill(nested):\n    for item in nested:\n        if isinstance(item, list):\n            _fill(item)\n        else:\n            FLAT.append(item)\n\n\ndef flatten(nested):\n    FLAT.clear()\n    _fill(nested)\n    return FLAT\n\n\ndef old_flatten("),
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
        ("csv_report.py", "    if price < 0:", "    if price < 0 or price == float('inf'):"),
        ("csv_report.py", "    if price < 0:", "    if price < 0 or price_text.strip().startswith('-'):"),
        ("csv_report.py", "reader = csv.reader(file)", "reader = csv.reader(file.read().splitlines(True))"),
        ("csv_report.py", "            if fields:", "            if any(fields):"),
        ("csv_report.py", "            if fields:", "            if fields and fields != HEADER:"),
        ("csv_report.py", "    for product, quantity, price in sales:", "    for product, quantity, price in sales:\n        product = product.strip()"),
        ("csv_report.py", "(-found[name][1], name)", "(-round(found[name][1], 2), name)"),
        ("csv_report.py", "sorted(totals(sales).items())]", "sorted(totals(sales).items(), key=lambda p: p[0].lower())]"),
        ("csv_report.py", 'floatfmt=".2f"', 'floatfmt=",.2f"'),
        ("csv_report.py", "int(quantity_text)", 'int(quantity_text.replace(" ", ""))'),
        ("csv_report.py", "csv.reader(file)", "csv.reader(file, strict=True)"),
        ("csv_report.py", "writer.writerow([product, quantity, ", 'writer.writerow([product, f"{quantity:,}", '),
        ("csv_report.py", "    try:\n        file = open", '    if not path.endswith(".csv"):\n        path += ".csv"\n    try:\n        file = open'),
        ("csv_report.py", "return product, quantity, price", "return product, quantity, round(price, 2)"),
        ("csv_report.py", "            if fields:", '            if fields and fields[0] != "product":'),
        ("csv_report.py", "            if fields:", '            if fields and not fields[0].startswith("#"):'),
        ("csv_report.py", 'print(f"sales: {len(sales)}")', 'print(f"sales: {len(sales)}" if len(sales) != 1 else "sale: 1")'),
        ("csv_report.py", 'len(sales)}")', 'len(set(sales))}")'),
        ("csv_report.py", "    names = sorted(found,", "    names = sorted((n for n in found if found[n][1] > 0),"),
        ("csv_report.py", "bad price {price_text!r}", "bad price {price_text.strip(' ')!r}"),
        ("csv_report.py", "    product, quantity_text, price_text = fields\n", "    price_text, quantity_text, product = fields.pop(), fields.pop(), fields.pop()\n"),
        ("csv_report.py", "            writer.writerow([product,", "            writer.writerow([product.strip(),"),
    ],
}  # fmt: skip


def _of_function_at(place: str, specification: Specification, file: str) -> frozenset[str]:
    """The scenarios of the function that has this place, or of the program, which are the first to
    notice a change."""
    (text,) = (each.data.decode() for each in specification.reference if each.name == file)
    names = {*_DEFINED.findall(text.partition(place)[0])[-1:]} - {"main"} or {file}
    return frozenset(each.id for each in specification.plan.scenarios if each.function in names)


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
