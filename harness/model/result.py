"""The results of a run: its facts, each submission's marks with their reasons; and a run's
events."""

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from harness.common.words import percent, plural, rounded
from harness.model.assignment import LateOf, ManualSlot, SourceFile
from harness.model.notebook import LineNames, Notebook
from harness.model.observation import Isolation, Probe, Tier
from harness.model.policy import Finding, Unparsable
from harness.model.stimulus import Limits
from harness.model.submission import Lateness, Student, Submission, WrongFiles
from harness.model.verdict import Cause, CodePlace, Explanation, Verdict

RESULTS_VERSION = 2
_NAMES_SHOWN = 5


class SubmissionStatus(StrEnum):
    """The state of a submission. Only GRADED and UNREADABLE carry a mark."""

    GRADED = "graded"
    UNREADABLE = "unreadable"
    LATE = "late"
    NO_SUBMISSION = "no_submission"
    NEEDS_REVIEW = "needs_review"
    HARNESS_ERROR = "harness_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthFigures:
    """How many changes of the reference are noticed."""

    changes: int  # that can be noticed
    noticed: int

    def __str__(self) -> str:
        """`99.4 % of 412 single-fault changes`."""
        changes = "change" if self.changes == 1 else "changes"
        return f"{percent(self.noticed, self.changes)} % of {self.changes} single-fault {changes}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioResult:
    """A verdict and its marks."""

    scenario_id: str
    verdict: Verdict
    points: Fraction
    out_of: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class PickedItem:
    """A rubric item that applies to a submission, with its level."""

    item: str  # its id
    title: str
    points: Fraction
    level: str = ""  # its title


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualMark:
    """A person's mark for a part marked by hand; None if not marked yet."""

    slot: ManualSlot
    mark: Fraction | None = None
    items: tuple[PickedItem, ...] = ()  # the parts of the mark, if it comes from the rubric

    @property
    def is_by_rubric(self) -> bool:
        """Return whether the mark follows from the rubric: from items that apply, or from none."""
        return bool(self.items) or (bool(self.slot.rubric) and self.mark == self.slot.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """Marks that a person adds or (below 0) subtracts, and why."""

    marks: Fraction
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """The mark with which a person replaces the functionality mark, and why."""

    mark: Fraction
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineComment:
    """A person's comment on a line."""

    id: str
    file: str
    line: int  # from 1
    text: str
    quoted: str = ""  # the line as it was
    moved_from: int = 0  # its former line, if the file has changed since
    outdated: bool = False  # the file has changed, and the line is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Undefined:
    """A function of the assignment that the submission's text does not define."""

    name: str
    explanation: Explanation
    near: CodePlace | None = None  # of a function with a similar name


class DecisionKind(StrEnum):
    """A person's decision about a submission."""

    CHOOSE = "choose"  # which file is graded
    MATCH = "match"  # whose it is
    EXCUSE = "excuse"  # that no mark is expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision: `value` is the file, or the student's id, or the reason."""

    kind: DecisionKind
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverBudget:
    """A submission that used up its time budget, with its provisional mark until somebody
    decides."""

    seconds: float  # that it had
    undecided: int  # scenarios that were not run
    mark: Fraction  # exact, provisional: as if they had failed
    most: Fraction  # as if they had passed

    def __str__(self) -> str:
        """`all of its 60 s were used up with 81 scenarios not run; provisional mark 4.25, at most
        6.00`."""
        scenarios = f"{self.undecided} {plural(self.undecided, 'scenario')} not run"
        marks = f"provisional mark {rounded(self.mark)}, at most {rounded(self.most)}"
        return f"all of its {self.seconds:g} s were used up with {scenarios}; {marks}"

    def go_on(self, submission_id: str) -> str:
        """Return the command that runs the remaining scenarios."""
        return f"harness grade … --thorough --only {shlex.quote(submission_id)} runs the rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesPending:
    """The causes of a submission's failures are still to be found. The mark does not depend on
    them.

    `evidence` has their sources, packed; the seconds are the submission's use of
    its time."""

    evidence: bytes
    cpu_seconds: float
    waiting_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionResult:
    """The result of one submission.

    `mark` and `out_of` are only functionality; `reached` and `total_out_of` include the `manual`
    marks; `total` is after lateness and adjustment."""

    id: str
    status: SubmissionStatus
    # Exact and unrounded; None unless the submission is graded or unreadable (0).
    mark: Fraction | None
    out_of: Fraction
    flagged: bool = False
    findings: tuple[Finding, ...] = ()
    unparsable: Unparsable | None = None
    problem: str = ""
    wrong_files: WrongFiles | None = None  # if that is the problem
    notes: tuple[str, ...] = ()
    scenarios: tuple[ScenarioResult, ...] = ()
    source_digest: str = ""
    manual: tuple[ManualMark, ...] = ()
    adjustment: Adjustment | None = None
    comment: str = ""
    # The harness failed this time: this result is from an earlier run with the same bytes.
    earlier: bool = False
    student: Student | None = None
    handed_in: str = ""
    attempt: int | None = None
    attempts: int | None = None
    source: str = ""
    isolation: Isolation = Isolation.ALONE
    isolation_reason: str = ""  # why each scenario had its own process: "line 12: `global board`"
    causes: tuple[Cause, ...] = ()  # what to fix, most marks first
    undefined: tuple[Undefined, ...] = ()
    files: tuple[SourceFile, ...] = ()  # the uploaded files, for its lecturer; none if very large
    override: Override | None = None
    line_comments: tuple[LineComment, ...] = ()  # by file and line
    decisions: tuple[Decision, ...] = ()  # one of a kind
    reviewed: bool = False  # a person marked it as done
    choices: tuple[SourceFile, ...] = ()  # a person may choose which of them is graded
    late: Lateness | None = None
    over_budget: OverBudget | None = None
    extended_to: str = ""  # the student's own due time, ISO 8601; empty if it is the class's
    # Derived from visible scenarios only, for the student. None: `causes` rest on nothing hidden.
    students_causes: tuple[Cause, ...] | None = None
    pending: CausesPending | None = None  # None: `causes` are all there are
    notebook: Notebook | None = None  # of which the only file was made

    @property
    def line_names(self) -> LineNames:
        """Return how the lines of the files are named."""
        return LineNames(self.notebook)

    @property
    def all_passed(self) -> bool:
        """Return whether the submission was run and passed every scenario that earns points."""
        return self.status is SubmissionStatus.GRADED and all(
            entry.verdict.passed or not entry.out_of for entry in self.scenarios
        )

    @property
    def shown_files(self) -> tuple[SourceFile, ...]:
        """Return the graded files; without any, the uploaded ones."""
        return self.files or tuple(file for file in self.choices if file.data)

    @property
    def reached(self) -> Fraction | None:
        """Return the exact sum of the mark (or a person's override) and all marks by hand; None
        while a part is missing, and for excused students.
        """
        given = [part.mark for part in self.manual if part.mark is not None]
        mark = self.mark if self.override is None else self.override.mark
        if mark is None or len(given) < len(self.manual) or self.excused:
            return None
        return sum(given, mark)

    @property
    def late_marks(self) -> Fraction | None:
        """Return the late deduction from `reached`, exact and never more than it; None if it is
        None."""
        reached = self.reached
        if reached is None or self.late is None:
            return None if reached is None else Fraction(0)
        whole = reached if self.late.of is LateOf.REACHED else self.total_out_of
        return min(reached, self.late.share * whole)

    @property
    def total(self) -> Fraction | None:
        """Return `reached` less the late deduction, adjusted, exact; None while a part is missing.

        No adjustment takes it below 0 or, except for extra credit, above `total_out_of`."""
        reached, late = self.reached, self.late_marks
        if reached is None or late is None:
            return None
        left = reached - late
        if self.adjustment is None:
            return left
        return min(max(self.total_out_of, left), max(Fraction(0), left + self.adjustment.marks))

    @property
    def so_far(self) -> Fraction | None:
        """Return `total` with 0 for every part that nobody has marked yet; None without a mark."""
        return self._with_unmarked_as_zero().total

    @property
    def late_so_far(self) -> Fraction | None:
        """Return the late deduction that `so_far` contains."""
        return self._with_unmarked_as_zero().late_marks

    def _with_unmarked_as_zero(self) -> "SubmissionResult":
        manual: list[ManualMark] = []
        for part in self.manual:
            manual.append(part if part.mark is not None else replace(part, mark=Fraction(0)))
        return replace(self, manual=tuple(manual))

    @property
    def excused(self) -> str:
        """Return why no mark is expected; "" if one is."""
        return next((d.value for d in self.decisions if d.kind is DecisionKind.EXCUSE), "")

    @property
    def total_out_of(self) -> Fraction:
        """Return the maximum of `total`: the functionality and every manual slot."""
        return sum((part.slot.out_of for part in self.manual), self.out_of)


def of_submission(
    result: SubmissionResult, submission: Submission | SubmissionResult
) -> SubmissionResult:
    """Return the result with the id, student, times, attempt, source and choices of this
    submission.
    """
    return replace(
        result,
        id=submission.id,
        student=submission.student,
        handed_in=submission.handed_in,
        attempt=submission.attempt,
        attempts=submission.attempts,
        source=submission.source,
        choices=submission.choices,
        late=submission.late,
        extended_to=submission.extended_to,
        notebook=submission.notebook,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The result of reading a download: `total` is the sum of `of_students` and the three lists."""

    what: str  # "folders"
    total: int
    students: int
    of_students: int  # which hold the students' files
    review: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()  # the platform's own
    left_out: tuple[str, ...] = ()  # inside submissions, by their ids and paths

    def __str__(self) -> str:
        """`68 folders: 64 students, 2 need review, 2 ignored (.DS_Store, __MACOSX)`."""
        student = f"{self.students} student{'s' * (self.students != 1)}"
        parts = [f"{self.of_students} of " * (self.of_students != self.students) + student]
        if self.review:
            parts.append(f"{len(self.review)} need{'s' * (len(self.review) == 1)} review")
        for names, called in ((self.ignored, "ignored"), (self.metadata, "metadata")):
            if names:
                more = ", …" * (len(names) > _NAMES_SHOWN)
                parts.append(f"{len(names)} {called} ({', '.join(names[:_NAMES_SHOWN])}{more})")
        what = self.what.removesuffix("s") if self.total == 1 else self.what
        line = f"{self.total} {what}: {', '.join(parts)}"
        if not self.left_out:
            return line
        last_names = list(dict.fromkeys(path.rpartition("/")[2] for path in self.left_out))
        more = ", …" * (len(last_names) > _NAMES_SHOWN)
        shown = ", ".join(last_names[:_NAMES_SHOWN])
        return f"{line}; left out inside: {len(self.left_out)} ({shown}{more})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortFacts:
    """The class as it was read, and the options it was read with."""

    layouts: tuple[str, ...]  # by name: "Canvas"
    submissions: int  # attempts
    students: int
    due: str = ""  # ISO 8601 with an offset, or empty
    time_zone: str = ""
    contents: Contents | None = None  # None if they were not counted

    def __str__(self) -> str:
        """`layout: Canvas, 60 submissions of 58 students`."""
        names = " and ".join(self.layouts) or "none"
        submissions = f"{self.submissions} submission{'s' * (self.submissions != 1)}"
        students = f"{self.students} student{'s' * (self.students != 1)}"
        return f"layout: {names}, {submissions} of {students}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command that grades the whole class again, by the same rules."""

    folder: str  # in which it was entered
    words: tuple[str, ...]

    def __str__(self) -> str:
        """Return two lines for a terminal."""
        return f"cd {shlex.quote(self.folder)}\n{shlex.join(self.words)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The versions and settings of a run."""

    assignment: str
    started: str  # ISO 8601 with a zone
    finished: str
    complete: bool
    harness: str
    python: str
    python_wanted: str
    interpreter: str
    tier: Tier
    probes: tuple[Probe, ...]
    limits: Limits
    spec_digest: str
    reference_digest: str
    input_mechanism: str
    not_prevented: str
    notices: tuple[str, ...] = ()
    cohort: CohortFacts | None = None
    strength: StrengthFigures | None = None  # an earlier measurement of these scenarios
    # The machine's slowness: CPU limits are this many times longer than stated.
    slowness: float = 1.0
    command: CommandLine | None = None  # None if no command started the run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run's facts and its submissions, in the order of their ids. The store reads each when it is
    asked for: go through them once, and hold none longer than needed."""

    facts: RunFacts
    submissions: Collection[SubmissionResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """Event: a run begins."""

    facts: RunFacts
    total: int  # submissions
    kept: int  # of them, which need no running


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionGraded:
    """Event: one submission is graded and stored."""

    result: SubmissionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the user must see, one line."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowLeft:
    """Slow submissions were moved to the end: how many are left, how long they may take, and the
    most time (None: unknown). `others` counts the submissions before them."""

    submissions: int
    seconds: float
    most_seconds: float | None
    others: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstLeft:
    """The most seconds until all submissions have marks, even if each one uses up its budget."""

    submissions: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesBegun:
    """All submissions have their marks; now the causes are searched for this many of them."""

    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesFound:
    """The causes of one submission's failures are stored."""

    result: SubmissionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """Event: all submissions are graded and stored."""

    facts: RunFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsWritten:
    """Event, sent from time to time while the reports of a large run are written."""

    done: int  # submissions whose reports are written
    total: int


Event = (
    RunStarted
    | SubmissionGraded
    | SlowLeft
    | WorstLeft
    | CausesBegun
    | CausesFound
    | Notice
    | RunFinished
    | ReportsWritten
)
