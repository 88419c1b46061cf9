"""`fuzz:` in assignment.yaml, and the strategies that scenarios name: what can be drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

from pydantic import ConfigDict

from harness.assignment.document import HintedError, Loc
from harness.assignment.scenarios.cases import Compiled, variations
from harness.assignment.scenarios.context import Context, check_clauses, check_function, slug
from harness.assignment.scenarios.draws import course_function, with_constants
from harness.assignment.scenarios.shape import ScenarioShape, SettingsShape
from harness.assignment.scenarios.stimuli import kind_of
from harness.assignment.scenarios.stimulus import (
    StimulusKind,
    given,
    read_stimulus,
    typed_inputs,
)
from harness.assignment.shapes import Constants, Expects, Shape, Whole, Words, one_required, quote
from harness.assignment.vocabulary import Vocabulary
from harness.matchers.reading import Refused
from harness.model.expectation import Expected
from harness.model.stimulus import Stimulus
from harness.model.study import CourseFunction, FuzzSettings, FuzzTarget, Lines, Prompt

FuzzLines = Annotated[
    str | list[Annotated[str | int, Expects("text or a whole number", quote)]],
    Expects("a list of lines or file.function", instead=[""]),
]


class _TargetShape(Shape):
    name: str
    """What is drawn or played, unique in the list."""
    function: str
    """The function (or the submitted program) it is about."""
    clause: Words = []
    """The clauses that a scenario found so is given."""
    constants: Constants = {}
    """Provided constants to override: a value, or a list of values to sweep."""


class FuzzSampleShape(_TargetShape):
    """What is drawn for a call that no scenario draws for."""

    given: str = ""
    """Statements run first."""
    call: str
    """One Python expression with the names that are drawn."""
    strategy: str
    """`file.function` in a Python file of this folder: it returns a strategy of dicts."""


class FuzzAnswersShape(Shape):
    """What is typed at a prompt: lines, or `file.function`, which gives them."""

    often: FuzzLines
    """What is typed four times of five: a list, or `file.function`."""
    sometimes: FuzzLines = []
    """What is typed one time of five: a list, or `file.function`."""
    closing: FuzzLines = []
    """What is typed, in turn and again, to bring a game to its end (often, if left out)."""


class FuzzGameShape(_TargetShape):
    """Conversations: which lines may be typed at which prompt."""

    model_config = ConfigDict(json_schema_extra=one_required("call", "run"))

    call: str = ""
    """One Python expression."""
    run: str = ""
    """A submitted or provided program, run as `__main__` on a terminal."""
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


def fuzz_settings(vocabulary: Vocabulary, compiled: Compiled) -> FuzzSettings:
    """What is drawn for an assignment: by the strategies of its scenarios, then by `fuzz:`.
    Mistakes are noted."""
    shape, document = vocabulary.shape.fuzz, vocabulary.document
    reader = _Reader(vocabulary)
    targets = [*reader.of_scenarios(compiled)]
    names: set[str] = set()
    entries: list[tuple[Loc, FuzzSampleShape | FuzzGameShape]] = [
        *((("fuzz", "samples", index), entry) for index, entry in enumerate(shape.samples)),
        *((("fuzz", "games", index), entry) for index, entry in enumerate(shape.games)),
    ]
    for loc, entry in entries:
        if slug(entry.name) in names or not slug(entry.name):
            document.add((*loc, "name"), "each has a name of its own, with a letter in it")
        names.add(slug(entry.name))
        targets += reader.targets(loc, entry)
    constants = vocabulary.variants.constants()
    assume = [
        reader.function(("fuzz", "assume", index), source, constants, strict=False)
        for index, source in enumerate(shape.assume)
    ]
    return FuzzSettings(
        folder=str(vocabulary.folder),
        targets=tuple(targets),
        assume=tuple(each for each in assume if each is not None),
        variants=vocabulary.variants.all(each.stimulus.constants for each in targets),
    )


class _Reader:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._document = vocabulary.document
        self._vocabulary = vocabulary

    def of_scenarios(self, compiled: Compiled) -> Iterator[FuzzTarget]:
        """A target for each scenario and set of constants that is drawn by a strategy."""
        left = dict(compiled.samples)
        for scenario in compiled.scenarios:
            first = scenario.stimuli[0]
            request = left.pop((scenario.group, first.constants, first.clock), None)
            if request is None or scenario.informational:
                continue
            yield FuzzTarget(
                id=scenario.id.replace(",draw=1]", "]").removesuffix("[draw=1]"),
                function=scenario.function,
                clauses=scenario.clauses,
                stimulus=replace(scenario.stimuli[0], bindings=()),
                limits=scenario.limits,
                stated=scenario.stated,
                place=scenario.place,
                strategy=request.function,
            )

    def targets(self, loc: Loc, entry: FuzzSampleShape | FuzzGameShape) -> Iterator[FuzzTarget]:
        """A target for each set of constants of an entry."""
        keys = entry.model_fields_set - {"strategy", "inputs", "answers"}
        own = ScenarioShape.model_construct(
            _fields_set=keys, **{key: getattr(entry, key) for key in keys}
        )
        context = Context(self._document, self._vocabulary, SettingsShape(), own, loc)
        check_function(context)
        check_clauses(context)
        with suppress(Refused):
            kind = kind_of(context)
            for variation in variations(context):
                yield self._target(context.under(variation), entry, kind)

    def _target(
        self, context: Context, entry: FuzzSampleShape | FuzzGameShape, kind: StimulusKind
    ) -> FuzzTarget:
        context.names_known = isinstance(entry, FuzzGameShape)
        prefix = given(context)
        parts = read_stimulus(context, kind)
        variation = context.variation
        target = FuzzTarget(
            id=f"{slug(entry.name)}{variation.bracket()}",
            function=entry.function,
            clauses=tuple(entry.clause),
            stimulus=Stimulus(
                action=parts.action,
                given=prefix,
                constants=variation.overrides,
                clock=variation.clock,
            ),
            limits=self._vocabulary.limits,
            stated=Expected(),
            place=self._document.place(context.loc),
        )
        if isinstance(entry, FuzzSampleShape):
            loc = (*context.loc, "strategy")
            strategy = self.function(loc, entry.strategy, context.constants)
            return replace(target, strategy=strategy)
        prompts = tuple(self._prompts(context, entry))
        return replace(target, prompts=prompts, inputs=entry.inputs)

    def _prompts(self, context: Context, entry: FuzzGameShape) -> Iterator[Prompt]:
        if not entry.answers:
            context.add((*context.loc, "answers"), "expected a prompt, got nothing")
        for text, answers in entry.answers.items():
            where: Loc = (*context.loc, "answers", text)
            often = self._lines(context, where, answers, "often")
            if "often" in answers.model_fields_set and often == Lines():
                context.add((*where, "often"), "expected lines, got an empty list")
            closing = self._lines(context, where, answers, "closing")
            yield Prompt(
                text=context.render(text, where),
                often=often,
                sometimes=self._lines(context, where, answers, "sometimes"),
                closing=often if closing == Lines() else closing,
            )

    def _lines(self, context: Context, loc: Loc, answers: FuzzAnswersShape, key: str) -> Lines:
        written, where = getattr(answers, key), (*loc, key)
        if isinstance(written, str):
            return Lines(function=self.function(where, written, context.constants))
        typed = typed_inputs(context, where, written)
        return Lines(written=tuple(each.text for each in typed))

    def function(
        self, loc: Loc, name: str, constants: Mapping[str, Any], *, strict: bool = True
    ) -> CourseFunction | None:
        """The function that is named; None, with a mistake, where there is none, or where it
        (`strict`) asks for what is no constant."""
        try:
            function = course_function(self._vocabulary, name)
            known = [each for each in function.parameters if each in constants]
            return with_constants(function, constants, None if strict else known)
        except HintedError as error:
            self._document.add(loc, str(error), error.hint)
            return None
