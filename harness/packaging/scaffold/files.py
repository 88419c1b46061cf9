"""The files of a new assignment: from the template, from an assignment that comes with the harness
(a clone's own, in a wheel a copy of them), or from a reference, whose first scenarios are tried:
what it raises is stated, what cannot be compared is left out with the reason."""

from __future__ import annotations

import ast
import json
import re
import string
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from harness.assignment.loading import available, load
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.grading.context import GradingContext, prepare
from harness.grading.validation.checks import ValidationReport
from harness.grading.validation.validate import validate
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Phase

_OUTSIDE = {"input", "open"}  # what a scenario has to provide for
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_QUIET = (ast.Import, ast.ImportFrom, ast.ClassDef, *_ASSIGNMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """A first scenario: what it is about, `call: …` or `run: …`, and a change of `file` after
    which it fails (`find` and `replace` as in mutants.yaml). `asks`: it needs input or files, which
    only a person can choose. `others` are calls with other arguments, `raises` is the exception
    that it should raise; `seeded`: chance is part of it."""

    name: str
    file: str
    action: str
    find: str
    replace: str
    asks: bool = False
    others: tuple[str, ...] = ()
    raises: str = ""
    seeded: bool = False

    def attempt(self, number: int) -> First:
        """With other arguments: those of this number, from 1 on; 0 is itself."""
        return replace(self, action=self.others[number - 1]) if number else self


def first_scenarios(file: str, source: bytes) -> tuple[First, ...]:
    """Return the calls of one Python file, in its order, with examples of the annotated types.

    A function that asks for input is included only if it is the only one. Raise UserError if the
    file is not Python."""
    try:
        text = source.decode("utf-8-sig")
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise UserError(f"this is not Python ({error})", place=file) from None
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    asking = _asking(functions)
    lines = text.splitlines()
    classes = _constructors(tree)
    found: list[First] = []
    for name, node in classes.items():
        if not _names(node) & {*asking, *_OUTSIDE}:
            calls = [make_call(name, classes, attempt) for attempt in range(ATTEMPTS)]
            found.append(_call(file, name, calls, node, lines))
    for name, node in functions.items():
        is_public = name not in {*asking, "main"} and not name.startswith("_")
        if is_public and node.body[0].lineno > node.lineno:
            calls = [called(node, classes, attempt) for attempt in range(ATTEMPTS)]
            found.append(_call(file, name, calls, node, lines))
    found += _run(file, tree.body, asking, lines)
    return tuple(each for each in found if not each.asks) or tuple(found)


def _call(
    file: str, name: str, calls: Sequence[str], node: ast.FunctionDef, lines: Sequence[str]
) -> First:
    find = "\n".join(_once(lines, node.lineno - 1, node.body[0].lineno - 1))
    replaced = f"{find}\n{' ' * (node.col_offset + 4)}raise NotImplementedError"
    action, *more = dict.fromkeys(f"call: {call}" for call in calls)
    others = tuple(more)
    return First(name=name, file=file, action=action, find=find, replace=replaced, others=others)


def _once(lines: Sequence[str], start: int, stop: int) -> list[str]:
    """These lines, with as many before them as it takes to find them once, at any indentation."""
    stripped = [line.strip() for line in lines]
    while True:
        windows = (stripped[n : n + stop - start] for n in range(len(lines)))
        if not start or sum(window == stripped[start:stop] for window in windows) == 1:
            return list(lines[start:stop])
        start -= 1


def class_names(source: bytes) -> tuple[str, ...]:
    """The classes whose objects scenarios may return. `source` is Python."""
    body = ast.parse(source.decode("utf-8-sig")).body
    return tuple(node.name for node in body if isinstance(node, ast.ClassDef))


def _constructors(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The `__init__` of each public class that has one."""
    return {
        node.name: part
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        for part in node.body
        if isinstance(part, ast.FunctionDef) and part.name == "__init__"
        if part.body[0].lineno > part.lineno
    }


def _run(
    file: str, body: Sequence[ast.stmt], asking: Iterable[str], lines: Sequence[str]
) -> Iterator[First]:
    """The program itself, where running it is more than defining names."""
    outside = [n for n in body if not (isinstance(n, ast.FunctionDef) or _is_docstring(n))]
    outer = {*asking, *_OUTSIDE}
    acts = [
        node
        for node in outside
        if (_names(node) & outer and isinstance(node, _ASSIGNMENTS)) or not isinstance(node, _QUIET)
    ]
    if acts:
        *before, line = _once(lines, acts[0].lineno - 1, acts[0].lineno)
        yield First(
            name=file,
            file=file,
            action=f"run: {file}",
            find="\n".join([*before, line]),
            replace="\n".join([*before, "raise SystemExit", line]),
            asks=any(_names(node) & outer for node in outside),
        )


def _asking(functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    """The functions that ask for input or open files, themselves or through others."""
    asking = set(_OUTSIDE)
    for _ in functions:  # as far as one may call another
        asking |= {name for name, node in functions.items() if _names(node) & asking}
    return asking - _OUTSIDE


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


ATTEMPTS = 4
_EXAMPLES = {  # of each type the simplest, and another
    "int": ("2", "5"),
    "float": ("1.5", "2.5"),
    "str": ('"a"', '"abc"'),
    "bool": ("True", "False"),
    "list": ("[]", "[3, 1]"),
    "dict": ("{}", '{"a": 1}'),
}
_OF_ANY_TYPE = ("2", "[3, 1]", '"abc"', '{"a": 1}')
_DEEPEST = 3  # objects in objects

Constructors = Mapping[str, ast.FunctionDef]


def called(node: ast.FunctionDef, classes: Constructors, attempt: int) -> str:
    """The call with the arguments that a function requires. `classes` has the `__init__` of each
    class that may be made, `attempt` counts from 0."""
    listed = (_example(each.annotation, classes, attempt, 0) for each in _required(node))
    return f"{node.name}({', '.join(listed)})"


def make_call(name: str, classes: Constructors, attempt: int, depth: int = 0) -> str:
    """The call that makes an object of this class."""
    arguments = _required(classes[name])[1:] if depth < _DEEPEST else []
    listed = (_example(each.annotation, classes, attempt, depth + 1) for each in arguments)
    return f"{name}({', '.join(listed)})"


def _required(node: ast.FunctionDef) -> list[ast.arg]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[: len(arguments) - len(node.args.defaults)]


def _example(kind: ast.expr | None, classes: Constructors, attempt: int, depth: int) -> str:
    """A value of the annotated type."""
    text = ast.unparse(kind).strip("'\"") if kind else ""
    if text in classes:
        return make_call(text, classes, attempt, depth)
    if attempt:
        match kind:
            case ast.Subscript(value=ast.Name(id="list"), slice=inner):
                return f"[{_example(inner, classes, attempt, depth)}]"
            case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
                parts = (_example(each, classes, attempt, depth) for each in (key, value))
                return f"{{{': '.join(parts)}}}"
    examples = _EXAMPLES.get(text.partition("[")[0])
    return examples[attempt > 0] if examples else _OF_ANY_TYPE[attempt]


_TEMPLATE = Path(__file__).parent / "template"
_SPEC_FILES = ("assignment", "clauses", "mutants", "is_valid", "main", "total")
_SAMPLES = {
    "another_style": "fails: []\nmark: [10, 10]\n",
    "accepts_zero": 'fails: ["is_valid/below-the-lowest"]\n'
    'explains: ["is_valid returned True instead of False"]\n',
}
_HEAD = "# Each expects what the reference prints and returns.\nscenarios:\n"
_OWN = "Put your own solution here: every submission is compared with it."
_MOST_REASONS = 3
_PACKAGE = Path(__file__).parents[2]
_PARTS = ("specs", "reference", "submissions")
_NOT_COPIED = {"__pycache__", ".ruff_cache"}
_MOST_ROUNDS = 5
_NOT_STATED = ", which the scenario does not state."
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^'.]+)")
# The cache holds answers, the reports hold students.
_KEPT_OUT = (".harness-cache/", "reports/")
_WHY = "# harness: answers of the reference, and students' marks"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A call or run that is not a first scenario, and why."""

    first: First
    reason: str

    def __str__(self) -> str:
        return f"{self.first.action.partition(': ')[2]}: {' '.join(self.reason.split())}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What the first files are made of. `floats`: some are the result of a computation."""

    firsts: tuple[First, ...]
    left_out: tuple[LeftOut, ...] = ()
    floats: bool = False
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The files of an assignment begun from its reference, the programs whose input or files a
    person must add, and the functions without a first scenario. `without` says why nothing has
    one."""

    files: dict[str, bytes]
    unfinished: tuple[str, ...]
    left_out: tuple[str, ...]
    without: tuple[str, ...]


def from_template(assignment_id: str, file: str) -> dict[str, bytes]:
    """A small assignment with reference, scenarios, mutants and samples, by path below the root."""
    filled = partial(_filled, assignment_id=assignment_id, file=file)
    spec, submissions = f"specs/{assignment_id}", f"submissions/{assignment_id}"
    files = {f"reference/{assignment_id}/{file}": filled("reference.py.txt")}
    files |= {f"{spec}/{name}.yaml": filled(f"{name}.yaml") for name in _SPEC_FILES}
    for sample, expected in _SAMPLES.items():
        files[f"{submissions}/{sample}/{file}"] = filled(f"{sample}.py.txt")
        files[f"{submissions}/{sample}/expect.yaml"] = expected.encode()
    return files


def of_several(assignment_id: str, names: Sequence[str]) -> dict[str, bytes]:
    """The same with a program of one line in each of these files."""
    reference = {name: f'"""{_OWN}"""\n\nprint("Hello from {name}")\n'.encode() for name in names}
    return _whole(assignment_id, reference, _draft(reference))


def from_reference(
    assignment_id: str, reference: Mapping[str, bytes], packages: Sequence[str], cache: Path
) -> Begun:
    """Write a clause, a first scenario and a mutant for each class and program of the reference
    and each function without input or files, and the reference as a sample, as far as they
    validate.

    `reference` has its Python files by name. It is run with these packages, which are installed
    below the folder `cache`. If no scenario can be made, return all other files. Raise UserError
    if a file is not Python or imports a missing module.
    """
    draft = replace(_draft(reference), packages=tuple(packages))
    asking = tuple(first for first in draft.firsts if first.asks)
    sound = replace(draft, firsts=tuple(first for first in draft.firsts if not first.asks))
    if sound.firsts:
        sound = _tried(assignment_id, reference, sound, cache)
    named = {first.name: first for first in (*sound.firsts, *asking)}
    sound = replace(sound, firsts=tuple(named[f.name] for f in draft.firsts if f.name in named))
    without: tuple[str, ...] = ()
    if not sound.firsts:
        for name in filter(None, (_NO_MODULE.search(each.reason) for each in sound.left_out)):
            what = f"the reference imports {name[1]}, no module of Python and no file beside it"
            hint = f"if it is a package, harness new {assignment_id} --package {name[1]}==VERSION"
            raise UserError(what, hint=hint)
        reasons = tuple(str(each).removesuffix(".") for each in sound.left_out[:_MOST_REASONS])
        without = reasons or ("the reference has nothing to call or run without input or files",)
    return Begun(
        files=_begun(assignment_id, reference, sound),
        unfinished=tuple(first.name for first in asking),
        left_out=tuple(each.first.name for each in sound.left_out),
        without=without,
    )


def _draft(reference: Mapping[str, bytes]) -> Draft:
    """The first scenarios, without those that would have the id of another."""
    firsts: dict[str, First] = {}
    left_out: list[LeftOut] = []
    for file, data in reference.items():
        for first in first_scenarios(file, data):
            key = re.sub(r"[\W_]+", "", first.name.lower())
            if firsts.setdefault(key, first) is not first:
                reason = f"{firsts[key].name} of {firsts[key].file} has this name already"
                left_out.append(LeftOut(first=first, reason=reason))
    return Draft(firsts=tuple(firsts.values()), left_out=tuple(left_out))


def _whole(assignment_id: str, reference: Mapping[str, bytes], draft: Draft) -> dict[str, bytes]:
    """The files with the reference among them."""
    own = {f"reference/{assignment_id}/{name}": data for name, data in reference.items()}
    return _begun(assignment_id, reference, draft) | own


def _begun(assignment_id: str, reference: Mapping[str, bytes], draft: Draft) -> dict[str, bytes]:
    spec, submissions = f"specs/{assignment_id}", f"submissions/{assignment_id}"
    firsts = draft.firsts
    heading = _filled("assignment.yaml", assignment_id, ", ".join(reference))
    classes = [name for data in reference.values() for name in class_names(data)]
    if compared := ", ".join(f"{name}: attributes" for name in classes):
        heading += f"compare: {{{compared}}}\n".encode()
    if draft.packages:
        heading += f"packages: [{', '.join(draft.packages)}]\n".encode()
    if draft.floats:
        heading += b"floats: {within: 0.000001}\n"
    clauses = [first.name for first in firsts] or list(reference)
    mutants = "mutants:\n" + "".join(map(_mutant, firsts)) if firsts else "mutants: []\n"
    files = {
        f"{spec}/assignment.yaml": heading,
        f"{spec}/clauses.yaml": ("clauses:\n" + "".join(map(_clause, clauses))).encode(),
        f"{spec}/mutants.yaml": mutants.encode(),
        f"{submissions}/reference/expect.yaml": b"fails: []\nmark: [10, 10]\n",
    }
    if firsts:
        first_file = _HEAD + "".join(map(_scenario, firsts))
        first_file += "".join(f"# Left out: {each}\n" for each in draft.left_out)
        files[f"{spec}/first.yaml"] = first_file.encode()
    files |= {f"{submissions}/reference/{name}": data for name, data in reference.items()}
    return files


def _clause(name: str) -> str:
    text = json.dumps(f"{name} does what the sheet says.")
    return f'  - {{id: "{name}", section: "1", text: {text}}}\n'


def _scenario(first: First) -> str:
    key, _, text = first.action.partition(": ")
    if ": " in text:  # which YAML would read as a mapping
        text = f"'{text}'"
    scenario = (
        f"  - name: {first.name} for the first time\n    function: {first.name}\n"
        f'    clause: "{first.name}"\n    visible: true\n    {key}: {text}\n'
    )
    if first.raises:
        scenario += f"    raises: {first.raises}\n"
    if first.seeded:
        scenario += "    seed: 1\n"
    if first.asks:
        scenario += "    input: []  # what is typed, line by line; files: what it reads\n"
    return scenario


def _mutant(first: First) -> str:
    find, replaced = (textwrap.indent(text, " " * 6) for text in (first.find, first.replace))
    return (
        f'  - clause: "{first.name}"\n    file: {first.file}\n    why: It is not written.\n'
        f"    find: |\n{find}\n    replace: |\n{replaced}\n"
    )


def _filled(name: str, assignment_id: str, file: str) -> bytes:
    text = string.Template((_TEMPLATE / name).read_text(encoding="utf-8"))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    title = assignment_id.replace("-", " ").title()
    return text.substitute(title=title, file=file, python=python).encode()


def shipped() -> tuple[str, ...]:
    """Return the ids of the assignments that come with the harness; none if they were left out."""
    return available(_root())


def copied(source: str, assignment_id: str) -> dict[str, bytes]:
    """The files of a shipped assignment by their paths below the course's root, under another id.
    UserError for an assignment that does not come with the harness."""
    if source not in shipped():
        what = f"no assignment {source!r} comes with the harness"
        raise UserError(what, hint=f"there are: {', '.join(shipped()) or 'none'}")
    files: dict[str, bytes] = {}
    for part in _PARTS:
        folder = _root() / part / source
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and not _NOT_COPIED & set(inside.parts):
                files[f"{part}/{assignment_id}/{inside.as_posix()}"] = path.read_bytes()
    return files


def _root() -> Path:
    packed = _PACKAGE / "shipped"
    return packed if packed.is_dir() else _PACKAGE.parent


def _tried(assignment_id: str, reference: Mapping[str, bytes], draft: Draft, cache: Path) -> Draft:
    """The draft after which `harness validate` finds nothing. Raises what `prepare` does."""

    def prepared(draft: Draft) -> GradingContext:
        with tempfile.TemporaryDirectory() as folder:
            for name, data in _whole(assignment_id, reference, draft).items():
                write_bytes(Path(folder, name), data)
            loaded = load(Path(folder), assignment_id)
            return prepare(loaded, cache=cache if draft.packages else None, refuse=False)

    chosen: dict[str, First] = {}
    waiting, attempt = draft.firsts, 0
    while waiting:
        attempts = tuple(first.attempt(attempt) for first in waiting)
        raised = _raised(prepared(replace(draft, firsts=attempts)).key)
        for first, name in zip(attempts, raised, strict=True):
            # That it raises is an outcome too, but only where other arguments have no better one.
            if not name or not attempt:
                chosen[first.name] = replace(first, raises=name)
        attempt += 1
        tried = zip(waiting, raised, strict=True)
        waiting = tuple(f for f, name in tried if name and attempt <= len(f.others))
    draft = replace(draft, firsts=tuple(chosen.values()))
    before = None
    for _ in range(_MOST_ROUNDS):
        if not draft.firsts or draft == before:
            break
        context = prepared(draft)
        ids = [scenario.id for scenario in context.specification.plan.scenarios]
        before = draft
        draft = _without_problems(draft, validate(context, (), jobs=1), ids)
    return draft


def _raised(key: AnswerKey) -> list[str]:
    """The exception that each scenario ends with; empty for any other end."""
    seen = [entry.answers[0].observation for entry in key.scenarios]
    ended = (each.ending is Ending.ANSWERED and each.phase is Phase.STIMULUS for each in seen)
    return [o.raised.type_name if o.raised and e else "" for o, e in zip(seen, ended, strict=True)]


def _without_problems(draft: Draft, report: ValidationReport, ids: Sequence[str]) -> Draft:
    firsts: list[First] = []
    left_out = list(draft.left_out)
    for first, scenario_id in zip(draft.firsts, ids, strict=True):
        found = dict(_problems(first, scenario_id, report))
        if found.keys() == {"repeat"} and not first.seeded:
            firsts.append(replace(first, seeded=True))
        elif not found:
            firsts.append(first)
        else:
            reason = next(iter(found.values())).removeprefix(scenario_id).lstrip(": ")
            left_out.append(LeftOut(first=first, reason=reason.removesuffix(_NOT_STATED)))
    floats = draft.floats or any(problem.check == "floats" for problem in report.problems)
    return replace(draft, firsts=tuple(firsts), left_out=tuple(left_out), floats=floats)


def _problems(first: First, scenario: str, report: ValidationReport) -> Iterator[tuple[str, str]]:
    for problem in report.problems:
        if problem.check != "floats" and scenario in problem.message:
            yield problem.check, problem.message
    for mutant in report.mutants:
        if mutant.clause == first.name and not mutant.killed_by:
            yield "mutants", "it does what a function does that is not written"


def keep_out(base: Path) -> bool:
    """Add missing lines to the `.gitignore` of a course in a repository, and return whether
    there were any. Existing lines stay. Raise OSError if it cannot be written."""
    if not any((folder / ".git").exists() for folder in (base.resolve(), *base.resolve().parents)):
        return False
    path = base / ".gitignore"
    text = path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
    there = {line.strip().strip("/*") for line in text.splitlines()}
    missing = [line for line in _KEPT_OUT if line.strip("/") not in there]
    if missing:
        before = text if not text or text.endswith("\n") else text + "\n"
        added = "".join(f"{line}\n" for line in (_WHY, *missing))
        write_bytes(path, (before + added).encode("utf-8", "surrogateescape"))
    return bool(missing)
