"""Files and a policy in, findings out: no I/O, and nothing of the files is run.

`run` is what the limited process calls: one JSON text in, one out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from harness.common import serial
from harness.model.policy import (
    Finding,
    Policy,
    PolicyReport,
    PolicyRequest,
    SourceFile,
    Unparsable,
)
from harness.policy.outline import outline
from harness.policy.reading import TOO_DEEP, Source, compiles, read
from harness.policy.rule import CheckedFile, findings_of, unchecked
from harness.policy.rules import policy_rules
from harness.policy.sharing import check_sharing


def check(files: Sequence[SourceFile], policy: Policy | None) -> PolicyReport:
    """Check every `.py` file against the policy; without one, only whether Python can read it.

    Findings come in the order of the files, then of line and column. A submission none of whose
    files can be read is unparsable, by its first; where one of several can, the others are notes,
    and what needs them fails when it is run. A file that Python can run and that is too deeply
    nested to be checked has one finding, which asks for a person.
    """
    programs = [file for file in files if file.name.endswith(".py")]
    module_names = frozenset(file.name.removesuffix(".py") for file in programs)
    texts = {file.name: _read(file, module_names) for file in programs}
    readable = [text for text in texts.values() if isinstance(text, Source)]
    unreadable = [text for text in texts.values() if isinstance(text, Unparsable)]
    findings: list[Finding] = []
    notes: list[str] = []
    defined = _definitions(readable, policy) if policy is not None else {}
    for name, text in texts.items():
        if not isinstance(text, Unparsable):
            notes += text.notes if text is not None else ()
            if policy is not None:
                of_file, left_out = _findings(name, text, policy, defined)
                findings += of_file
                notes += left_out
    if unreadable and len(unreadable) == len(texts):
        return PolicyReport(unparsable=unreadable[0], notes=tuple(notes))
    for broken in unreadable:
        line = "" if broken.line is None else f", line {broken.line}"
        notes.append(f"{broken.file}{line} cannot be read: {broken.reason}; what needs it fails")
        if broken.reason == TOO_DEEP and policy is not None:
            # The limits here are not those of the run, where it may be readable after all.
            findings.append(unchecked(broken.file, TOO_DEEP))
    return PolicyReport(findings=tuple(findings), notes=tuple(notes), outline=outline(readable))


def _read(file: SourceFile, module_names: frozenset[str]) -> Source | Unparsable | None:
    """The file; why Python cannot read it; None for one that Python runs and that has no tree."""
    try:
        return read(file.name, file.data, module_names)
    except (RecursionError, MemoryError):
        if compiles(file.data):
            return None
        return Unparsable(file=file.name, reason=TOO_DEEP)


def _definitions(sources: Sequence[Source], policy: Policy) -> dict[str, frozenset[str]]:
    """What the provided modules and the submission's own define, by module."""
    provided = frozenset((*policy.provided_names, *policy.provided_functions))
    own = {source.name.removesuffix(".py"): source.index.defined() for source in sources}
    return own | dict.fromkeys(policy.provided_modules, provided)


def _findings(
    name: str, text: Source | None, policy: Policy, defined: Mapping[str, frozenset[str]]
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    if text is not None:
        file = CheckedFile(source=text, policy=policy.of(name), defined=defined)
        with suppress(RecursionError, MemoryError):
            return findings_of(file, policy_rules())
    return (unchecked(name, TOO_DEEP),), ()


def run(request: str) -> str:
    """A `PolicyRequest` as JSON in, a `PolicyReport` as JSON out; SerialError for anything else."""
    asked = serial.loads(PolicyRequest, request)
    report = check(asked.files, asked.policy)
    if asked.program is not None and report.unparsable is None:
        sharing = check_sharing(asked.program.submitted, asked.program.provided)
        report = replace(report, sharing=sharing)
    return serial.dumps(report)
