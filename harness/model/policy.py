"""The static check of a submission's text: the rules of the policy, the findings, and the outline
of the program. The check runs in a limited process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

# The largest Python file, in bytes, that is checked and run. A larger one is neither.
MAX_SOURCE_BYTES = 512 * 1024
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file's name and bytes. Only an extra file's name has folders, those of the spec folder."""

    name: str
    data: bytes
    cell_ends: tuple[int, ...] = ()  # last lines of the code cells, if it was made of a notebook

    @property
    def base_name(self) -> str:
        """Return the name without folders; the file has this name beside a submission."""
        return self.name.rsplit("/", 1)[-1]

    @property
    def lines(self) -> list[str]:
        """Return its lines as Python counts them, without their ends (`splitlines` knows other
        ends).
        """
        lines = _LINE_END.split(self.data.decode("utf-8-sig", "replace"))
        if not lines[-1]:
            lines.pop()
        return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinePart:
    """A top-level function or class (`callable`), or a constant bound at module level."""

    name: str
    file: str
    first: int  # its lines, 1-based
    last: int
    callable: bool = True
    mentions: tuple[str, ...] = ()  # the submission's own names that it mentions
    attributes: tuple[str, ...] = ()  # the names of methods of its own classes that it mentions


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleOutline:
    """The own names, and names of own methods, that a file's code outside functions mentions."""

    file: str
    mentions: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    # The line (1-based) that asks for input while the file is loaded; 0: no such line was found.
    asks: int = 0
    through: str = ""  # the call in between: `input` or an own function
    asking: str = ""  # its text


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The lines of a `while` or `for`, from its head to the end of its body, 1-based."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recursion:
    """A function that calls itself, directly or not, by its first line."""

    file: str
    first: int  # 1-based


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckyCall:
    """A call whose result differs from run to run: it uses a clock, an address or unseeded random
    numbers."""

    file: str
    line: int  # 1-based
    call: str  # as it is written, without arguments: `time.time()`


@dataclass(frozen=True, slots=True, kw_only=True)
class Printing:
    """A line of text that a `print` or `input` outside functions shows."""

    file: str
    line: int  # 1-based
    pieces: tuple[str, ...]  # its literal texts in order: there may be anything between two of them
    values: tuple[int, ...] = ()  # lines that give the values shown there, directly or not
    conditions: tuple[int, ...] = ()  # the lines of each `if` around it in the same loop

    def literal_in(self, text: str) -> int | None:
        """Return how many characters of a line are literal text of this call; None if it cannot
        print such a line."""
        first, last = self.pieces[0], self.pieces[-1]
        if len(self.pieces) == 1:
            is_whole = text == first
            return len(text) if is_whole else None
        at, end = len(first), len(text) - len(last)
        if end < at or not (text.startswith(first) and text.endswith(last)):
            return None
        for piece in self.pieces[1:-1]:
            place = text.find(piece, at, end)
            if place < 0:
                return None
            at = place + len(piece)
        return sum(map(len, self.pieces))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A submission's top-level names, in the order of its files and lines, its loops, and the text
    that it prints outside functions."""

    parts: tuple[OutlinePart, ...] = ()
    # The methods of its classes, as `Account.deposit`; and a class's other attributes, such as
    # `__init__`, as a part of the class's name.
    members: tuple[OutlinePart, ...] = ()
    modules: tuple[ModuleOutline, ...] = ()
    loops: tuple[Loop, ...] = ()
    printings: tuple[Printing, ...] = ()
    lucky_calls: tuple[LuckyCall, ...] = ()

    def shown_by(self, file: str, text: str) -> tuple[Printing, ...]:
        """Return the printings that may show a line of text in a program: those with most of it
        literal."""
        by_literal: dict[int, list[Printing]] = {}
        for printing in self.printings:
            if printing.file == file:
                literal = printing.literal_in(text)
                if literal is not None:
                    by_literal.setdefault(literal, []).append(printing)
        if not by_literal:
            return ()
        return tuple(by_literal[max(by_literal)])

    def loop_around(self, file: str, first: int, last: int) -> Loop | None:
        """Return the innermost loop around these lines."""
        innermost: Loop | None = None
        for loop in self.loops:
            is_around = loop.file == file and loop.first <= first and last <= loop.last
            if is_around and (innermost is None or loop.first > innermost.first):
                innermost = loop
        return innermost

    def function_at(self, file: str, line: int) -> str:
        """Return the name of the function or class at a line; an empty text for none."""
        for part in self.parts:
            if part.callable and part.file == file and part.first <= line <= part.last:
                return part.name
        return ""

    def part(self, name: str) -> OutlinePart | None:
        """Return the part or method with this name; of several definitions the last, which Python
        uses.
        """
        for part in reversed((*self.members, *self.parts)):
            if part.name == name:
                return part
        return None

    def names(self, *, callable: bool = True) -> frozenset[str]:
        return frozenset(part.name for part in self.parts if part.callable is callable)

    def reached_from(self, names: Iterable[str]) -> frozenset[str]:
        """Return these names and everything they mention, directly or indirectly."""
        reached: set[str] = set()
        pending = list(names)
        mentions = {part.name: part.mentions for part in self.parts}
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending += mentions.get(name, ())
        return frozenset(reached)

    def callees_first(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return these names, each after those that it mentions, directly or not, otherwise in the
        order of the text."""
        unsorted = dict.fromkeys(names)
        place = {part.name: index for index, part in enumerate(self.parts)}

        def depth(name: str) -> tuple[int, int]:
            return len(self.reached_from([name]) & unsorted.keys()), place.get(name, -1)

        return tuple(sorted(unsorted, key=depth))


class PolicyGroup(StrEnum):
    """Rules that share a clause and a consequence.

    The consequence applies once, however many findings there are.
    """

    IMPORTS = "imports"
    TECHNIQUES = "techniques"
    STRUCTURE = "structure"
    UNCHECKED = "unchecked"


class Severity(StrEnum):
    """The consequence of a finding. Only DEDUCT and ZERO take marks."""

    NOTE = "note"
    REVIEW = "review"
    DEDUCT = "deduct"
    ZERO = "zero"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """A severity, and the marks a DEDUCT takes, however many findings there are.

    They are taken once for the group, or once for the entry of `structure:` that states them.
    """

    severity: Severity
    marks: Fraction = Fraction(0)
    entry: int | None = None  # the number of that entry


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPolicy:
    """Exactly one of: `exactly` these statements, only `allow`ed modules, all except `forbid`den
    ones, or none at all."""

    exactly: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    forbid: tuple[str, ...] | None = None

    def allowing(self, modules: Sequence[str]) -> ImportPolicy:
        """Return the policy with these modules allowed too, if it allows only some."""
        if self.allow is None:
            return self
        return replace(self, allow=(*self.allow, *modules))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileImports:
    """What one file of several may import."""

    file: str
    imports: ImportPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class NameList:
    """A list under a key of policy.yaml: either everything that is allowed, or everything
    forbidden."""

    key: str
    allow: tuple[str, ...] | None = None
    forbid: tuple[str, ...] = ()

    def permits(self, name: str) -> bool:
        if self.allow is None:
            return name not in self.forbid
        return name in self.allow


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A requirement or ban for a part of a program, by its key in policy.yaml."""

    key: str
    wanted: bool = True
    count: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """Conditions on a file, class or function."""

    scope: str  # its name; empty: every file
    conditions: tuple[Condition, ...]
    clause: str = ""  # in place of the group's
    consequence: Consequence | None = None  # in place of the group's


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The content of policy.yaml. A field that is None, or a key not among `lists`, restricts
    nothing.

    `file_imports` replaces `imports` if files have their own rules: a file that it does not name
    may import anything.
    """

    imports: ImportPolicy | None = None
    file_imports: tuple[FileImports, ...] = ()
    lists: tuple[NameList, ...] = ()  # of the rules of `harness.policy.rules`, by their keys
    requirements: tuple[Requirement, ...] = ()
    provided_modules: tuple[str, ...] = ()
    provided_names: tuple[str, ...] = ()  # their constants
    provided_functions: tuple[str, ...] = ()  # and the functions and classes that they define
    imports_clause: str = ""  # the clauses that findings cite
    techniques_clause: str = ""
    structure_clause: str = ""
    on_imports: Consequence = Consequence(severity=Severity.REVIEW)
    on_techniques: Consequence = Consequence(severity=Severity.REVIEW)
    on_structure: Consequence = Consequence(severity=Severity.REVIEW)

    def of(self, file: str) -> Policy:
        imports = (rule.imports for rule in self.file_imports if rule.file == file)
        return replace(self, imports=next(imports, self.imports), file_imports=())

    def of_extra(self) -> Policy:
        """Return the policy for an extra file. If files have their own imports, it has the first
        file's."""
        return self.of(self.file_imports[0].file if self.file_imports else "")

    def names(self, key: str) -> NameList | None:
        """Return the list under a key; None if it restricts nothing."""
        for names in self.lists:
            if names.key == key:
                return names
        return None

    def clause_of(self, group: PolicyGroup) -> str:
        return {
            PolicyGroup.IMPORTS: self.imports_clause,
            PolicyGroup.TECHNIQUES: self.techniques_clause,
            PolicyGroup.STRUCTURE: self.structure_clause,
        }.get(group, "")

    def consequence_of(self, group: PolicyGroup) -> Consequence:
        return {
            PolicyGroup.IMPORTS: self.on_imports,
            PolicyGroup.TECHNIQUES: self.on_techniques,
            PolicyGroup.STRUCTURE: self.on_structure,
        }.get(group, Consequence(severity=Severity.REVIEW))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A place where the submission's source breaks a rule; line and column are counted from 1."""

    rule: str  # the name of its kind
    clause: str
    file: str
    line: int
    column: int
    source: str
    message: str
    consequence: Consequence
    word: str = ""  # the word of policy.yaml for a part of Python that is not allowed


@dataclass(frozen=True, slots=True, order=True)
class PythonVersion:
    """A version of the language."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


class UnreadableKind(StrEnum):
    """Kinds of reasons why a file cannot be read, as far as other code needs to know them."""

    MIXED_TABS = "mixed_tabs"  # its line is shown with its tabs
    TOO_DEEP = "too_deep"  # the run has other limits, so the file may run anyway
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsable:
    """Why a file could not be read as Python, with the line if it is known."""

    file: str
    reason: str
    kind: UnreadableKind = UnreadableKind.OTHER
    line: int | None = None
    source: str = ""
    column: int | None = None  # from 1; where Python's parser stopped
    # The Python version that can read the file, if that is certain.
    needs: PythonVersion | None = None

    @property
    def place(self) -> str:
        """Return the file, with the line if it is known."""
        if self.line is None:
            return self.file
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """Whether a program's scenarios may share a process, judged by its text."""

    allowed: bool
    reason: str = ""  # why not: "line 12: `global board`"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramFiles:
    """Files as they are imported: the submission's, and the course's beside them."""

    submitted: tuple[SourceFile, ...]
    provided: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """The files to check and the policy. As JSON it is the input of `harness.policy`."""

    files: tuple[SourceFile, ...]
    policy: Policy | None = None
    program: ProgramFiles | None = None  # that may share a process
    extra_modules: tuple[str, ...] = ()  # the names of extra files that are accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyReport:
    """The result of checking one submission's source."""

    findings: tuple[Finding, ...] = ()
    unparsable: Unparsable | None = None
    notes: tuple[str, ...] = ()  # accepted oddities (BOM, CRLF)
    sharing: Sharing = Sharing(allowed=False)  # if it was not asked for
    outline: Outline = Outline()  # of what could be read
