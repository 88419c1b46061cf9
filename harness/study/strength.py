"""How strong the scenarios are: the share of single-fault changes of the reference (by cosmic-ray's
operators) that they notice; and of pairs in one function, which may hide each other."""

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
from harness.common.files import source_digest
from harness.grading.context import GradingContext
from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.model import study
from harness.model.assignment import SourceFile
from harness.model.plan import Place, Plan, Scenario, Specification, Visibility
from harness.model.submission import Submission
from harness.results.reuse import execution_digest, judging_digest, write_strength

# Operators that need arguments of their own, or that change nothing.
_LEFT_OUT = frozenset({"NoOp", "VariableReplacer", "VariableInserter", "RemoveDecorator"})
_BY_IDENTITY = ("_Is", "_IsNot")  # the interpreter decides if equal values are the same object
OUTSIDE = "(module)"
Pair = tuple[int, int]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Change:
    """A fault in one place of the reference."""

    outcome: study.ChangeOutcome  # before it was tried: noticed by no scenario
    text: bytes  # of the whole file with the fault

    @property
    def part(self) -> tuple[str, str]:
        return self.outcome.file, self.outcome.function


def changes(files: tuple[SourceFile, ...]) -> tuple[Change, ...]:
    """Every change that the operators can make, in the order of files and lines. Of changes with
    the same meaning there is one, and none that changes only annotations. UserError where
    cosmic-ray is not installed."""
    operators, mutating, trees = _cosmic_ray()
    made: list[Change] = []
    for file in (each for each in files if each.name.endswith(".py")):
        source = file.data.decode("utf-8-sig")
        lines = source.splitlines(keepends=True)
        for node in ast.parse(source).body:
            decorated = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorated)]) - 1
            last = node.end_lineno or node.lineno
            part = "".join(lines[first:last])
            meanings = {_meaning(part)}
            nodes = list(trees.ast_nodes(trees.get_ast(part)))
            for name, operator in operators.items():
                for text in _apply(mutating, operator, part, nodes):
                    meaning = _meaning(text)
                    if meaning and meaning not in meanings:
                        meanings.add(meaning)
                        changed = "".join([*lines[:first], text, *lines[last:]])
                        made.append(_change(file.name, name, source, changed))
    order = attrgetter("file", "line", "operator", "after")
    return tuple(sorted(made, key=lambda change: order(change.outcome)))


def _cosmic_ray() -> tuple[dict[str, type], ModuleType, ModuleType]:
    try:
        from cosmic_ray import ast as trees  # noqa: PLC0415  (an extra)
        from cosmic_ray import mutating  # noqa: PLC0415
        from cosmic_ray.operators.provider import OperatorProvider  # noqa: PLC0415
    except ImportError:
        what, hint = "the generator of changes is not installed", "pip install 'a1-harness[study]'"
        raise UserError(what, hint=hint) from None
    provider = OperatorProvider()
    names = [n for n in sorted(set(provider) - _LEFT_OUT) if not n.endswith(_BY_IDENTITY)]
    return {name: provider[name] for name in names}, mutating, trees


def _apply(mutating: ModuleType, operator: type, source: str, nodes: list[Any]) -> Iterator[str]:
    """The source, whose syntax tree has these nodes, with each occurrence changed."""
    made = operator()
    for occurrence in range(sum(1 for node in nodes for _ in made.mutation_positions(node))):
        try:
            text = mutating.MutationVisitor.mutate_code(source, made, occurrence)
        # A number that cannot be changed so; `except (module.Error, OtherError):`.
        except (ValueError, ArithmeticError, AttributeError):
            continue
        if text is not None:
            yield text


def _meaning(source: str) -> str:
    """Return the program without annotations and layout; empty if it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(value=None)
    return ast.dump(tree)


def _change(file: str, operator: str, before: str, after: str) -> Change:
    old, new = before.splitlines(), after.splitlines()
    same = next((n for n, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), 0)
    outcome = study.ChangeOutcome(
        file=file,
        operator=operator,
        function=_function_at(before, same + 1),
        line=same + 1,
        before=old[same].strip(),
        after=new[same].strip(),
        noticed_by=(),
    )
    return Change(outcome, text=after.encode())


def _function_at(source: str, line: int) -> str:
    """The innermost function or method of the module that has the line."""
    names: list[str] = []
    body = ast.parse(source).body
    while True:
        inside = (node for node in body if node.lineno <= line <= (node.end_lineno or node.lineno))
        node = next(inside, None)
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            return ".".join(names) or OUTSIDE
        names.append(node.name)
        body = node.body if isinstance(node, ast.ClassDef) else []


def pairs(changes: Sequence[Change], among: Sequence[int], most: int) -> tuple[Pair, ...]:
    """At most `most` pairs of the changes with these numbers, on different lines of one function.
    They are chosen by a digest, so always the same. Functions take turns, so that a long one does
    not provide all pairs."""
    by_function: dict[tuple[str, str], list[Pair]] = {}
    for first, second in combinations(among, 2):
        one, other = changes[first], changes[second]
        if one.part == other.part and one.outcome.line != other.outcome.line:
            by_function.setdefault(one.part, []).append((first, second))

    def digest(pair: Pair) -> bytes:
        return sha256(b"\0".join(changes[each].text for each in pair)).digest()

    for group in by_function.values():
        group.sort(key=digest, reverse=True)
    chosen: list[Pair] = []
    while len(chosen) < most and any(by_function.values()):
        chosen += [group.pop() for group in by_function.values() if group]
    return tuple(sorted(chosen[:most]))


def combine(original: SourceFile, first: Change, second: Change) -> bytes | None:
    """Return the file with both changes; None if they change one line differently, or add or remove
    lines."""
    lines = original.data.splitlines(keepends=True)
    one, other = (change.text.splitlines(keepends=True) for change in (first, second))
    if not len(lines) == len(one) == len(other):
        return None
    both = []
    for before, by_first, by_second in zip(lines, one, other, strict=True):
        if by_first not in (before, by_second) and by_second != before:
            return None  # both changed this line, differently
        both.append(by_first if by_first != before else by_second)
    return b"".join(both)


_MOST_NAMED = 5  # scenarios kept for a change
_SAVED_EVERY = 10  # programs
_NOTHING = ""  # stands for the failures of a program that fails nothing


class Known:
    """The first failures of programs, by the digests of their files, in memory and in a file.

    An interrupted run goes on from the file. It has the digest of the scenario for each failure,
    and for `_NOTHING` the digest of all scored scenarios. An entry with another digest is ignored.
    """

    def __init__(self, cache: Path, context: GradingContext) -> None:
        self._context = context
        plan = context.specification.plan
        assignment = replace(plan.assignment, variants=(), clauses=())
        parts = (
            serial.dumps(assignment), plan.reference_digest, context.key.made_with,
            str(_MOST_NAMED), execution_digest(), judging_digest(),
            source_digest("grading/grader.py"),
        )  # fmt: skip
        name = _hex("\n".join(parts))[:32]
        self._path = cache / "strength" / f"{name}.json"
        scored = {each.id: _digest(each) for each in plan.scenarios if not each.informational}
        self._digests = {_NOTHING: _hex(json.dumps(sorted(scored.items()))), **scored}
        self._failures: dict[str, list[str]] = {}
        with suppress(OSError, ValueError, AttributeError, TypeError):
            data = json.loads(self._path.read_text(encoding="utf-8"))
            failures = {
                program: [name for name, known in names.items() if self._digests.get(name) == known]
                for program, names in data.items()
            }
            self._failures = {program: names for program, names in failures.items() if names}

    def _save(self) -> None:
        data = {
            program: {name: self._digests[name] for name in names}
            for program, names in self._failures.items()
        }
        files.write(self._path, json.dumps(data))

    def failures(self, program: Submission) -> tuple[str, ...]:
        """The scenarios that a program fails first."""
        return tuple(name for name in self._failures[program.digest] if name != _NOTHING)

    def find(
        self, programs: Sequence[tuple[Submission, Change]], workers: int | None, progress: Progress
    ) -> None:
        """Find the failures of all programs, each until `_MOST_NAMED` scenarios fail. The scenarios
        of the changed function run first."""
        plan = self._context.specification.plan
        jobs = {
            program.digest: FailureJob(
                submission=program, first=_ids_of_function(plan, change), most=_MOST_NAMED
            )
            for program, change in programs
            if program.digest not in self._failures
        }
        before = len(programs) - len(jobs)
        searched = list(jobs.values())
        try:
            # Called here: a name for it would keep the workers until the error that ends the loop
            # is dealt with.
            for done, (job, ended) in enumerate(
                search_failures(self._context, searched, workers), start=1
            ):
                self._failures[job.submission.digest] = [*ended.scenarios] or [_NOTHING]
                if done % _SAVED_EVERY == 0:
                    self._save()
                progress("changed programs", before + done, len(programs))
        finally:
            if jobs:
                self._save()


def _digest(scenario: Scenario) -> str:
    """The digest of all that decides whether a program fails the scenario."""
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
    """The report; `outcomes` have the reasons of `equivalents` already."""
    scored = [scenario for scenario in plan.scenarios if not scenario.informational]
    noticed = [one.noticed_by for one in outcomes] + [one.noticed_by for one in pairs]
    needed = _needed_ids(scored, noticed)
    clauses = {scenario.id: scenario.clauses for scenario in scored}
    counts = Counter(clause for ids in clauses.values() for clause in ids)
    sets = ({clause for name in each.noticed_by for clause in clauses[name]} for each in outcomes)
    of_clauses = Counter(clause for each in sets for clause in each)
    by_function: dict[str, list[study.ChangeOutcome]] = {}
    for each in outcomes:
        by_function.setdefault(each.function, []).append(each)
    return study.StrengthReport(
        assignment=plan.assignment.id,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        functions=tuple(
            study.FunctionStrength(
                function=name,
                changes=len(group),
                noticed=sum(bool(each.noticed_by) for each in group),
                equivalent=sum(bool(each.why) and not each.noticed_by for each in group),
            )
            for name, group in by_function.items()
        ),
        clauses=tuple(
            study.ClauseStrength(clause=clause, scenarios=count, noticed=of_clauses[clause])
            for clause, count in counts.items()
        ),
        outcomes=tuple(outcomes),
        pairs=tuple(pairs),
        needed=tuple(each.id for each in scored if each.id in needed),
        spare=tuple(each.id for each in scored if each.id not in needed),
        mistakes=_mistakes(outcomes, equivalents),
    )


def place(entry: study.Equivalent | study.ChangeOutcome) -> tuple[str, str, str, str]:
    """What an entry of equivalent.yaml and its change have in common."""
    return entry.file, entry.function, entry.before, entry.after


def _needed_ids(scored: Sequence[Scenario], noticed: Iterable[Sequence[str]]) -> set[str]:
    """Scenarios that together notice all that is noticed. Of others that could be left out as well,
    the last in the plan are left out first."""
    noticed_still = [set(each) for each in noticed]
    needed = set()
    for scenario in reversed(scored):
        if any(each == {scenario.id} for each in noticed_still):
            needed.add(scenario.id)
        else:
            for each in noticed_still:
                each.discard(scenario.id)
    return needed


def _mistakes(
    outcomes: Sequence[study.ChangeOutcome], equivalents: Sequence[study.Equivalent]
) -> tuple[str, ...]:
    """A line about each entry of equivalent.yaml that is wrong."""
    wrong = [each for each in outcomes if each.why and each.noticed_by]
    whys = [(place(each), f"{each.noticed_by[0]} notices it") for each in wrong]
    places = {place(each) for each in outcomes}
    whys += [(place(e), "there is no such change") for e in equivalents if place(e) not in places]
    lines = (f"{file}, {part}: `{old}` as `{new}`: {why}" for (file, part, old, new), why in whys)
    return tuple(sorted(lines))


def measure(
    context: GradingContext,
    equivalents: Sequence[study.Equivalent],
    *,
    cache: Path,
    jobs: int | None,
    most_pairs: int,
    progress: Progress,
) -> study.StrengthReport:
    """Which scored scenarios notice each change of the reference, and each of at most `most_pairs`
    pairs of changes. Results are kept below `cache`, those of an interrupted run too;
    `latest_strength` reads the report again. Raises UserError when the generator of changes is not
    installed."""
    specification = context.specification
    progress("making the changes", 0, 0)
    made = changes(specification.reference)
    known = Known(cache, context)
    singles = [_program(specification, change) for change in made]
    known.find(list(zip(singles, made, strict=True)), jobs, progress)
    reasons = {place(each): each.why for each in equivalents}
    noticed = zip((each.outcome for each in made), map(known.failures, singles), strict=True)
    outcomes = [
        replace(one, noticed_by=names, why=reasons.get(place(one), "")) for one, names in noticed
    ]
    among = [number for number, each in enumerate(outcomes) if each.noticed_by]
    originals = {file.name: file for file in specification.reference}
    doubles: dict[Pair, Submission] = {}  # the programs with both changes
    for first, second in pairs(made, among, most_pairs):
        one, other = made[first], made[second]
        if (text := combine(originals[one.outcome.file], one, other)) is not None:
            doubles[first, second] = _program(specification, replace(one, text=text))
    known.find([(each, made[first]) for (first, _), each in doubles.items()], jobs, progress)
    pair_outcomes = [
        study.PairOutcome(first=first, second=second, noticed_by=known.failures(program))
        for (first, second), program in doubles.items()
    ]
    strength = report(specification.plan, outcomes, pair_outcomes, equivalents)
    write_strength(cache, strength)
    return strength


def _ids_of_function(plan: Plan, change: Change) -> frozenset[str]:
    """The scenarios of the changed function, or if it has none, of its file's program."""
    for name in reversed(change.part):
        if ids := frozenset(each.id for each in plan.scenarios if each.function == name):
            return ids
    return frozenset()


def _program(specification: Specification, change: Change) -> Submission:
    """The reference with the change in it."""
    name = change.outcome.file
    files = tuple(
        replace(file, data=change.text) if file.name == name else file
        for file in specification.reference
    )
    program = Submission(id="change", files=files, origin="the reference")
    return replace(program, id=f"change-{program.digest[:12]}")
