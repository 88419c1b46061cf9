"""The files exchanged with Gradescope: `autograder.zip` (an assignment and the harness itself),
`submission_metadata.json` (optional), and `results.json`, described by
`docs/gradescope-results.schema.json`.

The score is the whole mark, rounded once; without a mark there is none. Tests have no points:
rounded ones would add up to another mark, and deductions and extra credit belong to no test.

The text above the tests is HTML that passes the platform's sanitiser: no styles, no scripts.
Students see it at once, so it has no count of hidden checks and no mark."""

import hmac
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from markupsafe import Markup

import harness
from harness.common import serial
from harness.common.errors import HarnessError
from harness.common.escaping import shorten, visible
from harness.common.files import files_below, zipped
from harness.common.words import rounded
from harness.grading.context import GradingContext, with_called_functions
from harness.model.assignment import Surroundings
from harness.model.plan import Plan, Scenario, Specification, Visibility
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.verdict import VerdictKind
from harness.reporting.terminal.cards import as_text, explained
from harness.reporting.view import paste, words
from harness.results.redaction import ShownCheck, advice
from harness.results.student_view import StudentView, hidden_kind, student_view

T = TypeVar("T")

SETTINGS, SPECIFICATION, FALLBACK = "settings.json", "specification.json", "fallback.json"
PLATFORM_SECONDS = 600  # what the platform gives a run, unless the course asks for more


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSettings:
    """How to run and show."""

    assignment: str
    python: str
    hidden: Visibility  # how the platform shows tests of hidden scenarios
    stop_after: float  # seconds since the start: no scenario is begun later
    end_after: float  # seconds since the start: everything is ended then
    harness: str


# Of the platform's time: what is left after the first is for a scenario that has begun, after the
# second for writing the results, on half a processor.
_STOP_AFTER, _END_AFTER = 0.7, 0.85
_PROGRAMS = ("setup.sh", "run_autograder")


def gradescope_zip(
    specification: Specification,
    *,
    hidden: Visibility = Visibility.AFTER_PUBLISHED,
    platform_seconds: float = PLATFORM_SECONDS,
) -> bytes:
    """The package's bytes, the same for the same inputs. `hidden` is what the platform does with
    the scenarios that students may not see; `platform_seconds` the time that it gives a run."""
    specification = with_called_functions(specification)
    assignment = specification.plan.assignment
    settings = PackageSettings(
        assignment=assignment.id,
        python=assignment.python,
        hidden=hidden,
        stop_after=_STOP_AFTER * platform_seconds,
        end_after=_END_AFTER * platform_seconds,
        harness=harness.__version__,
    )
    own = resources.files("harness.packaging.gradescope").joinpath("files")
    # The harness runs from this tree: nothing has to be built.
    files = dict(files_below(resources.files("harness"), "harness", _is_packed))
    files |= {name: own.joinpath(name).read_bytes() for name in (*_PROGRAMS, "requirements.txt")}
    files |= {
        "python-version": f"{assignment.python}\n".encode(),
        SETTINGS: serial.dumps(settings).encode(),
        SPECIFICATION: serial.dumps(_needed(specification)).encode(),
        FALLBACK: fallback_json().encode(),
    }
    return zipped(files, _PROGRAMS)


def _needed(specification: Specification) -> Specification:
    """What the run needs of a specification: the plan and the reference, and no student's name."""
    plan = specification.plan
    unnamed = replace(plan, assignment=replace(plan.assignment, exemptions=()))
    return replace(specification, plan=unnamed, mutants=(), transcripts=(), folder="")


_NOT_PACKED = ("__pycache__", "shipped")  # the latter: whole assignments, references among them


def _is_packed(entry: Traversable) -> bool:
    return entry.name not in _NOT_PACKED if entry.is_dir() else not entry.name.startswith(".")


class Tree:
    """The platform's folder `root`, `/autograder` there."""

    def __init__(self, root: Path) -> None:
        self.source = root / "source"  # where the package was unpacked
        self.submission = root / "submission"
        self.results = root / "results" / "results.json"
        self.metadata = root / "submission_metadata.json"
        self.keys = self.source / "cache"  # where setup.sh keeps the answer key

    def settings(self) -> PackageSettings:
        """Read the package's settings. Raise HarnessError if the package is incomplete."""
        return self._read(PackageSettings, SETTINGS)

    def specification(self) -> Specification:
        """The assignment, compiled. HarnessError where the package is incomplete."""
        return self._read(Specification, SPECIFICATION)

    def interpreter(self) -> Path:
        """Return the Python that setup.sh found. Raise HarnessError if setup.sh did not run."""
        return Path(self._text("interpreter").decode().strip())

    def _read(self, kind: type[T], name: str) -> T:
        try:
            return serial.loads(kind, self._text(name))
        except serial.SerialError as error:
            raise HarnessError(f"{name} of the package cannot be read: {error}") from None

    def _text(self, name: str) -> bytes:
        try:
            return (self.source / name).read_bytes()
        except OSError as error:
            raise HarnessError(f"{name} of the package: {error.strerror}") from None


_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What the platform says about a submission."""

    id: str = "submission"
    attempt: int | None = None  # from 1
    late_by: timedelta | None = None  # None: in time, or not known
    notice: str = ""  # what could not be read


def read_metadata(path: Path) -> Metadata:
    """Read the file as far as possible. Never raise an error because of its content."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            return Metadata(notice=f"{path.name} is too long and was not read")
        plain = json.loads(data)
    except OSError as error:
        return Metadata(notice=f"{path.name} cannot be read ({error.strerror})")
    except (ValueError, RecursionError):
        return Metadata(notice=f"{path.name} is not JSON and was not used")
    if not isinstance(plain, dict):
        return Metadata(notice=f"{path.name} is not as the platform writes it and was not used")
    late_by, notice = None, ""
    assignment, handed_in = plain.get("assignment"), plain.get("created_at")
    due = assignment.get("due_date") if isinstance(assignment, dict) else None
    try:
        if due is not None and handed_in is not None:
            late = datetime.fromisoformat(handed_in) - datetime.fromisoformat(due)
            late_by = late if late > timedelta(0) else None
    except (TypeError, ValueError, OverflowError):
        notice = f"a time in {path.name} cannot be read and was not used"
    number, previous = plain.get("id"), plain.get("previous_submissions")
    return Metadata(
        id=str(number) if type(number) in (int, str) and number != "" else "submission",
        attempt=len(previous) + 1 if isinstance(previous, list) else None,
        late_by=late_by,
        notice=notice,
    )


class NoMark(StrEnum):
    """Why a run gives no mark: a partial mark would be wrong."""

    OUT_OF_TIME = "out of time"
    NOT_CONFINED = "not confined"
    FAILED = "the harness failed"
    NEEDS_REVIEW = "needs review"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformRun:
    """What one run on the platform found."""

    # Its plan has only the visible scenarios if programs could not be confined.
    context: GradingContext | None = None
    result: SubmissionResult | None = None
    no_mark: NoMark | None = None  # None: the result's mark counts
    complaint: str = ""  # for the staff


_COLUMNS = 100
_UNFINISHED = (
    "The autograder did not come to an end, so there is no mark. This says nothing about the "
    "program. The staff must run it again."
)


def fallback_json() -> str:
    """The first results, written before grading starts and replaced afterwards."""
    return _text(
        output=_UNFINISHED,
        output_format="text",
        stdout_visibility="hidden",
        extra_data={"marked": False, "no_mark": "did not finish"},
        tests=[_no_mark(_UNFINISHED)],
    )


def results_json(
    run: PlatformRun, plan: Plan, settings: PackageSettings, metadata: Metadata, seconds: float
) -> str:
    """The results of a run that took `seconds`; `plan` is the whole assignment's."""
    mark = run.result.mark if run.result is not None and run.no_mark is None else None
    return _text(
        **({} if mark is None else {"score": float(rounded(mark))}),
        execution_time=round(seconds, 1),
        output=page(run, plan, metadata),
        output_format="html",
        test_output_format="text",
        test_name_format="text",
        visibility="visible",
        stdout_visibility="hidden",
        extra_data=_facts(run, settings, metadata),
        tests=list(_tests(run, plan, settings)),
    )


def _tests(run: PlatformRun, plan: Plan, settings: PackageSettings) -> Iterator[dict[str, Any]]:
    if run.no_mark is not None:
        yield _no_mark(REASONS[run.no_mark])
    if (result := run.result) is None:
        return
    if result.status is SubmissionStatus.UNREADABLE:
        broken = result.unparsable
        reason = result.problem or (f"{broken.place}: {broken.reason}" if broken else "")
        why = {"output": visible(reason), "visibility": "visible"}
        yield {"name": "The submission can be graded", "status": "failed", **why}
        return
    entries = {entry.scenario_id: entry for entry in result.scenarios}
    around = Surroundings.of(plan.assignment)
    counts: Counter[str] = Counter()  # of scenarios so far by function, in the order of the plan
    for scenario in plan.scenarios:
        counts[scenario.function] += 1
        if entry := entries.get(scenario.id):
            place = list(counts).index(scenario.function) + 1
            number = f"{place}.{counts[scenario.function]}"
            yield {"number": number, **_test(scenario, entry, run, around, settings.hidden)}


def _test(
    scenario: Scenario,
    entry: ScenarioResult,
    run: PlatformRun,
    around: Surroundings,
    of_hidden: Visibility,
) -> dict[str, Any]:
    """A scenario's test with what went wrong; of a hidden one only the kind of verdict."""
    hidden = scenario.visibility is Visibility.HIDDEN
    name = f"{scenario.function}: {scenario.name}"
    if not hidden and (values := paste.settings(scenario.stimuli[0].constants)):
        name = f"{name} [{values}]"
    kind = entry.verdict.kind
    shown = of_hidden if hidden else scenario.visibility
    test: dict[str, Any] = {"name": visible(name), "visibility": shown.value}
    if kind is VerdictKind.HARNESS_ERROR:
        late = run.no_mark is NoMark.OUT_OF_TIME
        reason = "Not run: out of time" if late else words.VERDICT[kind].capitalize()
        return test | {"output": f"{reason}."}
    lines = ["Not graded."] if scenario.informational else []
    if not scenario.informational:
        test["status"] = "passed" if entry.verdict.passed else "failed"
    if hidden:
        lines.append(f"A hidden check: {words.VERDICT[hidden_kind(entry.verdict)]}.")
        if (said := advice(scenario, entry.verdict)) is not None:
            lines.append(visible(words.advice_line(said)))
    elif not entry.verdict.passed or entry.verdict.message:
        check = ShownCheck.of(scenario, entry)
        lines.append(as_text(explained(check, around), _COLUMNS).rstrip("\n"))
    return test | {"output": "\n".join(lines)}


def _no_mark(reason: str) -> dict[str, Any]:
    return {"name": "No mark", "output": reason, "visibility": "visible"}


def _facts(run: PlatformRun, settings: PackageSettings, metadata: Metadata) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "assignment": settings.assignment,
        "harness": settings.harness,
        "marked": run.no_mark is None,
        "attempt": metadata.attempt,
        **({} if run.no_mark is None else {"no_mark": run.no_mark.value}),
    }
    if run.context is not None:
        plan, tier = run.context.specification.plan, run.context.tier
        facts |= {
            "python": run.context.interpreter.version,
            "tier": tier.tier.value,
            "acts_tried": len(tier.probes),
            "acts_prevented": sum(probe.prevented for probe in tier.probes),
            "input_mechanism": tier.input_mechanism,
            "spec_digest": _keyed(plan, "spec"),
            "reference_digest": _keyed(plan, "reference"),
        }
    if (result := run.result) is not None:
        facts |= {"status": result.status.value, "flagged": result.flagged}
        facts["source_digest"] = result.source_digest
    return facts


def _keyed(plan: Plan, what: str) -> str:
    """Return a digest that tells packages apart and confirms no guess: its key is all that is
    hidden, specification and reference."""
    key = f"{plan.spec_digest}{plan.reference_digest}".encode("ascii")
    return hmac.new(key, what.encode("ascii"), "sha256").hexdigest()


def _text(**plain: object) -> str:
    return json.dumps(plain, indent=1, ensure_ascii=True) + "\n"


REASONS = {
    NoMark.OUT_OF_TIME: (
        "The time for this run was used up before every check was done, so there is no mark. "
        "What was not run is not counted as wrong. Look for loops that never end and hand in "
        "again, or ask the staff to run it again."
    ),
    NoMark.NOT_CONFINED: (
        "This machine did not let the autograder confine programs, so hidden checks were not run "
        "and there is no mark. Nothing is counted as wrong. The staff must run it again."
    ),
    NoMark.FAILED: (
        "The autograder itself failed, so there is no mark. Your program is not the cause. "
        "The staff must run it again."
    ),
    NoMark.NEEDS_REVIEW: "There is no mark yet: a teacher has to review this submission.",
}


def page(run: PlatformRun, plan: Plan, metadata: Metadata) -> str:
    """The text above the tests, as HTML. `plan` is the whole assignment's."""
    parts = [Markup("<h3>{}</h3>").format(visible(plan.assignment.title))]
    if run.no_mark is not None:
        parts.append(_strong(REASONS[run.no_mark]))
    if run.result is not None:
        parts += _outcome(run.result, plan)
    parts.append(_list("About the mark", _about(run, plan, metadata)))
    return str(Markup("\n").join(part for part in parts if part))


def _outcome(result: SubmissionResult, plan: Plan) -> list[Markup]:
    trouble = [result.problem] if result.problem else []
    if (broken := result.unparsable) is not None:
        trouble.append(f"{broken.place}: {broken.reason}")
    parts = [_strong(line) for line in trouble]
    if not trouble and result.scenarios:
        view = student_view(result, plan)
        parts += [_list("To fix, most marks first", _to_fix(view)), _by_function(view)]
    findings = (
        f"{f.file}:{f.line}: {f.message} ({words.consequence(f.consequence)})"
        for f in result.findings
    )
    return [*parts, _list("Code issues", findings), _list("Notes", result.notes)]


def _to_fix(view: StudentView) -> Iterator[str]:
    for cause in view.causes:
        if not cause.checks or cause.checks[0].verdict.kind is VerdictKind.HARNESS_ERROR:
            continue
        where = cause.function or "the file"
        if (place := cause.place) is not None:
            first = cause.line or place.first
            lines = "" if cause.line or place.last == place.first else f" to {place.last}"
            where += f" ({place.file}, line{'s' if lines else ''} {first}{lines})"
        hint = f" Hint: {cause.hint}" if cause.hint else ""
        yield f"{where}: {shorten(cause.message, 600)}{hint}"


def _by_function(view: StudentView) -> Markup:
    """How many visible checks passed, by function."""
    tallies: dict[str, list[bool]] = {}
    for check in view.shown:
        if not check.informational:
            tallies.setdefault(check.function, []).append(check.verdict.passed)
    if not tallies:
        return Markup("")
    row = Markup("<tr><td><code>{}</code></td><td>{} of {}</td></tr>")
    rows = Markup("").join(
        row.format(visible(name), sum(passed), len(passed)) for name, passed in tallies.items()
    )
    head = Markup("<tr><th>Function</th><th>Visible checks passed</th></tr>")
    return Markup("<table>{}{}</table>").format(head, rows)


def _about(run: PlatformRun, plan: Plan, metadata: Metadata) -> list[str]:
    lines = [
        f"Marked by hand, not in this score: {slot.title}, out of {words.number(slot.out_of)}."
        for slot in plan.assignment.manual
    ]
    if metadata.late_by is not None:
        late = _in_words(metadata.late_by)
        lines.append(f"Submitted {late} after the due date. The score does not depend on that.")
    if run.context is not None:
        tier = run.context.tier.tier
        lines.append(f"Run with Python {run.context.interpreter.version}, {tier} confinement.")
        if run.no_mark is NoMark.NOT_CONFINED:
            lines.append(run.context.tier.not_prevented)
    if metadata.notice:
        lines.append(f"{metadata.notice}.")
    return lines


def _in_words(span: timedelta) -> str:
    minutes = max(1, round(span.total_seconds() / 60))
    parts = ((minutes // 1440, "day"), (minutes % 1440 // 60, "hour"), (minutes % 60, "minute"))
    return " ".join(words.counted(count, noun) for count, noun in parts if count)


def _strong(text: str) -> Markup:
    return Markup("<p><strong>{}</strong></p>").format(visible(text))


def _list(title: str, lines: Iterable[str]) -> Markup:
    items = Markup("").join(Markup("<li>{}</li>").format(visible(line)) for line in lines)
    return Markup("<p>{}</p><ul>{}</ul>").format(title, items) if items else Markup("")
