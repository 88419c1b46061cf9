"""Files and a policy in, findings out: no I/O, and nothing of the files is run.

`run` is what the limited process calls: one JSON text in, one out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.common import serial
from harness.model.policy import Finding, Policy, PolicyReport, Unparsable
from harness.policy.evasion import check_evasion
from harness.policy.findings import FindingCollector
from harness.policy.imports import check_imports
from harness.policy.reading import Source, read
from harness.policy.request import NamedBytes, PolicyRequest
from harness.policy.statelessness.proof import prove
from harness.policy.structure import check_module_level, check_overrides
from harness.policy.survey import survey
from harness.policy.techniques import check_techniques


def check(files: Sequence[NamedBytes], policy: Policy | None) -> PolicyReport:
    """Hold every `.py` file to the policy; without one, find only whether Python can read them.

    Findings come in the order of the files, then of line and column. A submission none of whose
    files can be read is unparsable, by its first; where one of several can, the others are notes,
    and what needs them fails when it is run.
    """
    findings: list[Finding] = []
    notes: list[str] = []
    unreadable: list[Unparsable] = []
    programs = [file for file in files if file.name.endswith(".py")]
    for file in programs:
        try:
            source = read(file.name, file.data)
            if isinstance(source, Unparsable):
                unreadable.append(source)
                continue
            notes.extend(source.notes)
            if policy is not None:
                collector = _judge(source, policy.of(file.name))
                findings.extend(collector.findings())
                notes.extend(collector.notes())
        except (RecursionError, MemoryError):
            reason = "the code is nested too deeply to be read"
            unreadable.append(Unparsable(file=file.name, reason=reason))
    if unreadable and len(unreadable) == len(programs):
        return PolicyReport(unparsable=unreadable[0], notes=tuple(notes))
    notes.extend(_note(broken) for broken in unreadable)
    return PolicyReport(findings=tuple(findings), notes=tuple(notes))


def _note(broken: Unparsable) -> str:
    line = "" if broken.line is None else f", line {broken.line}"
    return f"{broken.file}{line} cannot be read: {broken.reason}; what needs it fails"


def _judge(source: Source, policy: Policy) -> FindingCollector:
    collector = FindingCollector(source, policy)
    file = survey(source.tree)
    provided = frozenset(policy.provided_names)
    modules = frozenset(policy.provided_modules)
    if policy.imports is not None:
        check_imports(file, policy.imports, collector)
        check_evasion(file, provided, collector)
    check_techniques(file, policy, provided, collector)
    if policy.module_level is not None:
        judge_imports = policy.imports is None
        check_module_level(file, policy.module_level, collector, judge_imports=judge_imports)
    check_overrides(file, provided, modules, collector)
    return collector


def run(request: str) -> str:
    """A `PolicyRequest` as JSON in, a `PolicyReport` as JSON out; SerialError for anything else."""
    asked = serial.loads(PolicyRequest, request)
    report = check(asked.files, asked.policy)
    if asked.program is not None and report.unparsable is None:
        proof = prove(asked.program.submitted, asked.program.provided)
        report = replace(report, statelessness=proof)
    return serial.dumps(report)
