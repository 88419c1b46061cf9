"""The course that batches are made of, and its students: honest, hostile, slow and endless."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.hostile.hostile_stage import honest_program

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "hostile"
CPU_SECONDS = 0.3  # what the course allows a scenario
EVERY = 20  # one of so many is hostile

# What beginners get wrong, one mistake a line of the honest program.
MISTAKES = (
    ("result += number", "result += number + 1"),
    ('return f"row {number}"', 'return f"Row {number}"'),
    ("return number % 2 == 0", "return number % 2"),
    ("return number / 2", "return number // 2"),
    ("range(count)", "range(count + 1)"),
    ("board[place] = 0", "board = [0]"),
    ('print(f"Hello, {name}!")', 'return f"Hello, {name}!"'),
    ('print("Right!")', 'print("Right")'),
)

LOOP = "        pass\n"

# Leaves whatever it may wherever it may, under a name that can be looked for afterwards.
LEAVER = """
import os


def leave():
    name = "@TOKEN@" + str(os.getpid())
    for folder in (".", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", os.path.expanduser("~")):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write(name)
        except OSError:
            pass
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        libc.shmget(int("@KEY@"), 4096, 0o1666)
        libc.msgget(int("@KEY@"), 0o1666)
        libc.mount(b"none", b"/mnt", b"tmpfs", 0, None)
        libc.mq_open(b"/" + name.encode(), 0o102, 0o666, None)
    except Exception:
        pass
    try:
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
    except OSError:
        pass


leave()
"""


def lay(folder: Path) -> Path:
    """The corpus's small course below `folder`, without students; returns the folder."""
    for name in ("specs", "reference"):
        shutil.copytree(CORPUS / "course" / name, folder / name)
    return folder


def honest(number: int) -> str:
    """Student `number`'s own mistakes, and bytes that no other student has."""
    source = honest_program()
    for bit, (good, bad) in enumerate(MISTAKES):
        assert source.count(good) >= 1, good
        if number >> bit & 1:
            source = source.replace(good, bad)
    return f"{source}\n# student {number}\n"


def hostile(token: str, facts: dict[str, bytes]) -> Iterator[bytes]:
    """`hostile_programs` over and over, each with bytes of its own."""
    programs = hostile_programs(token, facts)
    number = 0
    while True:
        yield programs[number % len(programs)] + f"\n# hostile {number}\n".encode()
        number += 1


def hostile_programs(token: str, facts: dict[str, bytes]) -> list[bytes]:
    """One that leaves things, and the programs of the corpus, told `facts`."""
    key = str(int.from_bytes(token.encode()[-3:], "big"))
    leaver = LEAVER.replace("@TOKEN@", token).replace("@KEY@", key) + honest_program()
    programs = [leaver.encode()]
    for path in sorted(CORPUS.glob("*/a1.py")):
        data = path.read_bytes()
        for name, fact in facts.items():
            data = data.replace(name.encode(), fact)
        programs.append(data)
    for path in sorted(CORPUS.glob("*/make.py")):
        with TemporaryDirectory() as folder:
            runpy.run_path(str(path))["make"](Path(folder))
            programs += [made.read_bytes() for made in sorted(Path(folder).rglob("a1.py"))]
    return programs


def hand_in(folder: Path, name: str, program: str | bytes) -> None:
    """Put a program where student `name` would."""
    data = program.encode() if isinstance(program, str) else program
    place = folder / name
    place.mkdir(parents=True)
    (place / "a1.py").write_bytes(data)


def with_class(folder: Path, count: int) -> Path:
    """The course with `count` honest students in class/."""
    lay(folder)
    for number in range(count):
        hand_in(folder / "class", f"s{number:03}", honest(number))
    return folder


def slow(share: float) -> str:
    """Right, after `share` of the CPU time that a scenario may take."""
    wait = f"while time.process_time() < {share * CPU_SECONDS}:\n    pass\n"
    return honest_program().replace("\n\n\n", f"\nimport time\n\n{wait}\n\n", 1)


def endless() -> str:
    """Right, were it not for a loop at the start of each function."""
    source = honest_program()
    lines = source.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if line.startswith("def "):
            lines[index] = f"{line}    while True:\n        pass\n"
    return "".join(lines)


def sometimes(source: str | None = None) -> str:
    """The correct program (or `source`), which never ends on the first that is asked of `total`,
    nor on one of the numbers that `half` is asked."""
    source = source or honest_program()
    source = source.replace(
        "    result = 0\n", f"    while len(numbers) == 3:\n{LOOP}    result = 0\n"
    )
    return source.replace(
        "    return number / 2\n", f"    while number == 0:\n{LOOP}    return number / 2\n"
    )
