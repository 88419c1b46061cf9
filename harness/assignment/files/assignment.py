"""assignment.yaml: the files it names, marks by hand, how objects are compared."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema, model_validator

from harness.assignment.document import Document, HintedError, Loc
from harness.assignment.files.fuzzing import FuzzShape
from harness.assignment.files.late import LateShape
from harness.assignment.files.test_writing import TestWritingShape
from harness.assignment.files.tests import CourseTestsShape
from harness.assignment.loading import REFERENCE, display_path
from harness.assignment.scenarios.stimulus import read_clock
from harness.assignment.shapes import (
    AllLimitsShape,
    Expects,
    FloatsShape,
    IdWord,
    OneOrMore,
    Points,
    Prompts,
    Shape,
    read_shape,
    wrong,
)
from harness.assignment.symbols import (
    AssignmentSymbols,
    Variants,
    definitions_beside,
    other_names,
    public_functions,
)
from harness.common.words import listed, zone_hint
from harness.matchers.kinds.texts import fault_of
from harness.matchers.reading import describe, nearest
from harness.model.assignment import (
    ClassComparison,
    CompareBy,
    ExtraModules,
    ExtraUse,
    ManualSlot,
    RubricItem,
    RubricLevel,
    SourceFile,
)
from harness.model.plan import Place
from harness.model.stimulus import Clock, Limits
from harness.model.submission import ARCHIVE_ENDINGS

_WORTH = "-?[0-9]{1,6}([.][0-9]{1,6}|/[0-9]{0,5}[1-9][0-9]{0,5})?"


def _file_name(name: str) -> str:
    if not re.fullmatch(r"[^/\\\x00]+", name):
        raise wrong(f"{name} is a path", "write only the file's name", instead="none.zip")
    return name


def _archive_name(name: str) -> str:
    _file_name(name or "none")
    if not name.endswith(ARCHIVE_ENDINGS) or name.startswith("."):
        endings = listed(ARCHIVE_ENDINGS, "or")
        what = f"expected a name that ends in {endings}, got {describe(name)}"
        raise wrong(what, instead="none.zip")
    return name


def _package(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?==[0-9][A-Za-z0-9.!+]*", text):
        what = f"expected a package with its version, like emoji==2.14.0, got {text}"
        hint = "name a version, so that a newer one cannot change marks"
        raise wrong(what, hint, instead="none==0")
    return text


def _version(text: str) -> str:
    if not re.fullmatch(r"3\.[0-9]{1,2}", text):
        raise wrong(f"expected a version like 3.12, got {text}", instead="3.12")
    return text


def _zone(name: str) -> str:
    try:
        ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError):
        raise wrong(f"unknown time zone {name}", zone_hint(), instead="") from None
    return name


def _pattern(text: str) -> str:
    if fault := fault_of(text):
        raise wrong(fault, instead="")
    return text


def _test_file_name(name: str) -> str:
    if not re.fullmatch(r"[^\W\d]\w*\.py", name):
        what = f"expected the name of a file with tests, like test_a1.py, got {name}"
        raise wrong(what, instead="test_none.py")
    return name


_TestFiles = Annotated[list[Annotated[str, AfterValidator(_test_file_name)]], OneOrMore()]
_FileNames = Annotated[list[Annotated[str, AfterValidator(_file_name)]], OneOrMore()]
_WAYS = Literal["attributes", "repr", "equality", "none"]


def _hint_to_compare(value: Any) -> str:
    if isinstance(value, str):
        return nearest(value, get_args(_WAYS))
    if value == []:
        return "write none if only the class counts"
    return ""


def _attribute(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise wrong(f"expected the name of an attribute, got {describe(name)}")
    return name


_Attribute = Annotated[str, PlainValidator(_attribute), WithJsonSchema({"type": "string"})]
_COMPARED_BY = "a list of attributes, or attributes, repr, equality or none"
Comparison = Annotated[
    _WAYS | Annotated[list[_Attribute], Field(min_length=1)],
    Expects(_COMPARED_BY, _hint_to_compare, instead="repr"),
]


def _module_pattern(pattern: str) -> str:
    _file_name(pattern or "none")
    if not pattern.endswith(".py"):
        what = f"expected a pattern of names that ends in .py, got {describe(pattern)}"
        raise wrong(what, "only Python modules can be allowed", instead="*.py")
    return pattern


_Patterns = Annotated[list[Annotated[str, AfterValidator(_module_pattern)]], OneOrMore()]
_EVERY_MODULE = "*.py"


class ExtraShape(Shape):
    """Modules beside the files asked for, by patterns like util*.py; all others are ignored."""

    allow: _Patterns = []
    """Modules that are accepted as the student's code."""
    refuse: _Patterns = []
    """Other modules for which the whole submission is refused."""


def _extra_modules(written: str | ExtraShape) -> ExtraModules:
    if isinstance(written, ExtraShape):
        return ExtraModules(allow=tuple(written.allow), refuse=tuple(written.refuse))
    use = ExtraUse(written)
    if use is ExtraUse.ALLOW:
        return ExtraModules(allow=(_EVERY_MODULE,))
    if use is ExtraUse.REFUSE:
        return ExtraModules(refuse=(_EVERY_MODULE,))
    return ExtraModules()


def _hint_for_extra(value: Any) -> str:
    if isinstance(value, list):
        return "write {allow: [util.py]}"
    if not isinstance(value, str):
        return ""
    uses = [use.value for use in ExtraUse]
    return nearest(value, uses)


_Extra = Annotated[
    Literal["allow", "ignore", "refuse"] | ExtraShape,
    Expects("allow, ignore, refuse or {allow: [patterns]}", _hint_for_extra, instead="ignore"),
]


class SubmissionShape(Shape):
    """`submission:` the files that students upload."""

    files: _FileNames = []
    """The names of the files handed in."""
    tests: _TestFiles = []
    """The names of the files with tests that students hand in, with or without a program
    (test_writing states their points)."""
    laid_as: str = Field("", alias="as")
    """The name under which the submitted file is run."""
    archive: Annotated[str, AfterValidator(_archive_name)] = ""
    """The name of the archive to hand in, like A3.zip; .tar, .tar.gz and .tgz are read, too."""
    otherwise: Literal["zero", "review"] = "zero"
    """If something else is handed in: no marks (zero), or a person decides (review)."""
    extra: _Extra = "ignore"
    """Other modules that are handed in: accept them (allow), leave them out (ignore), or refuse the
    submission (refuse); or accept only some, like {allow: [util*.py]}."""

    notebooks: Literal["allow", "refuse"] | None = None
    """Whether a1.ipynb may be handed in for a1.py (left out: allow, if only one file is asked
    for)."""

    @model_validator(mode="after")
    def _has_files(self) -> SubmissionShape:
        if not self.file_names:
            what = "expected files or as"
            hint = "write {files: [a1.py]}"
            raise wrong(what, hint, instead={"files": ["none.py"]})
        return self

    @property
    def file_names(self) -> tuple[str, ...]:
        """Return the possible names of the main program file."""
        names = [*self.files]
        if not names and self.laid_as:
            names.append(self.laid_as)
        names += self.tests
        return tuple(dict.fromkeys(names))

    @property
    def takes_notebooks(self) -> bool:
        """Return whether students may submit notebooks instead of Python files."""
        if self.notebooks is None:
            return len(self.file_names) == 1 and not self.tests
        return self.notebooks == "allow"

    def extra_modules(self) -> ExtraModules:
        """Return which further modules students may submit."""
        return _extra_modules(self.extra)


def _worth(value: Any) -> Fraction:
    text = str(value)
    if type(value) in (int, float, str) and re.fullmatch(_WORTH, text):
        return Fraction(text)
    what = f'expected a number or a fraction like "-1/3", got {describe(value)}'
    raise wrong(what, instead=0)


Worth = Annotated[
    Fraction,
    PlainValidator(_worth),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^{_WORTH}$"}]}),
]


class RubricItemShape(Shape):
    """A rubric item: points if it applies, or levels of which one is chosen."""

    id: IdWord
    """A short id, unique in the rubric."""
    title: Annotated[str, AfterValidator(str.strip)]
    """Its text on pages."""
    points: Worth = Fraction(0)
    """Points added to the mark, or subtracted if negative, if it applies."""
    levels: dict[str, Worth] = {}
    """Instead of points: the levels that it can reach, each with its points."""

    @model_validator(mode="after")
    def _has_one(self) -> RubricItemShape:
        states_points = "points" in self.model_fields_set
        if bool(self.levels) == states_points:
            what = "expected points or levels, and one of them"
            instead = {"id": self.id, "title": "none", "points": 0}
            raise wrong(what, "write points: 2", instead=instead)
        return self


class ManualShape(Shape):
    """One mark that a person gives; it is separate from the functionality mark."""

    id: IdWord
    """A short id, unique in the list."""
    title: Annotated[str, AfterValidator(str.strip)]
    """Its title in reports."""
    out_of: Points
    """Its marks: a positive number or a fraction like "1/3"."""
    clause: str = ""
    """The clause of the sheet to which it belongs, quoted."""
    rubric: list[RubricItemShape] = []
    """The parts of the mark. If all items subtract, it starts at out_of, otherwise at 0."""


class AssignmentShape(Shape):
    """assignment.yaml."""

    title: str = Field(examples=["Guess a number"])
    """The assignment's title."""
    course: str = Field(examples=["Programming 1"])
    """The course and its semester."""
    python: Annotated[str, AfterValidator(_version)] = Field(examples=["3.12"])
    """The Python version, quoted: "3.12"."""
    submission: SubmissionShape = Field(examples=[{"files": ["a1.py"]}])
    """The files to hand in."""
    time_zone: Annotated[str, AfterValidator(_zone)] = ""
    """The time zone of due times, downloads and clocks that name none, like Australia/Brisbane."""
    clock: str = ""
    """The time that programs see if a scenario sets none, like 2026-03-01T12:00 in that zone."""
    isolation: Literal["auto", "all", "proved"] = "auto"
    """Scenarios to run in separate processes: those of programs with global state (auto), or all
    scenarios (all). proved is the former name of auto."""
    packages: list[Annotated[str, AfterValidator(_package)]] = []
    """Packages that programs may import, each with its version, like emoji==2.14.0."""
    provided: _FileNames = []
    """Course files placed beside the submission, from reference/<id>/."""
    functionality_marks: Points = Field(examples=[10])
    """Marks for the share of points passed."""
    manual: list[ManualShape] = []
    """Marks given by hand, such as for style; never part of the functionality marks."""
    late: LateShape | None = None
    """The cost of late work, and how late it is still accepted (left out: late work gets no
    mark)."""
    limits: AllLimitsShape = AllLimitsShape()
    """Limits of scenarios that set none themselves."""
    compare: dict[str, Comparison] = {}
    """How objects of a class are compared: by a list of attributes, by all public ones
    (attributes), by repr, by equality, or only by their class (none)."""
    floats: FloatsShape = Field(default_factory=lambda: FloatsShape(within=1e-9))
    """The tolerance for floats anywhere in a value (left out: none), and with in_text also in
    printed and returned text, files, sessions and transcripts."""
    prompts: Prompts = "exact"
    """{any: true}: prompts of `input()` may have any text, unless a scenario says otherwise."""
    patterns: dict[str, Annotated[str, AfterValidator(_pattern)]] = {}
    """Regular expressions, each named by a description that students read."""
    policy: str = ""
    """The policy file's name."""
    clauses: str = ""
    """The clause file's name."""
    mutants: str = ""
    """The mutant file's name (mutants.yaml if it is left out)."""
    tests: CourseTestsShape | None = None
    """Existing tests (pytest, unittest, doctest), run unchanged."""
    test_writing: TestWritingShape | None = None
    """The points of tests that students hand in (submission: {tests: …})."""
    fuzz: FuzzShape = FuzzShape()
    """More inputs for `harness fuzz`, besides the scenarios' own strategies."""


def read_heading(
    document: Document, root: Path, folder: Path, support: Path | None
) -> AssignmentSymbols | None:
    """Return the content of assignment.yaml without its clauses; None if it cannot be read (errors
    are noted).
    """
    shape = read_shape(AssignmentShape, document)
    if shape is None:
        return None
    beside = root / REFERENCE / folder.name
    submitted = shape.submission.file_names
    answers = [beside / name for name in submitted]
    if not any(map(Path.is_file, answers)):
        answers = []
    reference = _files(document, root, ("submission", "files"), answers)
    instead = _files_of_support(document, root, support, shape.provided)
    paths = [instead.get(name, beside / name) for name in shape.provided]
    provided = _files(document, root, ("provided",), paths)
    floats_within = None
    if "floats" in shape.model_fields_set:
        floats_within = shape.floats.within
    programs = [file for file in reference if file.name not in shape.submission.tests]
    names_beside: frozenset[str] = frozenset()
    if programs:
        names_beside = other_names(programs[0])
    return AssignmentSymbols(
        document=document,
        shape=shape,
        folder=folder,
        shown_folder=display_path(root, folder),
        reference_folder=beside,
        reference=reference,
        provided=provided,
        functions=public_functions(programs),
        other_names=names_beside,
        definitions=definitions_beside(provided, submitted),
        limits=shape.limits.over(Limits()),
        floats_within=floats_within,
        clock=_clock(document, shape),
        variants=Variants(provided, submitted),
        tested_program=_tested_program(document, root, beside, shape),
    )


def _tested_program(
    document: Document, root: Path, beside: Path, shape: AssignmentShape
) -> tuple[SourceFile, ...]:
    """Return the reference's files that students' tests test; empty if students submit no tests."""
    if shape.test_writing is None:
        return ()
    names = shape.test_writing.program or shape.submission.files
    if not names:
        what = "the tests need a program, and none is named"
        document.add(("test_writing",), what, "add program: [a1.py]")
    paths = [beside / name for name in names]
    return _files(document, root, ("test_writing", "program"), paths)


def _files_of_support(
    document: Document, root: Path, support: Path | None, provided: Sequence[str]
) -> dict[str, Path]:
    """Return the files in the support folder that replace provided files, keyed by name.

    Note an error if the folder has none of them.
    """
    if support is None:
        return {}
    paths: dict[str, Path] = {}
    for name in provided:
        if (support / name).is_file():
            paths[name] = support / name
    if not paths:
        names = ", ".join(provided) or "there are none"
        what = f"holds none of the provided files ({names})"
        document.problems.add_to_file(display_path(root, support), what, "correct --support")
    return paths


def _clock(document: Document, shape: AssignmentShape) -> Clock | None:
    """Return the fixed time that programs see; None if none is stated or if it is invalid (an
    error is noted).
    """
    if not shape.clock:
        return None
    try:
        return read_clock(shape.clock, shape.time_zone)
    except HintedError as error:
        document.add(("clock",), str(error), error.hint)
        return None


def _files(
    document: Document, root: Path, loc: Loc, paths: Iterable[Path]
) -> tuple[SourceFile, ...]:
    """Return the files in a list; note an error for each file that is missing or unreadable."""
    files: list[SourceFile] = []
    for index, path in enumerate(paths):
        name = display_path(root, path)
        if not path.is_file():
            document.add((*loc, index), f"{name} is not there")
            continue
        file = SourceFile(name=path.name, data=path.read_bytes())
        try:
            if path.suffix == ".py":
                file.data.decode("utf-8-sig")
                ast.parse(file.data)
            files.append(file)
        except UnicodeDecodeError as error:
            what = f"byte {error.start} is not UTF-8"
            document.problems.add_to_file(name, what, "save the file as UTF-8")
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            column = getattr(error, "offset", None) or 1
            reason = getattr(error, "msg", None) or str(error)
            place = Place(file=name, line=line, column=column)
            document.problems.add(place, "", f"not Python ({reason})")
    return tuple(files)


def manual_slots(symbols: AssignmentSymbols) -> tuple[ManualSlot, ...]:
    """Return the parts that are marked by hand, in the file's order.

    Note errors for repeated ids, for clauses missing in clauses.yaml, and for rubrics with more
    points than the part has marks.
    """
    document = symbols.document
    slots: dict[str, ManualSlot] = {}
    for index, part in enumerate(symbols.shape.manual):
        if part.id in slots:
            what = f"the id {part.id} appears twice"
            document.add(("manual", index, "id"), what, "give each entry its own id")
        if part.clause:
            symbols.has_clause(document, ("manual", index, "clause"), part.clause)
        loc: Loc = ("manual", index, "rubric")
        fields = dict(part)
        fields["rubric"] = _rubric(document, loc, part)
        slot = ManualSlot(**fields)
        slots[part.id] = slot
        if slot.spare < 0:
            together = float(part.out_of - slot.spare)
            what = f"the rubric adds up to {together:g}, more than out_of"
            document.add(loc, what, "lower their points, or raise out_of")
    return tuple(slots.values())


def _rubric(document: Document, loc: Loc, slot: ManualShape) -> tuple[RubricItem, ...]:
    """Return the items of a rubric; note errors for repeated ids."""
    items: dict[str, RubricItem] = {}
    for index, item in enumerate(slot.rubric):
        if item.id in items:
            what = f"the id {item.id} appears twice"
            document.add((*loc, index, "id"), what, "give each item its own id")
        levels: list[RubricLevel] = []
        for title, points in item.levels.items():
            levels.append(RubricLevel(title=title, points=points))
        fields = dict(item)
        fields["levels"] = tuple(levels)
        items[item.id] = RubricItem(**fields)
    return tuple(items.values())


def comparisons(symbols: AssignmentSymbols, classes: Sequence[str]) -> tuple[ClassComparison, ...]:
    """Return how objects of each class are compared.

    If there is a reference, note an error for a class that it does not define, by `class` or by a
    call such as `namedtuple`.
    """
    document = symbols.document
    names = (*classes, *symbols.other_names)
    known = ", ".join(classes) or "none"
    found: list[ClassComparison] = []
    for name, how in symbols.shape.compare.items():
        if symbols.reference and name not in names:
            hint = nearest(name, names) or f"there are {known}"
            what = f"neither the reference nor a provided file has a class {name}"
            document.add(("compare", name), what, hint, key=True)
        if isinstance(how, str):
            comparison = ClassComparison(name=name, how=CompareBy(how))
        else:
            attributes = tuple(how)
            comparison = ClassComparison(name=name, how=CompareBy.NAMED, attributes=attributes)
        found.append(comparison)
    return tuple(found)
