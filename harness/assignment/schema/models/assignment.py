"""assignment.yaml, with its `fuzz:` part: what `harness fuzz` draws."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.models.base import LimitsShape, Points, Positive, Shape, Whole, Words
from harness.assignment.schema.validators import check_choice, check_id


class SubmissionShape(Shape):
    """`submission:` what is handed in."""

    files: Words = []
    """The names of the files handed in."""
    laid_as: str = Field("", alias="as")
    """The name under which the submitted file is run, whatever it was called."""
    archive: str = ""
    """The archive that they are handed in as, like A3.zip; .tar, .tar.gz and .tgz are read too."""
    otherwise: Annotated[
        str, BeforeValidator(check_choice("otherwise")), WithJsonSchema(schemas.OTHERWISE_WORDS)
    ] = "zero"
    """What something else than that gets: no marks (zero), or a person's look (review)."""


class ManualShape(Shape):
    """One mark that a person gives; it is separate from the functionality mark."""

    id: Annotated[str, BeforeValidator(check_id), WithJsonSchema(schemas.ID)]
    """A short word for it, unique in the list."""
    title: str
    """What reports call it."""
    out_of: Points
    """Its marks: a positive number or a fraction like "1/3"."""
    clause: str = ""
    """The clause of the sheet that it is about, quoted."""


class FloatsShape(Shape):
    """`floats:` how floats are compared."""

    within: Positive
    """The greatest difference that does not count."""


class FuzzSampleShape(Shape):
    """What is drawn for a call that no scenario draws for."""

    name: str
    """What is drawn, unique in the list."""
    function: str
    """The function it is about."""
    clause: Words = []
    """The clauses that a scenario found so is given."""
    given: str = ""
    """Statements run first."""
    call: str
    """One Python expression with the names that are drawn."""
    constants: Annotated[dict[str, Any], WithJsonSchema(schemas.CONSTANTS)] = {}
    """Provided constants to override: a value, or a list of values to sweep."""
    strategy: str
    """`file.function` in a Python file of this folder: it returns a strategy of dicts."""


class FuzzAnswersShape(Shape):
    """What is typed at a prompt: lines, or `file.function`, which gives them."""

    often: Annotated[Any, WithJsonSchema(schemas.LINES)]
    """What is typed four times of five: a list, or `file.function`."""
    sometimes: Annotated[Any, WithJsonSchema(schemas.LINES)] = []
    """What is typed one time of five: a list, or `file.function`."""
    closing: Annotated[Any, WithJsonSchema(schemas.LINES)] = []
    """What is typed, in turn and again, to bring a game to its end (often, if left out)."""


class FuzzGameShape(Shape):
    """Conversations: which lines may be typed at which prompt."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [key]} for key in ("call", "run")]}
    )

    name: str
    """What is played, unique in the list."""
    function: str
    """The function (or the submitted program) it is about."""
    clause: Words = []
    """The clauses that a scenario found so is given."""
    call: str = ""
    """One Python expression."""
    run: str = ""
    """A submitted or provided program, run as `__main__` on a terminal."""
    constants: Annotated[dict[str, Any], WithJsonSchema(schemas.CONSTANTS)] = {}
    """Provided constants to override: a value, or a list of values to sweep."""
    inputs: Whole = 40
    """How many lines are typed at most, before the game is brought to its end."""
    answers: dict[str, FuzzAnswersShape]
    """What may be typed, by how the text ends that is printed before it."""


class FuzzShape(Shape):
    """`fuzz:` what `harness fuzz` draws beyond the scenarios' own strategies."""

    assume: Words = []
    """`file.function`: whether the sheet defines what a draw does. It applies to draws that bind
    all names of its parameters; of a game they are `typed` and `printed`."""
    samples: list[FuzzSampleShape] = []
    """Calls that no scenario draws for."""
    games: list[FuzzGameShape] = []
    """Conversations."""


class AssignmentShape(Shape):
    """assignment.yaml."""

    title: str
    """The assignment's title."""
    course: str
    """The course, and when."""
    python: str
    """The Python version, quoted: "3.12"."""
    submission: SubmissionShape
    """What is handed in."""
    time_zone: str = ""
    """The zone of due times and of downloads that name none, like Australia/Brisbane."""
    isolation: Annotated[
        str, BeforeValidator(check_choice("isolation")), WithJsonSchema(schemas.ISOLATION_WORDS)
    ] = "proved"
    """Which scenarios may share a process: those of programs proved to keep nothing (proved), or
    none (all: every scenario has a process of its own)."""
    provided: Words = []
    """Course files placed beside the submission, from reference/<id>/."""
    functionality_marks: Points
    """Marks for the share of points passed."""
    manual: list[ManualShape] = []
    """Marks that a person gives, for style for one; never part of the functionality marks."""
    limits: LimitsShape = LimitsShape()
    """What a scenario may use where it says nothing itself."""
    compare: Annotated[dict[str, Any], WithJsonSchema(schemas.COMPARE)] = {}
    """Classes, and how their objects are compared: by attributes (a list), attributes (all public
    ones), repr or equality."""
    floats: FloatsShape = Field(default_factory=lambda: FloatsShape(within=1e-9))
    """How far off a float may be, anywhere in a value (left out: not at all)."""
    patterns: dict[str, str] = {}
    """Regular expressions by what they match, in the words that students read."""
    policy: str = ""
    """The policy file's name."""
    clauses: str = ""
    """The clause file's name."""
    mutants: str = ""
    """The mutant file's name (mutants.yaml if it is left out)."""
    fuzz: FuzzShape = FuzzShape()
    """What `harness fuzz` draws beyond the scenarios' own strategies."""
