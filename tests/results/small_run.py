"""A small plan, and results of it, for the tests of the `results` package."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from harness.matchers.kinds.values import Exactly
from harness.model.assignment import Clause, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.expectation import Expected
from harness.model.observation import Ending, Observation, Probe, Turn
from harness.model.plan import Place, Scenario, Visibility
from harness.model.policy import Unparsable
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.stimulus import Binding, Stimulus, Typed
from harness.model.values import Value
from harness.model.verdict import (
    Cell,
    Channel,
    ComparedRow,
    Comparison,
    Conversation,
    Verdict,
    VerdictKind,
    stated,
)
from harness.results.reuse import Packer
from harness.results.store import Store
from harness.stimuli.call import Call
from tests import plans

SECRET = "zq-secret"
SIZE_10 = (Binding(name="BOARD_SIZE", literal="10"),)


def scenario(
    name: str, visibility: Visibility, *, secret: str = "", sample: bool = False
) -> Scenario:
    stimuli = tuple(
        Stimulus(action=Call(expression=f"f({secret!r}, {n})"), inputs=(Typed(text=secret),))
        for n in range(3 if sample else 1)
    )
    return plans.scenario(
        f"f/{name}",
        visibility=visibility,
        points=Fraction(1, 3),
        stimuli=stimuli,
        stated=Expected(returns=Exactly(value=Value.of(secret))),
        place=Place(file="f.yaml", line=3, column=5),
        is_sample=sample,
    )


def provided(data: bytes, constants: tuple[Binding, ...] = ()) -> ProvidedVariant:
    return ProvidedVariant(constants=constants, files=(SourceFile(name="support.py", data=data),))


PLAN = plans.plan(
    scenario("shown", Visibility.VISIBLE, secret="plain"),
    scenario("sampled", Visibility.VISIBLE, secret="plain", sample=True),
    scenario("secret", Visibility.HIDDEN, secret=SECRET),
    scenario("later", Visibility.AFTER_DUE_DATE, secret=SECRET),
    assignment=plans.assignment(
        clauses=(Clause(id="4.1", section="4", text="f does it"),),
        functions=(FunctionSignature(name="f", parameters=("a", "n")),),
        variants=(provided(b"BOARD_SIZE = 8\n"), provided(b"BOARD_SIZE = 10\n", SIZE_10)),
    ),
)

FACTS = plans.facts(
    probes=(Probe(name="fork", prevented=True),),
    not_prevented="nothing that was tried",
    notices=("a notice",),
)


def failed(secret: str, *, draw: int | None = None) -> Verdict:
    row = ComparedRow(expected=Cell(text=secret), other=Cell(text="\udc80\x1b[31m é"))
    shared = (Turn(printed=secret, typed=Typed(text="a1")),)
    return Verdict(
        kind=VerdictKind.FAILED,
        explanation=stated("printed-not-returned", f"printed {secret}"),
        differences=(Comparison(channel=Channel.RETURNS, subject="return value", rows=(row,)),),
        conversation=Conversation(shared=shared, expected=None, actual=None),
        draw=draw,
    )


FINDING = plans.finding()


def outcomes(*verdicts: Verdict) -> tuple[ScenarioResult, ...]:
    return tuple(
        ScenarioResult(
            scenario_id=entry.id,
            verdict=verdict,
            points=entry.points if verdict.passed else Fraction(0),
            out_of=entry.points,
        )
        for entry, verdict in zip(PLAN.scenarios, verdicts, strict=True)
    )


PASSED = Verdict(kind=VerdictKind.PASSED)


def result(submission_id: str, mark: str = "9/2") -> SubmissionResult:
    return SubmissionResult(
        id=submission_id,
        status=SubmissionStatus.GRADED,
        mark=Fraction(mark),
        out_of=Fraction(6),
        flagged=True,
        findings=(FINDING,),
        notes=("a note",),
        scenarios=outcomes(PASSED, failed("plain", draw=1), failed(SECRET), failed(SECRET)),
        source_digest="a" * 64,
    )


UNREADABLE = SubmissionResult(
    id="unreadable",
    status=SubmissionStatus.UNREADABLE,
    mark=Fraction(0),
    out_of=Fraction(6),
    unparsable=Unparsable(file="a1.py", reason="print is written as in Python 2", line=2),
    scenarios=outcomes(*[Verdict(kind=VerdictKind.UNREADABLE)] * len(PLAN.scenarios)),
)
BROKEN = SubmissionResult(
    id="broken", status=SubmissionStatus.HARNESS_ERROR, mark=None, out_of=Fraction(6)
)


def observed(ending: Ending = Ending.ANSWERED, text: str = "x") -> Observation:
    turns = (Turn(printed=text, typed=Typed(text="a1")),)
    return Observation(ending=ending, value=Value.of([text, 1]), turns=turns)


def save(
    store: Store,
    graded: SubmissionResult,
    observations: Mapping[str, tuple[Observation, ...]] = MappingProxyType({}),
    verdicts: Mapping[str, Verdict] = MappingProxyType({}),
    *,
    state_digest: str = "",
) -> None:
    """Store a result after all that it was found by, as a batch does."""
    for piece in Packer().pieces(observations, verdicts):
        store.add(piece)
    store.save(graded, state_digest=state_digest)
