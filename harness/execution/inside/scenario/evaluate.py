"""The namespace that a stimulus runs in, and the outcome of a call, a session or a program."""

from __future__ import annotations

import builtins
import sys
from _json import encode_basestring_ascii as quote

from ..messages import codec, objects
from ..messages.names import nearest_of
from ..messages.objects import without_addresses
from .stimulus import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from ..messages.objects import ObjectEquality
    from ..modules import Library
    from .stimulus import CompiledStimulus, Step

_saved_builtins: dict[str, Any] = {}


class MissingFunctionError(Exception):
    """`str()` is a function that the stimulus needs and the submission does not define."""


class StimulusAnswer:
    """The fields of the one reply, each already JSON text."""

    def __init__(
        self,
        sources: codec.Sources,
        comparison: ObjectEquality,
        announce: Callable[[str], None] | None = None,
    ) -> None:
        self.fields: dict[str, str] = {}
        self.phase = "given"
        self.announce = announce
        self.raised: BaseException | None = None
        self.budget = codec.SizeBudget(comparison)
        self.sources = sources

    def put(self, name: str, text: str) -> None:
        """Set a field to JSON text."""
        self.fields[name] = text

    def put_raised(self, error: BaseException) -> None:
        """Set `raised`."""
        self.raised = error
        self.fields["raised"] = codec.describe(error, self.sources)

    def reach(self, phase: str) -> None:
        """The next part of a stimulus begins: whoever ends the process there, ended it in that."""
        self.phase = phase
        if self.announce is not None:
            self.announce(phase)

    def put_raised_here(self, error: BaseException) -> None:
        """Set `raised`, and the phase that was reached."""
        self.put("phase", quote(self.phase))
        self.put_raised(error)

    def put_not_begun(self, error: BaseException, own_modules: tuple[str, ...]) -> None:
        """Set what `EvaluationContext.begin` raised: `missing`, with the nearest name in the
        submission's own modules, or `raised` in what is given."""
        if isinstance(error, MissingFunctionError):
            self.put("missing", quote(str(error)))
            self.put("near", quote(nearest_of(str(error), own_modules)))
        else:
            self.put_raised_here(error)

    def json(self) -> str:
        """The reply."""
        return "{" + ",".join([quote(n) + ":" + text for n, text in self.fields.items()]) + "}"


class EvaluationContext:
    """The names of a stimulus: constants as overridden, the submission's public functions and
    the built-ins, all as they were before the submission's body ran (functions: after)."""

    def __init__(self) -> None:
        if not _saved_builtins:
            _saved_builtins.update(vars(builtins))
        self.names: dict[str, Any] = {"__name__": NAME, "__builtins__": _saved_builtins}
        self._before: dict[str, Any] = {}

    def add_functions(self, namespace: dict[str, Any], functions: frozenset[str]) -> None:
        """Take the public functions that the submission has."""
        for name in functions:
            if name in namespace:
                self.names[name] = namespace[name]
        self._before = dict(self.names)

    def begin(self, stimulus: CompiledStimulus, bindings: list[tuple[str, str]]) -> None:
        """Bind the draw and run `given`; MissingFunctionError when the stimulus needs a function
        that is not there and that it does not bind itself."""
        for name, literal in bindings:
            self.names[name] = eval(literal, self.names)
        for name in stimulus.needs:
            if name not in self.names:
                raise MissingFunctionError(name)
        if stimulus.given is not None:
            run_step(stimulus.given, self.names)

    def variables(self, budget: codec.SizeBudget) -> str:
        """The names that were bound since, as a JSON list of pairs, data only."""
        pairs: list[str] = []
        nothing = object()
        for name, value in self.names.items():
            bound = self._before.get(name, nothing) is not value
            if bound and codec.is_plain(value, budget) and not name.startswith("__"):
                pairs.append("[" + quote(name) + "," + codec.encode(value, budget) + "]")
        return "[" + ",".join(pairs) + "]"


def call(stimulus: CompiledStimulus, context: EvaluationContext, answer: StimulusAnswer) -> None:
    """Evaluate one expression into `value` or `raised`, with the arguments before and after.

    What is raised before the call itself, or by what it returned, is so reported: it must not
    pass for what the call should raise."""
    names = context.names
    arguments: tuple[Any, ...] = ()
    # Where there is neither `whole` nor `split`, it does not even compile.
    answer.reach("stimulus" if stimulus.whole else "arguments")
    try:
        if stimulus.split is None:
            value = eval(stimulus.whole or stimulus.source, names)
        else:
            function, arguments, keywords = eval(stimulus.split, names)
            if stimulus.observes_arguments:
                answer.put("before", codec.encode_all(arguments, answer.budget))
            answer.reach("stimulus")
            value = function(*arguments, **keywords)
        answer.phase = "result"
        if stimulus.equals is None:
            answer.put("value", codec.encode_returned(value, answer.budget))
        else:
            answer.put("value", _compared(value, stimulus.equals, context, answer.budget))
    except BaseException as error:
        answer.put_raised_here(error)
    if "before" in answer.fields:
        answer.put("after", codec.encode_all(arguments, answer.budget))


def _compared(
    value: object,
    equals: tuple[str, CodeType | None],
    context: EvaluationContext,
    budget: codec.SizeBudget,
) -> str:
    """What the parent compares with the expected value, or what `==` answers where that is an
    object of the program's own."""
    text, code = equals
    expected = eval(code or text, context.names)
    if objects.is_data(expected):
        return codec.encode_data(value, budget)
    answered = objects.answer(value, expected, budget.comparison)
    return codec.encode_answer(value, "== " + text, answered, budget)


def session(
    stimulus: CompiledStimulus,
    context: EvaluationContext,
    answer: StimulusAnswer,
    finished: Callable[[str], None],
) -> None:
    """Run the steps in one namespace; `finished` gets each step's outcome as JSON."""
    answer.reach("stimulus")
    for step in stimulus.steps:
        outcome = "{}"
        try:
            value = run_step(step, context.names)
            if value is not None:
                outcome = _shown(value, answer.budget)
        except BaseException as error:
            outcome = '{"raised":' + codec.describe(error, answer.sources) + "}"
        finished(outcome)
    answer.put("variables", context.variables(answer.budget))


_MOST_SHOWN = 10_000  # characters of a `repr`


def _shown(value: object, budget: codec.SizeBudget) -> str:
    """A step's value, and what a person sees of it where objects are in it."""
    met = budget.objects
    encoded = '{"value":' + codec.encode(value, budget)
    if budget.objects == met:
        return encoded + "}"
    text = without_addresses(repr(value))[:_MOST_SHOWN]
    return encoded + ',"shown":' + quote(budget.spend(text)) + "}"


def run_step(step: Step, names: dict[str, Any]) -> Any:
    """A step's statements, then the value of its last expression (None: it has none)."""
    source, body, last = step
    if body is None:
        compile(source, NAME, "exec", dont_inherit=True)  # raises what is wrong with it
        return None
    exec(body, names)
    return None if last is None else eval(last, names)


def program(library: Library, name: str, answer: StimulusAnswer) -> None:
    """Run a module as `__main__`, into `exit` and, for an uncaught exception, `raised`."""
    status = 0
    module = library.blank(name)
    try:
        module.__name__ = "__main__"
        module.__spec__ = None
        sys.modules["__main__"] = module
        exec(library.sources[name].compiled(), module.__dict__)
    except SystemExit as error:
        status = _exit_status(error)
    except BaseException as error:
        status = 1
        answer.put_raised(error)
    answer.put("exit", str(status))


def _exit_status(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if type(code) is int or type(code) is bool:
        return code & 0xFF
    sys.stderr.write(str(code) + "\n")  # as the interpreter itself does
    return 1
