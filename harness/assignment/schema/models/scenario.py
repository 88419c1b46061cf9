"""A file of scenarios."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.models.base import (
    Expected,
    ExpectedText,
    LimitsShape,
    Points,
    Shape,
    Whole,
    Words,
)
from harness.assignment.schema.validators import (
    as_list,
    check_cases,
    check_choice,
    check_exit,
    check_multiple,
    check_reads,
    check_visible,
    check_whole,
)


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
    needs: Words = []
    """Functions and scenarios that must be right first: where one is not, this is not run."""
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
    """A list of mappings from names to values, with what each types (input, stdin, argv) and states
    (returns, prints, turns, raises, leaves, exit, reads) itself; or `file.function`: a generator of
    dicts. One mark for all of them."""
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
    faster_than: Annotated[
        int | None, BeforeValidator(check_multiple), WithJsonSchema(schemas.MULTIPLE)
    ] = None
    """How many times the reference's CPU time is too slow."""


class ScenarioFileShape(SettingsShape):
    """A file of scenarios; the other keys at its head are defaults for all of them."""

    points_total: Points = 1
    """Rescales the file's points to this sum."""
    marks: Points = 1
    """What the file's scenarios are worth together, of the assignment's functionality_marks."""
    scenarios: list[ScenarioShape] = Field(min_length=1)
    """The scenarios."""
