"""Gathers the evidence of every program of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path

from harness.execution import Answers, ToolFailed, choose_tier, create_driver, find_interpreter
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Tier
from harness.model.study.reports import (
    CodePlace,
    StyleEvidence,
    StyleFinding,
    StyleOfSubmission,
    StyleReport,
)
from harness.model.submission import Submission
from harness.study.style.ruff_rules import ABSENT, find_ruff, ruff_findings

_MODULE = "text_facts"
_MOST_FINDINGS = 60
_MOST_BYTES = 512 * 1024


def style_report(
    assignment: Assignment,
    submissions: Sequence[Submission],
    *,
    python: Path | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> StyleReport:
    """The evidence of each submission, once for equal files. The texts are parsed in a confined
    process; ruff, where it is installed, reads them from a pipe. UserError when no interpreter or
    tier serves."""
    interpreter = find_interpreter(assignment.python, python)
    tier = choose_tier(interpreter, Tier.STANDARD)
    text = resources.files("harness.study.style").joinpath(f"{_MODULE}.py").read_text("utf-8")
    ruff = find_ruff()
    found: dict[str, StyleEvidence] = {}
    with (
        create_driver(interpreter, tier.tier) as driver,
        driver.tool({_MODULE: text}, f"{_MODULE}:run") as tool,
    ):
        for done, submission in enumerate(submissions, start=1):
            if submission.digest not in found:
                found[submission.digest] = _evidence(tool, ruff, submission.files)
            progress(done)
    return StyleReport(
        submissions=tuple(
            StyleOfSubmission(source_digest=digest, evidence=evidence)
            for digest, evidence in sorted(found.items())
        )
    )


def _evidence(tool: Answers, ruff: str | None, files: Sequence[SourceFile]) -> StyleEvidence:
    programs = [file for file in files if file.name.endswith(".py")]
    if sum(len(file.data) for file in programs) > _MOST_BYTES:
        return StyleEvidence(missing=f"it is larger than {_MOST_BYTES // 1024} KiB")
    missing = [] if ruff else [ABSENT]
    findings: list[StyleFinding] = []
    for file in programs if ruff else ():
        said = ruff_findings(ruff, file.name, file.data) if ruff else None
        if said is None:
            missing.append(f"ruff gave no answer on {file.name}")
        else:
            findings += said
    texts = {file.name: file.data.decode("utf-8-sig", "replace") for file in programs}
    try:
        facts = json.loads(tool.run(json.dumps(texts)))
    except ToolFailed as failure:
        facts = {}
        missing.append(f"the text could not be read: {failure}")
    missing += [f"{name} is no Python" for name in facts.get("unreadable", ())]
    return StyleEvidence(
        findings=tuple(findings[:_MOST_FINDINGS]),
        found=len(findings),
        longest=_places(facts, "longest"),
        undocumented=_places(facts, "undocumented"),
        numbers=_places(facts, "numbers"),
        repeated=_places(facts, "repeated"),
        missing="; ".join(missing),
    )


def _places(
    facts: Mapping[str, list[tuple[str, str, int, int]]], key: str
) -> tuple[CodePlace, ...]:
    return tuple(
        CodePlace(name=name, file=file, line=line, count=count)
        for name, file, line, count in facts.get(key, ())
    )
