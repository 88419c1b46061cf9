"""`run:` a program, on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, Form, StimulusParts, Typed

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Action):
    """A submitted or provided program, run as `__main__` on a terminal."""

    key = "run"
    form = Form.PROGRAM
    takes = (
        *("prints", "stderr", "turns", "transcript", "raises", "exit"),
        *("figures", "argv", "stdin", "replies"),
    )
    order = 30
    by_name = False
    subject = "the program"

    program: str = field()
    argv: tuple[str, ...] = ()

    @classmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the program's file and its arguments."""
        program = reader.file(loc, reader.text("run"))
        action = cls(program=program, argv=tuple(reader.shape.argv))
        return StimulusParts(action=action, inputs=inputs)

    def yaml_keys(self) -> Mapping[str, str | Sequence[str]]:
        """Return the keys and values as a scenario states them."""
        return {"run": self.program, "argv": self.argv}

    def display(self, bound: Sequence[str] = ()) -> str:
        """Return the command line that runs the program."""
        return " ".join(("python3", self.program, *self.argv))

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the statements that run the program from a Python prompt."""
        lines = ["import runpy"]
        if self.argv:
            lines += ["import sys", f"sys.argv[1:] = {list(self.argv)!r}"]
        lines.append(f'runpy.run_path("{self.program}", run_name="__main__")')
        return tuple(lines)
