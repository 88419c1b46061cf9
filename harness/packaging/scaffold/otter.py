"""Read test files of the autograders otter and OK: Python files with `test = {...}` of doctests."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from harness.packaging.scaffold.recording.scenario import Recorded

ENDINGS = (".py", ".ok")


@dataclass(slots=True)
class OtterTests:
    """The test cases of a folder.

    Each case is a text with `>>>` examples, stored by the name of its file.
    """

    texts: dict[str, bytes] = field(default_factory=dict)
    points: dict[str, float] = field(default_factory=dict)  # by the name of the text
    visible: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, name: str, data: bytes) -> bool:
        """Add the test cases of a file. Return whether it is a test file of otter or OK."""
        stated = _stated(data)
        if stated is None:
            return False
        cases = list(_cases(stated))
        stem = PurePosixPath(name).with_suffix("").as_posix()
        for number, case in enumerate(cases, 1):
            code = case.get("code")
            if not isinstance(code, str) or ">>>" not in code:
                self.left_out.append(f"{name}, case {number}: it has no examples")
                continue
            text = f"{stem}_{number}.txt"
            self.texts[text] = (textwrap.dedent(code).strip() + "\n").encode()
            points = case.get("points", stated.get("points"))
            if isinstance(points, int | float):
                self.points[text] = points if "points" in case else points / len(cases)
            if not case.get("hidden", False):
                self.visible.append(text)
        return True

    def mark(self, name: str, scenario: Recorded) -> None:
        """Give a recorded scenario the points and the visibility of the test case with
        this name.
        """
        if name in self.points:
            scenario.points = f"{self.points[name]:.6g}"
        if name in self.visible:
            scenario.visible = True

    def selections(self, remaining: Collection[str]) -> Iterator[str]:
        """Yield the YAML lines of `select:` for the remaining test cases."""
        for text in remaining:
            if text not in self.texts:
                continue
            stated = [f'match: "{text}"']
            points = self.points.get(text)
            if points == 0:
                stated.append("informational: true")
            elif points is not None and points > 0:
                stated.append(f'points: "{points:.6g}"')
            if text in self.visible:
                stated.append("visible: true")
            yield f"    - {{{', '.join(stated)}}}"


def _stated(data: bytes) -> dict[str, Any] | None:
    """Return the value of `test` in a test file of otter or OK; None for any other file."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return None
    for node in tree.body:
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != "test":
            continue
        try:
            found = ast.literal_eval(node.value)
        except (ValueError, TypeError):
            return None
        if isinstance(found, dict) and "suites" in found:
            return found
    return None


def _cases(stated: dict[str, Any]) -> Iterator[dict[str, Any]]:
    suites = stated["suites"]
    for suite in suites if isinstance(suites, list) else []:
        cases = suite.get("cases", []) if isinstance(suite, dict) else []
        for case in cases if isinstance(cases, list) else []:
            if isinstance(case, dict):
                yield case
