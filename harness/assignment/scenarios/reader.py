"""Reads one scenario: its settings, names, constants and values.

`given` and `constants` add to those at the head of its file, `limits` are merged, and every other
key replaces the head's value.
"""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from harness.assignment.document import Document, HintedError, Loc
from harness.assignment.scenarios.python_text import (
    BUILTINS,
    PythonError,
    Step,
    names_of,
    parse_expression,
    parse_session,
    parse_statements,
    typed_in,
)
from harness.assignment.symbols import (
    AssignmentSymbols,
    Overrides,
    TemplateError,
    class_names,
    render,
)
from harness.assignment.test_files import find_tests
from harness.matchers.kinds import read as read_matcher
from harness.matchers.kinds.values import Exactly
from harness.matchers.reading import Refused, YamlNode, nearest
from harness.model.expectation import Floats, Matcher
from harness.model.stimulus import Binding, Clock, Typed
from harness.model.values import Value, ValueKind

if TYPE_CHECKING:
    from harness.assignment.scenarios.shape import ScenarioShape, SettingsShape

# Classes of the standard library whose values are compared, and their modules.
_LIBRARY = {
    **dict.fromkeys(("date", "datetime", "time", "timedelta"), "datetime"),
    **dict.fromkeys(("Counter", "defaultdict", "deque", "OrderedDict"), "collections"),
    "Decimal": "decimal",
    "Fraction": "fractions",
}
_ADD_GIVEN = "add this line to the scenario: given:"
_MAX_LINE_LENGTH = 4095  # bytes; terminals accept no longer line


@dataclass(frozen=True, slots=True)
class Variation:
    """One set of changed constants, and one clock."""

    overrides: Overrides = ()
    swept: tuple[str, ...] = ()  # those that are, as `NAME=value`, in the order written
    clock: Clock | None = None

    def bracket(self, *more: str) -> str:
        """Return `[NAME=value,NAME2=value]`; "" if nothing varies."""
        parts = (*self.swept, *more)
        if not parts:
            return ""
        together = ",".join(parts)
        return f"[{together}]"


@dataclass(slots=True)
class ScenarioReader:
    """Reads one scenario, or one row of its table, with one set of constants.

    It knows the settings in effect and where each is written, and the names that texts and
    expressions may use.
    """

    document: Document
    symbols: AssignmentSymbols
    head: SettingsShape
    shape: ScenarioShape  # includes the values of its row and of its file
    loc: Loc
    broken: frozenset[Any] = frozenset()  # keys with errors or unknown keys, which are ignored
    row: Loc = ()  # its place
    row_keys: frozenset[str] = frozenset()
    head_keys: frozenset[str] = frozenset()
    bindings: tuple[Binding, ...] = ()  # names defined by a row or a draw
    variation: Variation = Variation()
    constants: Mapping[str, object] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)  # defined by `given:`, a session or a draw
    names_known: bool = True  # False where draws are still to be recorded
    text_line: int = 0  # index of a session's step, while its matcher is read

    def with_head(self, keys: Set[str]) -> ScenarioReader:
        """Return the scenario with the file's default values for these keys, unless it states them
        itself.
        """
        of_head = keys & self.head.model_fields_set
        keys = of_head - self.shape.model_fields_set
        values = {key: getattr(self.head, key) for key in keys}
        shape = self.shape.model_copy(update=values)
        return replace(self, shape=shape, head_keys=self.head_keys | keys)

    def under(self, variation: Variation) -> ScenarioReader:
        constants = self.symbols.variants.constants(variation.overrides)
        binds_unknown = self.broken & {"given", "sample", "cases", "session"}
        return replace(
            self,
            variation=variation,
            constants=constants,
            names=set(),
            names_known=not binds_unknown,
        )

    def with_bindings(self, bindings: tuple[Binding, ...]) -> ScenarioReader:
        """Return the reader for a case that defines these names, for use in code or as `{{ NAME
        }}`.
        """
        constants = dict(self.constants)
        for binding in bindings:
            constants[binding.name] = ast.literal_eval(binding.literal)
        return replace(self, bindings=bindings, constants=constants)

    @property
    def group(self) -> str:
        """Return the scenario's id without constants' values: the file's name and the scenario's
        name.
        """
        _, _, name = self.document.file.rpartition("/")
        stem = name.removesuffix(".yaml")
        return f"{stem}/{slug(self.shape.name)}"

    def at(self, key: str) -> Loc:
        """Return the location where the key is written: in the row, in the scenario, or at the
        head of the file.
        """
        if key in self.row_keys:
            return (*self.row, key)
        if key in self.head_keys:
            return (key,)
        return (*self.loc, key)

    def states(self, key: str) -> bool:
        """Return whether the key is written in the scenario, in its row, or as the file's default
        for it.
        """
        return key in self.shape.model_fields_set

    @property
    def has_cases(self) -> bool:
        return self.states("sample") or self.states("cases")

    def text(self, key: str) -> str:
        return str(getattr(self.shape, key))

    def layers(self, key: str) -> Iterable[tuple[Loc, Any]]:
        """Yield (location, value) of a key: first the file's default, then the scenario's own, if
        they exist.
        """
        if key in self.head.model_fields_set:
            yield (key,), getattr(self.head, key)
        if self.states(key):
            yield self.at(key), getattr(self.shape, key)

    def add(self, loc: Loc, what: str, hint: str = "", *, key: bool = False, line: int = 0) -> None:
        """Note an error at `loc`, or at a line (from 1) of the text there."""
        line = line or self.text_line
        if line:
            self.document.add_inside(loc, line, what, hint)
        else:
            self.document.add(loc, what, hint, key=key)

    def refuse(self, loc: Loc, what: str, hint: str = "", *, key: bool = False) -> NoReturn:
        self.add(loc, what, hint, key=key)
        raise Refused

    @contextmanager
    def noted(self, loc: Loc) -> Iterator[None]:
        """Convert a HintedError raised inside the `with` block into a noted error at `loc`, and
        raise Refused.
        """
        try:
            yield
        except HintedError as error:
            self.add(loc, str(error), error.hint, line=error.line)
            raise Refused from None

    def spec_file(self, loc: Loc, name: str, hint: str = "") -> Path:
        """Return the path of a file in the spec folder.

        If it does not exist, note an error and raise Refused.
        """
        if name.startswith("/") or ".." in name.split("/"):
            self.refuse(loc, f"{name} is outside the folder of the scenarios")
        path = self.symbols.folder / name
        if not path.is_file():
            self.refuse(loc, f"the spec folder has no file {name}", hint)
        self.symbols.used.add(name)
        return path

    def test_runner(self, loc: Loc, file: str, test: str) -> str:
        """Return the name of the tool that runs this test, such as "pytest".

        If `tests:` has no such test, note an error and raise Refused.
        """
        shape = self.symbols.shape.tests
        files = [] if shape is None else shape.files
        if shape is None or file not in files:
            what = f"{file} is not a test file of this assignment"
            hint = nearest(file, files) or "name it under tests: in assignment.yaml"
            self.refuse(loc, what, hint)
        data = self.spec_file(loc, file).read_bytes()
        try:
            found = find_tests(file, data, shape.runner)
        except (SyntaxError, ValueError):  # an error for the file itself is noted already
            raise Refused from None
        names = [known.test for known in found]
        if test not in names:
            what = f"{file} has no test {test}"
            self.refuse(loc, what, nearest(test, names))
        return shape.runner

    def render(
        self, text: str, loc: Loc, quote: Callable[[str], str] = str, *, line: int = 0
    ) -> str:
        """Return the text with `{{ NAME }}` replaced by values; note an error for unknown names."""
        names: dict[str, object] = {}
        for mark in self.variation.swept:
            name, _, value = mark.partition("=")
            if name == "clock":
                names[name] = value
        names.update(self.constants)
        try:
            return render(text, names, quote)
        except TemplateError as error:
            if self.names_known:
                hint = (
                    "only a name is allowed here: bind the value to a name, for example in a case"
                )
                if error.name.isidentifier():
                    hint = nearest(error.name, self.constants)
                self.add(loc, str(error), hint, line=line)
            return text

    @property
    def floats(self) -> Floats | None:
        """Return how much floats may differ, as stated by the scenario, its file or the
        assignment.
        """
        stated = self.shape if self.states("floats") else self.symbols.shape
        if "floats" not in stated.model_fields_set:
            return None
        floats = stated.floats
        return Floats(within=floats.within, in_text=floats.in_text)

    @property
    def prompts_any(self) -> bool:
        """Return whether prompts of `input` calls are ignored, as stated by the scenario, its file
        or the assignment.
        """
        stated = self.shape if self.states("prompts") else self.symbols.shape
        return stated.prompts != "exact"

    def class_names(self) -> tuple[str, ...] | None:
        """Return the names of classes that values may have, besides built-in ones; None without a
        reference.
        """
        files = (*self.symbols.reference, *self.symbols.provided)
        if not self.symbols.reference:
            return None
        return (*class_names(files), *_LIBRARY)

    def uncut(self, loc: Loc) -> bool:
        """Return whether an unquoted text is complete; note an error if a `#` comment cuts
        it off.
        """
        if self.document.follows(loc, "#"):
            self.add(loc, "a # comment cuts the text short", "quote it")
            return False
        return True

    def node(self, loc: Loc, data: Any, *, for_text: bool = False) -> YamlNode:
        return YamlNode(
            source=self,
            path=loc,
            data=data,
            for_text=for_text,
            floats=self.floats,
            patterns=self.symbols.shape.patterns,
        )

    def matcher(self, loc: Loc, data: Any, *, for_text: bool = False) -> Matcher:
        """Return the matcher for an expected value or text.

        If it is invalid, note an error and raise Refused.
        """
        node = self.node(loc, data, for_text=for_text)
        if isinstance(data, dict):
            return read_matcher(node)
        if for_text:
            text = node.render(node.text())
            return Exactly(value=Value(ValueKind.STR, text))
        return Exactly(value=node.value(), floats=node.floats)

    def cut_at_comma(self, loc: Loc) -> str:
        """Return a hint for an unquoted text that a comma inside braces cuts off; "" for other
        texts.
        """
        if self.document.follows(loc, ","):
            return "inside { }, a text without quotes ends at its first comma: quote it"
        return ""

    def expression(self, text: str, loc: Loc) -> ast.Expression:
        """Parse a Python expression; note undefined names.

        If it is not an expression, note an error and raise Refused.
        """
        try:
            tree = parse_expression(text)
        except PythonError as error:
            if self.uncut(loc):
                what = f"{text.strip()!r} is not a Python expression ({error})"
                self.add(loc, what, self.cut_at_comma(loc))
            raise Refused from None
        self.check_names(tree, loc)
        return tree

    def session(self, text: str, loc: Loc) -> list[Step]:
        """Return the steps of a pasted session with templates filled in, and remember the names
        that they define.

        If no Python prompt would show this text, note an error and raise Refused.
        """
        with self.noted(loc):
            steps = parse_session(text)
        for step in steps:
            shown = ""
            for number, line in enumerate(step.shown, start=step.shown_from):
                shown += self.render(line, loc, line=number)
            step.shown = shown.splitlines(keepends=True)
            tree = parse_statements(step.source)
            self.names |= names_of(tree).bound  # a hint may propose what the step binds itself
            self.check_names(tree, loc, line=step.line)
        return steps

    def written_steps(self, loc: Loc) -> tuple[str, ...]:
        """Return the source of each step in `steps:`, and remember the names that they define.

        If one is not valid Python, note an error and raise Refused.
        """
        sources: list[str] = []
        steps = self.shape.steps  # type: ignore[attr-defined]
        for index, step in enumerate(steps):
            with suppress(Refused):
                step_at = (*loc, index)
                if step.call:
                    self.expression(step.call, (*step_at, "call"))
                else:
                    self._statements(step.do, (*step_at, "do"))
                source = step.call or step.do
                sources.append(source.strip())
        if len(sources) < len(steps):
            raise Refused
        return tuple(sources)

    def _statements(self, text: str, loc: Loc) -> None:
        try:
            tree = parse_statements(text)
        except PythonError as error:
            if self.uncut(loc):
                hint = self.cut_at_comma(loc)
                self.add(loc, f"not Python statements ({error})", hint)
            raise Refused from None
        self.names |= names_of(tree).bound  # a hint may propose what the step binds itself
        self.check_names(tree, loc)

    def typed_in(self, steps: list[Step], loc: Loc) -> tuple[Typed, ...]:
        inputs = tuple(typed_in(steps, self.constants.values()))
        for entry in inputs:
            self.check_line(loc, entry.text)
        return inputs

    def check_line(self, loc: Loc, line: str) -> None:
        size = len(line.encode("utf-8", "surrogatepass"))
        if size > _MAX_LINE_LENGTH:
            what = f"a line of {size} bytes cannot be typed (a terminal takes {_MAX_LINE_LENGTH:,})"
            self.add(loc, what)
        elif "\n" in line or "\r" in line:
            self.add(loc, "an input is one line", "write each line as its own item")
        elif any(map(_is_control, line)):
            what = "a control character cannot be typed"
            self.add(loc, what, "write {key: ctrl-d} or {key: ctrl-c}")

    def file(self, loc: Loc, name: str) -> str:
        """Return the name of a submitted or provided file.

        For other names, note an error and raise Refused.
        """
        paths = (*self.symbols.file_names, *self.shape.provide)
        names = [path.rsplit("/", 1)[-1] for path in paths]
        if name not in names:
            what = f"{name} is neither a submitted nor a provided file"
            known = ", ".join(names)
            hint = nearest(name, names) or f"known files are {known}"
            self.refuse(loc, what, hint)
        return name

    def bind(self, tree: ast.AST, loc: Loc, *, line: int = 0) -> None:
        """Check the names used by statements that run first, and remember the names that they
        define.
        """
        self.check_names(tree, loc, line=line)
        self.names |= names_of(tree).bound

    def check_names(self, tree: ast.AST, loc: Loc, *, line: int = 0) -> None:
        """Note an error for each undefined name in the syntax tree."""
        symbols = self.symbols
        if not symbols.reference or not self.names_known:
            return
        defined = {*self.names, *self.constants, *symbols.function_names}
        defined |= symbols.other_names | symbols.definitions
        modules = {file.removesuffix(".py") for file in symbols.file_names}
        modules |= sys.stdlib_module_names
        needed = names_of(tree).needed
        functions = set(symbols.function_names) - self.names
        for name in sorted(needed & functions):
            if file := symbols.other_file_of(name):
                main = symbols.main_file
                what = f"{name} is defined in {file}, but scenarios know only names of {main}"
                module = file.removesuffix(".py")
                hint = f"{_ADD_GIVEN} from {module} import {name}"
                self.add(loc, what, hint, line=line)
        what = "is not defined by the reference, a provided file or the scenario"
        unknown = needed - defined - BUILTINS
        for name in sorted(unknown):
            if name in _LIBRARY and name not in modules:
                hint = f"{_ADD_GIVEN} from {_LIBRARY[name]} import {name}"
            elif name in modules:
                hint = f"{_ADD_GIVEN} import {name}"
            else:
                hint = nearest(name, defined | BUILTINS)
            self.add(loc, f"{name} {what}", hint, line=line)

    def check_owner(self) -> None:
        """Note errors for functions that the reference lacks, and for unknown clauses."""
        name = self.shape.function
        symbols = self.symbols
        owners = (*symbols.function_names, *symbols.file_names)
        if not name and not self.broken:
            hint = "add function: here or at the head of the file"
            self.add(self.loc, "the key function is missing", hint)
        elif name and symbols.reference and name not in owners:
            what = f"the reference has no function {name}"
            hint = nearest(name, owners)
            owner, _, member = name.rpartition(".")
            if member.startswith("__") and owner in owners:
                what = f"special method {name} has no own row in reports"
                hint = f"special methods belong to their class: write function: {owner}"
            self.add(self.at("function"), what, hint)
        clauses_at = self.at("clause")
        for index, clause in enumerate(self.shape.clause):
            symbols.has_clause(self.document, (*clauses_at, index), clause)


def _is_control(character: str) -> bool:
    """Return whether a character is a control character, and no tab."""
    return ord(character) < 32 and character != "\t"


def slug(name: str) -> str:
    """Return the name in the form used in ids: lower case, without accents, with dashes for
    everything but letters and digits.
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = decomposed.encode("ascii", "ignore").decode("ascii").lower()
    dashed = re.sub(r"[^a-z0-9]+", "-", letters)
    return dashed.strip("-")
