"""A made class, for `harness demo`: an assignment and thirty programs, of students who are not."""

from __future__ import annotations

import re
import string
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from zlib import crc32

ID = "hangman"
DUE = "2026-03-02T17:00"
DOWNLOAD = "download/assignment_1_export"
_COURSE = Path(__file__).parent / "course"
_FUNCTIONS = ("hidden_word", "is_letter", "wrong_letters", "is_guessed", "ask", "play")
_WAYS = 5  # in which each function is written
_HEAD = "import random\n\nfrom hangman_support import *\n"
_MAIN = 'if __name__ == "__main__":\n    play(random.choice(WORDS))\n'
_NAMES = (
    *("Ada", "Bela", "Cleo", "Dina", "Emil", "Finn", "Gwen", "Hugo", "Ines", "Jona"),
    *("Kira", "Liam", "Mila", "Nils", "Olga"),
)
_LAST = ("Larsen", "Okafor")
_COPIED = 6  # the last two programs are copies of this one, with other names
_RENAMED = {"word": "secret", "letters": "tries", "letter": "char", "text": "s", "shown": "out"}
_LATE = {"Cleo Larsen": 0.1, "Emil Okafor": 20, "Jona Larsen": 30, "Gwen Okafor": 70}  # hours
_OTHER_FILE = "Liam Okafor"
_ENDS = "        text = input(PROMPT)\n    return"
_NEVER_ENDS = "        text.lower()\n    return"


def demo_files() -> dict[str, bytes]:
    """The course and its download from Gradescope, by paths below the folder of the demo."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    files: dict[str, bytes] = {}
    for path in sorted(_COURSE.glob("*.yaml")):
        text = string.Template(path.read_text(encoding="utf-8")).safe_substitute(python=python)
        files[f"specs/{ID}/{path.name}"] = text.encode()
    support = (_COURSE / "hangman_support.py").read_bytes()
    reference = _written([0] * len(_FUNCTIONS), student=None)
    files |= {
        f"reference/{ID}/hangman_support.py": support,
        f"reference/{ID}/hangman.py": reference.encode(),
    }
    metadata = ["---"]
    for number, (name, program) in enumerate(_class().items(), start=1):
        file = "game.py" if name == _OTHER_FILE else "hangman.py"
        files[f"{DOWNLOAD}/submission_{number}/{file}"] = program.encode()
        at = datetime.fromisoformat(f"{DUE}+01:00") + timedelta(hours=_LATE.get(name, -number))
        metadata += [
            f"submission_{number}:",
            *("  :submitters:", f"  - :name: {name}", f"    :sid: '{1000 + number}'"),
            f"    :email: {name.lower().replace(' ', '.')}@example.edu",
            *(f"  :created_at: {at.isoformat(sep=' ')}", "  :history: []"),
        ]
    files[f"{DOWNLOAD}/submission_metadata.yml"] = "\n".join([*metadata, ""]).encode()
    return files


def _class() -> dict[str, str]:
    """Each student's program. Of two students at most one function is written in the same way:
    of program (i, j) function k is in the way i + k·j, modulo a prime, and the last one in way j.
    """
    pairs = [(i, j) for j in range(_WAYS) for i in range(_WAYS)]
    ways = [[*(i + k * j for k in range(_WAYS)), j] for i, j in pairs]
    programs = [_written(numbers, student) for student, numbers in enumerate(ways)]
    programs += [
        _written([0, 1, 1, 1, 0, 2], student=25).replace(_ENDS, _NEVER_ENDS),
        _written([1, 0, 3, 2, 0, 1], student=26),  # whose file has another name
        _written([3, 4, 0, 3, 2, 0], student=27).replace("    return", "   return", 1),
        _disguised(programs[_COPIED], turned=False),
        _disguised(programs[_COPIED], turned=True),
    ]
    names = [f"{first} {last}" for last in _LAST for first in _NAMES]
    return dict(zip(names, programs, strict=True))


def _disguised(program: str, *, turned: bool) -> str:
    """The program with other names, and functions in another order where `turned`."""
    for name, other in _RENAMED.items():
        program = re.sub(rf"\b{name}\b", other, program)
    head, *functions, main = program.split("\n\n\n")
    return "\n\n\n".join([head, *(functions[::-1] if turned else functions), main])


def _written(numbers: Sequence[int], student: int | None) -> str:
    """The program whose functions are in these ways. A student chooses among the words of a way;
    the reference (None) has the first ones."""

    def word(choice: re.Match[str]) -> str:
        words = choice[1].split("||")
        chosen = 0 if student is None else crc32(f"{student} {choice[0]}".encode())
        return words[chosen % len(words)]

    ways = _ways()
    functions = [
        ways[name][number % _WAYS] for name, number in zip(_FUNCTIONS, numbers, strict=True)
    ]
    texts = [re.sub(r"\{\{(.*?)\}\}", word, text, flags=re.DOTALL) for text in functions]
    return "\n\n".join([_HEAD, *(f"{text}\n" for text in texts), _MAIN])


def _ways() -> dict[str, list[str]]:
    """Each function in all its ways."""
    ways = defaultdict[str, list[str]](list)
    for part in (_COURSE / "programs.txt").read_text(encoding="utf-8").split("### ")[1:]:
        name, _, text = part.partition("\n")
        ways[name].append(text.strip("\n"))
    return ways
