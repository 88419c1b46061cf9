"""Convert one test function to a scenario by reading its code, without running it.

The scenario has the test's calls of the program, step by step, and the results that the test
expects.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from harness.packaging.scaffold.recording import assertions
from harness.packaging.scaffold.recording.expressions import (
    AskedOfProgram,
    NotRecordedError,
    TestScope,
    items_of,
    shortened,
    value_of,
)
from harness.packaging.scaffold.recording.replaced import (
    INPUT,
    PATCHES,
    STDOUT,
    is_string_io,
    lines_typed,
    run_of,
    target_of,
)
from harness.packaging.scaffold.recording.scenario import Recorded, RecordedRun, RecordedStep
from harness.packaging.scaffold.syntax import options_of

_MAX_STEPS = 40
_KEYS = {"stdout": "prints", "stderr": "stderr"}  # by the attribute of a finished process
_RAISES = ("pytest.raises", "raises", "self.assertRaises", "self.assertRaisesRegex")
_REDIRECTS = ("redirect_stdout", "contextlib.redirect_stdout")
_COMPARED = {
    "assertEqual": ast.Eq, "assertEquals": ast.Eq, "assertListEqual": ast.Eq,
    "assertDictEqual": ast.Eq, "assertTupleEqual": ast.Eq, "assertSetEqual": ast.Eq,
    "assertMultiLineEqual": ast.Eq, "assertSequenceEqual": ast.Eq, "assertIs": ast.Is,
    "assertIn": ast.In, "assertNotIn": ast.NotIn,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that a test has captured, such as output.

    `stated` belongs to the step or run that produced it; `edges` says at which ends the test
    removes spaces.
    """

    stated: dict[str, Any]
    key: str
    edges: str = ""


@dataclass(slots=True)
class TestReader:
    """Reads the statements of one test and adds the equivalent steps to `recorded`."""

    __test__ = False  # no test of ours

    scope: TestScope
    recorded: Recorded
    captured: dict[str, _Text] = field(default_factory=dict)  # by the name of a variable
    streams: dict[str, int] = field(default_factory=dict)  # StringIO, with the step it begins at
    raises: dict[str, RecordedStep] = field(
        default_factory=dict
    )  # by the name of the caught exception
    runs: dict[str, RecordedRun] = field(default_factory=dict)
    first_unread: int = 0  # the first step whose output was not read yet

    def read(self, statements: Sequence[ast.stmt]) -> None:
        """Read these statements.

        Raise NotRecordedError if a scenario cannot express one of them.
        """
        for statement in statements:
            self._statement(statement)
            if len(self.recorded.steps) > _MAX_STEPS:
                raise NotRecordedError(f"it takes more than {_MAX_STEPS} steps")

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Assert():
                self._assert(node.test)
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.Assign(targets=[target]):
                self._assign(target, node.value)
            case ast.AugAssign():
                self._add_to(node)
            case ast.For(orelse=[]):
                self._loop(node)
            case ast.With():
                self._with(node, list(node.items))
            case _:
                raise NotRecordedError(f"it has a statement {type(node).__name__.lower()}")

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        known = self.scope.modules | self.scope.program.keys()
        for alias in node.names:
            name = alias.asname or alias.name
            if name not in known:
                raise NotRecordedError(f"it imports {alias.name}")

    def _rewritten(self, node: ast.expr) -> tuple[ast.expr, bool]:
        """Return an expression as a scenario can write it, and whether it uses the program under
        test.

        Steps that assign the known values it needs are added first.
        """
        asked = AskedOfProgram(self.scope)
        rewritten = asked.visit(copy.deepcopy(node))
        for name in asked.needed:
            value = self.scope.literals.pop(name)
            self._add(RecordedStep(source=f"{name} = {value!r}"))
            self.scope.variables.add(name)
        assert isinstance(rewritten, ast.expr)
        return rewritten, asked.uses_program

    def _asked(self, node: ast.expr) -> ast.expr:
        """Return an expression as a scenario can write it.

        Raise NotRecordedError if the expression does not use the program under test.
        """
        rewritten, uses_program = self._rewritten(node)
        if not uses_program:
            raise NotRecordedError(f"{shortened(node)} does not use the program")
        return rewritten

    def _add(self, step: RecordedStep) -> RecordedStep:
        if self.recorded.run is not None:
            raise NotRecordedError("it runs the program and calls functions")
        self.recorded.steps.append(step)
        return step

    def _expression(self, node: ast.expr) -> RecordedStep:
        """Return the step that evaluates an expression."""
        source = ast.unparse(self._asked(node))
        return self._add(RecordedStep(source=source, is_call=True))

    def _change(self, target: ast.expr, operator: str, value: ast.expr) -> None:
        """Add a step that changes an object, such as `x.y = 1` or `x[0] += 2`."""
        rewritten, _ = self._rewritten(value)
        place = ast.unparse(self._asked(target))
        written = ast.unparse(rewritten)
        self._add(RecordedStep(source=f"{place} {operator} {written}"))

    def _add_to(self, node: ast.AugAssign) -> None:
        target = node.target
        literals = self.scope.literals
        if isinstance(target, ast.Name) and target.id in literals:
            left = ast.Name(target.id, ast.Load())
            total = ast.BinOp(left=left, op=node.op, right=node.value)
            literals[target.id] = value_of(total, literals)
            return
        written = ast.unparse(node)
        rest = written.removeprefix(ast.unparse(target))
        _, operator, _ = rest.split(" ", 2)
        self._change(target, operator, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Attribute | ast.Subscript):
            self._change(target, "=", value)
            return
        parts = _parts(target)
        names = _plain_names(parts)
        if len(names) != len(parts):
            raise NotRecordedError(f"it assigns to {shortened(target)}")
        if len(names) == 1 and self._captures(names[0], value):
            return
        try:
            found = value_of(value, self.scope.literals)
        except NotRecordedError:
            self._bind(target, names, value)
            return
        self._bind_values(target, names, found)

    def _bind(self, target: ast.expr, names: Sequence[str], value: ast.expr) -> None:
        rewritten = self._asked(value)
        for name in names:
            self._forget(name)
            self.scope.variables.add(name)
        bound = ast.unparse(target)
        written = ast.unparse(rewritten)
        self._add(RecordedStep(source=f"{bound} = {written}"))

    def _forget(self, name: str) -> None:
        """Remove a name's known meaning, because the test assigns another value to the name."""
        self.scope.forget(name)
        self.captured.pop(name, None)

    def _bind_values(self, target: ast.expr, names: Sequence[str], found: object) -> None:
        values = found
        if isinstance(target, ast.Name):
            values = [found]
        if not isinstance(values, list | tuple) or len(values) != len(names):
            raise NotRecordedError(f"it assigns to {shortened(target)}")
        for name, value in zip(names, values, strict=True):
            self._forget(name)
            self.scope.literals[name] = value

    def _loop(self, node: ast.For) -> None:
        names = _plain_names(_parts(node.target))
        for value in items_of(node.iter, self.scope.literals):
            self._bind_values(node.target, names, value)
            self.read(node.body)

    def _captures(self, name: str, value: ast.expr) -> bool:
        """Read an assignment such as `out = capsys.readouterr().out`.

        Return whether it captures text.
        """
        if is_string_io(value):
            self.streams[name] = len(self.recorded.steps)
            return True
        run = run_of(value, self.scope.literals)
        if run is not None:
            self._run(name, run)
            return True
        text = self._text(value)
        if text is None:
            return False
        self.scope.forget(name)
        self.captured[name] = text
        return True

    def _run(self, name: str, run: RecordedRun) -> None:
        if self.recorded.steps or self.recorded.run is not None:
            raise NotRecordedError("it runs the program more than once")
        self.recorded.run = run
        self.runs[name] = run

    def _text(self, node: ast.expr) -> _Text | None:
        """Return the captured text to which an expression refers; None for any other expression."""
        match node:
            case ast.Name(id=name) if name in self.captured:
                return self.captured[name]
            case ast.Call(func=ast.Attribute(value=inner, attr=attr), args=[], keywords=[]):
                return self._text_of_call(inner, attr)
            case ast.Attribute(value=ast.Name(id=name), attr=stream) if name in self.runs:
                return self._stream_of(self.runs[name], stream)
            case ast.Attribute(value=inner, attr="out"):
                return self._text(inner)
        return self._message(node)

    def _stream_of(self, run: RecordedRun, stream: str) -> _Text | None:
        key = _KEYS.get(stream)
        if key is None:
            return None
        return _Text(run.stated, key)

    def _text_of_call(self, inner: ast.expr, attr: str) -> _Text | None:
        name = inner.id if isinstance(inner, ast.Name) else ""
        if name == "capsys" and attr == "readouterr":
            return self._printed(self.first_unread)
        if name in self.streams and attr == "getvalue":
            return self._printed(self.streams[name])
        if attr not in assertions.EDGES:
            return None
        text = self._text(inner)
        if text is None or text.edges:
            return None
        return _Text(text.stated, text.key, attr)

    def _printed(self, first: int) -> _Text:
        """Return the output of the steps from number `first` on.

        Raise NotRecordedError if several calls may have printed it, or if nothing was called.
        """
        steps = self.recorded.steps
        acts = [step for step in steps[first:] if "(" in step.source]
        before = acts[:-1]
        if not acts or any(step.is_call for step in before):
            raise NotRecordedError("it reads the output of several calls together, or of no call")
        for step in before:  # which makes an object, and prints nothing
            step.stated.setdefault("prints", "")
        self.first_unread = len(steps)
        return _Text(acts[-1].stated, "prints")

    def _message(self, node: ast.expr) -> _Text | None:
        """Return the message of a caught exception, from `str(error.value)` or
        `error.value.args[0]`; None for any other expression.
        """
        match node:
            case ast.Call(func=ast.Name(id="str"), args=[part], keywords=[]):
                caught = self._caught(part)
            case ast.Subscript(
                value=ast.Attribute(value=part, attr="args"), slice=ast.Constant(value=0)
            ):
                caught = self._caught(part)
            case _:
                return None
        if caught is None:
            return None
        return _Text(caught.stated["raises"], "message")

    def _caught(self, node: ast.expr) -> RecordedStep | None:
        """Return the step that raised the exception to which an expression refers; None for any
        other expression.
        """
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="value" | "exception"):
                return self.raises.get(name)
        return None

    def _state_type(self, left: ast.expr, right: ast.expr) -> bool:
        """Read a comparison such as `type(error.exception) == ValueError`.

        Return whether it is one.
        """
        caught = None
        match left:
            case ast.Call(func=ast.Name(id="type"), args=[part], keywords=[]):
                caught = self._caught(part)
        if caught is None:
            return False
        raises = caught.stated["raises"]
        del raises["any"], raises["is_a"]
        raises["type"] = self._class(right)
        return True

    def _assert(self, node: ast.expr) -> None:
        match node:
            case ast.BoolOp(op=ast.And(), values=values):
                for value in values:
                    self._assert(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._truth(operand, is_true=False)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                self._compare(left, op, right)
            case _:
                self._truth(node, is_true=True)

    def _truth(self, node: ast.expr, *, is_true: bool) -> None:
        if isinstance(node, ast.Compare | ast.BoolOp) or self._text(node) is not None:
            raise NotRecordedError(f"{shortened(node)} is computed by the test")
        call = ast.Call(func=ast.Name("bool", ast.Load()), args=[node], keywords=[])
        self._expression(call).stated["returns"] = is_true

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
        match op:
            case ast.Eq():
                self._equal(left, right)
            case ast.Is():
                self._state(left, assertions.identical_to(right))
            case ast.In() | ast.NotIn():
                part = value_of(left, self.scope.literals)
                is_wanted = isinstance(op, ast.In)
                self._state(right, assertions.containing(part, is_wanted=is_wanted), is_text=True)
            case ast.Lt() | ast.LtE() if (distance := _distance(left)) is not None:
                self._near(*distance, right)
            case _:
                raise NotRecordedError(f"it compares by {type(op).__name__}")

    def _near(self, left: ast.expr, right: ast.expr, distance: ast.expr) -> None:
        """Expect that two numbers differ by at most `distance`."""
        within = value_of(distance, self.scope.literals)
        if not isinstance(within, int | float):
            raise NotRecordedError("its tolerance is not a number")
        asked, stated = self._sides(left, right)
        number = value_of(stated, self.scope.literals)
        self._state(asked, assertions.near(number, within))

    def _sides(self, left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Return the side of a comparison that uses the program, then the side with the expected
        value.

        Raise NotRecordedError if neither side is a known value.
        """
        for asked, stated in ((left, right), (right, left)):
            with suppress(NotRecordedError):
                value_of(stated, self.scope.literals)
                return asked, stated
        raise NotRecordedError(f"it states no plain value for {shortened(left)}")

    def _equal(self, left: ast.expr, right: ast.expr) -> None:
        literals = self.scope.literals
        if assertions.is_approx(left):
            left, right = right, left
        if assertions.is_approx(right):
            self._state(left, assertions.approximately(right, literals))
            return
        if self._state_type(left, right):
            return
        asked, stated = self._sides(left, right)
        value = value_of(stated, literals)
        text = self._text(asked)
        if text is not None:
            self._state_text(text, assertions.text_equal_to(value, text.edges))
        elif self._is_exit_status(asked):
            self._run_stated()["exit"] = value
        else:
            self._state(asked, assertions.equal_to(value))

    def _is_exit_status(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="returncode"):
                return name in self.runs
        return False

    def _run_stated(self) -> dict[str, Any]:
        assert self.recorded.run is not None
        return self.recorded.run.stated

    def _state(self, node: ast.expr, matcher: Any, *, is_text: bool = False) -> None:
        """Add the matcher of the expected value to the step that evaluates the expression."""
        text = self._text(node)
        if text is None:
            self._expression(node).stated["returns"] = matcher
            return
        if not is_text:
            raise NotRecordedError("it compares text with something else")
        self._state_text(text, matcher)

    def _state_text(self, text: _Text, matcher: Any) -> None:
        stated, key = text.stated, text.key
        if key in stated:
            matcher = assertions.both(stated[key], matcher)
        stated[key] = matcher

    def _call(self, node: ast.Call) -> None:
        """Read a statement that is a call: of an assertion, of a fixture, or of the program."""
        match node.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name.startswith("assert"):
                self._asserted(name, node)
            case ast.Attribute(value=ast.Name(id="capsys"), attr="readouterr"):
                self.first_unread = len(self.recorded.steps)
            case ast.Attribute(value=ast.Name(id="monkeypatch"), attr="setattr"):
                self._typed(target_of(node), node.args[-1])
            case _:
                if not self._captures("_", node):
                    self._expression(node)

    def _asserted(self, name: str, node: ast.Call) -> None:
        arguments = list(node.args)
        options = options_of(node)
        options.pop("msg", None)
        match name, arguments:
            case "assertTrue", [test, *_]:
                self._assert(test)
            case "assertFalse", [test, *_]:
                self._truth(test, is_true=False)
            case "assertIsNone", [test, *_]:
                self._compare(test, ast.Is(), ast.Constant(None))
            case "assertAlmostEqual", [left, right, *places]:
                if places:
                    options["places"] = places[0]
                self._almost_equal(left, right, options)
            case "assertRaises", [kind, function, *rest]:
                call = ast.Call(func=function, args=rest, keywords=node.keywords)
                step = self._expression(call)
                step.stated["raises"] = assertions.raised(self._class(kind), None)
            case known, [left, right, *_] if known in _COMPARED:
                self._compare(left, _COMPARED[known](), right)
            case _:
                raise NotRecordedError(f"it uses {name}")

    def _almost_equal(
        self, left: ast.expr, right: ast.expr, options: Mapping[str, ast.expr]
    ) -> None:
        literals = self.scope.literals
        asked, stated = self._sides(left, right)
        values = {name: value_of(option, literals) for name, option in options.items()}
        number = value_of(stated, literals)
        self._state(asked, assertions.almost_equal(number, values))

    def _class(self, node: ast.expr) -> str:
        """Return the name of an exception class as the program knows it."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.scope.modules:
                return attr
            case ast.Name(id=name):
                return self.scope.program.get(name, name)
        raise NotRecordedError(f"{shortened(node)} is not the name of an exception")

    def _with(self, node: ast.With, items: list[ast.withitem]) -> None:
        if not items:
            self.read(node.body)
            return
        item, *others = items
        variable = item.optional_vars
        name = variable.id if isinstance(variable, ast.Name) else ""
        call = item.context_expr
        unknown = NotRecordedError(f"it has a statement with {shortened(call)}")
        if not isinstance(call, ast.Call):
            raise unknown
        function = ast.unparse(call.func)
        if function in _RAISES:
            self._raising(node, call, name)
            return
        if function in PATCHES:
            self.patched(call, name)
        elif function in _REDIRECTS:
            stream = ast.unparse(call.args[0])
            if stream not in self.streams:
                raise unknown
            self.streams[stream] = len(self.recorded.steps)
        elif function != "self.subTest":
            raise unknown
        self._with(node, others)

    def patched(self, call: ast.Call, name: str) -> None:
        """Read `patch(…)` of `input` or of standard output.

        `name` is the variable that holds the replacement.
        """
        target = target_of(call)
        if target == STDOUT and name:
            self.streams[name] = len(self.recorded.steps)
        else:
            self._typed(target, call)

    def _typed(self, target: str, node: ast.expr) -> None:
        if target != INPUT or self.recorded.inputs:
            raise NotRecordedError(f"it replaces {target or shortened(node)}")
        self.recorded.inputs = lines_typed(node, self.scope.literals)

    def _raising(self, node: ast.With, call: ast.Call, name: str) -> None:
        options = options_of(call)
        patterns = call.args[1:]
        if "match" in options:
            patterns = [options["match"]]
        text = None
        if patterns:
            text = value_of(patterns[0], self.scope.literals)
        *before, last = node.body
        self.read(before)
        source = last.value if isinstance(last, ast.Expr | ast.Assign) else None
        if before or not isinstance(source, ast.Call):
            raise NotRecordedError("it expects an exception of more than one call")
        step = self._expression(source)
        kind = self._class(call.args[0])
        step.stated["raises"] = assertions.raised(kind, text)
        if name:
            self.raises[name] = step


def _distance(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return `a` and `b` of `abs(a - b)`; None for any other expression."""
    match node:
        case ast.Call(
            func=ast.Name(id="abs"), args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]
        ):
            return left, right
    return None


def _parts(target: ast.expr) -> list[ast.expr]:
    """Return the parts of a target: the items of a tuple, or the target itself."""
    if isinstance(target, ast.Tuple | ast.List):
        return target.elts
    return [target]


def _plain_names(parts: Sequence[ast.expr]) -> list[str]:
    """Return the names among the parts of a target."""
    return [part.id for part in parts if isinstance(part, ast.Name)]
