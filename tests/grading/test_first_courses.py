"""The table of what first courses ask for: of each line the scenario is run as it stands in the
guide, with a correct program, which is the reference, and two wrong ones."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.grading.test_exercises import context_of, failures, problems
from tests.tiny_course import Course

GUIDE = Path(__file__).parents[2] / "docs/writing-scenarios.md"
HEADING = "## What first courses ask for\n"
LINE = re.compile(r"^\| (?P<what>.+?) \| `(?P<scenario>.+)` \|$", re.MULTILINE)


def scenarios() -> dict[str, str]:
    section = GUIDE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    return {line["what"]: line["scenario"] for line in LINE.finditer(section)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """A correct program, which is the reference, and two wrong ones, other right ones, the function
    that the line is about, and what assignment.yaml says."""

    right: str
    wrong: tuple[str, str]
    others: tuple[str, ...] = ()
    function: str = "a1.py"
    settings: str = ""


ANIMAL = (
    "class Animal:\n    def __init__(self, name):\n        self.name = name\n"
    "    def speak(self):\n        return f'{self.name} says {self.sound}'\n"
)
VECTOR = (
    "class Vector:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n"
    "    def __eq__(self, other):\n        return (self.x, self.y) == (other.x, other.y)\n"
)
LOGGED = "class Logged:\n    def __init__(self, log):\n        self.log = log\n"
SQUARE = (
    "class Square:\n    def __init__(self, side):\n        self.side = side\n"
    "    def area(self):\n        return self.side ** 2\n"
)
PET = (
    "class Pet:\n    def __init__(self, name):\n        self.name, self.weight = name, 4.0\n"
    "    def feed(self, food):\n        if food < 0:\n            raise ValueError('none')\n"
)
ADOPT = "class Pet:\n    def __init__(self, name):\n        self.name = name\n"
PROGRAMS = {
    "recursion": Programs(
        function="flat",
        right="def flat(items):\n    result = []\n    for item in items:\n"
        "        result += flat(item) if isinstance(item, list) else [item]\n    return result\n",
        wrong=(
            "def flat(items):\n    result = []\n    for item in items:\n"
            "        result += item if isinstance(item, list) else [item]\n    return result\n",
            "def flat(items):\n    return [i for i in items if not isinstance(i, list)]\n",
        ),
    ),
    "a depth that matters": Programs(
        function="sum_to",
        right="def sum_to(n):\n    return n + sum_to(n - 1) if n else 0\n",
        wrong=(
            "def sum_to(n):\n    def rest():\n        return sum_to(n - 1)\n"
            "    return n + rest() if n else 0\n",
            "def sum_to(n):\n    return n + sum_to(n - 1) if n > 1 else 0\n",
        ),
    ),
    "generators": Programs(
        function="countdown",
        right="def countdown(n):\n    while n:\n        yield n\n        n -= 1\n",
        wrong=(
            "def countdown(n):\n    return [*range(n, 0, -1)]\n",
            "def countdown(n):\n    while n >= 0:\n        yield n\n        n -= 1\n",
        ),
    ),
    "generators without an end": Programs(
        function="evens",
        right="def evens():\n    n = 0\n    while True:\n        yield n\n        n += 2\n",
        wrong=(
            "def evens():\n    yield 0\n    yield 2\n",
            "def evens():\n    n = 2\n    while True:\n        yield n\n        n += 2\n",
        ),
    ),
    "nested data": Programs(
        function="by_year",
        right="def by_year(people):\n    years = {}\n    for name, facts in people.items():\n"
        "        years.setdefault(facts['born'], []).append(name)\n    return years\n",
        wrong=(
            "def by_year(people):\n    return {p['born']: name for name, p in people.items()}\n",
            "def by_year(people):\n"
            "    return {str(p['born']): [name] for name, p in people.items()}\n",
        ),
    ),
    "sets": Programs(
        function="vowels",
        right="def vowels(text):\n    return set(text) & set('aeiou')\n",
        wrong=(
            "def vowels(text):\n    return sorted(set(text) & set('aeiou'))\n",
            "def vowels(text):\n    return set(text) - set('aeiou')\n",
        ),
    ),
    "unordered results": Programs(
        function="anagrams",
        right="from itertools import permutations\n"
        "def anagrams(text):\n    return [''.join(p) for p in permutations(text)][::-1]\n",
        wrong=(
            "def anagrams(text):\n    return [text, text[::-1], text]\n",
            "def anagrams(text):\n    return (text, text[::-1])\n",
        ),
    ),
    "tuples in any order": Programs(
        function="counts",
        right="def counts(text):\n    return [(c, text.count(c)) for c in sorted({*text})][::-1]\n",
        wrong=(
            "def counts(text):\n    return [(c, text.count(c)) for c in text]\n",
            "def counts(text):\n    return [[c, text.count(c)] for c in {*text}]\n",
        ),
    ),
    "floats in containers": Programs(
        function="means",
        right="def means(groups):\n"
        "    return {name: sum(part) / len(part) for name, part in groups.items()}\n",
        wrong=(
            "def means(groups):\n"
            "    return {name: sum(part) // len(part) for name, part in groups.items()}\n",
            "def means(groups):\n"
            "    return {name: round(sum(part) / len(part), 1) for name, part in groups.items()}\n",
        ),
    ),
    "keyword and default arguments": Programs(
        function="greet",
        right="def greet(name, greeting='Hello'):\n    return f'{greeting} {name}'\n",
        wrong=(
            "def greet(name, word='Hello'):\n    return f'{word} {name}'\n",
            "def greet(name, greeting='Hi'):\n    return f'{greeting} {name}'\n",
        ),
    ),
    "mutable defaults": Programs(
        function="add",
        right="def add(item, items=None):\n    items = [] if items is None else items\n"
        "    items.append(item)\n    return items\n",
        wrong=(
            "def add(item, items=[]):\n    items.append(item)\n    return items\n",
            "def add(item, items=None):\n    return item\n",
        ),
    ),
    "arguments that must not change": Programs(
        function="ordered",
        right="def ordered(numbers):\n    return sorted(numbers)\n",
        wrong=(
            "def ordered(numbers):\n    numbers.sort()\n    return numbers\n",
            "def ordered(numbers):\n    return numbers\n",
        ),
    ),
    "context managers": Programs(
        function="Logged",
        right=LOGGED + "    def __enter__(self):\n        self.log.append('begin')\n"
        "    def __exit__(self, *error):\n        self.log.append('end')\n",
        wrong=(
            LOGGED + "    def __enter__(self):\n        self.log.append('begin')\n"
            "    def __exit__(self, *error):\n        pass\n",
            LOGGED + "        log.append('begin')\n    def __enter__(self):\n        return self\n"
            "    def __exit__(self):\n        self.log.append('end')\n",
        ),
    ),
    "operator methods": Programs(
        function="Vector",
        right=VECTOR + "    def __add__(self, other):\n"
        "        return Vector(self.x + other.x, self.y + other.y)\n",
        wrong=(
            VECTOR + "    def __add__(self, other):\n        return (self.x + other.x, 6)\n",
            VECTOR + "    def __add__(self, other):\n        return Vector(self.x, other.y)\n",
        ),
    ),
    "inheritance": Programs(
        function="Dog",
        right=ANIMAL + "class Dog(Animal):\n    sound = 'Woof'\n",
        wrong=(
            ANIMAL + ANIMAL.replace("Animal", "Dog").replace("{self.sound}", "Woof"),
            ANIMAL + "class Dog(Animal):\n    sound = 'Woof'\n"
            "    def speak(self):\n        return self.sound\n",
        ),
    ),
    "dataclasses": Programs(
        function="Point",
        settings="compare: {Point: attributes}\n",
        right="from dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int\n    y: int = 0\n",
        wrong=(
            "class Point:\n    def __init__(self, x, y=0):\n        self.x, self.y = x, y\n",
            "from dataclasses import dataclass\n"
            "@dataclass(eq=False)\nclass Point:\n    x: int\n    y: int = 0\n",
        ),
    ),
    "properties": Programs(
        function="Circle",
        right="import math\nclass Circle:\n    def __init__(self, radius):\n"
        "        self.radius = radius\n    @property\n"
        "    def area(self):\n        return math.pi * self.radius ** 2\n",
        wrong=(
            "import math\nclass Circle:\n    def __init__(self, radius):\n"
            "        self.radius = radius\n"
            "    def area(self):\n        return math.pi * self.radius ** 2\n",
            "class Circle:\n    def __init__(self, radius):\n        self.radius = radius\n"
            "    @property\n    def area(self):\n        return 3.14 * self.radius ** 2\n",
        ),
    ),
    "iterators": Programs(
        function="Countdown",
        settings="compare: {Countdown: none}\n",
        right="class Countdown:\n    def __init__(self, n):\n        self.n = n\n"
        "    def __iter__(self):\n        return iter(range(self.n, 0, -1))\n",
        wrong=(
            "class Countdown:\n    def __init__(self, n):\n        self.n = n + 1\n"
            "    def __iter__(self):\n        return self\n"
            "    def __next__(self):\n        self.n -= 1\n"
            "        if self.n < 1:\n            raise StopIteration\n        return self.n\n",
            "class Countdown:\n    def __init__(self, n):\n        self.n = n\n"
            "    def __iter__(self):\n        return iter(range(self.n, -1, -1))\n",
        ),
    ),
    "`match`": Programs(
        function="obey",
        right="def obey(command):\n    match command.split():\n"
        "        case ['go', where]:\n            return where\n"
        "        case ['stop' | 'halt']:\n            return 'halt'\n"
        "        case _:\n            return '?'\n",
        wrong=(
            "def obey(command):\n    match command:\n"
            "        case 'go', where:\n            return where\n"
            "        case 'stop':\n            return 'halt'\n"
            "        case _:\n            return '?'\n",
            "def obey(command):\n    match command.split():\n"
            "        case ['go', where]:\n            return where\n"
            "        case ['stop']:\n            return 'halt'\n",
        ),
    ),
    "type hints with `Protocol`": Programs(
        function="total",
        right="from typing import Protocol\nclass Shape(Protocol):\n"
        "    def area(self) -> float: ...\n" + SQUARE + "def total(shapes: list[Shape]) -> float:\n"
        "    return sum(shape.area() for shape in shapes)\n",
        wrong=(
            SQUARE + "def total(shapes):\n"
            "    return sum(s.area() for s in shapes if isinstance(s, Square))\n",
            SQUARE + "def total(shapes):\n    return sum(s.side ** 2 for s in shapes)\n",
        ),
    ),
    "functions as values": Programs(
        function="twice",
        right="def twice(function):\n    return lambda value: function(function(value))\n",
        wrong=(
            "def twice(function):\n    return lambda value: 2 * function(value)\n",
            "def twice(function):\n    return function\n",
        ),
    ),
    "arguments of a program": Programs(
        right="import sys\nprint(sum(map(int, sys.argv[1:])))\n",
        wrong=(
            "import sys\nprint(sys.argv[1] + sys.argv[2])\n",
            "import sys\nprint(sum(map(int, sys.argv[2:])))\n",
        ),
    ),
    "the environment": Programs(
        right="import os\nprint('Hello', os.environ['NAME'])\n",
        wrong=(
            "import os\nprint('Hello', os.environ.get('USER'))\n",
            "print('Hello NAME')\n",
        ),
    ),
    "exit codes": Programs(
        right="import sys\nif len(sys.argv) < 2:\n"
        "    print('usage: a1.py FILE')\n    sys.exit(2)\n",
        wrong=(
            "import sys\nif len(sys.argv) < 2:\n    print('usage: a1.py FILE')\n",
            "import sys\nif len(sys.argv) < 2:\n    sys.exit('usage: a1.py FILE')\n",
        ),
    ),
    "stderr told apart from stdout": Programs(
        right="import sys\nif len(sys.argv) < 2:\n    sys.exit('usage: a1.py FILE')\n",
        wrong=(
            "import sys\nif len(sys.argv) < 2:\n    print('usage: a1.py FILE')\n    sys.exit(1)\n",
            "import sys\nif len(sys.argv) < 2:\n"
            "    print('usage: a1.py', file=sys.stderr)\n    sys.exit(1)\n",
        ),
    ),
    "a program that is piped into": Programs(
        right="import sys\nprint(sum(int(line) for line in sys.stdin))\n",
        wrong=(
            "import sys\nprint(sum(int(line) for line in sys.stdin.read()[:1]))\n",
            "print(int(input('? ')) + int(input('? ')))\n",
        ),
    ),
    "files": Programs(
        function="sort_file",
        right="def sort_file(name, other):\n"
        "    with open(name) as file, open(other, 'w') as out:\n"
        "        out.writelines(sorted(file))\n",
        wrong=(
            "def sort_file(name, other):\n"
            "    with open(name) as file:\n        lines = sorted(file)\n"
            "    with open(name, 'w') as out:\n        out.writelines(lines)\n",
            "def sort_file(name, other):\n"
            "    with open(name) as file, open(other, 'w') as out:\n"
            "        out.write(' '.join(sorted(file.read().split())))\n",
        ),
    ),
    "an object of the program's class": Programs(
        function="adopt",
        right=ADOPT + "def adopt(name):\n    return Pet(name)\n",
        wrong=(
            ADOPT + "def adopt(name):\n    return Pet\n",
            ADOPT + "class Dog(Pet):\n    pass\ndef adopt(name):\n    return Dog(name)\n",
        ),
    ),
    "fractions, decimals, dates": Programs(
        function="add",
        right="def add(one, other):\n    return one + other\n",
        wrong=(
            "def add(one, other):\n    return float(one + other)\n",
            "def add(one, other):\n    return one\n",
        ),
    ),
    "a lambda as argument": Programs(
        function="apply",
        right="def apply(function, items):\n    return [function(item) for item in items]\n",
        others=(
            "def apply(function, items):\n    results = []\n    while items:\n"
            "        results.append(function(items.pop(0)))\n    return results\n",
        ),
        wrong=(
            "def apply(function, items):\n    return [function for item in items]\n",
            "def apply(function, items):\n    items[:] = [function(i) for i in items]\n",
        ),
    ),
    "results by chance": Programs(
        function="roll",
        right="import random\ndef roll():\n    return random.randint(1, 6)\n",
        others=("import secrets\ndef roll():\n    return 1 + secrets.randbelow(6)\n",),
        wrong=(
            "import random\ndef roll():\n    return random.randrange(1, 6)\n",
            "import random\ndef roll():\n    return max(random.randint(1, 6) for _ in 'ab')\n",
        ),
    ),
    "results that never repeat": Programs(
        function="new_id",
        right="import random\nused = set()\ndef new_id():\n"
        "    number = random.randrange(1000)\n    while number in used:\n"
        "        number = random.randrange(1000)\n    used.add(number)\n    return number\n",
        wrong=(
            "import random\ndef new_id():\n    return random.randrange(1000)\n",
            "def new_id():\n    return 1\n",
        ),
    ),
    "a property of the result": Programs(
        function="draw",
        right="import random\ndef draw(n):\n    return sorted(random.sample(range(1, 41), n))\n",
        others=(
            "import random\ndef draw(n):\n    numbers = {*()}\n    while len(numbers) < n:\n"
            "        numbers.add(random.randint(1, 40))\n    return sorted(numbers)\n",
        ),
        wrong=(
            "import random\ndef draw(n):\n    return random.sample(range(1, 41), n)\n",
            "import random\ndef draw(n):\n"
            "    return sorted(random.randint(1, 40) for _ in range(n))\n",
        ),
    ),
    "files in folders": Programs(
        function="sort_file",
        right="import os\ndef sort_file(name):\n    os.mkdir('out')\n"
        "    with open('data/' + name) as file, open('out/' + name, 'w') as out:\n"
        "        out.writelines(sorted(file))\n",
        wrong=(
            "def sort_file(name):\n"
            "    with open('data/' + name) as file, open(name, 'w') as out:\n"
            "        out.writelines(sorted(file))\n",
            "import os\ndef sort_file(name):\n    os.mkdir('out')\n"
            "    with open('data/' + name) as file:\n        lines = sorted(file)\n"
            "    for folder in ('data/', 'out/'):\n"
            "        with open(folder + name, 'w') as out:\n            out.writelines(lines)\n",
        ),
    ),
    "today's date": Programs(
        function="age",
        right="from datetime import date\n"
        "def age(born):\n    day, now = date.fromisoformat(born), date.today()\n"
        "    had = (now.month, now.day) >= (day.month, day.day)\n"
        "    return now.year - day.year - (not had)\n",
        wrong=(
            "from datetime import date\n"
            "def age(born):\n    return date.today().year - date.fromisoformat(born).year\n",
            "from datetime import datetime\n"
            "def age(born):\n    days = datetime.now() - datetime.fromisoformat(born)\n"
            "    return days.days // 360\n",
        ),
    ),
    "functions of a program that asks for input at import": Programs(
        function="greeting",
        right="name = input('Name? ')\ndef greeting(word):\n    return f'{word} {name}'\n",
        others=("def greeting(word):\n    return f'{word} {name}'\nname = input()\n",),
        wrong=(
            "name = input('Name? ')\ndef greeting(word):\n    return f'{word} name'\n",
            "name = input()\nage = input()\ndef greeting(word):\n    return f'{word} {name}'\n",
        ),
    ),
    "any wording of prompts": Programs(
        right="name = input('Name? ')\nprint('Hello', name)\n",
        others=("print('Hello', input('Who are you?\\n> '))\n",),
        wrong=(
            "print('Name? ')\nname = input()\nprint('Hello', name)\n",
            "name = input('Name? ')\nprint('Hello')\n",
        ),
    ),
    "any number of inputs, any files": Programs(
        right="while input() != 'stop':\n    pass\nprint('bye')\n",
        others=(
            "with open('log.txt', 'w') as log:\n    for _ in range(3):\n"
            "        log.write(input())\nprint('bye')\n",
        ),
        wrong=(
            "while input() != 'stop':\n    print('bye')\nprint('end')\n",
            "while input() != 'end':\n    pass\nprint('bye')\n",
        ),
    ),
    "numbers in any text": Programs(
        function="roots",
        right="def roots(a, b, c):\n    root = (b * b - 4 * a * c) ** 0.5\n"
        "    print(f'x1 = {(-b + root) / 2 / a:.2f}, x2 = {(-b - root) / 2 / a:.2f}')\n",
        others=(
            "def roots(a, b, c):\n    root = (b * b - 4 * a * c) ** 0.5\n"
            "    print((-b - root) / 2 / a + 0.003, 'and also', (-b + root) / 2 / a)\n",
        ),
        wrong=(
            "def roots(a, b, c):\n    root = (b * b - 4 * a * c) ** 0.5\n"
            "    print(f'{(b + root) / 2 / a}, {(b - root) / 2 / a}')\n",
            "def roots(a, b, c):\n    root = (b * b - 4 * a * c) ** 0.5\n"
            "    print(f'{(-b + root) / 2 / a}, {(-b + root) / 2 / a}')\n",
        ),
    ),
    "a program that may ask for more input": Programs(
        right="count = 0\nwhile count < 2:\n    if input('Pet? '):\n        count += 1\n"
        "print(count, 'pets')\n",
        others=(
            "count = 0\nwhile input('Pet? '):\n    count += 1\n    print(count, 'pets')\n",
            "import sys\ninput()\ninput()\nprint('2 pets')\nsys.exit()\n",
        ),
        wrong=(
            "while input('Pet? '):\n    print('1 pet')\n",
            "while input('Pet? '):\n    pass\nprint('2 pets')\n",
        ),
    ),
    "a program that asks the network": Programs(
        function="price",
        right="import urllib.request\ndef price(item):\n"
        "    with urllib.request.urlopen(f'https://shop.example/{item}') as page:\n"
        "        return float(page.read())\n",
        wrong=(
            "import urllib.request\ndef price(item):\n"
            "    return urllib.request.urlopen(f'https://shop.example/{item}').read()\n",
            "import socket\ndef price(item):\n"
            "    return socket.create_connection(('shop.example', 80)).recv(9)\n",
        ),
    ),
    "one step of a session that may differ": Programs(
        function="ids",
        right="def ids(items):\n    return list(dict.fromkeys(items))\n"
        "def show(items):\n    print(f'{len(items)} in all')\n",
        others=(
            "def ids(items):\n    return sorted(items)\n"
            "def show(items):\n    print('I have', len(items))\n",
        ),
        wrong=(
            "def ids(items):\n    return items[:1]\n"
            "def show(items):\n    print(f'{len(items)} in all')\n",
            "def ids(items):\n    return sorted(items)\n"
            "def show(items):\n    print(f'{len(items) + 1} in all')\n",
        ),
    ),
    "the steps of an object's life": Programs(
        function="Pet",
        right=PET + "        self.weight += food / 4\n        print(self.name, 'eats')\n",
        wrong=(
            PET + "        self.weight += food\n        print(self.name, 'eats')\n",
            PET + "        self.weight += food / 4\n        print('It eats')\n",
        ),
        settings="compare: {Pet: [name, weight]}\n",
    ),
    "a function and its signature": Programs(
        function="add_student",
        right="from functools import wraps\ndef kept(f):\n    @wraps(f)\n"
        "    def inner(*a, **k):\n        return f(*a, **k)\n    return inner\n"
        "@kept\ndef add_student(name, age=0):\n    return [name, age]\n",
        others=("def add_student(name, age=0):\n    print(name)\n",),
        wrong=(
            "def add_student(name, years=0):\n    return [name, years]\n",
            "def add_student(name, age=1):\n    return [name, age]\n",
        ),
    ),
    "a class and its attributes": Programs(
        function="Pet",
        right="class Animal:\n    def __init__(self, name):\n        self.name = name\n"
        "class Pet(Animal):\n    def feed(self):\n        self.hungry = False\n",
        wrong=(
            "class Pet:\n    def __init__(self, name):\n        self.name = name\n"
            "    def feed(self):\n        hungry = False\n",
            "def Pet(name):\n    return {'name': name, 'hungry': True}\n",
        ),
    ),
    "exceptions with messages": Programs(
        function="withdraw",
        right=(
            "def withdraw(amount):\n    if amount > 3:\n        raise ValueError('available: "
            "only 3 dollars')\n"
        ),
        wrong=(
            "def withdraw(amount):\n    if amount > 3:\n        raise ValueError('no')\n",
            "class Poor(ValueError):\n    pass\ndef withdraw(amount):\n    raise "
            "Poor('there are only 3 dollars')\n",
        ),
    ),
}


def test_every_line_of_the_table_has_its_programs() -> None:
    assert list(scenarios()) == list(PROGRAMS)


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_line_passes_the_right_program_and_fails_wrong_ones(what: str, tmp_path: Path) -> None:
    programs = PROGRAMS[what]
    line = f"scenarios:\n  - {{name: s, function: {programs.function}, {scenarios()[what]}}}\n"
    settings = "functionality_marks: 1\n" + programs.settings
    Course.small(tmp_path, "e", programs.right, line, settings)
    context = context_of(tmp_path)
    assert problems(context) == []
    right = (programs.right, *programs.others)
    expected = [""] * len(right) + ["s", "s"]
    assert failures(context, *right, *programs.wrong) == expected


def test_output_at_import_and_to_stderr_is_compared(tmp_path: Path) -> None:
    example = GUIDE.read_text("utf-8").partition("### Standard error")[2]
    program, rows = (block.partition("\n")[2] for block in example.split("```")[1:4:2])
    rows = rows.replace("shout.py", "a1.py")
    marks = "functionality_marks: 2\n"
    Course.small(tmp_path, "e", program, f"scenarios:\n{rows}", marks)
    context = context_of(tmp_path)
    assert problems(context) == []
    quiet = program.replace('print("Loading")', "")
    assert quiet != program
    to_stdout = program.replace(", file=sys.stderr", "")
    without = program.replace('    print("done", file=sys.stderr)', "")
    assert failures(context, quiet, to_stdout, without) == ["run", "", "called"]


def test_a_module_of_the_courses_takes_the_place_of_turtle(tmp_path: Path) -> None:
    example = GUIDE.read_text("utf-8").partition("### Turtles, windows")[2].split("```")
    module, rows = (block.partition("\n")[2] for block in example[1:4:2])
    square = (
        "import turtle\ndef square(size):\n    for _ in range(4):\n"
        "        turtle.forward(size)\n        turtle.left(90)\n"
    )
    settings = "functionality_marks: 1\nprovided: [turtle.py]\n"
    files = {"reference/e/turtle.py": module}
    Course.small(tmp_path, "e", square, rows, settings, **files)
    context = context_of(tmp_path)
    assert problems(context) == []
    short = (
        "from turtle import *\ndef square(size):\n"
        "    for side in range(4):\n        fd(size)\n        lt(90)\n"
    )
    open_square = square.replace("range(4)", "range(3)")
    assert failures(context, short, open_square, square.replace("90", "60")) == [
        "", "four-equal-sides", "four-equal-sides",
    ]  # fmt: skip


def test_data_whose_form_is_the_students_choice(tmp_path: Path) -> None:
    example = GUIDE.read_text("utf-8").partition("### Data whose form is")[2].split("```")[1]
    steps = example.partition("\n")[2].replace("\n    ", "\n  ").removeprefix("  ")
    scenarios = f"function: push\nscenarios:\n- name: s\n  given: noted = print('x')\n{steps}"
    listed = (
        "def new_stack():\n    return []\ndef push(stack, item):\n    return [*stack, item]\n"
        "def top(stack):\n    return stack[-1]\ndef is_empty(stack):\n    return not stack\n"
    )
    linked = (
        "def new_stack():\n    return None\ndef push(stack, item):\n    return item, stack\n"
        "def top(stack):\n    return stack[0]\ndef is_empty(stack):\n    return stack is None\n"
    )
    Course.small(tmp_path, "e", listed, scenarios, "functionality_marks: 1\n")
    context = context_of(tmp_path)
    assert problems(context) == []
    wrong = listed.replace("[*stack, item]", "[item]").replace("stack[-1]", "stack[1:]")
    assert failures(context, linked, wrong, linked.replace("is None", "== ()")) == ["", "s", ""]
