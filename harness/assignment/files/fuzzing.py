"""`fuzz:` in assignment.yaml, and the strategies that scenarios name: what can be drawn anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.assignment.scenarios.file import Compiled
from harness.assignment.scenarios.settings import (
    Context,
    Setting,
    check_clauses,
    check_function,
)
from harness.assignment.scenarios.stimuli import asked, given, kind_of, typed_inputs
from harness.assignment.scenarios.sweeps import slug, variations
from harness.assignment.schema.models.assignment import (
    FuzzAnswersShape,
    FuzzGameShape,
    FuzzSampleShape,
    FuzzShape,
)
from harness.assignment.schema.models.scenario import ScenarioShape, SettingsShape
from harness.assignment.schema.validators import describe
from harness.assignment.vocabulary import Vocabulary
from harness.assignment.yaml.document import Document, Loc
from harness.model.expectation import Expected
from harness.model.plan import Place
from harness.model.stimulus import Binding, Stimulus
from harness.model.study.fuzzing import CourseFunction, FuzzSettings, FuzzTarget, Lines, Prompt

_FUZZ = "fuzz"


def fuzz_settings(
    document: Document, shape: FuzzShape, vocabulary: Vocabulary, compiled: Compiled
) -> FuzzSettings:
    """What is drawn for an assignment: by the strategies of its scenarios, then by `fuzz:`.
    Mistakes are noted in `document`."""
    reader = _Reader(document, vocabulary)
    targets = [*reader.of_scenarios(compiled)]
    lists: dict[str, Sequence[FuzzSampleShape | FuzzGameShape]] = {
        "samples": shape.samples,
        "games": shape.games,
    }
    names: set[str] = set()
    for key, entries in lists.items():
        for index, entry in enumerate(entries):
            loc: Loc = (_FUZZ, key, index)
            if slug(entry.name) in names or not slug(entry.name):
                document.add((*loc, "name"), "each has a name of its own, with a letter in it")
            names.add(slug(entry.name))
            targets += reader.targets(loc, entry)
    constants = vocabulary.variants.constants()
    assume = [
        reader.function((_FUZZ, "assume", index), source, constants, strict=False)
        for index, source in enumerate(shape.assume)
    ]
    return FuzzSettings(
        folder=str(vocabulary.folder),
        targets=tuple(targets),
        assume=tuple(each for each in assume if each is not None),
        variants=vocabulary.variants.all(each.stimulus.constants for each in targets),
    )


class _Reader:
    def __init__(self, document: Document, vocabulary: Vocabulary) -> None:
        self._document = document
        self._vocabulary = vocabulary

    def of_scenarios(self, compiled: Compiled) -> Iterator[FuzzTarget]:
        """A target for each scenario and set of constants that is drawn by a strategy."""
        left = dict(compiled.samples)
        for scenario in compiled.scenarios:
            key = (scenario.group, scenario.stimuli[0].constants)
            request = left.pop(key, None)
            if request is None or scenario.informational:
                continue
            place, parameters = self._defined(request.source)
            function = CourseFunction(
                source=request.source,
                parameters=parameters,
                constants=request.constants,
                place=place,
            )
            yield FuzzTarget(
                id=scenario.id.replace(",draw=1]", "]").removesuffix("[draw=1]"),
                function=scenario.function,
                clauses=scenario.clauses,
                stimulus=replace(scenario.stimuli[0], bindings=()),
                limits=scenario.limits,
                stated=scenario.stated,
                place=scenario.place,
                strategy=function,
            )

    def targets(self, loc: Loc, entry: FuzzSampleShape | FuzzGameShape) -> Iterator[FuzzTarget]:
        """A target for each set of constants of an entry."""
        other = {"strategy", "inputs", "answers"}
        keys = entry.model_fields_set - other
        own = ScenarioShape.model_construct(
            _fields_set=keys, **{key: getattr(entry, key) for key in keys}
        )
        chosen = Setting(SettingsShape(), own, loc)
        check_function(self._document, self._vocabulary, chosen)
        check_clauses(self._document, self._vocabulary, chosen)
        kind = kind_of(Context(self._document, self._vocabulary, {}), chosen)
        if kind is None:
            return
        for variation in variations(self._document, self._vocabulary, chosen):
            constants = self._vocabulary.variants.constants(variation.overrides)
            context = Context(self._document, self._vocabulary, constants)
            context.names_known = isinstance(entry, FuzzGameShape)
            prefix = given(context, chosen)
            parts = asked(context, chosen, kind)
            if parts is None:
                return
            target = FuzzTarget(
                id=f"{slug(entry.name)}{variation.bracket()}",
                function=entry.function,
                clauses=tuple(entry.clause),
                stimulus=Stimulus(action=parts.action, given=prefix, constants=variation.overrides),
                limits=self._vocabulary.limits,
                stated=Expected(),
                place=self._document.place(loc),
            )
            if isinstance(entry, FuzzSampleShape):
                strategy = self.function((*loc, "strategy"), entry.strategy, constants)
                yield replace(target, strategy=strategy)
            else:
                prompts = tuple(self._prompts(context, loc, entry))
                yield replace(target, prompts=prompts, inputs=entry.inputs)

    def _prompts(self, context: Context, loc: Loc, entry: FuzzGameShape) -> Iterator[Prompt]:
        if not entry.answers:
            context.add((*loc, "answers"), "expected a prompt, got nothing")
        for text, answers in entry.answers.items():
            where: Loc = (*loc, "answers", text)
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
        if not isinstance(written, list):
            what = f"expected a list of lines or file.function, got {describe(written)}"
            context.add(where, what)
            return Lines()
        typed = typed_inputs(context, where, written)
        if any(each.key is not None for each in typed):
            context.add(where, "expected lines, got a key")
        return Lines(written=tuple(each.text for each in typed))

    def function(
        self, loc: Loc, source: str, constants: Mapping[str, Any], *, strict: bool = True
    ) -> CourseFunction | None:
        """The function that is named; None, with a mistake, where there is none, or where it
        (`strict`) asks for what is no constant."""
        try:
            place, parameters = self._defined(source)
        except _NoFunctionError as error:
            self._document.add(loc, str(error), "boards.any_board is any_board in boards.py")
            return None
        unknown = [name for name in parameters if name not in constants]
        if strict and unknown:
            self._document.add(
                loc, f"{source} asks for {unknown[0]}, which is no provided constant"
            )
            return None
        bound = tuple(
            Binding(name=name, literal=repr(constants[name]))
            for name in parameters
            if name in constants
        )
        return CourseFunction(source=source, parameters=parameters, constants=bound, place=place)

    def _defined(self, source: str) -> tuple[Place, tuple[str, ...]]:
        module, _, function = source.partition(".")
        path = self._vocabulary.folder / f"{module}.py"
        if not (module.isidentifier() and function.isidentifier()):
            raise _NoFunctionError(f"expected file.function, got {source!r}")
        try:
            tree = ast.parse(path.read_bytes())
        except OSError:
            raise _NoFunctionError(f"{module}.py is not in the spec folder") from None
        except (SyntaxError, ValueError) as error:
            raise _NoFunctionError(f"{module}.py is not Python ({error})") from None
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                file = f"{self._vocabulary.shown_folder}/{module}.py"
                place = Place(file=file, line=node.lineno, column=1)
                return place, tuple(each.arg for each in arguments)
        raise _NoFunctionError(f"{module}.py has no function {function}")


class _NoFunctionError(Exception):
    """Its text says what is not there."""
