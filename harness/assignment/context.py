"""Where the reader of one scenario stands: its file, its place and the constants in force."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from harness.assignment.document import Document, Loc
from harness.assignment.problems import nearest
from harness.assignment.python_text import BUILTINS, PythonError, names_of, parse_expression
from harness.assignment.templates import TemplateError, render
from harness.assignment.vocabulary import Vocabulary


@dataclass(slots=True)
class Context:
    """Renders and checks the texts of one scenario under one set of overrides."""

    document: Document
    vocabulary: Vocabulary
    constants: Mapping[str, object]
    names: set[str] = field(default_factory=set)  # bound by given:, a session or a draw
    names_known: bool = True  # False where draws are still to be recorded

    def add(self, loc: Loc, what: str, hint: str = "", *, key: bool = False, line: int = 0) -> None:
        """Note a mistake at `loc`, or at a line (from 1) of the text there."""
        if line:
            self.document.add_inside(loc, line, what, hint)
        else:
            self.document.add(loc, what, hint, key=key)

    def render(
        self, text: str, loc: Loc, quote: Callable[[str], str] = str, *, line: int = 0
    ) -> str:
        """The text with its templates filled in; a mistake if a name is unknown."""
        try:
            return render(text, self.constants, quote)
        except TemplateError as error:
            self.add(loc, str(error), nearest(error.name, self.constants), line=line)
            return text

    def uncut(self, loc: Loc) -> bool:
        """Whether a plain text is whole; a mistake if a comment cuts it short."""
        if self.document.comment_follows(loc):
            self.add(loc, "a # comment cuts the text short", "quote it")
            return False
        return True

    def expression(self, text: str, loc: Loc) -> ast.Expression | None:
        """One Python expression whose names are all known; None, with a mistake, otherwise."""
        try:
            tree = parse_expression(text)
        except PythonError as error:
            if self.uncut(loc):
                self.add(loc, f"{text.strip()!r} is not a Python expression ({error})")
            return None
        self.check_names(tree, loc)
        return tree

    def check_names(self, tree: ast.AST, loc: Loc, *, line: int = 0) -> None:
        """A mistake for every name of the code that nothing defines."""
        if not self.vocabulary.has_reference or not self.names_known:
            return
        functions = self.vocabulary.function_names
        known = {*self.names, *self.constants, *functions}
        for name in sorted(names_of(tree).needed - known - BUILTINS):
            what = (
                f"{name} is not a function of the reference, a provided constant "
                "or a name bound by the scenario"
            )
            self.add(loc, what, nearest(name, known | BUILTINS), line=line)
