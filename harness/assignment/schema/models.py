"""The shape of every YAML file, as strict pydantic models: names, types, what may be left out.

What a value means is checked later, where the constants and functions are known. A field that
takes several shapes is `Any` here, described by its JSON Schema and read by `matchers` or
`stimuli`. A default stands for "not stated": ask `model_fields_set`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.validators import (
    as_list,
    check_cases,
    check_choice,
    check_count,
    check_exit,
    check_id,
    check_positive,
    check_reads,
    check_visible,
    check_whole,
)

Words = Annotated[list[str], BeforeValidator(as_list), WithJsonSchema(schemas.WORDS)]
Positive = Annotated[float, BeforeValidator(check_positive), WithJsonSchema(schemas.POSITIVE)]
Points = Annotated[Any, WithJsonSchema(schemas.POINTS)]
Whole = Annotated[int, BeforeValidator(check_count), WithJsonSchema(schemas.WHOLE)]
Expected = Annotated[Any, WithJsonSchema(schemas.EXPECTED)]
ExpectedText = Annotated[Any, WithJsonSchema(schemas.EXPECTED_TEXT)]


class Shape(BaseModel):
    """What all shapes share: no coercion, no unknown keys."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class LimitsShape(Shape):
    """`limits:` what one scenario may use."""

    cpu_seconds: Positive = 1.0
    """CPU time of the scenario, in seconds."""
    wall_seconds: Positive = 10.0
    """Time asleep (not waiting for a CPU), in seconds."""
    memory_mib: Whole = 256
    """Memory, in MiB."""
    output_kib: Whole = 256
    """Printed text, in KiB."""


class SampleShape(Shape):
    """`sample:` draws from a Hypothesis strategy, frozen by `harness record`."""

    strategy: str
    """`file.function` in a Python file of this folder: it returns a strategy of dicts."""
    count: Whole
    """How many draws."""
    seed: Annotated[int, BeforeValidator(check_whole), WithJsonSchema(schemas.WHOLE_OR_ZERO)] = 0
    """The seed of the draws."""


class SettingsShape(Shape):
    """What a scenario may say about itself, and the head of its file for all of them."""

    function: str = ""
    """The function (or the submitted program) that the points belong to."""
    clause: Words = []
    """The clause or clauses of the sheet that this tests."""
    visible: Annotated[
        Any, BeforeValidator(check_visible), WithJsonSchema(schemas.VISIBLE_OR_NOT)
    ] = False
    """Who may see it: true, false, after_due_date or after_published."""
    points: Points = 1
    """Points of each scenario (of each swept value): a positive number or a fraction like "1/3"."""
    informational: bool = False
    """Shown as a difference that costs no marks."""
    extra_credit: bool = False
    """Points above the total."""
    hint: str = ""
    """Shown to students where it fails."""
    description: str = ""
    """What is tested and why, in a sentence or two for students."""
    tags: Words = []
    """Words by which scenarios are chosen."""
    limits: LimitsShape = LimitsShape()
    """Limits that differ from the assignment's."""
    given: str = ""
    """Statements run first, in the same names; a session prefix or plain Python."""
    constants: Annotated[dict[str, Any], WithJsonSchema(schemas.CONSTANTS)] = {}
    """Provided constants to override: a value, or a list of values to sweep."""
    ignore: Annotated[list[str], BeforeValidator(as_list), WithJsonSchema(schemas.IGNORED)] = []
    """Differences in text to forgive: case, trailing-space, blank-lines."""
    provide: Words = []
    """Extra files of this folder, placed beside the submission."""
    seed: Annotated[int, BeforeValidator(check_whole), WithJsonSchema(schemas.WHOLE_OR_ZERO)] = 0
    """Seeds `random`."""
    files: Annotated[dict[str, Any], WithJsonSchema(schemas.FILES)] = {}
    """Files in the scenario's own folder: a path below this folder, or a text of several lines, or
    {text: …}."""
    environment: dict[str, str] = {}
    """Environment variables."""
    stand_in: dict[str, str] = {}
    """Submitted modules, and the course's own to try in their place where the scenario fails."""


class ScenarioShape(SettingsShape):
    """One scenario: exactly one of call, session and run, and what is expected of it."""

    model_config = ConfigDict(json_schema_extra=schemas.ONE_STIMULUS)

    name: str
    """What is tested, unique in its file."""
    call: str = ""
    """One Python expression."""
    session: str = ""
    """A REPL session as pasted from the sheet."""
    run: str = ""
    """A submitted or provided program, run as `__main__` on a terminal."""
    argv: Annotated[list[str], WithJsonSchema(schemas.ARGV)] = []
    """The program's arguments."""
    replies: str = ""
    """`file.function`: a generator in a Python file of this folder that is given what was printed
    and yields the next line that is typed."""
    stdin: str = ""
    """What is piped into a program, in place of a terminal."""
    input: Annotated[list[Any], WithJsonSchema(schemas.INPUT)] = []
    """What is typed: texts and whole numbers, each followed by Enter, or {key: ctrl-d}."""
    sample: SampleShape | None = None
    """Draws from a Hypothesis strategy; one mark for all of them."""
    cases: Annotated[Any, BeforeValidator(check_cases), WithJsonSchema(schemas.CASES)] = ""
    """A list of mappings from names to values, with returns, prints, raises or leaves of each; or
    `file.function`: a generator of dicts. One mark for all of them."""
    each: bool = False
    """Every draw is a scenario of its own."""
    returns: Expected = None
    """The value, type-exact, or a matcher."""
    prints: ExpectedText = None
    """All text on the screen, prompts included, typed text excluded."""
    turns: Annotated[Any, WithJsonSchema(schemas.TURNS)] = None
    """What is printed before each input, and after the last."""
    transcript: str = ""
    """A file with prompts and typed text as a person sees them."""
    raises: Annotated[Any, WithJsonSchema(schemas.RAISES)] = None
    """The exception's type, or {type: …, message: …}."""
    leaves: Annotated[Any, WithJsonSchema(schemas.LEAVES)] = None
    """Parameters or session variables afterwards, or `unchanged`."""
    writes: Annotated[Any, WithJsonSchema(schemas.WRITES)] = None
    """Files afterwards: their texts by name (null: not there), {only: [names]}, or `unchanged`."""
    exit: Annotated[Any, BeforeValidator(check_exit), WithJsonSchema(schemas.EXIT)] = 0
    """The program's exit status, or {any: true}."""
    reads: Annotated[Any, BeforeValidator(check_reads), WithJsonSchema(schemas.READS)] = 0
    """How many inputs are taken, or {at_most: N}."""
    ends: Annotated[
        str, BeforeValidator(check_choice("ends")), WithJsonSchema(schemas.ENDS_WORDS)
    ] = ""
    """How it ends, where that is not by answering."""


class ScenarioFileShape(SettingsShape):
    """A file of scenarios; the other keys at its head are defaults for all of them."""

    points_total: Points = 1
    """Rescales the file's points to this sum."""
    marks: Points = 1
    """What the file's scenarios are worth together, of the assignment's functionality_marks."""
    scenarios: list[ScenarioShape] = Field(min_length=1)
    """The scenarios."""


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
    """One mark that a person gives; it stands beside the functionality mark."""

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
    """`file.function`: whether the sheet settles a draw. It applies to draws that bind all names of
    its parameters; of a game they are `typed` and `printed`."""
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
    """Regular expressions by what they stand for, in the words that students read."""
    policy: str = ""
    """The policy file's name."""
    clauses: str = ""
    """The clause file's name."""
    mutants: str = ""
    """The mutant file's name (mutants.yaml if it is left out)."""
    fuzz: FuzzShape = FuzzShape()
    """What `harness fuzz` draws beyond the scenarios' own strategies."""


class ClauseShape(Shape):
    """One testable statement of the sheet."""

    id: str
    """Its id, quoted."""
    section: str
    """The section of the sheet, quoted."""
    text: str
    """One line in our own words."""
    unsettled: str = ""
    """Why the sheet leaves it open; such a clause needs no scenario."""


class ClausesShape(Shape):
    """clauses.yaml."""

    clauses: list[ClauseShape]
    """Every testable statement."""


class ExemptionShape(Shape):
    """Scenarios that do not count, and for whom."""

    student: str = ""
    """An id or email; everybody where it is left out."""
    scenarios: list[str]
    """Globs over scenario ids."""
    reason: str
    """Why; the student reads it."""


class ExemptShape(Shape):
    """exempt.yaml."""

    exempt: list[ExemptionShape]
    """Who is excused from what."""


class EquivalentShape(Shape):
    """A change of the reference that no input tells from it."""

    file: str
    """The reference's file."""
    function: str
    """The function or method that has the line; `(module)` outside of all."""
    find: str
    """The line as it is, without its indentation."""
    replace: str
    """The line as changed."""
    why: str
    """Why nobody can notice."""


class EquivalentsShape(Shape):
    """equivalent.yaml."""

    equivalent: list[EquivalentShape]
    """What `harness strength` does not count."""


class MutantShape(Shape):
    """One single-fault change of the reference."""

    clause: str
    """The clause whose scenarios kill it."""
    file: str
    """The reference's file."""
    find: str
    """A text that stands in the file exactly once (its indentation may be left out)."""
    replace: str
    """What takes its place."""
    why: str
    """What is wrong then."""


class MutantsShape(Shape):
    """mutants.yaml."""

    mutants: list[MutantShape]
    """One or more a clause."""


class FileImportsShape(Shape):
    """What a file may import: exactly one of the three."""

    exactly: list[str] = []
    """These statements, no more and no fewer."""
    allow: list[str] = []
    """Only these modules."""
    none: bool = False
    """No import at all."""


class ImportsShape(FileImportsShape):
    """`imports:` exactly one of the three, for every file; or files, each with its own."""

    files: dict[str, FileImportsShape] = {}
    """Submitted files by name, and what each may import."""


class AllowShape(Shape):
    """A list of what is allowed; everything else is a finding."""

    allow: list[str]
    """What is allowed."""


class PolicyClausesShape(Shape):
    """The clauses that findings cite."""

    imports: str = ""
    """For imports."""
    techniques: str = ""
    """For syntax, built-ins and methods."""
    structure: str = ""
    """For what stands at module level."""


class SeverityShape(Shape):
    """note, review, zero or {deduct: marks}."""

    imports: Annotated[Any, WithJsonSchema(schemas.SEVERITY)] = "review"
    """For imports."""
    techniques: Annotated[Any, WithJsonSchema(schemas.SEVERITY)] = "review"
    """For syntax, built-ins and methods."""
    structure: Annotated[Any, WithJsonSchema(schemas.SEVERITY)] = "review"
    """For what stands at module level."""


class PolicyShape(Shape):
    """policy.yaml. A part that is left out is not restricted."""

    imports: ImportsShape | None = None
    """Which imports there may be."""
    syntax: AllowShape | None = None
    """Names of syntax tree nodes."""
    builtins: AllowShape | None = None
    """Built-in functions and types."""
    methods: AllowShape | None = None
    """Methods."""
    module_level: AllowShape | None = None
    """imports, constants, functions, main_guard."""
    severity: SeverityShape = SeverityShape()
    """What a finding means."""
    clauses: PolicyClausesShape = PolicyClausesShape()
    """The clauses that findings cite."""


class ExpectShape(Shape):
    """expect.yaml of a sample submission."""

    fails: list[str] = []
    """Globs: exactly these scenario ids fail."""
    mark: Annotated[Any, WithJsonSchema(schemas.MARK)] = None
    """The mark, or an inclusive range."""
    explains: list[str] = []
    """Texts that its explanations hold."""
    findings: list[str] = []
    """Policy rules it breaks."""
    verdicts: dict[str, str] = {}
    """Verdicts by glob, where they are not plain failures."""
    causes: dict[str, str] = {}
    """All causes: the function to fix ("" the whole file) and the rule of the example."""
    tier: str = ""
    """Hostile corpus: the minimum tier."""
    layer: str = ""
    """Hostile corpus: the layer that stops it."""
    wall_seconds: Positive = 1.0
    """Hostile corpus: the most time the parent may take."""
    memory_mib: Whole = 1
    """Hostile corpus: the most memory the parent may take."""
    survivors: Annotated[
        int, BeforeValidator(check_whole), WithJsonSchema(schemas.WHOLE_OR_ZERO)
    ] = 0
    """Hostile corpus: processes left running."""
