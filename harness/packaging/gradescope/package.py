"""Write and read the files exchanged with Gradescope.

They are `autograder.zip` (an assignment and the harness itself), `submission_metadata.json`
(optional), and `results.json`, described by `docs/gradescope-results.schema.json`.

The score is the mark of the whole submission, rounded once. Without a mark the score is left out.
Single tests have no points, because rounded points would not add up to the mark, and because
deductions and extra credit belong to no test.

The text above the tests is HTML that passes the platform's sanitiser: no styles, no scripts.
Students see it at once, so it contains neither the mark nor a count of hidden checks.
"""

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
from harness.model.notebook import LineNames
from harness.model.plan import Plan, Scenario, Specification, Visibility
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.verdict import VerdictKind
from harness.reporting.terminal.cards import as_text, explained
from harness.reporting.view import paste, words
from harness.results.redaction import ShownCause, ShownCheck, advice
from harness.results.student_view import (
    StudentView,
    hidden_kind,
    student_view,
    students_problem,
)

T = TypeVar("T")

SETTINGS, SPECIFICATION, FALLBACK = "settings.json", "specification.json", "fallback.json"
# The platform's time limit for a run, unless the course asks for more.
PLATFORM_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSettings:
    """The settings of a package: how it runs programs and shows results."""

    assignment: str
    python: str
    # When the platform shows the tests of hidden scenarios.
    hidden: Visibility
    # Seconds since the start after which no scenario is begun.
    stop_after: float
    # Seconds since the start after which everything is ended.
    end_after: float
    # The version of the harness.
    harness: str


# Parts of the platform's time. After the first one, scenarios that have begun may still end; after
# the second one there is time to write the results, on half a processor.
_STOP_AFTER = 0.7
_END_AFTER = 0.85
_PROGRAMS = ("setup.sh", "run_autograder")


def gradescope_zip(
    specification: Specification,
    *,
    hidden: Visibility = Visibility.AFTER_PUBLISHED,
    platform_seconds: float = PLATFORM_SECONDS,
) -> bytes:
    """Return the bytes of `autograder.zip`. The same arguments give the same bytes.

    `hidden` says when the platform shows the scenarios that students may not see.
    `platform_seconds` is the platform's time limit for one run.
    """
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
    # The harness runs from this tree, so nothing has to be built.
    files = dict(files_below(resources.files("harness"), "harness", _is_packed))
    package_files = resources.files("harness.packaging.gradescope").joinpath("files")
    for name in (*_PROGRAMS, "requirements.txt"):
        files[name] = package_files.joinpath(name).read_bytes()
    files["python-version"] = f"{assignment.python}\n".encode()
    files[SETTINGS] = serial.dumps(settings).encode()
    files[SPECIFICATION] = serial.dumps(_needed(specification)).encode()
    files[FALLBACK] = fallback_json().encode()
    return zipped(files, _PROGRAMS)


def _needed(specification: Specification) -> Specification:
    """Return a copy of a specification with only the plan and the reference, which a run needs.

    The copy has no names of students.
    """
    plan = specification.plan
    unnamed = replace(plan, assignment=replace(plan.assignment, exemptions=()))
    return replace(specification, plan=unnamed, mutants=(), transcripts=(), folder="")


# `shipped` has whole assignments with their references.
_NOT_PACKED = ("__pycache__", "shipped")


def _is_packed(entry: Traversable) -> bool:
    if entry.is_dir():
        return entry.name not in _NOT_PACKED
    return not entry.name.startswith(".")


class PlatformFolder:
    """The folder `root` in which the platform runs a package: `/autograder` on its machines."""

    def __init__(self, root: Path) -> None:
        # The unpacked package.
        self.source = root / "source"
        self.submission = root / "submission"
        self.results = root / "results" / "results.json"
        self.metadata = root / "submission_metadata.json"
        # The answer key that setup.sh has made.
        self.keys = self.source / "cache"

    def settings(self) -> PackageSettings:
        """Read the package's settings. Raise HarnessError if the package is incomplete."""
        return self._read(PackageSettings, SETTINGS)

    def specification(self) -> Specification:
        """Read the compiled assignment. Raise HarnessError if the package is incomplete."""
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


# The size of the metadata file.
_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The facts that Gradescope gives about a submission, such as its attempt and its lateness."""

    id: str = "submission"
    # The number of the attempt, from 1.
    attempt: int | None = None
    # None if it is in time, or not known.
    late_by: timedelta | None = None
    # Says what could not be read.
    notice: str = ""


def read_metadata(path: Path) -> Metadata:
    """Read Gradescope's `submission_metadata.json`.

    Leave out unreadable parts and never raise an error because of its content.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            return Metadata(notice=f"{path.name} is too long and was not read")
        plain = json.loads(data)
    except OSError as error:
        return Metadata(notice=f"{path.name} cannot be read ({error.strerror})")
    except (ValueError, RecursionError):
        return Metadata(notice=f"{path.name} is not JSON and was ignored")
    if not isinstance(plain, dict):
        return Metadata(notice=f"{path.name} does not have the platform's format and was ignored")
    notice = ""
    late_by = None
    try:
        late_by = _late_by(plain)
    except (TypeError, ValueError, OverflowError):
        notice = f"a time in {path.name} cannot be read and was not used"
    metadata = Metadata(late_by=late_by, notice=notice)
    number = plain.get("id")
    if type(number) in (int, str) and number != "":
        metadata = replace(metadata, id=str(number))
    previous = plain.get("previous_submissions")
    if isinstance(previous, list):
        metadata = replace(metadata, attempt=len(previous) + 1)
    return metadata


def _late_by(plain: dict[str, Any]) -> timedelta | None:
    """Return how late a submission is; None if it is in time.

    Raise TypeError, ValueError or OverflowError if a time cannot be read.
    """
    assignment = plain.get("assignment")
    due = assignment.get("due_date") if isinstance(assignment, dict) else None
    submitted = plain.get("created_at")
    if due is None or submitted is None:
        return None
    late = datetime.fromisoformat(submitted) - datetime.fromisoformat(due)
    if late > timedelta(0):
        return late
    return None


class NoMark(StrEnum):
    """The reasons why a run gives no mark, because a partial mark would be wrong."""

    OUT_OF_TIME = "out of time"
    NOT_CONFINED = "not confined"
    FAILED = "the harness failed"
    NEEDS_REVIEW = "needs review"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformRun:
    """The results of one run on the platform."""

    # If programs cannot be confined, its plan has only the visible scenarios.
    context: GradingContext | None = None
    result: SubmissionResult | None = None
    # If it is None, the result's mark counts.
    no_mark: NoMark | None = None
    # A message for the staff.
    complaint: str = ""


_COLUMNS = 100
_UNFINISHED = (
    "The autograder did not finish and gives no mark. This says nothing about the "
    "program. The staff must run it again."
)


def fallback_json() -> str:
    """Return the first `results.json`.

    It is written before grading starts and replaced afterwards.
    """
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
    """Return the text of `results.json` for a run that took `seconds`.

    `plan` is the plan of the whole assignment, even if only a part was run.
    """
    score: dict[str, float] = {}
    if run.result is not None and run.result.mark is not None and run.no_mark is None:
        score["score"] = float(rounded(run.result.mark))
    return _text(
        **score,
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
    result = run.result
    if result is None:
        return
    if result.status is SubmissionStatus.UNREADABLE:
        yield _unreadable(result)
        return
    entries = {entry.scenario_id: entry for entry in result.scenarios}
    around = Surroundings.of(plan.assignment)
    # The numbers of functions in the order of the plan, and of scenarios within their function.
    function_numbers: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for scenario in plan.scenarios:
        function = scenario.function
        counts[function] += 1
        place = function_numbers.setdefault(function, len(function_numbers) + 1)
        entry = entries.get(scenario.id)
        if entry is not None:
            test = _test(scenario, entry, run, around, settings.hidden)
            yield {"number": f"{place}.{counts[function]}", **test}


def _unreadable(result: SubmissionResult) -> dict[str, Any]:
    reason = students_problem(result)
    if not reason and result.unparsable:
        reason = f"{_place_of(result)}: {result.unparsable.reason}"
    return {
        "name": "The submission can be graded",
        "status": "failed",
        "output": visible(reason),
        "visibility": "visible",
    }


def _test(
    scenario: Scenario,
    entry: ScenarioResult,
    run: PlatformRun,
    around: Surroundings,
    of_hidden: Visibility,
) -> dict[str, Any]:
    """Return one test of `results.json`: a scenario and its failure.

    For a hidden scenario, include only the kind of the verdict.
    """
    hidden = scenario.visibility is Visibility.HIDDEN
    shown = of_hidden if hidden else scenario.visibility
    test: dict[str, Any] = {"name": _test_name(scenario), "visibility": shown.value}
    kind = entry.verdict.kind
    if kind is VerdictKind.HARNESS_ERROR:
        reason = words.VERDICT[kind].capitalize()
        if run.no_mark is NoMark.OUT_OF_TIME:
            reason = "Not run: out of time"
        test["output"] = f"{reason}."
        return test
    lines = []
    if scenario.informational:
        lines.append("Not graded.")
    else:
        test["status"] = "passed" if entry.verdict.passed else "failed"
    if hidden:
        lines.append(f"A hidden check: {words.VERDICT[hidden_kind(entry.verdict)]}.")
        given_advice = advice(scenario, entry.verdict)
        if given_advice is not None:
            lines.append(visible(words.advice_line(given_advice)))
    elif not entry.verdict.passed or entry.verdict.message:
        check = ShownCheck.of(scenario, entry)
        lines.append(as_text(explained(check, around), _COLUMNS).rstrip("\n"))
    test["output"] = "\n".join(lines)
    return test


def _test_name(scenario: Scenario) -> str:
    """Return the name of a scenario's test. For a visible one, include replaced constants."""
    name = f"{scenario.function}: {scenario.name}"
    if scenario.visibility is not Visibility.HIDDEN:
        values = paste.settings(scenario.stimuli[0].constants)
        if values:
            name = f"{name} [{values}]"
    return visible(name)


def _no_mark(reason: str) -> dict[str, Any]:
    return {"name": "No mark", "output": reason, "visibility": "visible"}


def _facts(run: PlatformRun, settings: PackageSettings, metadata: Metadata) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "assignment": settings.assignment,
        "harness": settings.harness,
        "marked": run.no_mark is None,
        "attempt": metadata.attempt,
    }
    if run.no_mark is not None:
        facts["no_mark"] = run.no_mark.value
    if run.context is not None:
        plan = run.context.specification.plan
        tier = run.context.tier
        facts["python"] = run.context.interpreter.version
        facts["tier"] = tier.tier.value
        facts["acts_tried"] = len(tier.probes)
        facts["acts_prevented"] = sum(probe.prevented for probe in tier.probes)
        facts["input_mechanism"] = tier.input_mechanism
        facts["spec_digest"] = _keyed(plan, "spec")
        facts["reference_digest"] = _keyed(plan, "reference")
    result = run.result
    if result is not None:
        facts["status"] = result.status.value
        facts["flagged"] = result.flagged
        facts["source_digest"] = result.source_digest
    return facts


def _keyed(plan: Plan, name: str) -> str:
    """Return a digest of `name` that cannot be used to guess hidden content.

    It differs between packages, because its key is made from the specification and the reference,
    which students do not have.
    """
    key = f"{plan.spec_digest}{plan.reference_digest}".encode("ascii")
    return hmac.new(key, name.encode("ascii"), "sha256").hexdigest()


def _text(**plain: object) -> str:
    return json.dumps(plain, indent=1, ensure_ascii=True) + "\n"


REASONS = {
    NoMark.OUT_OF_TIME: (
        "The time for this run was used up before every check was done, so you get no mark yet. "
        "Checks that did not run do not count as wrong. Look for endless loops and hand in "
        "again, or ask the staff to run it again."
    ),
    NoMark.NOT_CONFINED: (
        "This machine cannot confine programs. Hidden checks were not run, so you get no mark "
        "yet. Nothing counts as wrong. The staff must run it again."
    ),
    NoMark.FAILED: (
        "The autograder itself failed and gives no mark. Your program is not the cause. "
        "The staff must run it again."
    ),
    NoMark.NEEDS_REVIEW: "No mark yet: a teacher must review this submission.",
}


def page(run: PlatformRun, plan: Plan, metadata: Metadata) -> str:
    """Return the HTML text above the tests. `plan` is the plan of the whole assignment."""
    parts = [Markup("<h3>{}</h3>").format(visible(plan.assignment.title))]
    if run.no_mark is not None:
        parts.append(_strong(REASONS[run.no_mark]))
    if run.result is not None:
        parts += _outcome(run.result, plan)
    parts.append(_list("About the mark", _about(run, plan, metadata)))
    return str(Markup("\n").join(part for part in parts if part))


def _outcome(result: SubmissionResult, plan: Plan) -> list[Markup]:
    parts = []
    if problem := students_problem(result):
        parts.append(_strong(problem))
    if result.unparsable is not None:
        parts.append(_strong(f"{_place_of(result)}: {result.unparsable.reason}"))
    if not parts and result.scenarios:
        view = student_view(result, plan)
        parts += [_list("To fix, most marks first", _to_fix(view)), _by_function(view)]
    findings = []
    for finding in result.findings:
        consequence = words.consequence(finding.consequence)
        place = result.line_names.at(finding.file, finding.line)
        findings.append(f"{place}: {finding.message} ({consequence})")
    return [*parts, _list("Code issues", findings), _list("Notes", result.notes)]


def _to_fix(view: StudentView) -> Iterator[str]:
    for cause in view.causes:
        if not cause.checks or cause.checks[0].verdict.kind is VerdictKind.HARNESS_ERROR:
            continue
        line = f"{_where(cause, view.line_names)}: {shorten(cause.message, 600)}"
        if cause.hint:
            line += f" Hint: {cause.hint}"
        yield line


def _place_of(result: SubmissionResult) -> str:
    """Return the file and line of the syntax error at which Python stopped reading; empty without
    one.
    """
    broken = result.unparsable
    if broken is None:
        return ""
    return result.line_names.at(broken.file, broken.line)


def _where(cause: ShownCause, names: LineNames) -> str:
    """Return a text with the function, the file and the lines that a failure's cause names."""
    name = cause.function or "the file"
    place = cause.place
    if place is None:
        return name
    lines = names.lines(place.file, cause.line or place.first, cause.line or place.last)
    return f"{name} ({names.file(place.file)}, {lines})"


def _by_function(view: StudentView) -> Markup:
    """Return an HTML table with the number of passed visible checks for each function."""
    tallies: dict[str, list[bool]] = {}
    for check in view.shown:
        if not check.informational:
            tallies.setdefault(check.function, []).append(check.verdict.passed)
    if not tallies:
        return Markup("")
    row = Markup("<tr><td><code>{}</code></td><td>{} of {}</td></tr>")
    rows = Markup("")
    for name, passed in tallies.items():
        rows += row.format(visible(name), sum(passed), len(passed))
    head = Markup("<tr><th>Function</th><th>Visible checks passed</th></tr>")
    return Markup("<table>{}{}</table>").format(head, rows)


def _about(run: PlatformRun, plan: Plan, metadata: Metadata) -> list[str]:
    lines = []
    for slot in plan.assignment.manual:
        out_of = words.number(slot.out_of)
        lines.append(f"Marked by hand, not in this score: {slot.title}, out of {out_of}.")
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
    items = Markup("")
    for line in lines:
        items += Markup("<li>{}</li>").format(visible(line))
    if not items:
        return Markup("")
    return Markup("<p>{}</p><ul>{}</ul>").format(title, items)
