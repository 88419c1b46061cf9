"""Collect facts for the person who marks style: counts from the program's text, and ruff's
findings.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

from harness.common.extras import install_command
from harness.execution import ToolFailed, TrustedFunction
from harness.model import study
from harness.model.assignment import Assignment, SourceFile
from harness.model.submission import Submission
from harness.study.similarity import program_reader

# The reasons that the page shows, by the beginning of a rule's code.
RULES: Mapping[str, str] = {
    "A001": "this reuses a built-in name of Python",
    "A002": "this reuses a built-in name of Python",
    "B006": "a list as a default is shared by all calls",
    "C901": "a function with so many branches is hard to follow",
    "E501": "long lines are hard to read side by side",
    "E70": "write one statement per line",
    "E711": "compare None with is",
    "E712": "do not compare with True or False",
    "E713": "not in is easier to read",
    "E722": "a bare except hides mistakes",
    "E741": "l, O and I look like numbers",
    "ERA001": "code that is commented out should be deleted",
    "F401": "an import that nothing needs",
    "F811": "a definition that replaces an earlier one",
    "F841": "a variable that nothing reads",
    "N801": "class names are in CamelCase",
    "N802": "function names are in lower_case",
    "N803": "parameter names are in lower_case",
    "N806": "variable names are in lower_case",
    "PLR5501": "write elif instead of else and if",
    "PLW0603": "functions that change globals are hard to follow",
    "RET505": "an else after a return is not needed",
    "SIM102": "join the two conditions with and",
    "SIM103": "return the condition itself",
    "SIM118": "write in without keys()",
    "W291": "white space at the end of a line",
    "W293": "white space on an empty line",
}
_SECONDS = 10
# Bytes of ruff's answer.
_MAX_ANSWER = 4 << 20
# Bytes of memory for ruff.
_MAX_MEMORY = 2 << 30
_MAX_FINDINGS = 60
# The size of a submission's programs together.
_MAX_BYTES = 512 << 10


def find_ruff() -> str | None:
    """Return the path of ruff, next to this Python or on PATH; None if it is not installed."""
    beside = Path(sys.executable).with_name("ruff")
    if beside.exists():
        return str(beside)
    return shutil.which("ruff")


def ruff_findings(program: str, file: str, data: bytes) -> tuple[study.StyleFinding, ...] | None:
    """Return ruff's findings for a file's bytes in the order of lines; None if it gave no answer.

    Ruff reads the file from a pipe, in an empty folder, without configuration or cache, with limits
    on time and memory. Comments in the file turn nothing off.
    """
    try:
        rows = json.loads(_run_ruff(program, data))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    findings = []
    for row in rows:
        finding = _finding(file, row)
        if finding is not None:
            findings.append(finding)
    findings.sort(key=attrgetter("line", "rule"))
    return tuple(findings)


def _run_ruff(program: str, data: bytes) -> bytes:
    """Return ruff's output. Raise OSError or SubprocessError if it fails or takes too long."""
    command = [program, "check", "--isolated", "--no-cache", "--ignore-noqa", "--exit-zero"]
    command += ["--quiet", "--output-format", "json", "--line-length", "100"]
    command += ["--select", ",".join(RULES), "--config", "lint.mccabe.max-complexity=10"]
    command += ["--stdin-filename", "program.py", "-"]
    with tempfile.TemporaryDirectory(prefix="harness-") as empty, tempfile.TemporaryFile() as out:
        subprocess.run(
            command,
            input=data,
            stdout=out,
            stderr=subprocess.DEVNULL,
            cwd=empty,
            env={"PATH": os.defpath, "RAYON_NUM_THREADS": "1"},
            timeout=_SECONDS,
            check=True,
            preexec_fn=_limit,
        )
        out.seek(0)
        return out.read(_MAX_ANSWER)


def _finding(file: str, row: Mapping[str, object]) -> study.StyleFinding | None:
    """Return the finding; None if it is of no rule, such as the place at which a file cannot be
    parsed, which is reported elsewhere."""
    rule = row.get("code")
    place = row.get("location")
    if not rule or not isinstance(place, dict):
        return None
    rule = str(rule)
    reason = _reason(rule)
    if reason is None:
        return None
    line = int(place.get("row", 1))
    message = str(row.get("message", ""))[:200]
    return study.StyleFinding(file=file, line=line, rule=rule, message=message, reason=reason)


def _reason(rule: str) -> str | None:
    for code, reason in RULES.items():
        if rule.startswith(code):
            return reason
    return None


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_ANSWER, _MAX_ANSWER))


def style_report(
    assignment: Assignment,
    submissions: Sequence[Submission],
    *,
    python: Path | None,
    progress: Callable[[int], None],
) -> study.StyleReport:
    """Return the facts about each submission. Equal files are read only once.

    The texts are parsed in a confined process. Ruff, if installed, reads them from a pipe. Raise
    UserError if this machine has no usable interpreter or lacks the standard tier (confinement).
    """
    ruff = find_ruff()
    by_digest: dict[str, study.StyleEvidence] = {}
    with program_reader(assignment, "run_facts", python) as tool:
        for done, submission in enumerate(submissions, start=1):
            if submission.digest not in by_digest:
                by_digest[submission.digest] = _evidence(tool, ruff, submission.files)
            progress(done)
    of_submissions = []
    for digest, evidence in sorted(by_digest.items()):
        of_submissions.append(study.StyleOfSubmission(source_digest=digest, evidence=evidence))
    return study.StyleReport(submissions=tuple(of_submissions))


def _evidence(
    tool: TrustedFunction, ruff: str | None, files: Sequence[SourceFile]
) -> study.StyleEvidence:
    programs = [file for file in files if file.name.endswith(".py")]
    size = sum(len(file.data) for file in programs)
    if size > _MAX_BYTES:
        return study.StyleEvidence(missing=f"it is larger than {_MAX_BYTES // 1024} KiB")
    findings, missing = _all_findings(ruff, programs)
    texts: dict[str, str] = {}
    for file in programs:
        texts[file.name] = file.data.decode("utf-8-sig", "replace")
    try:
        answer = tool.run(json.dumps(texts))
        facts = json.loads(answer)
    except ToolFailed as failure:
        facts = {}
        missing.append(f"the text could not be read: {failure}")
    for name in facts.get("unreadable", ()):
        missing.append(f"{name} is not Python")
    return study.StyleEvidence(
        findings=tuple(findings[:_MAX_FINDINGS]),
        found=len(findings),
        longest=_elements(facts.get("longest", ())),
        undocumented=_elements(facts.get("undocumented", ())),
        numbers=_elements(facts.get("numbers", ())),
        repeated=_elements(facts.get("repeated", ())),
        missing="; ".join(missing),
    )


def _without_ruff() -> str:
    command = install_command("style")
    return f"ruff is not installed, so its rules were not checked. To install it: {command}"


def _all_findings(
    ruff: str | None, programs: Sequence[SourceFile]
) -> tuple[list[study.StyleFinding], list[str]]:
    """Return ruff's findings for these files, and a message for each file that ruff could not
    check.

    If ruff is not installed, return one message that says so.
    """
    if ruff is None:
        return [], [_without_ruff()]
    findings: list[study.StyleFinding] = []
    missing: list[str] = []
    for file in programs:
        found = ruff_findings(ruff, file.name, file.data)
        if found is None:
            missing.append(f"ruff gave no answer on {file.name}")
        else:
            findings += found
    return findings, missing


def _elements(rows: Iterable[tuple[str, str, int, int]]) -> tuple[study.CodeElement, ...]:
    elements = []
    for name, file, line, count in rows:
        elements.append(study.CodeElement(name=name, file=file, line=line, count=count))
    return tuple(elements)
