"""Evidence for the person who marks style: counts of a program's text, and what ruff says."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from harness.execution import Answers, ToolFailed
from harness.model import study
from harness.model.assignment import Assignment, SourceFile
from harness.model.submission import Submission
from harness.study.similarity import program_reader

# By the beginning of a rule's code; each with the reason that the page shows.
RULES: Mapping[str, str] = {
    "A001": "a built-in name of Python is used for something else",
    "A002": "a built-in name of Python is used for something else",
    "B006": "a list as a default is shared by all calls",
    "C901": "a function with so many branches is hard to follow",
    "E501": "long lines are hard to read side by side",
    "E70": "one statement a line",
    "E711": "None is compared with is",
    "E712": "truth values need no comparison",
    "E713": "not in reads as it is meant",
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
    "PLR5501": "elif says it with one level less",
    "PLW0603": "functions that change globals are hard to follow",
    "RET505": "no else is needed after a return",
    "SIM102": "two conditions can be one",
    "SIM103": "the condition itself is the truth value",
    "SIM118": "in needs no keys()",
    "W291": "white space at the end of a line",
    "W293": "white space on an empty line",
}
ABSENT = "ruff is not installed, so its rules were not looked at: pip install 'a1-harness[style]'"
_SECONDS = 10
_LONGEST_ANSWER = 4 << 20
_MEMORY = 2 << 30
_MOST_FINDINGS = 60
_MOST_BYTES = 512 << 10


def find_ruff() -> str | None:
    """Return the path of ruff, beside this interpreter or on PATH; None if it is not installed."""
    beside = Path(sys.executable).with_name("ruff")
    return str(beside) if beside.exists() else shutil.which("ruff")


def ruff_findings(program: str, file: str, data: bytes) -> tuple[study.StyleFinding, ...] | None:
    """Return ruff's findings for a file's bytes in the order of lines; None if it gave no answer.

    Ruff reads the file from a pipe, in an empty folder, without configuration or cache, with limits
    on time and memory. Comments in the file turn nothing off."""
    command = [
        program, "check", "--isolated", "--no-cache", "--ignore-noqa", "--exit-zero", "--quiet",
        "--output-format", "json", "--line-length", "100", "--select", ",".join(RULES),
        "--config", "lint.mccabe.max-complexity=10", "--stdin-filename", "program.py", "-",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="harness-") as empty, tempfile.TemporaryFile() as out:
        try:
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
            rows = json.loads(out.read(_LONGEST_ANSWER))
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
    findings = [_finding(file, row) for row in rows if row.get("code")]
    return tuple(sorted((each for each in findings if each), key=lambda one: (one.line, one.rule)))


def _finding(file: str, row: Mapping[str, object]) -> study.StyleFinding | None:
    rule, place = str(row["code"]), row.get("location")
    reason = next((why for code, why in RULES.items() if rule.startswith(code)), "")
    if not reason or not isinstance(place, dict):  # what does not parse is said elsewhere
        return None
    line, message = int(place.get("row", 1)), str(row.get("message", ""))[:200]
    return study.StyleFinding(file=file, line=line, rule=rule, message=message, reason=reason)


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LONGEST_ANSWER, _LONGEST_ANSWER))


def style_report(
    assignment: Assignment,
    submissions: Sequence[Submission],
    *,
    python: Path | None,
    progress: Callable[[int], None],
) -> study.StyleReport:
    """Return the evidence for each submission, once for equal files.

    The texts are parsed in a confined process; ruff, if installed, reads them from a pipe. Raise
    UserError as `program_reader`."""
    ruff = find_ruff()
    by_digest: dict[str, study.StyleEvidence] = {}
    with program_reader(assignment, "run_facts", python) as tool:
        for done, submission in enumerate(submissions, start=1):
            if submission.digest not in by_digest:
                by_digest[submission.digest] = _evidence(tool, ruff, submission.files)
            progress(done)
    found = sorted(by_digest.items())
    of_each = (study.StyleOfSubmission(source_digest=d, evidence=each) for d, each in found)
    return study.StyleReport(submissions=tuple(of_each))


def _evidence(tool: Answers, ruff: str | None, files: Sequence[SourceFile]) -> study.StyleEvidence:
    programs = [file for file in files if file.name.endswith(".py")]
    if sum(len(file.data) for file in programs) > _MOST_BYTES:
        return study.StyleEvidence(missing=f"it is larger than {_MOST_BYTES // 1024} KiB")
    missing = [] if ruff else [ABSENT]
    findings: list[study.StyleFinding] = []
    for file in programs if ruff else ():
        said = ruff_findings(ruff or "", file.name, file.data)
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
    missing += [f"{name} is not Python" for name in facts.get("unreadable", ())]
    return study.StyleEvidence(
        findings=tuple(findings[:_MOST_FINDINGS]),
        found=len(findings),
        longest=_elements(facts.get("longest", ())),
        undocumented=_elements(facts.get("undocumented", ())),
        numbers=_elements(facts.get("numbers", ())),
        repeated=_elements(facts.get("repeated", ())),
        missing="; ".join(missing),
    )


def _elements(rows: Iterable[tuple[str, str, int, int]]) -> tuple[study.CodeElement, ...]:
    return tuple(
        study.CodeElement(name=name, file=file, line=line, count=count)
        for name, file, line, count in rows
    )
