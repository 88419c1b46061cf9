"""Write a converted test as a scenario in YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.packaging.scaffold.parts import in_yaml

ANY = {"any": True}
# A text that YAML reads as it stands.
_IS_PLAIN = re.compile(r"[A-Za-z_][\w.]*\([\w.()\[\] +*/=-]*\)", re.ASCII).fullmatch


@dataclass(slots=True, kw_only=True)
class RecordedStep:
    """A call or statements of a test, and the results that the test expects."""

    source: str
    is_call: bool = False
    stated: dict[str, Any] = field(default_factory=dict)

    def with_all(self) -> dict[str, Any]:
        """Return the step's keys and values for YAML.

        Results that the test does not check may be anything.
        """
        found: dict[str, Any] = {"call" if self.is_call else "do": self.source}
        if self.is_call and "raises" not in self.stated:
            found["returns"] = self.stated.get("returns", ANY)
        found |= {key: value for key, value in self.stated.items() if key != "returns"}
        found.setdefault("prints", ANY)
        return found


@dataclass(slots=True, kw_only=True)
class RecordedRun:
    """A run of a whole program, and the results that the test expects."""

    file: str
    argv: tuple[str, ...] = ()
    stdin: str = ""
    stated: dict[str, Any] = field(default_factory=dict)

    def keys(self) -> dict[str, Any]:
        """Return the scenario's keys and values for YAML."""
        found: dict[str, Any] = {"run": self.file}
        if self.argv:
            found["argv"] = list(self.argv)
        found["stdin"] = self.stdin
        stated = {"prints": ANY, "stderr": ANY, "exit": ANY} | self.stated
        return found | stated


@dataclass(slots=True, kw_only=True)
class Recorded:
    """A test, converted to a scenario."""

    name: str
    function: str = ""
    steps: list[RecordedStep] = field(default_factory=list)
    run: RecordedRun | None = None
    session: str = ""
    inputs: tuple[str, ...] = ()
    points: str = ""
    visible: Any = None

    def forms(self) -> Iterator[dict[str, Any]]:
        """Yield the possible keys and values of the scenario, the preferred ones first."""
        if self.run is not None:
            yield self.run.keys()
            return
        if self.session:
            yield {"session": self.session, "leaves": ANY}
            return
        if len(self.steps) == 1 and self.steps[0].is_call:
            keys = self._with_input(self.steps[0].with_all())
            if keys["prints"] != ANY:
                keys["stderr"] = ANY
            yield keys | {"leaves": ANY}
            yield keys
        steps = [step.with_all() for step in self.steps]
        yield self._with_input({"steps": steps}) | {"leaves": ANY}

    def _with_input(self, keys: dict[str, Any]) -> dict[str, Any]:
        if not self.inputs:
            return keys
        typed = {"input": list(self.inputs), "reads": ANY, "prompts": ANY}
        return keys | typed

    def lines(self, keys: dict[str, Any]) -> Iterator[str]:
        """Yield the YAML lines of the scenario with these keys and values."""
        yield f"  - name: {in_yaml(self.name)}"
        yield f"    function: {self.function}"
        yield f"    clause: {in_yaml(self.function)}"
        if self.points == "0":
            yield "    informational: true"
        elif self.points:
            yield f"    points: {in_yaml(self.points)}"
        if self.visible is not None:
            yield f"    visible: {in_yaml(self.visible)}"
        for key, value in keys.items():
            if key == "steps":
                yield "    steps:"
                for step in value:
                    yield f"      - {{{_pairs(step)}}}"
            elif key == "session":
                yield "    session: |"
                for line in value.splitlines():
                    yield f"      {line}"
            else:
                yield f"    {key}: {_text(value)}"


def _pairs(step: dict[str, Any]) -> str:
    return ", ".join(f"{key}: {_flow(value)}" for key, value in step.items())


def _text(value: Any) -> str:
    is_plain = isinstance(value, str) and _IS_PLAIN(value)
    return str(value) if is_plain else _flow(value)


def _flow(value: Any) -> str:
    """Return a value in YAML's one-line form, such as `{contains: "won"}`."""
    if isinstance(value, dict):
        return "{" + _pairs(value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, float):  # YAML's numbers have no exponent here
        return f"{value:.20f}".rstrip("0") + ("0" if value.is_integer() else "")
    return in_yaml(value)
