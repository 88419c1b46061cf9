"""Defines the YAML structure of a scenario file."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from harness.assignment.shapes import (
    AnythingShape,
    Constants,
    Expects,
    FloatsShape,
    LimitsShape,
    OneOrMore,
    Points,
    Prompts,
    Shape,
    Whole,
    WholeOrZero,
    Words,
    guessed_keys,
    one_required,
    quote,
)
from harness.common.words import listed
from harness.matchers.kinds.chance import MAX_CALLS
from harness.model.stimulus import Action
from harness.stimuli import stimulus_kinds

# Keys that are read with the constants in force: see `harness.matchers`.
_TEXTS: list[Any] = [{"type": "string"}, {"$ref": "#/$defs/TextMatcher"}]
_PLAIN: dict[str, Any] = {"type": ["string", "number", "boolean", "null", "array"]}
WrittenValue = Annotated[Any, WithJsonSchema({"anyOf": [_PLAIN, {"$ref": "#/$defs/Matcher"}]})]
WrittenText = Annotated[Any, WithJsonSchema({"anyOf": _TEXTS})]
_CONTENTS: list[Any] = [*_TEXTS, {"$ref": "#/$defs/TextShape"}, {"type": "null"}]

_MIN_MULTIPLE = 3  # with a smaller value, results would depend on the machine's load


def strictly(value: Any, read: Callable[[Any], Any]) -> Any:
    """Read a value of a `Literal` type that contains True.

    pydantic would accept 1 as True, so an int is converted to text first and then refused.
    """
    try:
        return read(str(value) if type(value) is int else value)
    except ValidationError as error:
        expected = error.errors()[0]["ctx"]["expected"]
        raise PydanticCustomError("literal_error", "", {"expected": expected}) from None


class AtMostShape(Shape):
    """At most this many, or any number: exactly one of the keys."""

    model_config = ConfigDict(json_schema_extra=one_required("at_most", "any"))

    at_most: WholeOrZero = 0
    """The maximum."""
    any: Literal[True] | None = None
    """true: any number."""

    @model_validator(mode="before")
    @classmethod
    def _is_one(cls, data: Any) -> Any:
        if len(data) != 1 or None in data.values():
            raise ValueError
        return data


class TextShape(Shape):
    """A text, also one of a single line."""

    text: str
    """The text."""


class KeyShape(Shape):
    """A key that is pressed."""

    key: Literal["ctrl-c", "ctrl-d"]
    """The key."""

    @model_validator(mode="before")
    @classmethod
    def _is_key(cls, data: Any) -> Any:
        if list(data) != ["key"]:
            raise ValueError
        return data


class DrawnShape(Shape):
    """A line, bars or points of a plot: anything that is not stated may differ."""

    x: WrittenValue = None
    """Its x values, or the names that the axis shows: a list or a matcher."""
    y: WrittenValue = None
    """Its y values, of bars their lengths: a list or a matcher."""
    label: WrittenText = None
    """Its label."""


_Drawn = Annotated[
    WholeOrZero | DrawnShape | list[DrawnShape],
    Expects("a mapping, a list of mappings, or a number", "write {x: [1, 2], y: [3, 4]}"),
]
_Legend = Annotated[bool | list[str], Expects("true, false or a list of texts")]


class PlotShape(Shape):
    """A plot: anything that is not stated may differ."""

    title: WrittenText = None
    """Its title."""
    x_label: WrittenText = None
    """The label of its x axis."""
    y_label: WrittenText = None
    """The label of its y axis."""
    legend: _Legend = False
    """The texts of its legend in any order, or whether it has one."""
    lines: _Drawn = 0
    """All its lines in any order, or how many."""
    bars: _Drawn = 0
    """All its sets of bars in any order, or how many."""
    points: _Drawn = 0
    """All its sets of points (of `scatter`) in any order, or how many."""


class FigureShape(PlotShape):
    """A figure with one plot, or with several `plots`."""

    plots: Annotated[list[PlotShape], Field(min_length=1)] = []
    """All its plots, in the order in which they were made."""


class FiguresShape(FigureShape):
    """One figure, or only the number of figures."""

    count: WholeOrZero = 0
    """How many figures there are."""


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise ValueError
    return name


ExceptionName = Annotated[
    str,
    AfterValidator(_identifier),
    Expects("an exception's name", "write {type: ValueError, message: …} to state a message"),
]


class RaisesShape(Shape):
    """An exception: exactly one of type, one_of and any."""

    model_config = ConfigDict(json_schema_extra=one_required("type", "one_of", "any"))

    type: ExceptionName = ""
    """Its type."""
    one_of: Annotated[
        list[ExceptionName], Field(min_length=1), Expects("a list of exceptions' names")
    ] = []
    """The types that it may have."""
    any: Annotated[Literal[True], WrapValidator(strictly)] = False  # type: ignore[assignment]
    """Any type."""
    message: WrittenText = None
    """Its message."""
    is_a: Annotated[str, AfterValidator(_identifier), Expects("the name of a class")] = ""
    """The class of the exception, or a class that it derives from: a builtin one, or one of the
    program."""

    @model_validator(mode="before")
    @classmethod
    def _is_one(cls, data: Any) -> Any:
        if len(data.keys() & {"type", "one_of", "any"}) != 1:
            raise ValueError
        return data


RaisedShape = Annotated[
    ExceptionName | RaisesShape,
    Expects(
        "an exception's name or {type: …, message: …}",
        "type may be one_of: [ValueError, KeyError] or any: true",
    ),
]


class SampleShape(Shape):
    """`sample:` draws from a Hypothesis strategy, frozen by `harness record`."""

    strategy: str
    """`file.function` in a Python file of this folder: it returns a strategy of dicts."""
    count: Whole = Field(examples=[100])
    """How many draws."""
    seed: WholeOrZero = 0
    """The seed of the draws."""


_Visible = Annotated[
    Literal[True, False, "hint", "after_due_date", "after_published"], WrapValidator(strictly)
]
_Forgiven = Literal["case", "trailing-space", "blank-lines", "whitespace", "punctuation"]
_FileText = Annotated[
    str | TextShape,
    Expects("a text or a path", "write {text: …} for a text of one line", whole=True),
]
_Typed = Annotated[str | int | KeyShape, Expects("text, a whole number or {key: …}", quote)]
_Clocks = Annotated[
    str | Annotated[list[str], Field(min_length=1)],
    Expects("a date and a time, or a list of them", "write one like 2026-03-01T12:00"),
]
_TURN_NUMBERS: Any = {"propertyNames": {"pattern": "^([0-9]+|any)$"}}
_TurnsByNumber = Annotated[
    dict[Any, WrittenText], Field(min_length=1, json_schema_extra=_TURN_NUMBERS)
]
_Turns = Annotated[list[WrittenText] | _TurnsByNumber, Expects("a list or a mapping of turns")]
_LeftValues = Annotated[dict[Any, WrittenValue], Field(min_length=1)]
_Leaves = Annotated[Literal["unchanged"] | _LeftValues, Expects("names with values or unchanged")]
_ExitStatus = Annotated[int | AnythingShape, Expects("an exit status or {any: true}", whole=True)]
_InputsRead = Annotated[
    WholeOrZero | AtMostShape,
    Expects("a whole number or {at_most: …}", "{any: true} accepts any number"),
]
_NAMES: Any = {"type": "array", "items": {"type": "string"}}
_Contents = Annotated[Any, WithJsonSchema({"anyOf": _CONTENTS})]
_WrittenFiles = Annotated[
    dict[Any, _Contents], Field(min_length=1, json_schema_extra={"properties": {"only": _NAMES}})
]


def _written_hint(value: Any) -> str:
    """Return a hint for a list of names without contents, and for `any`."""
    if value == "any":
        return "write {any: true}"
    if isinstance(value, str | list):
        return "write {out.txt: {any: true}} for a file with any text"
    return ""


_Writes = Annotated[
    Literal["unchanged"] | _WrittenFiles,
    Expects("files with their texts, or unchanged", _written_hint),
]
_Figures = Annotated[
    FiguresShape | list[FigureShape],
    Expects("figures", "write {title: Growth, lines: 1}, a list of such, or {count: 1}"),
]
_Ending = Literal[
    "answered",
    "asks_for_more",
    "ended_early",
    "timeout",
    "cpu_limit",
    "memory_limit",
    "output_limit",
    "crashed",
]
_ENDINGS = ", ".join(get_args(_Ending))
_Ends = Annotated[_Ending | AnythingShape, Expects(f"{_ENDINGS} or {{any: true}}", whole=True)]


class SettingsShape(Shape):
    """Keys of a scenario that may also stand at the head of its file."""

    function: str = ""
    """The function, or the submitted program, to which the points belong."""
    clause: Words = []
    """The clause or clauses of the sheet that are tested."""
    visible: _Visible = False
    """What students see: true, false, hint (hint if it fails), after_due_date, after_published."""
    points: Points = Field(default=Fraction(1), json_schema_extra={"default": 1})
    """Points of each scenario (of each swept value): a positive number or a fraction like "1/3"."""
    informational: bool = False
    """Shown as a difference that costs no marks."""
    extra_credit: bool = False
    """Extra points, above the total."""
    needs: Words = []
    """Functions and scenarios that must pass first; otherwise this one is not run."""
    hint: str = ""
    """Shown to students if it fails."""
    description: str = ""
    """The purpose of the scenario, in a sentence or two for students."""
    tags: Words = []
    """Words for selecting scenarios, for example with --without-tag."""
    limits: LimitsShape = LimitsShape()
    """Limits that differ from the assignment's."""
    given: str = ""
    """Code that runs first, in the same namespace: plain Python or the start of a session."""
    constants: Constants = {}
    """Provided constants to override: a value, or a list of values to sweep."""
    ignore: Annotated[list[_Forgiven], OneOrMore()] = []
    """Differences in text to forgive: case, trailing-space, blank-lines, whitespace (the number of
    blanks, and any at the ends of lines and of the text), punctuation (marks of sentences)."""
    floats: FloatsShape = Field(default_factory=lambda: FloatsShape(within=1e-9))
    """The tolerance for floats (default: as in the assignment)."""
    prompts: Prompts = "exact"
    """{any: true}: the prompts of `input()` may have any text and do not count in prints and turns;
    or exact."""
    provide: Words = []
    """Extra files of this folder, placed beside the submission."""
    seed: WholeOrZero = None  # type: ignore[assignment]
    """Seeds `random`."""
    files: Annotated[
        dict[str, _FileText],
        Expects("a mapping of files", "write {marks.csv: …} with a text or a path for each"),
    ] = {}
    """Files in the scenario's own folder: a path below this folder, or a text of several lines, or
    {text: …}."""
    environment: dict[str, str] = {}
    """Environment variables."""
    stand_in: dict[str, str] = {}
    """Submitted modules, and the course's module to try instead of each if the scenario fails."""


class StatedShape(Shape):
    """Typed lines and expectations of a scenario, of a case, or of all scenarios of a file."""

    clock: _Clocks = ""
    """The time that the program sees, like 2026-03-01T12:00 (only a date: its midnight), or a
    list to sweep."""
    input: list[_Typed] = []
    """The user's inputs: texts and whole numbers, each followed by Enter, or {key: ctrl-d}."""
    at_load: list[_Typed] = []
    """Inputs while the submission loads, before its functions are called."""
    stdin: str = ""
    """Piped input, instead of a terminal."""
    argv: list[str] = []
    """The program's arguments."""
    returns: WrittenValue = None
    """The exact value and type, or a matcher."""
    prints: WrittenText = None
    """All text on the screen, prompts included, typed text excluded."""
    stderr: WrittenText = None
    """The output to stderr. It then does not count as printed."""
    turns: _Turns = []
    """The output before each input and after the last; or {any: true}."""
    raises: RaisedShape = ""
    """The exception's type, or {type: …, message: …}."""
    leaves: _Leaves = {}
    """Parameters or session variables afterwards, `unchanged`, or {any: true}."""
    exit: _ExitStatus = 0
    """The program's exit status, or {any: true}."""
    reads: _InputsRead = 0
    """How many inputs are taken, {at_most: N} or {any: true}."""
    writes: _Writes = {}
    """Files afterwards, by name: a path below this folder, a text of several lines, {text: …}, a
    matcher, or null (it is not there); {only: [names]}; `unchanged`; or {any: true}."""
    figures: _Figures = []
    """All figures drawn with matplotlib, in the order in which they are shown or made. Anything
    that is not stated may differ. Or {count: N}."""
    ends: _Ends = ""  # type: ignore[assignment]
    """How the run ends if it gives no answer; {any: true} allows every end except a limit or a
    crash."""


_STRUCTURE = "the form of a program is stated under structure: in policy.yaml"
_GUESSES = guessed_keys(
    ("repeat repeats times runs calls trials", "write over: 200, the number of calls"),
    ("distinct unique no_repeats", "write all_different: true"),
    ("probability frequency", "write share: {6: 17% ± 12%}"),
    ("methods method", "write exists: Pet.feed in a scenario for each"),
    ("inherits docstring docstrings recursive structure", _STRUCTURE),
    ("lines uses avoids type_hints main_guard", _STRUCTURE),
    ("signature params", "write parameters: [name, age=0]"),
    ("folders folder", "write files: {data/marks.csv: …}, which makes its folder"),
    ("stdout output outputs", "write prints"),
    ("result value expected expect", "write returns"),
    ("contains matches number numbers shows", "write prints: {contains: …}, or another matcher"),
    ("args arguments", "write argv for a program, parameters for a signature"),
    ("timeout time_limit", "write limits: {cpu_seconds: 5}"),
    ("today now date time", "write clock: 2026-03-01T12:00"),
    ("setup before mock patch", "write given, with statements to run first"),
    ("tolerance within approx", "write floats: {within: 0.001}"),
    ("load_input", "write at_load: [Ann]"),
)


class StepShape(Shape):
    """One step: exactly one of do and call, and the call's expected effects."""

    model_config = ConfigDict(json_schema_extra=one_required("do", "call"))

    do: str = ""
    """Statements."""
    call: str = ""
    """One expression."""
    returns: WrittenValue = None
    """Its exact value and type, or a matcher."""
    prints: WrittenText = None
    """The step's output."""
    raises: RaisedShape = ""
    """The exception's type, or {type: …, message: …}."""

    guesses: ClassVar[Mapping[str, str]] = guessed_keys(
        (
            "input leaves reads writes turns stderr given exit",
            "write it in the scenario, beside steps",
        )
    )

    @model_validator(mode="before")
    @classmethod
    def _is_one(cls, data: Any) -> Any:
        stated: set[str] = set()
        if isinstance(data, dict):
            stated = data.keys() & {"do", "call"}
        if len(stated) != 1:
            raise ValueError
        return data


_Step = Annotated[
    StepShape, Expects("a step with do or call", "write {call: total([1]), returns: 1}")
]
StepsShape = Annotated[list[_Step], Field(min_length=1)]


class CaseShape(StatedShape):
    """One case: its inputs and expectations; every other key is a name that it binds."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": _PLAIN})


_Calls = Annotated[
    int,
    Field(ge=2, le=MAX_CALLS),
    Expects(f"a whole number from 2 to {MAX_CALLS}", "write the number of calls"),
]


def _each_hint(value: Any) -> str:
    """Return a hint for `each: {one_of: …}`, which only makes sense for `over` (many calls)."""
    if isinstance(value, dict):
        return "write a matcher for each result of over under returns"
    return ""


_Share = Annotated[str, Expects("a share like 40% ± 15%", whole=True)]
_Shares = Annotated[
    dict[Any, _Share],
    Field(min_length=1),
    Expects("values with their shares", "write {6: 40% ± 15%}"),
]
_Name = Annotated[str, AfterValidator(_identifier), Expects("a name")]
_Case = Annotated[CaseShape, Expects("a mapping of names")]
_Cases = Annotated[
    str | list[_Case],
    Expects("a list of cases or file.function", "write - {text: a, returns: 1} for each case"),
]
_Multiple = Annotated[
    int,
    Field(ge=_MIN_MULTIPLE),
    Expects(f"a whole number from {_MIN_MULTIPLE}", "write a multiple of the reference's CPU time"),
]


class _ScenarioShape(SettingsShape, StatedShape):
    model_config = ConfigDict(json_schema_extra=one_required(*stimulus_kinds()))
    guesses: ClassVar[Mapping[str, str]] = _GUESSES

    name: str = Field(examples=["an empty list"])
    """The name of the test, unique in its file."""
    over: _Calls = None  # type: ignore[assignment]
    """How many calls to make; returns then applies to each of them."""
    occur: Annotated[list[Any], Field(min_length=1)] = []
    """With `over`: values that must occur among the results."""
    all_different: Annotated[Literal[True], WrapValidator(strictly)] = False  # type: ignore[assignment]
    """With `over`: true if no result may occur twice."""
    share: _Shares = {}
    """With `over`: the share of the results that have a value, like 40% ± 15%."""
    parameters: list[str] = []
    """With `exists` or `class`: the parameters as in a def, without self: [name, age=0]."""
    attributes: list[_Name] = []
    """With `exists` or `class`: attributes that objects of the class must have."""
    replies: str = ""
    """`file.function`: a generator in a Python file of this folder. It gets the printed text and
    yields the next line to type."""
    sample: SampleShape | None = None
    """Draws from a Hypothesis strategy; one mark for all of them."""
    cases: _Cases = ""
    """A list of mappings from names to values; each may have its own input, stdin, argv, returns,
    prints, turns, raises, leaves, exit, reads, writes and ends. Or `file.function`: a generator of
    dicts. One mark for all of them."""
    each: Annotated[bool, Expects("true or false", _each_hint)] = False
    """Every draw is its own scenario."""
    transcript: str = ""
    """A file with prompts and typed text as a person sees them."""
    cost: Literal["linear", "n log n", "quadratic"] = ""  # type: ignore[assignment]
    """How the number of executed lines may grow with the size. The size is a whole number in each
    of the `cases:`, twice the one before."""
    faster_than: _Multiple = None  # type: ignore[assignment]
    """The multiple of the reference's CPU time that is too slow."""


_STIMULI = stimulus_kinds()
_NOT_TEXT: dict[str, tuple[Any, Any]] = {
    "steps": (StepsShape, [])
}  # kinds of scenario whose key has no text value


def _field_of(name: str, kind: type[Action]) -> tuple[Any, Any]:
    shape, default = _NOT_TEXT.get(name, (str, ""))
    field = Field(default=default, description=kind.__doc__)
    return shape, field


if TYPE_CHECKING:
    ScenarioShape = _ScenarioShape
else:
    ScenarioShape = create_model(
        "ScenarioShape",
        __base__=_ScenarioShape,
        __doc__=f"One scenario: exactly one of {listed(_STIMULI)}, and its expectations.",
        **{name: _field_of(name, kind) for name, kind in _STIMULI.items()},
    )


class ScenarioFileShape(SettingsShape, StatedShape):
    """A file of scenarios; the other keys at its head are defaults for all of them."""

    points_total: Points = Fraction()
    """Rescales the file's points to this sum."""
    marks: Points = Fraction()
    """The marks of the file's scenarios together, out of functionality_marks."""
    scenarios: list[ScenarioShape] = Field(min_length=1)
    """The scenarios."""


OF_EACH_ALONE = frozenset(ScenarioShape.model_fields) - frozenset(ScenarioFileShape.model_fields)
"""The keys that no file can state for all of its scenarios."""
