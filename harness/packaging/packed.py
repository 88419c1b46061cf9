"""What a program in one file carries beside itself: a plan and its answer key. Runs inside it."""

from __future__ import annotations

import pkgutil
import sys
from pathlib import Path

from harness.common import serial
from harness.common.errors import UserError
from harness.execution import Interpreter, find_interpreter
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan

PLAN, KEY = "plan.json", "key.json"


def packed_plan() -> Plan:
    """The plan; UserError where the file was taken apart."""
    return serial.loads(Plan, _packed(PLAN))


def packed_key() -> AnswerKey:
    """The answer key; UserError where the file was taken apart."""
    return serial.loads(AnswerKey, _packed(KEY))


def this_interpreter(plan: Plan) -> Interpreter:
    """The Python that runs this, to run the submission with as well."""
    if not sys.executable:
        raise UserError("this Python does not tell where it is", hint="start it by its full path")
    return find_interpreter(plan.assignment.python, Path(sys.executable))


def _packed(name: str) -> bytes:
    data = pkgutil.get_data("harness.packaging", name)
    if data is None:
        raise UserError(f"{name} is missing", hint="take the file that your course hands out")
    return data
