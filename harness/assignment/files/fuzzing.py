"""Reads `fuzz:` in assignment.yaml and the strategies that scenarios name, for `harness fuzz`."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from pydantic import ConfigDict

from harness.assignment.document import Loc
from harness.assignment.scenarios.cases import Compiled, variations
from harness.assignment.scenarios.draws import course_function, with_constants
from harness.assignment.scenarios.reader import ScenarioReader, Variation, slug
from harness.assignment.scenarios.shape import ScenarioShape, SettingsShape
from harness.assignment.scenarios.stimulus import kind_of, read_given, read_stimulus, typed_inputs
from harness.assignment.shapes import Constants, Expects, Shape, Whole, Words, one_required, quote
from harness.assignment.symbols import AssignmentSymbols
from harness.matchers.reading import Refused
from harness.model.expectation import Expected
from harness.model.stimulus import Action, Stimulus
from harness.model.study import CourseFunction, FuzzSettings, FuzzTarget, Lines, Prompt

FuzzLines = Annotated[
    str | list[Annotated[str | int, Expects("text or a whole number", quote)]],
    Expects("a list of lines or file.function", instead=[""]),
]


class _TargetShape(Shape):
    name: str
    """The name of the target, unique in the list."""
    function: str
    """The function, or the submitted program, to test."""
    clause: Words = []
    """The clauses of a scenario that is made from a difference."""
    constants: Constants = {}
    """Provided constants to override: a value, or a list of values to sweep."""


class FuzzSampleShape(_TargetShape):
    """Inputs to draw for a call that no scenario draws for."""

    given: str = ""
    """Statements to run first."""
    call: str
    """One Python expression that uses the drawn names."""
    strategy: str
    """`file.function` in a Python file of this folder: it returns a strategy of dicts."""


class FuzzAnswersShape(Shape):
    """Lines to type at a prompt, or `file.function`, which returns them."""

    often: FuzzLines
    """The inputs to type in four of five cases: a list, or `file.function`."""
    sometimes: FuzzLines = []
    """The inputs to type in one of five cases: a list, or `file.function`."""
    closing: FuzzLines = []
    """Inputs to type one after the other, repeatedly, until the game ends (left out: often)."""


class FuzzGameShape(_TargetShape):
    """Conversations: which lines may be typed at which prompt."""

    model_config = ConfigDict(json_schema_extra=one_required("call", "run"))

    call: str = ""
    """One Python expression."""
    run: str = ""
    """A submitted or provided program, run as `__main__` on a terminal."""
    inputs: Whole = 40
    """The most lines to type before the game is ended."""
    answers: dict[str, FuzzAnswersShape]
    """Possible inputs, by the ending of the text printed before them."""


class FuzzShape(Shape):
    """`fuzz:` more inputs for `harness fuzz`, besides the scenarios' own strategies."""

    assume: Words = []
    """`file.function` that returns whether the sheet defines the result of a draw. It is called if
    the draw has a value for each of its parameters; a game has `typed` and `printed`."""
    samples: list[FuzzSampleShape] = []
    """Calls for which no scenario has draws."""
    games: list[FuzzGameShape] = []
    """Conversations."""


_Entry = FuzzSampleShape | FuzzGameShape


def fuzz_settings(symbols: AssignmentSymbols, compiled: Compiled) -> FuzzSettings:
    """Return the inputs to generate: first those from scenarios' strategies, then those from
    `fuzz:`. Errors are noted.
    """
    shape = symbols.shape.fuzz
    document = symbols.document
    targets = [*_of_scenarios(compiled)]
    names = {""}
    for loc, entry in _entries(shape):
        name = slug(entry.name)
        if name in names:
            what = "every entry needs a different name with at least one letter"
            document.add((*loc, "name"), what)
        names.add(name)
        targets += _targets(symbols, loc, entry)
    nothing = ScenarioShape.model_construct()
    base = ScenarioReader(document, symbols, SettingsShape(), nothing, ())
    base = base.under(Variation())
    assume: list[CourseFunction] = []
    for index, source in enumerate(shape.assume):
        function = _function(base, ("fuzz", "assume", index), source, strict=False)
        if function is not None:
            assume.append(function)
    constants = [target.stimulus.constants for target in targets]
    return FuzzSettings(
        folder=str(symbols.folder),
        targets=tuple(targets),
        assume=tuple(assume),
        variants=symbols.variants.all(constants),
    )


def _entries(shape: FuzzShape) -> Iterator[tuple[Loc, _Entry]]:
    """Yield (location, entry) for the entries of `samples:` and then of `games:`."""
    for index, sample in enumerate(shape.samples):
        yield ("fuzz", "samples", index), sample
    for index, game in enumerate(shape.games):
        yield ("fuzz", "games", index), game


def _targets(symbols: AssignmentSymbols, loc: Loc, entry: _Entry) -> Iterator[FuzzTarget]:
    """Yield the entry's target for each set of constants, up to the first error."""
    keys = entry.model_fields_set - {"strategy", "inputs", "answers"}
    stated = {key: getattr(entry, key) for key in keys}
    shape = ScenarioShape.model_construct(_fields_set=keys, **stated)
    reader = ScenarioReader(symbols.document, symbols, SettingsShape(), shape, loc)
    reader.check_owner()
    with suppress(Refused):
        kind = kind_of(reader)
        for variation in variations(reader):
            yield _target(reader.under(variation), entry, kind)


def _of_scenarios(compiled: Compiled) -> Iterator[FuzzTarget]:
    """Yield a target for each scenario with a strategy, and for each of its sets of constants."""
    requests = dict(compiled.samples)
    for scenario in compiled.scenarios:
        first = scenario.stimuli[0]
        key = (scenario.group, first.constants, first.clock)
        request = requests.pop(key, None)
        if request is None or scenario.informational:
            continue
        without_draw = scenario.id.replace(",draw=1]", "]")
        yield FuzzTarget(
            id=without_draw.removesuffix("[draw=1]"),
            function=scenario.function,
            clauses=scenario.clauses,
            stimulus=replace(first, bindings=()),
            limits=scenario.limits,
            stated=scenario.stated,
            place=scenario.place,
            strategy=request.function,
        )


def _target(reader: ScenarioReader, entry: _Entry, kind: type[Action]) -> FuzzTarget:
    """Return an entry's target for one set of constants. Raise Refused if it cannot be read."""
    reader.names_known = isinstance(entry, FuzzGameShape)
    prefix = read_given(reader)
    variation = reader.variation
    action = read_stimulus(reader, kind).action
    stimulus = Stimulus(
        action=action, given=prefix, constants=variation.overrides, clock=variation.clock
    )
    target = FuzzTarget(
        id=f"{slug(entry.name)}{variation.bracket()}",
        function=entry.function,
        clauses=tuple(entry.clause),
        stimulus=stimulus,
        limits=reader.symbols.limits,
        stated=Expected(),
        place=reader.document.place(reader.loc),
    )
    if isinstance(entry, FuzzSampleShape):
        strategy = _function(reader, (*reader.loc, "strategy"), entry.strategy)
        return replace(target, strategy=strategy)
    prompts = tuple(_prompts(reader, entry))
    return replace(target, prompts=prompts, inputs=entry.inputs)


def _prompts(reader: ScenarioReader, entry: FuzzGameShape) -> Iterator[Prompt]:
    if not entry.answers:
        reader.add((*reader.loc, "answers"), "expected a prompt, got nothing")
    for text, answers in entry.answers.items():
        where: Loc = (*reader.loc, "answers", text)
        often = _lines(reader, where, answers, "often")
        if often == Lines():
            reader.add((*where, "often"), "expected lines, got an empty list")
        closing = _lines(reader, where, answers, "closing")
        if closing == Lines():
            closing = often
        yield Prompt(
            text=reader.render(text, where),
            often=often,
            sometimes=_lines(reader, where, answers, "sometimes"),
            closing=closing,
        )


def _lines(reader: ScenarioReader, loc: Loc, answers: FuzzAnswersShape, key: str) -> Lines:
    written = getattr(answers, key)
    where = (*loc, key)
    if isinstance(written, str):
        return Lines(function=_function(reader, where, written))
    inputs = typed_inputs(reader, where, written)
    return Lines(written=tuple(typed.text for typed in inputs))


def _function(
    reader: ScenarioReader, loc: Loc, name: str, *, strict: bool = True
) -> CourseFunction | None:
    """Return the course's function with this name.

    Note an error and return None if it does not exist or, with `strict`, if it has a parameter that
    is not a constant.
    """
    with suppress(Refused), reader.noted(loc):
        function = course_function(reader.symbols, name)
        names: list[str] | None = None
        if not strict:
            names = [name for name in function.parameters if name in reader.constants]
        return with_constants(function, reader.constants, names)
    return None
