"""Reading a program's text in a limited process: findings, and the proof that it keeps nothing."""

from __future__ import annotations

from harness.common import serial
from harness.execution import Answers, program_files
from harness.model.plan import Assignment, SourceFile
from harness.model.policy import PolicyReport
from harness.policy import Program, payload, plain


def read_program(
    tool: Answers, assignment: Assignment, files: tuple[SourceFile, ...]
) -> PolicyReport:
    """What `tool`, the policy's entry, says of these files. ToolFailed when it gave no answer."""
    program = None
    if not assignment.isolate_all:
        own = program_files(assignment, files)
        provided = (*assignment.variants[0].files, *assignment.extra_files)
        program = Program(submitted=plain(own), provided=plain(provided))
    request = payload(files, assignment.policy, program)
    return serial.loads(PolicyReport, tool.run(request))
