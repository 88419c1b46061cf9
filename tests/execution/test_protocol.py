"""The messages between the driver and its processes are described in one module."""

import ast
from dataclasses import asdict, fields
from enum import Enum
from itertools import chain

import pytest

from harness.execution.inside.messages import protocol
from harness.execution.inside.messages.protocol import (
    ForkRequest,
    FromBrowser,
    FromScenario,
    FromStandIn,
    FromTool,
    Heartbeat,
    JobKind,
    Keyboard,
    PipedSetup,
    ProcessLimits,
    ScenarioJob,
    ToolJob,
    decode_job,
    encode_job,
)
from harness.execution.protocol.jobs import Jobs, process_limits
from harness.model.stimulus import Limits
from tests.execution.small_world import QUICK, assignment, call
from tests.shipped import ROOT

EXECUTION = ROOT / "harness" / "execution"
PROTOCOL = EXECUTION / "inside" / "messages" / "protocol.py"
KINDS = [
    each for each in vars(protocol).values() if isinstance(each, type) and issubclass(each, Enum)
]


def test_no_other_module_spells_a_kind_out() -> None:
    kinds = {bytes(kind) for each in KINDS if each is not Enum for kind in each}
    spelled = [
        f"{path.name}:{node.lineno}"
        for path in EXECUTION.rglob("*.py")
        if path != PROTOCOL
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, bytes)
        if node.value in kinds or (node.value[:1] in kinds and node.value[1:3] == b"%d")
    ]
    assert spelled == []


@pytest.mark.parametrize(
    "wire",
    [
        (FromScenario, Heartbeat),
        (FromScenario, FromBrowser),
        (FromTool, Heartbeat),
        (FromStandIn, Heartbeat),
        (FromStandIn, Keyboard),
    ],
)
def test_kinds_that_share_a_wire_differ(wire: tuple[type[Enum], ...]) -> None:
    values = [kind.value for kind in chain(*wire)]
    assert len(set(values)) == len(values)


def test_each_kind_is_one_byte() -> None:
    assert {len(kind.value) for each in KINDS if each is not Enum for kind in each} == {1}


def test_a_job_arrives_as_it_was_sent() -> None:
    job = Jobs(assignment()).job(call("f(1)"))
    arrived = decode_job(encode_job(job))
    assert type(arrived) is ScenarioJob
    assert arrived == job
    assert encode_job(ToolJob(payload="x"))[:1] == JobKind.TOOL


def test_a_job_is_changed_by_making_another_one() -> None:
    job = ForkRequest(limits=process_limits(QUICK), controlled=False, selection=None)
    assert job.replaced(controlled=True).controlled
    with pytest.raises(AttributeError):
        job.controlled = True  # type: ignore[misc]


def test_limits_reach_a_process_whole() -> None:
    setup = PipedSetup(secret=b"x", beat=0.5, limits=process_limits(QUICK))
    arrived = PipedSetup.decode(setup.encode())
    assert arrived == setup
    assert vars(arrived.limits) == asdict(QUICK)
    assert [*ProcessLimits.__annotations__] == [limit.name for limit in fields(Limits)]


def test_a_message_of_no_known_job_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown"):
        decode_job(b"?")
