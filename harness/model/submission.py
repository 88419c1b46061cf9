"""A student's submission."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256

from harness.common.words import listed
from harness.model.assignment import LateOf, Period, SourceFile
from harness.model.notebook import Notebook

# Archives that an assignment may ask for, and that are read.
ARCHIVE_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz")


class Withheld(StrEnum):
    """Why a submission is not graded at all. Each has the same value as a `SubmissionStatus`."""

    LATE = "late"
    NO_SUBMISSION = "no_submission"
    NEEDS_REVIEW = "needs_review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """Who submitted, as far as the source tells; unknown parts are empty."""

    id: str  # Canvas's user id, Moodle's participant number, Blackboard's user name
    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """The lateness of a submission that is graded anyway, and its cost."""

    due: str  # ISO 8601 with an offset
    begun: Period | None = None  # the late part without slip days; None: nothing
    slip_days: int = 0  # used
    share: Fraction = Fraction(0)  # its cost as a share of `of`
    of: LateOf = LateOf.TOTAL

    @property
    def is_forgiven(self) -> bool:
        """Return whether it is within the grace time, which costs neither marks nor slip days."""
        return self.begun is None and not self.slip_days


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """The name of a file that was handed in, and the name that it must have."""

    found: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongFiles:
    """The submitted files are not the requested ones."""

    renaming: Renaming | None = None  # set if the only problem is the program's name


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFiles:
    """Some of the expected files are not there, and no other programs."""

    names: tuple[str, ...]

    @property
    def note(self) -> str:
        """Return the note about them."""
        were = "were"
        if len(self.names) == 1:
            were = "was"
        return f"{listed(self.names)} {were} not handed in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One student's files, read whole."""

    id: str
    files: tuple[SourceFile, ...]
    origin: str  # their place, for messages
    problem: str = ""  # why they cannot be graded as handed in: "found X.py, expected a1.py"
    notes: tuple[str, ...] = ()
    student: Student | None = None  # None if the source has only a folder's or file's name
    handed_in: str = ""  # ISO 8601, without an offset if no zone is known; empty: no time is known
    attempt: int | None = None  # the number of the attempt, from 1, that has these files
    attempts: int | None = None
    withheld: Withheld | None = None  # not to be graded; the reason is in `notes` or `problem`
    source: str = ""  # its folder or only file in a platform's download, where its feedback belongs
    choices: tuple[SourceFile, ...] = ()  # a person may choose which of them is graded
    late: Lateness | None = None
    extended_to: str = ""  # the student's own due time, ISO 8601; empty if it is the class's
    not_taken: tuple[str, ...] = ()  # modules that were handed in beside the files
    left_out: tuple[str, ...] = ()  # the paths of hidden files and of files left behind by tools
    wrong_files: WrongFiles | None = None  # if that is the problem
    missing: MissingFiles | None = None  # which a note says too
    notebook: Notebook | None = None  # of which the only file was made

    @property
    def digest(self) -> str:
        digest = sha256()
        for file in self.files:
            head = f"{file.name}\0{len(file.data)}\0"
            digest.update(head.encode("utf-8", "surrogatepass"))
            digest.update(file.data)
            if file.cell_ends:  # a program with the same text runs in another way
                digest.update(repr(file.cell_ends).encode())
        return digest.hexdigest()
