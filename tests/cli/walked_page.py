"""A page of docs/ that makes files and runs commands, walked from its top to its end.

A fenced block below a line that is nothing but `a/path` is that file; below "`a/path`, as recorded"
it is what the file holds by then; below "`a/path`, at its end" it is added to the file. A `console`
block has commands after `$ `, and what they print; a line `…` stands for any lines. A command
succeeds unless `$ echo $?` follows it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.tiny_course import PATIENCE, environment, ran

CAPTION = re.compile(r"`([^`]+)`(, as recorded|, at its end)?")
ANYTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: the line above it, its language, its text, and the line it begins at."""

    caption: str
    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command of the page, what the page says it prints, and the line it stands at."""

    command: str
    shown: list[str]
    line: int


def blocks(page: Path) -> Iterator[Block]:
    caption, opened = "", None
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if opened is None and line.startswith("```"):
            opened, body = (line[3:], number), []
        elif opened is not None and line == "```":
            text = "".join(f"{one}\n" for one in body)
            yield Block(caption=caption, language=opened[0], text=text, line=opened[1])
            caption, opened = "", None
        elif opened is not None:
            body.append(line)
        elif line.strip():
            caption = line
    assert opened is None, f"{page.name} ends inside a block"


def steps(block: Block) -> list[Step]:
    found: list[Step] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            found.append(Step(command=line[2:], shown=[], line=number))
        else:
            found[-1].shown.append(line)
    return found


def stands_in(shown: list[str], printed: list[str]) -> bool:
    """Whether a page shows these lines, all of them but where it has `…`; a line that ends in `…`
    is the beginning of one."""
    pattern = ""
    for line in shown:
        if line == ANYTHING:
            pattern += r"(?:[^\n]*\n)*"
        elif line.endswith(ANYTHING):
            pattern += re.escape(line.removesuffix(ANYTHING).rstrip()) + r"[^\n]*\n"
        else:
            pattern += re.escape(line) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed)) is not None


class Walk:
    """One reader, who does in `folder` what the page says; AssertionError where it is wrong."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.made: list[str] = []
        self.commands: list[str] = []

    def walk(self) -> None:
        for block in blocks(self.page):
            caption = CAPTION.fullmatch(block.caption)
            if block.language == "console":
                self._run(steps(block))
            elif caption and caption[2] == ", as recorded":
                recorded = (self.folder / caption[1]).read_text(encoding="utf-8")
                assert recorded == block.text, f"{self._at(block.line)}: {caption[1]} as recorded"
            elif caption:
                path = self.folder / caption[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a" if caption[2] else "w", encoding="utf-8") as file:
                    file.write(block.text)
                self.made.append(caption[1])

    def _run(self, steps_: list[Step]) -> None:
        status = 0
        for step in steps_:
            place = f"{self._at(step.line)}: $ {step.command}"
            if step.command == "echo $?":
                assert step.shown == [str(status)], f"{place}\nexits with {status}"
                status = 0
                continue
            assert status == 0, f"{place}\nbefore it: exit status {status}"
            done = self.shell(step.command)
            whole = done.stdout + done.stderr
            status = done.returncode
            self.commands.append(step.command)
            if step.shown:
                assert stands_in(step.shown, whole.splitlines()), f"{place}\nprints\n{whole}"
        assert status == 0, f"{self._at(steps_[-1].line)}: exit status {status}"

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """A command as a reader gives it, in the folder, with this environment's commands."""
        return ran(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"),
            timeout=PATIENCE,
        )

    def _at(self, line: int) -> str:
        return f"{self.page.name}:{line}"
