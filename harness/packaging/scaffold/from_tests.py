"""Create an assignment from existing tests. The test files and the solution stay unchanged."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from doctest import DocTestParser
from pathlib import Path, PurePosixPath

from harness.assignment.test_files import DOCTEST_ENDINGS, find_tests
from harness.common.errors import UserError
from harness.model.stimulus import statements
from harness.packaging.scaffold.otter import ENDINGS, OtterTests
from harness.packaging.scaffold.parts import (
    clauses_file,
    in_yaml,
    mutants_file,
    name_in_yaml,
    text_of,
)
from harness.packaging.scaffold.program_checks import FoundChecks, find_checks
from harness.packaging.scaffold.recording.choose import Recording, choose, mutants_of
from harness.packaging.scaffold.recording.test_file import TestFile

_FOLDERS = (".", "tests", "test")  # subfolders of the given folder to search for test files
_BESIDE = (".", "src", "..", "../src")  # folders to search for modules that the tests import
_EXAMPLES = (".meta/example.py", ".meta/exemplar.py")  # where Exercism keeps a solution
_FRAMEWORKS = frozenset(("pytest", "unittest", "hypothesis", "gradescope_utils", "tmc", "_pytest"))
_NOT_TAKEN = frozenset((".py", ".pyc", ".toml", ".cfg", ".ini", ".sh"))
# In names of files that hold expectations.
_OF_TESTS = re.compile(r"expect|solution|answer|correct|output|result|(^|[-_./])outs?([-_./]|$)")
_ABOVE = re.compile(rb"\.\./[\w./-]+").findall
_LARGEST = 1024 * 1024  # bytes of a file that tests or programs read
_MAX_TOGETHER = 4 * _LARGEST
_DEPTHS = ("*", "*/*", "*/*/*")
_USUAL_FOLDERS = ("test", "tests", "src")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFiles:
    """The files of an assignment by path below the course's root, and messages for the user."""

    files: dict[str, bytes]
    tests: int
    recorded: int  # scenarios in YAML that were tests
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The files that were found in a folder of tests, by name."""

    tests: dict[str, bytes]
    beside: dict[str, bytes]  # conftest.py and modules that tests import, and no solution
    others: Mapping[str, bytes]
    solution: Mapping[str, bytes]
    runner: str = "pytest"
    otter: OtterTests = field(default_factory=OtterTests)

    @property
    def read(self) -> dict[str, bytes]:
        """Return the files in `others` whose name, or a folder's name, occurs in a test or in the
        solution.
        """
        texts = b"\n".join((*self.tests.values(), *self.beside.values(), *self.solution.values()))
        found: dict[str, bytes] = {}
        for name, data in self.others.items():
            *folders, last = PurePosixPath(name).parts
            named = [folder for folder in folders if folder not in _USUAL_FOLDERS]
            if any(part.encode() in texts for part in (last, *named)):
                found[name] = data
        return found

    @property
    def secret(self) -> list[str]:
        """Return the names of files that seem to hold expected results, such as `expected.txt`."""
        return [name for name in self.read if _OF_TESTS.search(name.lower())]

    @property
    def data(self) -> list[str]:
        """Return the names of all other files whose name occurs in a test or in the solution."""
        secret = self.secret
        return [name for name in self.read if name not in secret]


def from_tests(
    assignment_id: str, folder: Path, reference: Path | None, *, record: bool = False
) -> NewFiles:
    """Return the files of an assignment that runs the tests in `folder`.

    With `record`, tests become YAML scenarios if a scenario can check exactly the same. `reference`
    is the solution; None searches for it near the tests. Raise UserError if tests or a solution are
    missing.
    """
    if not folder.is_dir():
        raise UserError("this folder does not exist", place=str(folder))
    checks = find_checks(folder)
    found = _look_into(folder)
    if not found.tests and not checks.checks:
        found = _with_documented(found, folder, reference)
    if not found.tests and not checks.checks:
        hint = "test files are called test_….py or …_test.py, or are texts with >>> examples"
        raise UserError("this folder has no test files", place=str(folder), hint=hint)
    _check_python(found.tests)
    modules = _program_modules(found, folder, reference)
    modules += [check.file[:-3] for check in checks.checks if check.file[:-3] not in modules]
    solution = _solution(folder, reference, modules)
    found = replace(found, solution=solution)
    count = _count(found.tests, found.runner)
    recording = Recording()
    if record:
        recording = _recorded(assignment_id, found, checks)
    notes = list(_notes(found))
    for why in (*checks.left_out, *found.otter.left_out):
        notes.append(f"Left out: {why}")
    for kept in recording.kept:
        notes.append(f"Still a test: {kept.file} {kept.test}: {kept.why}")
    return NewFiles(
        files=_files(assignment_id, found, checks, recording),
        tests=count + len(checks.checks) - len(recording.tests),
        recorded=recording.scenarios,
        notes=tuple(notes),
    )


def _check_python(tests: Mapping[str, bytes]) -> None:
    """Raise UserError for the first test file that is not Python."""
    for name, data in tests.items():
        if not name.endswith(".py"):
            continue
        try:
            ast.parse(data)
        except SyntaxError as error:
            what = f"this test file is not Python: {error.msg}"
            raise UserError(what, place=f"{name}:{error.lineno}") from None
        except ValueError as error:  # null bytes
            raise UserError(f"this test file is not Python: {error}", place=name) from None


def _program_modules(found: _Found, folder: Path, reference: Path | None) -> list[str]:
    """Return the modules of the program: those that the tests import or name, except the tests'
    own files.
    """
    given = found.tests | found.beside
    of_tests = {PurePosixPath(name).stem for name in given}
    texts = [_python_in(name, data) for name, data in given.items()]
    if found.runner == "doctest":  # the file with the examples is the solution
        of_tests = set()
        modules = [PurePosixPath(name).stem for name in found.tests]
    else:
        modules = [name for name in _imported(texts) if name not in of_tests]
    for name in _named(texts):
        is_there = reference is None and _path_of(folder, name) is not None
        if name not in of_tests and name not in modules and (is_there or not modules):
            modules.append(name)
    return modules


def _recorded(assignment_id: str, found: _Found, checks: FoundChecks) -> Recording:
    """Convert tests to scenarios if possible. Return which were converted and which stay tests."""
    tests = []
    kept = []
    modules = tuple(PurePosixPath(name).stem for name in found.solution)
    functions = tuple(_defined(found.solution))
    for name, data in found.tests.items():
        file = TestFile(name, data, found.runner, functions, modules)
        file.read()
        for test in file.recorded:
            for scenario in test.scenarios:
                found.otter.mark(name, scenario)
        tests += file.recorded
        kept += file.kept

    without_tests = replace(found, tests={}, beside={}, others={})

    def files_of(recording: Recording) -> dict[str, bytes]:
        """Return the files of an assignment with only these scenarios, without sample programs."""
        files = _files(assignment_id, without_tests, FoundChecks(), recording)
        files[f"specs/{assignment_id}/mutants.yaml"] = mutants_file(())
        return files

    return choose(tests, kept, files_of, assignment_id)


def _defined(solution: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the names of functions and classes in the solution's first file, which scenarios may
    call.
    """
    for data in list(solution.values())[:1]:
        for statement in statements(data):
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                yield statement.name


def _files(
    assignment_id: str, found: _Found, checks: FoundChecks, recording: Recording
) -> dict[str, bytes]:
    """Return the files of the assignment, by path below the root."""
    spec = f"specs/{assignment_id}"
    solution = found.solution
    files = {f"reference/{assignment_id}/{name}": data for name, data in solution.items()}
    given = {**found.tests, **found.beside, **found.read}
    for name, data in given.items():
        files[f"{spec}/{name}"] = data
    clauses = [*checks.clauses, *recording.functions]
    files[f"{spec}/assignment.yaml"] = _assignment_file(assignment_id, found, clauses, recording)
    made = checks.files() | recording.files()
    for name, data in made.items():
        files[f"{spec}/{name}"] = data
    if recording.chosen:
        files[f"{spec}/clauses.yaml"] = clauses_file(clauses)
        files[f"{spec}/mutants.yaml"] = mutants_of(recording.functions, solution)
    return files


def _look_into(folder: Path) -> _Found:
    tests: dict[str, bytes] = {}
    helpers: dict[str, bytes] = {}
    otter = OtterTests()
    for below in _FOLDERS:
        for path in sorted((folder / below).glob("*")):
            if path.name.startswith(".") or not path.is_file():
                continue
            name = path.relative_to(folder).as_posix()
            data = path.read_bytes()
            if path.suffix in ENDINGS and otter.add(name, data):
                continue
            if _is_test(path, data):
                tests[name] = data
            elif path.suffix == ".py" and path.name != "__init__.py":
                helpers[name] = data
    tests |= otter.texts
    beside = _frameworks(folder, tests.values())
    for name, data in helpers.items():
        module = PurePosixPath(name).stem
        needed = _imported((*tests.values(), *beside.values()))
        is_helper = "/" in name and module in needed  # elsewhere it is the solution
        if module == "conftest" or is_helper:
            beside[name] = data
    others = {name: data for name, data in _data_files(folder) if name not in tests}
    return _Found(tests=tests, beside=beside, others=others, solution={}, otter=otter)


def _with_documented(found: _Found, folder: Path, reference: Path | None) -> _Found:
    """Use the examples (`>>>`) in the solution's docstrings as tests, if there are any."""
    paths = sorted(folder.glob("*.py")) if reference is None else [reference]
    tests = {path.name: path.read_bytes() for path in paths if b">>>" in path.read_bytes()}
    return replace(found, tests=tests, runner="doctest") if tests else found


def _python_in(name: str, data: bytes) -> bytes:
    """Return the Python source of a test file.

    For a text file, it is the source of its `>>>` examples.
    """
    if not name.endswith(DOCTEST_ENDINGS):
        return data
    try:
        examples = DocTestParser().get_examples(data.decode("utf-8-sig", "replace"))
    except ValueError as error:
        raise UserError(f"its examples cannot be read: {error}", place=name) from None
    return "".join(example.source for example in examples).encode()


def _frameworks(folder: Path, tests: Iterable[bytes]) -> dict[str, bytes]:
    """Return the modules of test frameworks that are in the folder itself, such as `tmc` on TMC."""
    found: dict[str, bytes] = {}
    for package in sorted(_FRAMEWORKS):
        if any(package.encode() in data for data in tests):
            for path in sorted((folder / package).glob("*.py")):
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def _data_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files that tests or programs may read. Names are relative to the folder."""
    size = 0
    for pattern in _DEPTHS:
        for path in sorted(folder.glob(pattern)):
            parts = path.relative_to(folder).parts
            is_hidden = any(part.startswith((".", "__")) for part in parts)
            if is_hidden or path.suffix in _NOT_TAKEN or not path.is_file():
                continue
            length = path.stat().st_size
            if length <= _LARGEST and size + length <= _MAX_TOGETHER:
                size += length
                yield "/".join(parts), path.read_bytes()


def _is_test(path: Path, data: bytes) -> bool:
    stem = path.stem
    if path.suffix in DOCTEST_ENDINGS:
        return b">>>" in data
    return path.suffix == ".py" and (stem.startswith("test") or stem.endswith(("_test", "_tests")))


def _imported(sources: Iterable[bytes]) -> list[str]:
    """Return the modules that the files import, without Python's own and those of test
    frameworks.
    """
    names: dict[str, None] = {}
    for source in sources:
        for statement in statements(source):
            for node in ast.walk(statement):
                names.update(dict.fromkeys(_modules_of(node)))
    ignored = sys.stdlib_module_names | _FRAMEWORKS
    return [name for name in names if name not in ignored]


def _modules_of(node: ast.AST) -> Iterator[str]:
    """Yield the modules that an import statement names.

    A dotted name is shortened to the last part, which is the file's: `a1` for `import src.a1`.
    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            first, _, _ = alias.name.partition(".")
            is_library = first in sys.stdlib_module_names
            yield first if is_library else alias.name.rpartition(".")[2]
    elif isinstance(node, ast.ImportFrom) and node.module:
        first, _, _ = node.module.partition(".")
        known = first in sys.stdlib_module_names or first in _FRAMEWORKS
        yield first if known else node.module.rpartition(".")[2]


def _solution(folder: Path, reference: Path | None, modules: list[str]) -> dict[str, bytes]:
    """Return the solution's files by name; the first one is the program.

    Raise UserError if there are none.
    """
    if reference is not None:
        if not reference.is_file():
            raise UserError("this file does not exist", place=str(reference))
        only = len(modules) == 1 and f"{modules[0]}.py" != reference.name
        name = f"{modules[0]}.py" if only else reference.name
        return {name: reference.read_bytes()}
    found: dict[str, bytes] = {}
    for module in modules:
        solution = _path_of(folder, module)
        if solution is not None:
            found[solution.name] = solution.read_bytes()
    for example in _EXAMPLES:
        path = folder / example
        if path.is_file() and len(modules) == 1:
            found = {f"{modules[0]}.py": path.read_bytes()}
    if not found:
        what = "no solution for these tests was found"
        names = ", ".join(f"{name}.py" for name in modules) or "a1.py"
        hint = f"give it: --reference {names.split(', ')[0]}"
        raise UserError(f"{what} ({names})", place=str(folder), hint=hint)
    return found


def _path_of(folder: Path, module: str) -> Path | None:
    """Return the path of a module's file near the tests; None if it does not exist."""
    for below in _BESIDE:
        path = folder / below / f"{module}.py"
        if path.is_file():
            return path
    return None


def _named(tests: Iterable[bytes]) -> Iterator[str]:
    """Yield the modules that tests name in strings.

    Examples are "src.a1" for `import_module` and "./a1.py" for `subprocess`.
    """
    for source in tests:
        for statement in statements(source):
            for node in ast.walk(statement):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and (found := _MODULE_TEXT.fullmatch(text)):
                    yield found["file"] or found["module"]


_MODULE_TEXT = re.compile(
    r"(\./)?([\w-]+/)*(?P<file>[A-Za-z_]\w*)\.py|([A-Za-z_]\w*\.)+(?P<module>[A-Za-z_]\w*)",
    re.ASCII,
)


def _assignment_file(
    assignment_id: str, found: _Found, clauses: Sequence[str], recording: Recording
) -> bytes:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    lines = [
        f"title: {assignment_id}",
        "course: A course",
        f'python: "{version}"',
        f"submission: {{files: [{', '.join(map(name_in_yaml, found.solution))}]}}",
        "functionality_marks: 10",
    ]
    if clauses:
        lines.append("clauses: clauses.yaml")
    if recording.chosen:
        lines.append("mutants: mutants.yaml")
    remaining = _remaining(found, recording)
    if not remaining:
        return text_of(lines)
    lines += ["tests:", f"  files: [{', '.join(remaining)}]"]
    left_out = [f"{file}::{test}" for file, test in recording.tests if file in remaining]
    if left_out:
        lines += ["  leave_out:", *(f"    - {in_yaml(name)}" for name in left_out)]
    if clauses:
        lines.append(f"  clause: [{name_in_yaml(clauses[0])}]")
    if found.runner != "pytest":
        lines.append(f"  runner: {found.runner}")
    beside = [*found.beside, *found.secret]
    if beside:
        lines.append(f"  beside: [{', '.join(beside)}]")
    data = found.data
    if data:
        lines.append(f"  data: [{', '.join(data)}]")
    lines.append("  # true, false or hint; `select:` sets it for some of the tests only.")
    lines.append("  visible: false")
    selections = list(found.otter.selections(remaining))
    if selections:
        lines += ["  select:", *selections]
    return text_of(lines)


def _remaining(found: _Found, recording: Recording) -> list[str]:
    """Return the names of files with at least one test that did not become a scenario."""
    names: list[str] = []
    for name, data in found.tests.items():
        tests = {(name, test.test) for test in find_tests(name, data, found.runner)}
        if not tests <= set(recording.tests):
            names.append(name)
    return names


def _count(tests: Mapping[str, bytes], runner: str) -> int:
    count = 0
    for name, data in tests.items():
        try:
            count += len(find_tests(name, data, runner))
        except (SyntaxError, ValueError) as error:
            raise UserError(f"this is not Python ({error})", place=name) from None
    return count


def _notes(found: _Found) -> Iterator[str]:
    data = ", ".join(found.data)
    if data:
        yield f"The program can read {data}: see data: in assignment.yaml"
    secret = ", ".join(found.secret)
    if secret:
        yield f"Only the tests can read {secret}: see beside: in assignment.yaml"
    outside: set[str] = set()
    for text in found.tests.values():
        outside.update(name.decode() for name in _ABOVE(text))
    if outside:
        names = ", ".join(sorted(outside)[:5])
        yield f"Tests use files outside this folder ({names}): copy them here, and change the paths"
    rest = sorted(found.others.keys() - found.read.keys())
    if rest:
        names = ", ".join(rest[:5])
        yield f"Left out, because no test uses them: {names}"
