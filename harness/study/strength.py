"""Measure how strong the scenarios are: make small faults in the reference, and count those
noticed.

A change is noticed if a scenario fails. The changes are made with cosmic-ray's operators. Pairs of
changes in one function are tried too, because two faults may hide each other.
"""

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.common import files, serial
from harness.common.errors import UserError
from harness.common.extras import install_command
from harness.common.files import source_digest
from harness.grading.context import GradingContext
from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.model import study
from harness.model.assignment import SourceFile
from harness.model.plan import Place, Plan, Scenario, Specification, Visibility
from harness.model.submission import Submission
from harness.results.reuse import execution_digest, judging_digest, write_strength

# Operators that need their own arguments, or that change nothing.
_LEFT_OUT = frozenset({"NoOp", "VariableReplacer", "VariableInserter", "RemoveDecorator"})
# Operators that are left out because the interpreter decides if equal values are the same object.
_BY_IDENTITY = ("_Is", "_IsNot")
# The function of code that is in no function.
OUTSIDE = "(module)"
Pair = tuple[int, int]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ReferenceChange:
    """A change that makes a fault in one place of the reference."""

    # The outcome before it is tried: noticed by no scenario.
    outcome: study.ChangeOutcome
    # The whole file with the fault.
    text: bytes

    @property
    def part(self) -> tuple[str, str]:
        """Return the file and the function in which the fault is."""
        return self.outcome.file, self.outcome.function


def changes(files: tuple[SourceFile, ...]) -> tuple[ReferenceChange, ...]:
    """Return every change that the operators can make, in the order of files and lines.

    Of changes with the same meaning only the first is returned. Annotations are not changed. Raise
    UserError if cosmic-ray is not installed.
    """
    operators, mutating, trees = _cosmic_ray()
    made: list[ReferenceChange] = []
    for file in files:
        if not file.name.endswith(".py"):
            continue
        source = file.data.decode("utf-8-sig")
        lines = source.splitlines(keepends=True)
        for node in ast.parse(source).body:
            first, last = _line_span(node)
            part = "".join(lines[first:last])
            before = "".join(lines[:first])
            after = "".join(lines[last:])
            nodes = list(trees.ast_nodes(trees.get_ast(part)))
            meanings = {_meaning(part)}
            for name, operator in operators.items():
                for text in _apply(mutating, operator, part, nodes):
                    meaning = _meaning(text)
                    if meaning is None or meaning in meanings:
                        continue
                    meanings.add(meaning)
                    changed = before + text + after
                    made.append(_change(file.name, name, source, changed))
    order = attrgetter("file", "line", "operator", "after")
    made.sort(key=lambda change: order(change.outcome))
    return tuple(made)


def _line_span(node: ast.stmt) -> tuple[int, int]:
    """Return the slice of lines that a statement with its decorators takes up."""
    first = node.lineno
    for decorator in getattr(node, "decorator_list", []):
        first = min(first, decorator.lineno)
    last = node.end_lineno or node.lineno
    return first - 1, last


def _cosmic_ray() -> tuple[dict[str, type], ModuleType, ModuleType]:
    """Import cosmic-ray.

    Return its operators by name, and its modules that change and parse programs.
    """
    try:
        from cosmic_ray import ast as trees  # noqa: PLC0415  (an extra)
        from cosmic_ray import mutating  # noqa: PLC0415
        from cosmic_ray.operators.provider import OperatorProvider  # noqa: PLC0415
    except ImportError:
        problem = "the generator of changes is not installed"
        raise UserError(problem, hint=install_command("study")) from None
    provider = OperatorProvider()
    operators: dict[str, type] = {}
    for name in sorted(provider):
        if name not in _LEFT_OUT and not name.endswith(_BY_IDENTITY):
            operators[name] = provider[name]
    return operators, mutating, trees


def _apply(mutating: ModuleType, operator: type, source: str, nodes: list[Any]) -> Iterator[str]:
    """Yield the source, whose syntax tree has these nodes, with each occurrence changed."""
    made = operator()
    occurrences = 0
    for node in nodes:
        occurrences += len(list(made.mutation_positions(node)))
    for occurrence in range(occurrences):
        # Operators fail at numbers that they cannot change, and at
        # `except (module.Error, OtherError):`.
        try:
            text = mutating.MutationVisitor.mutate_code(source, made, occurrence)
        except (ValueError, ArithmeticError, AttributeError):
            continue
        if text is not None:
            yield text


def _meaning(source: str) -> str | None:
    """Return the program without annotations and layout; None if it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(value=None)
    return ast.dump(tree)


def _change(file: str, operator: str, before: str, after: str) -> ReferenceChange:
    old = before.splitlines()
    new = after.splitlines()
    index = _first_difference(old, new)
    outcome = study.ChangeOutcome(
        file=file,
        operator=operator,
        function=_function_at(before, index + 1),
        line=index + 1,
        before=old[index].strip(),
        after=new[index].strip(),
        noticed_by=(),
    )
    return ReferenceChange(outcome, text=after.encode())


def _first_difference(old: Sequence[str], new: Sequence[str]) -> int:
    for index, (old_line, new_line) in enumerate(zip(old, new, strict=False)):
        if old_line != new_line:
            return index
    return 0


def _function_at(source: str, line: int) -> str:
    """Return the innermost function or method of the module that has the line."""
    names: list[str] = []
    body = ast.parse(source).body
    while True:
        node = _statement_at(body, line)
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            return ".".join(names) or OUTSIDE
        names.append(node.name)
        body = []
        if isinstance(node, ast.ClassDef):
            body = node.body


def _statement_at(body: Sequence[ast.stmt], line: int) -> ast.stmt | None:
    for node in body:
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            return node
    return None


def pairs(changes: Sequence[ReferenceChange], among: Sequence[int], most: int) -> tuple[Pair, ...]:
    """Return at most `most` pairs of the changes with these numbers, on different lines of one
    function.

    They are chosen by a digest, so always the same. Functions take turns, so that a long one does
    not provide all pairs.
    """
    by_function: dict[tuple[str, str], list[Pair]] = {}
    for first, second in combinations(among, 2):
        change = changes[first]
        other = changes[second]
        is_same_line = change.outcome.line == other.outcome.line
        if change.part == other.part and not is_same_line:
            by_function.setdefault(change.part, []).append((first, second))

    def digest(pair: Pair) -> bytes:
        first, second = pair
        return sha256(changes[first].text + b"\0" + changes[second].text).digest()

    for group in by_function.values():
        group.sort(key=digest, reverse=True)
    chosen: list[Pair] = []
    while len(chosen) < most and any(by_function.values()):
        for group in by_function.values():
            if group:
                chosen.append(group.pop())
    return tuple(sorted(chosen[:most]))


def combine(original: SourceFile, first: ReferenceChange, second: ReferenceChange) -> bytes | None:
    """Return the file with both changes.

    Return None if both change the same line differently, or if a change adds or removes lines.
    """
    lines = original.data.splitlines(keepends=True)
    first_lines = first.text.splitlines(keepends=True)
    second_lines = second.text.splitlines(keepends=True)
    if not len(lines) == len(first_lines) == len(second_lines):
        return None
    both = []
    for before, by_first, by_second in zip(lines, first_lines, second_lines, strict=True):
        if by_first == before:
            both.append(by_second)
        elif by_second in (before, by_first):
            both.append(by_first)
        else:
            return None
    return b"".join(both)


# Scenarios that are kept for a change.
_MAX_NAMED = 5
# Programs after which the results are saved.
_SAVED_EVERY = 10
# The name, instead of a scenario's id, under which a program that passes everything is saved.
_NOTHING = ""


class Known:
    """The first failures of programs, by the digests of their files, in memory and in a file.

    An interrupted run goes on from the file. It has the digest of the scenario for each failure,
    and the digest of all scored scenarios for `_NOTHING`. An entry with another digest is ignored.
    """

    def __init__(self, cache: Path, context: GradingContext) -> None:
        self._context = context
        plan = context.specification.plan
        assignment = replace(plan.assignment, variants=(), clauses=())
        parts = (
            serial.dumps(assignment), plan.reference_digest, context.key.made_with,
            str(_MAX_NAMED), execution_digest(), judging_digest(),
            source_digest("grading/grader.py"),
        )  # fmt: skip
        made_with = _hex("\n".join(parts))
        self._path = cache / "strength" / f"{made_with[:32]}.json"
        scored: dict[str, str] = {}
        for scenario in plan.scenarios:
            if not scenario.informational:
                scored[scenario.id] = _digest(scenario)
        all_scored = json.dumps(sorted(scored.items()))
        self._digests = {_NOTHING: _hex(all_scored), **scored}
        self._failures: dict[str, list[str]] = {}
        with suppress(OSError, ValueError, AttributeError, TypeError):
            self._failures = self._load()

    def _load(self) -> dict[str, list[str]]:
        """Return the saved failures whose scenarios have not changed, by program."""
        data = json.loads(self._path.read_text(encoding="utf-8"))
        failures: dict[str, list[str]] = {}
        for program, digests in data.items():
            names = []
            for name, digest in digests.items():
                if self._digests.get(name) == digest:
                    names.append(name)
            if names:
                failures[program] = names
        return failures

    def _save(self) -> None:
        data = {}
        for program, names in self._failures.items():
            data[program] = {name: self._digests[name] for name in names}
        files.write(self._path, json.dumps(data))

    def failures(self, program: Submission) -> tuple[str, ...]:
        """Return the first scenarios that a program fails, as far as they are known."""
        return tuple(name for name in self._failures[program.digest] if name != _NOTHING)

    def find(
        self,
        programs: Sequence[tuple[Submission, ReferenceChange]],
        workers: int | None,
        progress: Progress,
    ) -> None:
        """Find the failures of all programs, each until `_MAX_NAMED` scenarios fail.

        The scenarios of the changed function run first.
        """
        plan = self._context.specification.plan
        jobs: dict[str, FailureJob] = {}
        for program, change in programs:
            if program.digest not in self._failures:
                first = _ids_of_function(plan, change)
                job = FailureJob(submission=program, first=first, most=_MAX_NAMED)
                jobs[program.digest] = job
        done = len(programs) - len(jobs)
        searched = list(jobs.values())
        unsaved = 0
        try:
            # The search has no name here: a name would keep the workers until the error that ends
            # the loop is dealt with.
            for job, ended in search_failures(self._context, searched, workers):
                self._failures[job.submission.digest] = [*ended.scenarios] or [_NOTHING]
                done += 1
                unsaved += 1
                if unsaved == _SAVED_EVERY:
                    self._save()
                    unsaved = 0
                progress("changed programs", done, len(programs))
        finally:
            if jobs:
                self._save()


def _digest(scenario: Scenario) -> str:
    """Return a digest of all parts of a scenario that decide whether a program fails it."""
    nowhere = Place(file="", line=0, column=0)
    asked = replace(scenario, place=nowhere, visibility=Visibility.HIDDEN, points=Fraction(0))
    asked = replace(asked, name="", group="", clauses=(), tags=(), hint="", description="")
    return _hex(serial.dumps(asked))


def _hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def report(
    plan: Plan,
    outcomes: Sequence[study.ChangeOutcome],
    pairs: Sequence[study.PairOutcome],
    equivalents: Sequence[study.Equivalent],
) -> study.StrengthReport:
    """Return the report; `outcomes` have the reasons of `equivalents` already."""
    scored = [scenario for scenario in plan.scenarios if not scenario.informational]
    tried: list[study.ChangeOutcome | study.PairOutcome] = [*outcomes, *pairs]
    noticed = [outcome.noticed_by for outcome in tried]
    needed_ids = _needed_ids(scored, noticed)
    needed: list[str] = []
    spare: list[str] = []
    for scenario in scored:
        group = needed if scenario.id in needed_ids else spare
        group.append(scenario.id)
    return study.StrengthReport(
        assignment=plan.assignment.id,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        functions=tuple(_function_strengths(outcomes)),
        clauses=tuple(_clause_strengths(scored, outcomes)),
        outcomes=tuple(outcomes),
        pairs=tuple(pairs),
        needed=tuple(needed),
        spare=tuple(spare),
        mistakes=_mistakes(outcomes, equivalents),
    )


def _function_strengths(
    outcomes: Iterable[study.ChangeOutcome],
) -> Iterator[study.FunctionStrength]:
    """Yield how many changes of each function are noticed, and how many need not be."""
    by_function: dict[str, list[study.ChangeOutcome]] = {}
    for outcome in outcomes:
        by_function.setdefault(outcome.function, []).append(outcome)
    for name, group in by_function.items():
        noticed = 0
        equivalent = 0
        for outcome in group:
            if outcome.noticed_by:
                noticed += 1
            elif outcome.why:
                equivalent += 1
        yield study.FunctionStrength(
            function=name, changes=len(group), noticed=noticed, equivalent=equivalent
        )


def _clause_strengths(
    scored: Iterable[Scenario], outcomes: Iterable[study.ChangeOutcome]
) -> Iterator[study.ClauseStrength]:
    """Yield for each clause its number of scenarios and of changes that they notice."""
    clauses = {scenario.id: scenario.clauses for scenario in scored}
    scenario_counts: Counter[str] = Counter()
    for names in clauses.values():
        scenario_counts.update(names)
    noticed_counts: Counter[str] = Counter()
    for outcome in outcomes:
        noticing: set[str] = set()
        for scenario_id in outcome.noticed_by:
            noticing.update(clauses[scenario_id])
        noticed_counts.update(noticing)
    for clause, count in scenario_counts.items():
        noticed = noticed_counts[clause]
        yield study.ClauseStrength(clause=clause, scenarios=count, noticed=noticed)


def place(entry: study.Equivalent | study.ChangeOutcome) -> tuple[str, str, str, str]:
    """Return a key by which an entry of equivalent.yaml and its change can be matched."""
    return entry.file, entry.function, entry.before, entry.after


def _needed_ids(scored: Sequence[Scenario], noticed: Iterable[Sequence[str]]) -> set[str]:
    """Return scenarios that together notice every change that is noticed at all.

    If one of several could be left out, the last one in the plan is.
    """
    noticed_still = [set(names) for names in noticed]
    needed = set()
    for scenario in reversed(scored):
        if {scenario.id} in noticed_still:
            needed.add(scenario.id)
            continue
        for names in noticed_still:
            names.discard(scenario.id)
    return needed


def _mistakes(
    outcomes: Sequence[study.ChangeOutcome], equivalents: Sequence[study.Equivalent]
) -> tuple[str, ...]:
    """Return a message about each wrong entry of equivalent.yaml."""
    places = {place(outcome) for outcome in outcomes}
    lines = []
    for outcome in outcomes:
        if outcome.why and outcome.noticed_by:
            lines.append(_mistake(outcome, f"{outcome.noticed_by[0]} notices it"))
    for equivalent in equivalents:
        if place(equivalent) not in places:
            lines.append(_mistake(equivalent, "this change of the reference does not exist"))
    return tuple(sorted(lines))


def _mistake(entry: study.Equivalent | study.ChangeOutcome, why: str) -> str:
    return f"{entry.file}, {entry.function}: `{entry.before}` as `{entry.after}`: {why}"


def measure(
    context: GradingContext,
    equivalents: Sequence[study.Equivalent],
    *,
    cache: Path,
    jobs: int | None,
    most_pairs: int,
    progress: Progress,
) -> study.StrengthReport:
    """Find the scored scenarios that notice each change of the reference, and each of at most
    `most_pairs` pairs of changes.

    Results are stored below `cache`, those of an interrupted run too; `latest_strength` reads the
    report again. Raise UserError if the generator of changes is not installed.
    """
    specification = context.specification
    progress("making the changes", 0, 0)
    made = changes(specification.reference)
    known = Known(cache, context)
    programs: list[tuple[Submission, ReferenceChange]] = []
    for change in made:
        programs.append((_program(specification, change), change))
    known.find(programs, jobs, progress)
    reasons = {place(entry): entry.why for entry in equivalents}
    outcomes = []
    noticed_changes = []
    for number, (program, change) in enumerate(programs):
        noticed_by = known.failures(program)
        why = reasons.get(place(change.outcome), "")
        outcomes.append(replace(change.outcome, noticed_by=noticed_by, why=why))
        if noticed_by:
            noticed_changes.append(number)
    chosen = pairs(made, noticed_changes, most_pairs)
    doubles = _combined_programs(specification, made, chosen)
    to_find: list[tuple[Submission, ReferenceChange]] = []
    for (first, _), program in doubles.items():
        to_find.append((program, made[first]))
    known.find(to_find, jobs, progress)
    pair_outcomes = []
    for (first, second), program in doubles.items():
        noticed_by = known.failures(program)
        pair_outcomes.append(study.PairOutcome(first=first, second=second, noticed_by=noticed_by))
    strength = report(specification.plan, outcomes, pair_outcomes, equivalents)
    write_strength(cache, strength)
    return strength


def _combined_programs(
    specification: Specification, made: Sequence[ReferenceChange], chosen: Iterable[Pair]
) -> dict[Pair, Submission]:
    """Return the programs with both changes of a pair, without pairs that cannot be combined."""
    originals = {file.name: file for file in specification.reference}
    programs: dict[Pair, Submission] = {}
    for first, second in chosen:
        change = made[first]
        original = originals[change.outcome.file]
        text = combine(original, change, made[second])
        if text is not None:
            programs[first, second] = _program(specification, replace(change, text=text))
    return programs


def _ids_of_function(plan: Plan, change: ReferenceChange) -> frozenset[str]:
    """Return the scenarios of the changed function, or if it has none, of its file's program."""
    for name in reversed(change.part):
        ids = [scenario.id for scenario in plan.scenarios if scenario.function == name]
        if ids:
            return frozenset(ids)
    return frozenset()


def _program(specification: Specification, change: ReferenceChange) -> Submission:
    """Return the reference with this change, as a submission."""
    changed_files = []
    for file in specification.reference:
        if file.name == change.outcome.file:
            changed_files.append(replace(file, data=change.text))
        else:
            changed_files.append(file)
    program = Submission(id="change", files=tuple(changed_files), origin="the reference")
    return replace(program, id=f"change-{program.digest[:12]}")
