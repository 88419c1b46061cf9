"""Setting up: the interpreter, the tier and the answer key that an assignment is graded with.

The facts of a run: with what, how confined, and when.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import harness
from harness.common import serial
from harness.common.errors import UserError
from harness.common.files import write
from harness.execution import (
    Interpreter,
    TierTrial,
    choose_tier,
    create_driver,
    find_interpreter,
    pick_cpu,
)
from harness.grading.engines import WorkerSetup
from harness.grading.observing.answer_key import key_disagreements, made_with, make_key
from harness.grading.plans import with_called_functions
from harness.grading.tier_trial import recalled_tier
from harness.model.expectation import KEY_VERSION, AnswerKey
from harness.model.observation import Tier
from harness.model.result import RunFacts
from harness.model.specification import Specification

_SECRET_NAME = "audit-key"
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingContext:
    """Everything needed to grade a submission of one assignment. `secret` is the course's."""

    specification: Specification
    interpreter: Interpreter
    tier: TierTrial
    key: AnswerKey
    secret: bytes = field(default_factory=lambda: os.urandom(_SECRET_BYTES))

    def worker_setup(self) -> WorkerSetup:
        """What a worker grades with that observes everything anew and returns results alone."""
        return WorkerSetup(
            plan=serial.dumps(self.specification.plan),
            key=serial.dumps(self.key),
            interpreter=self.interpreter,
            tier=self.tier.tier,
            secret=self.secret,
        )


def prepare(
    specification: Specification,
    *,
    python: Path | None = None,
    require: Tier | None = None,
    cache: Path | None = None,
    refuse: bool = True,
    recall_tier: bool = False,
) -> GradingContext:
    """Find the interpreter, probe the tier, and make (or recall) the answer key.

    Raises UserError when no interpreter serves, the required tier cannot be had, or the reference
    does not do what the scenarios state: a plan that disagrees with itself is not used
    (`refuse=False` leaves that to the caller, who reports it). With `recall_tier` the last trial of
    the tier will do, where nothing has changed since: for marks it is tried anew.
    """
    specification = with_called_functions(specification)
    interpreter = find_interpreter(specification.plan.assignment.python, python)
    if recall_tier and cache is not None and require is None:
        tier = recalled_tier(interpreter, cache)
    else:
        tier = choose_tier(interpreter, require)
    key = _recalled_key(specification, interpreter, tier.tier, cache)
    if refuse:
        refuse_disagreements(specification, key)
    return GradingContext(
        specification=specification,
        interpreter=interpreter,
        tier=tier,
        key=key,
        secret=_recalled_secret(cache),
    )


def _recalled_secret(cache: Path | None) -> bytes:
    """What decides in which order scenarios run together and which of them run alone as well: one
    for all runs of a course, so that no new folder and no new file is another draw. Only its owner
    may read it. Where none can be kept, nothing but that choice depends on it."""
    made = os.urandom(_SECRET_BYTES)
    if cache is None:
        return made
    path = cache / _SECRET_NAME
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            whole = path.with_name(f"{_SECRET_NAME}.{os.getpid()}")
            write(whole, made.hex(), private=True)
            try:
                os.link(whole, path)  # whole from the first moment, whoever made it first
            finally:
                whole.unlink()
        return bytes.fromhex(path.read_text("ascii"))
    return made


def _recalled_key(
    specification: Specification, interpreter: Interpreter, tier: Tier, cache: Path | None
) -> AnswerKey:
    plan = specification.plan
    parts = [
        str(KEY_VERSION),
        plan.spec_digest,
        plan.reference_digest,
        made_with(interpreter, tier, plan),
        serial.dumps(plan),
    ]
    name = sha256("\n".join(parts).encode()).hexdigest()
    path = cache / "keys" / f"{name}.json" if cache else None
    if path is not None:
        try:
            return serial.loads(AnswerKey, path.read_bytes())
        except (OSError, serial.SerialError):
            pass
    with create_driver(interpreter, tier, cpu=pick_cpu()) as driver:
        key = make_key(specification, driver)
    # A reference that fell short may have met a busy machine: what it did then is not kept.
    if path is not None and not key_disagreements(plan, key):
        # A cache that cannot be written is no error.
        with contextlib.suppress(OSError):
            write(path, serial.dumps(key), private=True)
    return key


def refuse_disagreements(specification: Specification, key: AnswerKey) -> None:
    """Raise UserError naming every place where reference and scenarios part."""
    found = key_disagreements(specification.plan, key)
    if found:
        lines = "\n".join(str(entry) for entry in found[:20])
        more = f"\n… and {len(found) - 20} more" if len(found) > 20 else ""
        raise UserError(
            f"the reference does not do what the scenarios state:\n{lines}{more}",
            hint="fix the scenario or the reference, then run harness validate",
        )


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def run_facts(context: GradingContext) -> RunFacts:
    """The facts at the start of a run."""
    plan = context.specification.plan
    notices = [context.interpreter.notice] if context.interpreter.notice else []
    if context.specification.left_out:
        tags = ", ".join(context.specification.left_out)
        notices.append(f"graded without the scenarios tagged {tags}")
    return RunFacts(
        assignment=plan.assignment.id,
        started=now(),
        finished="",
        complete=False,
        harness=harness.__version__,
        python=context.interpreter.version,
        python_wanted=plan.assignment.python,
        interpreter=str(context.interpreter.path),
        tier=context.tier.tier,
        probes=context.tier.probes,
        limits=plan.assignment.limits,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        input_mechanism=context.tier.input_mechanism,
        not_prevented=context.tier.not_prevented,
        notices=tuple(notices),
    )


def finished_facts(facts: RunFacts) -> RunFacts:
    """The same facts once every submission is done."""
    return replace(facts, finished=now(), complete=True)
