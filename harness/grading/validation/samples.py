"""Compares graded samples with their expect.yaml."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.common.words import rounded
from harness.grading.observing.answer_key import CheckName, Problem
from harness.grading.validation.report import SampleOutcome
from harness.model.plan import ExpectedCause, ExpectedVerdict, Plan, SampleExpectation, glob
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.model.verdict import Explanation, Verdict

CAUSES_AS_STATED = 0.9  # of the samples: blame is a likelihood, and one fault may look like two
# Rules that say only that something differs, or works otherwise: any sample may meet them.
GENERIC_RULES = frozenset({"wrong_value", "stand_in_passed", "not_run"})
_MAX_LINES = 3  # for failures with the same message


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample submission with the contents of its expect.yaml."""

    submission: Submission
    expected: SampleExpectation


def sample_problems(samples: Sequence[SampleOutcome]) -> list[Problem]:
    """Return the differences of all samples from their expectations.

    The causes count only if too many samples have others than stated.
    """
    problems: list[Problem] = []
    other_causes: list[Problem] = []
    stated = 0
    for sample in samples:
        problems += [sample.problem(CheckName.SAMPLES, part) for part in sample.parts]
        stated += sample.states_causes
        if sample.other_causes is not None:
            other_causes.append(sample.problem(CheckName.CAUSES, sample.other_causes))
    if stated - len(other_causes) < CAUSES_AS_STATED * stated:
        problems += other_causes
    return problems


def compare(result: SubmissionResult, expected: SampleExpectation, plan: Plan) -> SampleOutcome:
    """Return how a graded sample differs from its expectation.

    Informational scenarios do not count.
    """
    ungraded = {scenario.id for scenario in plan.scenarios if scenario.informational}
    kept = tuple(entry for entry in result.scenarios if entry.scenario_id not in ungraded)
    graded = _GradedSample(replace(result, scenarios=kept), expected)
    parts = [
        *graded.unexpected_failures(),
        *graded.unexpected_passes(ungraded),
        *graded.other_verdicts(),
        *graded.other_explanations(),
        *graded.other_mark(),
        *graded.other_findings(),
    ]
    return SampleOutcome(
        name=result.id,
        mark=graded.mark or "-",
        failed=len(graded.failed),
        parts=tuple(parts),
        accepted=graded.accepted(),
        other_causes=graded.other_causes(),
    )


class _GradedSample:
    """The result of a sample, compared with its expectation."""

    def __init__(self, result: SubmissionResult, expected: SampleExpectation) -> None:
        self._result = result
        self._expected = expected
        self._verdicts: dict[str, Verdict] = {}
        self.failed: dict[str, Verdict] = {}
        self._explanations: list[Explanation] = []  # of the failed
        for entry in result.scenarios:
            self._verdicts[entry.scenario_id] = entry.verdict
            if not entry.verdict.passed:
                self.failed[entry.scenario_id] = entry.verdict
        self.mark = "" if result.mark is None else rounded(result.mark)
        self._findings = sorted({finding.rule for finding in result.findings})

    def unexpected_failures(self) -> Iterator[str]:
        """Yield a line for each failure that is not listed, or one for many with the same
        explanation, for example of a file that cannot be loaded.
        """
        listed = _matching(self._expected.fails, self._verdicts)
        alike: defaultdict[Explanation | None, list[str]] = defaultdict(list)
        for name, verdict in self.failed.items():
            if name not in listed:
                alike[verdict.explanation].append(name)
        for explanation, names in alike.items():
            message = "" if explanation is None else explanation.message
            if len(names) > _MAX_LINES:
                failing = f"{names[0]} and {len(names) - 1} more scenarios"
                yield f"{failing} fail but are not listed: {message}"
            else:
                for name in names:
                    yield f"{name} fails but is not listed: {message}"

    def unexpected_passes(self, ungraded: Collection[str]) -> Iterator[str]:
        """Yield the scenarios that are listed and pass, and lines that match none that counts."""
        listed = _matching(self._expected.fails, self._verdicts)
        for name in self._verdicts:
            if name in listed and name not in self.failed:
                yield f"{name} passes but is listed under fails"
        for pattern in self._expected.fails:
            if _matching([pattern], self._verdicts):
                continue
            which = "no scenario"
            if _matching([pattern], ungraded):
                which = "no scenario that counts"
            yield f"fails: {pattern} matches {which}"

    def other_verdicts(self) -> Iterator[str]:
        """Yield the scenarios whose verdict is not of the stated kind."""
        stated = {entry.pattern: entry.kind for entry in self._expected.verdicts}
        for pattern, kind in stated.items():
            matched = _matching([pattern], self._verdicts)
            for name, verdict in self._verdicts.items():
                if name in matched and verdict.kind is not kind:
                    yield f"{name} is {verdict.kind}, expected {kind}"
            if not matched:
                yield f"verdicts: {pattern} matches no scenario"

    def other_explanations(self) -> Iterator[str]:
        """Yield the listed texts that no message contains, and the explaining rules that are not
        listed."""
        for text in self._expected.explains:
            if not self._is_said(text, self._all_explanations()):
                yield f"no message says {text!r}"
        unlisted: dict[str, str] = {}  # the first one of each rule
        for entry in self._result.scenarios:
            explanation = entry.verdict.explanation
            if explanation is None or explanation.rule in GENERIC_RULES:
                continue
            if not _lists(self._expected.explains, explanation):
                line = f"{entry.scenario_id}: {explanation.message}"
                unlisted.setdefault(explanation.rule, line)
        for rule, first in unlisted.items():
            yield f"the explanation {rule} is not listed under explains ({first})"

    def other_mark(self) -> Iterator[str]:
        """Yield a line if the mark is outside the stated range."""
        if not self._has_stated_mark():
            range_of_marks = " to ".join(map(str, dict.fromkeys(self._expected.mark)))
            yield f"the mark is {self.mark or 'none'}, expected {range_of_marks}"

    def other_findings(self) -> Iterator[str]:
        """Yield a line if the policy's findings differ from the stated ones."""
        wanted = sorted(set(self._expected.findings))
        if self._findings != wanted:
            yield f"findings are {self._findings}, expected {wanted}"

    def other_causes(self) -> str | None:
        """Return which causes it has instead of the stated ones; None if it has these, or none are
        stated."""
        if self._expected.causes is None:
            return None
        found, wanted = Counter(self._causes()), Counter(self._expected.causes)
        if found == wanted:
            return None
        return f"causes are {_causes_in_words(found)}, expected {_causes_in_words(wanted)}"

    def accepted(self) -> SampleExpectation:
        """Return the expectation that the sample meets as it is.

        The right parts of the stated one stay.
        """
        mark = self._expected.mark
        if not self._has_stated_mark():
            mark = () if self._result.mark is None else (float(self.mark), float(self.mark))
        return replace(
            self._expected,
            fails=tuple(self._accepted_fails()),
            mark=mark,
            explains=tuple(self._accepted_explains()),
            findings=tuple(self._findings),
            verdicts=tuple(filter(self._holds, self._expected.verdicts)),
            causes=None if self._expected.causes is None else self._causes(),
        )

    def _accepted_fails(self) -> list[str]:
        if self.failed and len(self.failed) == len(self._verdicts):
            return ["*"]
        kept: list[str] = []
        for pattern in self._expected.fails:
            names = _matching([pattern], self._verdicts)
            if names and names <= self.failed.keys():
                kept.append(pattern)
        covered = _matching(kept, self.failed)
        return [*kept, *(name for name in self.failed if name not in covered)]

    def _accepted_explains(self) -> list[str]:
        explanations: list[Explanation] = []
        for verdict in self.failed.values():
            if verdict.explanation is not None:
                explanations.append(verdict.explanation)
        explains: list[str] = []
        for text in self._expected.explains:
            if self._is_said(text, explanations):
                explains.append(text)
        for explanation in explanations:
            if explanation.rule not in GENERIC_RULES and not _lists(explains, explanation):
                explains.append(explanation.rule)
        return explains

    def _holds(self, stated: ExpectedVerdict) -> bool:
        """Return whether the pattern matches, and all matching scenarios have this verdict."""
        names = _matching([stated.pattern], self._verdicts)
        return {self._verdicts[name].kind for name in names} == {stated.kind}

    def _all_explanations(self) -> list[Explanation]:
        explanations: list[Explanation] = []
        for verdict in self._verdicts.values():
            if verdict.explanation is not None:
                explanations.append(verdict.explanation)
        return explanations

    def _is_said(self, text: str, explanations: Iterable[Explanation]) -> bool:
        """Return whether an explanation meets a text of `explains`, or another part of the result
        contains it."""
        if any(_lists([text], explanation) for explanation in explanations):
            return True
        others = [self._result.problem, *self._result.notes]
        if self._result.unparsable is not None:
            others.append(self._result.unparsable.reason)
        return any(text in other for other in others)

    def _has_stated_mark(self) -> bool:
        stated = self._expected.mark
        if not stated or self._result.mark is None:
            return not stated
        return stated[0] <= float(self.mark) <= stated[-1]

    def _causes(self) -> tuple[ExpectedCause, ...]:
        causes = self._result.causes
        return tuple(ExpectedCause(function=cause.function, rule=cause.rule) for cause in causes)


def _matching(patterns: Iterable[str], names: Iterable[str]) -> set[str]:
    globs = [glob(pattern) for pattern in patterns]
    return {name for name in names if any(pattern.fullmatch(name) for pattern in globs)}


def _lists(explains: Sequence[str], explanation: Explanation) -> bool:
    """Return whether a text of `explains` is the explanation's rule or a part of its message."""
    rules = {explanation.rule}
    if explanation.later is not None:
        rules.add(explanation.later.rule)
    message = explanation.message
    return any(text in rules or text in message for text in explains)


def _causes_in_words(causes: Mapping[ExpectedCause, int]) -> str:
    words: list[str] = []
    for cause, count in causes.items():
        words += [f"{cause.function or 'the file'}: {cause.rule}"] * count
    return ", ".join(words) or "none"
