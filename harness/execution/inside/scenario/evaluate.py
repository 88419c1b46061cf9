"""A stimulus, ours and trusted, as the interpreter runs it: analysed and compiled once, for all
submissions, by a process of its own (`zygote.py`); its namespace, and the fields of its answer."""

from __future__ import annotations

import _ast
import builtins
import marshal
from _json import encode_basestring_ascii as quote

from ..messages import codec
from ..messages.exceptions import Sources, describe, nearest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, TypeAlias

    # A step's source, its statements, and the expression whose value the REPL would show; no
    # statements: it does not compile.
    Step: TypeAlias = tuple[str, CodeType | None, CodeType | None]


_AST_ONLY = 0x400
NAME = "<stimulus>"
_saved_builtins: dict[str, Any] = {}


class CompiledStimulus:
    """What to evaluate: `split` gives (function, arguments, keywords) of a call, else `whole`
    gives the value. `arguments`: how many positional arguments a plain call has, which are observed
    before and after it; None: it is not a plain call. `needs` are the public functions that the
    submission must have. `equals` is a text, and its code, that the value is compared with."""

    needs: list[str]
    source: str
    given: Step | None
    split: CodeType | None
    arguments: int | None
    whole: CodeType | None
    steps: list[Step]
    equals: tuple[str, CodeType | None] | None

    def __init__(self, parts: tuple[Any, ...]) -> None:
        (
            self.needs, self.source, self.given, self.split, self.arguments, self.whole,
            self.steps, self.equals,
        ) = parts  # fmt: skip


def compile_stimulus(
    functions: frozenset[str], given: str, expression: str, steps: tuple[str, ...], equals: str = ""
) -> tuple[Any, ...]:
    """Return the parts of a `CompiledStimulus`, plain data and code, from a stimulus's texts."""
    needs, arguments = analyse(given, expression, steps, functions)
    in_parts = call_in_parts(expression, functions)
    split = _value_of(in_parts) if in_parts else None
    return (
        needs,
        expression,
        _step(given + "\n") if given else None,
        split,
        arguments,
        _value_of(expression) if expression and split is None else None,
        [_step(step) for step in steps],
        (equals, _value_of(equals)) if equals else None,
    )


def packed_literal(text: str) -> bytes:
    """Return the text of a generated value, compiled and packed for `EvaluationContext.begin`."""
    return marshal.dumps(_value_of(text) or text)


def _step(source: str) -> Step:
    if (tree := parsed(source, "exec")) is None:
        return source, None, None
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = _compiled(_ast.Expression(body=tree.body.pop().value), "eval")
    return source, _compiled(tree, "exec"), last


def _value_of(expression: Any) -> CodeType | None:
    try:
        return _compiled(expression, "eval")
    except (SyntaxError, ValueError):  # the code that runs it gets the error
        return None


def _compiled(source: Any, mode: str) -> CodeType:
    code: CodeType = compile(source, NAME, mode, dont_inherit=True)
    return code


def analyse(
    given: str, expression: str, steps: tuple[str, ...], functions: frozenset[str]
) -> tuple[list[str], int | None]:
    """Return the public functions that must exist, and the number of positional arguments of an
    expression that only calls one of them. A text that does not parse counts as empty.
    """
    tree = parsed(expression, "eval") if expression else None
    trees = [parsed(text, "exec") for text in (given, *steps) if text]
    read: set[str] = set()
    bound: set[str] = set()
    for code in (tree, *trees):
        if code is not None:
            _collect_names(code, read, bound)
    call = None if tree is None else tree.body
    arguments = None
    if (
        isinstance(call, _ast.Call)
        and isinstance(call.func, _ast.Name)
        and call.func.id in functions
        and not any(isinstance(argument, _ast.Starred) for argument in call.args)
        and not any(keyword.arg is None for keyword in call.keywords)
    ):
        arguments = len(call.args)
    return sorted((read - bound) & functions), arguments


def parsed(source: str, mode: str) -> Any:
    """Return the syntax tree, or None if the text does not parse: the code that runs it gets the
    error.
    """
    try:
        return compile(source, NAME, mode, _AST_ONLY, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None


def call_in_parts(expression: str, functions: frozenset[str]) -> Any:
    """Return a call of a public function or a method as the tree of a tuple (function, positional
    arguments, keyword arguments), which Python evaluates before the call. Return None for any
    other expression.
    """
    tree = parsed(expression, "eval") if expression else None
    node = None if tree is None else tree.body
    if not isinstance(node, _ast.Call):
        return None
    function = node.func
    public = isinstance(function, _ast.Name) and function.id in functions
    if not public and not isinstance(function, _ast.Attribute):
        return None
    # `f(x, k=1)` becomes `(f, *pack(x, k=1))`: Python itself evaluates stars and keywords, and `f`
    # is not called yet.
    parts = parsed("(f, *(lambda *a, **k: (a, k))())", "eval")
    parts.body.elts[0] = function
    packing = parts.body.elts[1].value
    packing.args, packing.keywords = node.args, node.keywords
    return parts


def _collect_names(node: Any, read: set[str], bound: set[str]) -> None:
    if isinstance(node, _ast.Name):
        (read if isinstance(node.ctx, _ast.Load) else bound).add(node.id)
    elif isinstance(node, _ast.arg):
        bound.add(node.arg)
    elif isinstance(node, _ast.alias):
        bound.add(node.asname or node.name.partition(".")[0])
    elif isinstance(node, _ast.FunctionDef | _ast.ClassDef):
        bound.add(node.name)
    for field in node._fields:
        value = getattr(node, field, None)
        for part in value if isinstance(value, list) else (value,):
            if isinstance(part, _ast.AST):
                _collect_names(part, read, bound)


class StimulusAnswer:
    """The fields of the one reply, each already JSON text."""

    def __init__(
        self, sources: Sources, comparison: codec.ObjectEquality, announce: Callable[[str], None]
    ) -> None:
        self.fields: dict[str, str] = {}
        self.phase = ""
        self.announce = announce
        self.raised: BaseException | None = None
        self.budget = codec.SizeBudget(comparison)
        self.sources = sources

    def reach(self, phase: str) -> None:
        """Begin the next part. If the program ends the process from now on, it ended in that
        part."""
        self.phase = phase
        self.announce(phase)

    def begin(self, *, runs: bool) -> None:
        """Begin the loaded code: a program, or the given setup."""
        self.phase = "stimulus" if runs else "given"
        self.fields["phase"] = '"stimulus"'

    def put_raised(self, error: BaseException) -> None:
        self.raised = error
        self.fields["phase"] = quote(self.phase)
        self.fields["raised"] = describe(error, self.sources)

    def put_cell_error(self, error: BaseException) -> None:
        """Keep the first exception that ended a cell of a notebook; the program goes on."""
        if "cell_error" not in self.fields:
            self.fields["cell_error"] = describe(error, self.sources)

    def json(self) -> str:
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
        for name in functions:
            if name in namespace:
                self.names[name] = namespace[name]
        self._before = dict(self.names)

    def begin(self, stimulus: CompiledStimulus, bindings: list[tuple[str, bytes]]) -> str:
        """Bind the draw, packed by `packed_literal`, and run `given`. If the stimulus needs a
        function that does not exist, return the function's name instead."""
        for name, literal in bindings:
            self.names[name] = eval(marshal.loads(literal), self.names)
        for name in stimulus.needs:
            if name not in self.names:
                return name
        if stimulus.given is not None:
            run_step(stimulus.given, self.names)
        return ""

    def variables(self, budget: codec.SizeBudget) -> str:
        """Return the names that were bound since, as a JSON list of pairs; only data."""
        pairs: list[str] = []
        nothing = object()
        for name, value in self.names.items():
            bound = self._before.get(name, nothing) is not value
            if bound and codec.is_plain(value, budget) and not name.startswith("__"):
                pairs.append("[" + quote(name) + "," + codec.encode(value, budget) + "]")
        return "[" + ",".join(pairs) + "]"


def perform(
    do: Callable[..., None],
    stimulus: CompiledStimulus,
    bindings: list[tuple[str, bytes]],
    context: EvaluationContext,
    answer: StimulusAnswer,
    *,
    finished: Callable[[str], None],
) -> None:
    """Carry out a stimulus, with the module of `inside.stimuli` for its kind.

    Setup code may raise. If a function is `missing`, the most similar name in the submission's own
    modules is reported.
    """
    try:
        missing = context.begin(stimulus, bindings)
    except BaseException as error:
        answer.put_raised(error)
        return
    if missing:
        answer.fields["missing"] = quote(missing)
        answer.fields["near"] = quote(nearest_of(missing, answer.sources.modules))
    else:
        do(stimulus, context, answer, finished)


def run_step(step: Step, names: dict[str, Any]) -> Any:
    """Run a step's statements and return the value of its last expression; None if it has none."""
    source, body, last = step
    if body is None:
        compile(source, NAME, "exec", dont_inherit=True)  # raises its error
        return None
    exec(body, names)
    return None if last is None else eval(last, names)
