"""Evaluates a stimulus inside a scenario's process.

The stimulus's text is ours and trusted. The compile worker (`zygote.py`) analyses and compiles it
once for all submissions; this module also makes the namespace in which it runs, and collects the
fields of the answer.
"""

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
    """A stimulus's compiled code.

    `split` evaluates a call to (function, arguments, keywords); other expressions have `whole`
    instead. `arguments` is the number of positional arguments of a plain call, which are observed
    before and after it; None if it is not a plain call. `needs` are the public functions that the
    submission must have. `equals` is the text, and the code, of a value to compare the result with.
    """

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
    """Compile the texts of a stimulus.

    Return the fields of a `CompiledStimulus`: plain data and code.
    """
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
    """Compile the text of a generated value, such as `[3, 1]`, and return its code as bytes for
    `EvaluationContext.begin`.
    """
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
    """Return the public functions that the texts use, and the number of positional arguments if
    the expression only calls one of them (otherwise None). A text that does not parse counts as
    empty.
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
    """Return the syntax tree; None if the text does not parse.

    Running the text then raises the error.
    """
    try:
        return compile(source, NAME, mode, _AST_ONLY, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None


def call_in_parts(expression: str, functions: frozenset[str]) -> Any:
    """Return, for a call of a public function or a method, the syntax tree of the tuple (function,
    positional arguments, keyword arguments). Python evaluates the tuple before the call. Return
    None for any other expression.
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
    """The fields of the only reply to the driver, each as JSON text."""

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
        """Report that the phase `phase` begins.

        If the program ends the process later, it ended in this phase.
        """
        self.phase = phase
        self.announce(phase)

    def begin(self, *, runs: bool) -> None:
        """Note that the loaded code runs now: a program if `runs`, otherwise the stimulus's
        `given` code.
        """
        self.phase = "stimulus" if runs else "given"
        self.fields["phase"] = '"stimulus"'

    def put_raised(self, error: BaseException) -> None:
        self.raised = error
        self.fields["phase"] = quote(self.phase)
        self.fields["raised"] = describe(error, self.sources)

    def put_cell_error(self, error: BaseException) -> None:
        """Keep the first exception that ended a cell of a notebook.

        The program continues with the next cell.
        """
        if "cell_error" not in self.fields:
            self.fields["cell_error"] = describe(error, self.sources)

    def json(self) -> str:
        return "{" + ",".join([quote(n) + ":" + text for n, text in self.fields.items()]) + "}"


class EvaluationContext:
    """The namespace of a stimulus: constants as overridden, the submission's public functions, and
    the built-ins. Constants and built-ins are as they were before the submission's body ran.
    """

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
        """Bind generated values, packed by `packed_literal`, and run `given`.

        Return the name of a function that the stimulus needs and the submission lacks; otherwise an
        empty text.
        """
        for name, literal in bindings:
            self.names[name] = eval(marshal.loads(literal), self.names)
        for name in stimulus.needs:
            if name not in self.names:
                return name
        if stimulus.given is not None:
            run_step(stimulus.given, self.names)
        return ""

    def variables(self, budget: codec.SizeBudget) -> str:
        """Return the names bound by the stimulus so far and their values, as a JSON list of pairs.

        Values that are not data are left out.
        """
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
    """Carry out a stimulus with the module of `inside.stimuli` for its kind.

    The `given` code may raise an exception. If the submission lacks a needed function, report the
    most similar name in its modules.
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
