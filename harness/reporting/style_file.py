"""The evidence of style of a run, in a file of its report folder, and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from harness.common import files, serial
from harness.model.study.reports import CodeElement, StyleEvidence, StyleReport

STYLE = "style.json"
_NAMED = 3  # of each kind, in a cell


def write_style(report: StyleReport, folder: Path) -> Path:
    """Keep it beside a run; pages written from then on show it."""
    path = folder / STYLE
    files.write(path, serial.dumps(report) + "\n", private=True)
    return path


def read_style(folder: Path) -> dict[str, StyleEvidence]:
    """The evidence by the digests of submissions; empty where none was gathered."""
    try:
        report = serial.loads(StyleReport, (folder / STYLE).read_bytes())
    except (OSError, serial.SerialError):
        return {}
    return {each.source_digest: each.evidence for each in report.submissions}


def keep_style_of(folder: Path, digests: Collection[str]) -> None:
    """Remove the evidence of everybody else: of a student who is forgotten, nothing is left."""
    known = read_style(folder)
    if known.keys() <= set(digests):
        return
    report = serial.loads(StyleReport, (folder / STYLE).read_bytes())
    left = tuple(each for each in report.submissions if each.source_digest in digests)
    write_style(StyleReport(submissions=left), folder)


def style_in_words(evidence: StyleEvidence) -> str:
    """The evidence on one line, for a cell of a table."""
    parts = []
    if evidence.findings:
        rules = Counter(each.rule for each in evidence.findings).most_common(_NAMED)
        named = ", ".join(f"{rule} {count}" for rule, count in rules)
        parts.append(f"ruff {evidence.found} ({named})")
    if evidence.longest:
        one = evidence.longest[0]
        parts.append(f"longest function {one.name} with {one.count} lines")
    if evidence.undocumented:
        parts.append(f"no docstring: {_names(evidence.undocumented)}")
    if evidence.numbers:
        parts.append(f"unnamed numbers: {_names(evidence.numbers)}")
    if evidence.repeated:
        again = ", ".join(f"line {each.line}" for each in evidence.repeated[:_NAMED])
        parts.append(f"repeated blocks: {again}")
    if evidence.missing:
        parts.append(f"not looked at: {evidence.missing}")
    return "; ".join(parts)


def _names(places: tuple[CodeElement, ...]) -> str:
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return ", ".join(each.name for each in places[:_NAMED]) + more
