"""Results of earlier measurements, keyed by content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from harness.common import files, serial
from harness.common.digests import source_digest
from harness.grading import GradingContext, execution_digest, judging_digest
from harness.model.plan import Place, Scenario, Visibility

_SAVED_EVERY = 10  # programs
_SEARCH = ("grading/observing/first_failures.py",)


@dataclass(slots=True)
class Known:
    """The first failures of programs by the digests of their files, in a file that an interrupted
    run leaves behind and the next one reads.

    A failure stays known while its scenario is the same, whatever becomes of the others; that a
    program fails nothing, while all scored scenarios are the same.
    """

    path: Path
    scenarios: dict[str, str]  # what each is known by, by its id
    suite: str
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unsaved: int = 0

    @classmethod
    def open(cls, cache: Path, context: GradingContext, most: int) -> Known:
        """What is known of programs of this assignment, where at most `most` failures are looked
        for; empty where nothing is."""
        plan = context.specification.plan
        assignment = replace(plan.assignment, variants=(), clauses=())
        parts = (
            serial.dumps(assignment), plan.reference_digest, context.key.made_with, str(most),
            execution_digest(), judging_digest(), source_digest(*_SEARCH),
        )  # fmt: skip
        name = _hex("\n".join(parts))[:32]
        scenarios = {each.id: _digest(each) for each in plan.scenarios if not each.informational}
        suite = _hex(json.dumps(sorted(scenarios.items())))
        known = cls(cache / "strength" / f"{name}.json", scenarios, suite)
        known.found = known._read()
        return known

    def add(self, digest: str, failures: Sequence[str]) -> None:
        """Keep what a program fails first."""
        self.found[digest] = tuple(failures)
        self.unsaved += 1
        if self.unsaved >= _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Write what is not yet written."""
        if self.unsaved:
            data = {
                digest: {"failures": {name: self.scenarios[name] for name in failures}}
                if failures
                else {"suite": self.suite}
                for digest, failures in self.found.items()
            }
            files.write(self.path, json.dumps(data))
        self.unsaved = 0

    def _read(self) -> dict[str, tuple[str, ...]]:
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            return {
                digest: failures
                for digest, entry in data.items()
                for failures in [self._still(entry.get("failures", {}))]
                if failures or entry.get("suite") == self.suite
            }
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def _still(self, failures: dict[str, str]) -> tuple[str, ...]:
        return tuple(
            name for name, digest in failures.items() if self.scenarios.get(name) == digest
        )


def _digest(scenario: Scenario) -> str:
    """Of what decides whether a program fails it."""
    nowhere = Place(file="", line=0, column=0)
    asked = replace(scenario, place=nowhere, visibility=Visibility.HIDDEN, points=Fraction(0))
    asked = replace(asked, name="", group="", clauses=(), tags=(), hint="", description="")
    return _hex(serial.dumps(asked))


def _hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()
