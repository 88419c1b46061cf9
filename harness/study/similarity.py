"""Find the similar programs of a graded class: read, compare and report them."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import Answers, ToolFailed, choose_tier, create_driver, find_interpreter
from harness.grading.check import cohort_of
from harness.grading.stub import handed_out_stubs
from harness.model import study
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Tier
from harness.model.plan import Specification
from harness.model.submission import Submission
from harness.results.database import StoreReader
from harness.study.likeness import Likeness, Prints, groups, likeness, matches

MOST_BYTES = 512 * 1024  # of a submission's files together
_AT_ONCE = 20  # programs read by one process
MOST_MATCHED = 200  # pairs whose matching lines are looked for

Progress = Callable[[int], None]


@contextmanager
def program_reader(assignment: Assignment, function: str, python: Path | None) -> Iterator[Answers]:
    """Run a function of `program_texts` in a confined process.

    Raise UserError if this machine has no usable interpreter or lacks the standard tier.
    """
    text = resources.files("harness.study").joinpath("program_texts.py").read_text("utf-8")
    interpreter = find_interpreter(assignment.python, python)
    with (
        create_driver(interpreter, choose_tier(interpreter, Tier.STANDARD).tier) as driver,
        driver.tool({"program_texts": text}, f"program_texts:{function}") as tool,
    ):
        yield tool


def graded_submissions(store: StoreReader) -> tuple[tuple[Submission, ...], dict[str, str]]:
    """Read a run's submissions again, and return with them why others are left out, by id.

    A submission is left out if it had no file to grade, or was changed or removed since. Raise
    UserError if none is left.
    """
    folder = store.path.parent.resolve()
    graded_paths = ((folder / each).resolve() for each in store.paths())
    paths = [path for path in graded_paths if path.exists()]
    if not paths:
        hint = "put it back, or grade again from where it is"
        raise UserError("what was graded is not where it was", place=str(store.path), hint=hint)
    graded = {result.id: result.source_digest for result in store.run().submissions}
    submissions = cohort_of(paths, store.plan().assignment).submissions
    same = tuple(each for each in submissions if each.files and graded.get(each.id) == each.digest)
    compared = {each.id for each in same}
    problems = {each.id: each.problem for each in submissions if each.problem and not each.files}
    left_out = {
        name: problems.get(name, "it is not there as it was graded")
        for name, digest in sorted(graded.items())
        if digest and name not in compared
    }
    return same, left_out


def without_ids(
    submissions: Sequence[Submission], prefix: str = "student"
) -> tuple[Submission, ...]:
    """Return the same submissions with numbers as ids, in an order that does not reveal the ids."""
    ordered = sorted(submissions, key=lambda each: (each.digest, each.id))
    width = len(str(len(ordered)))
    numbered = enumerate(ordered, start=1)
    return tuple(replace(each, id=f"{prefix}-{number:0{width}}") for number, each in numbered)


def earlier_submissions(
    paths: Sequence[Path], assignment: Assignment, taken: Set[str]
) -> tuple[Submission, ...]:
    """Read the submissions of other classes. Their ids begin with the name of the path and differ
    from those in `taken`. Raise UserError if a path cannot be read or has no submission."""
    by_name: dict[str, Submission] = {}
    for path in paths:
        for each in cohort_of([path], assignment).submissions:
            name = f"{path.resolve().name}/{each.id}"
            while name in taken or name in by_name:
                name = f"{name}+"
            if each.files:
                by_name[name] = replace(each, id=name)
    return tuple(by_name.values())


def compare_class(
    specification: Specification,
    submissions: Sequence[Submission],
    *,
    earlier: Sequence[Submission],
    python: Path | None,
    progress: Progress,
) -> study.SimilarityReport:
    """Compare each submission with every other one, and with each one of `earlier` classes.

    `progress` is called with the number of submissions read. Raise UserError as `program_reader`.
    """
    everybody = (*submissions, *earlier)
    with program_reader(specification.plan.assignment, "run_fingerprints", python) as tool:
        trees = _read(tool, specification, everybody, TREE, progress)
        broken = trees.broken
        tokens = _read(tool, specification, everybody if broken else (), TOKENS)
    old = frozenset(each.id for each in earlier)
    whole = {name: prints for name, prints in trees.programs.items() if name not in broken}
    by_trees = likeness(whole, given=trees.given, earlier=old)
    by_tokens = likeness(tokens.programs, given=tokens.given, earlier=old, only=broken)
    return _report(trees, tokens, by_trees, by_tokens, old)


TREE, TOKENS = "tree", "tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClassPrints:
    """The fingerprints of a class, of one kind."""

    programs: Prints
    broken: Set[str]  # those of which a file cannot be parsed
    unread: Mapping[str, str]  # why, by id
    given: Sequence[study.Fingerprint]


def _read(
    tool: Answers,
    specification: Specification,
    submissions: Sequence[Submission],
    kind: str,
    progress: Progress = lambda done: None,
) -> _ClassPrints:
    assignment = specification.plan.assignment
    base = (
        *specification.reference, *handed_out_stubs(specification),
        *assignment.variants[0].files, *assignment.extra_files,
    )  # fmt: skip
    given = [one for file in base for one in _fingerprints(tool, [(file,)], kind)[0].prints]
    programs, broken, unread = {}, set(), {}
    for at in range(0, len(submissions), _AT_ONCE):
        part = submissions[at : at + _AT_ONCE]
        for submission, answer in zip(part, read_some(tool, part, kind), strict=True):
            if isinstance(answer, ToolFailed):
                unread[submission.id] = f"it could not be read: {answer}"
                continue
            programs[submission.id] = answer.prints
            if not answer.whole:
                broken.add(submission.id)
        progress(at + len(part))
    return _ClassPrints(programs=programs, broken=broken, unread=unread, given=given)


@dataclass(frozen=True, slots=True)
class ProgramPrints:
    """The fingerprints of one program."""

    prints: tuple[study.Fingerprint, ...]
    whole: bool  # all its Python files can be parsed


def read_some(
    tool: Answers, part: Sequence[Submission], kind: str
) -> list[ProgramPrints | ToolFailed]:
    """Read several programs at once, or one by one if that fails."""
    try:
        return [*_fingerprints(tool, [each.files for each in part], kind)]
    except ToolFailed as failure:
        if len(part) == 1:
            return [failure]
        return [answer for each in part for answer in read_some(tool, [each], kind)]


def _fingerprints(
    tool: Answers, programs: Sequence[Sequence[SourceFile]], kind: str
) -> list[ProgramPrints]:
    for files in programs:
        if sum(len(file.data) for file in files) > MOST_BYTES:
            raise ToolFailed(Ending.MEMORY_LIMIT, f"more than {MOST_BYTES // 1024} KiB")
    data = [
        [f.data if f.name.lower().endswith(".py") else b"" for f in files] for files in programs
    ]
    texts = [[base64.b64encode(each).decode() for each in program] for program in data]
    answers = json.loads(tool.run(json.dumps({"kind": kind, "programs": texts})))
    return [
        ProgramPrints(
            tuple(
                study.Fingerprint(value=value, first_line=first, last_line=last, file=file)
                for value, first, last, file in answer["rows"]
            ),
            answer["whole"],
        )
        for answer in answers
    ]


def _report(
    trees: _ClassPrints,
    tokens: _ClassPrints,
    by_trees: Likeness,
    by_tokens: Likeness,
    earlier: Set[str],
) -> study.SimilarityReport:
    """Return the report: pairs in the order in which people look at them, the first with lines."""
    programs = {**trees.programs, **{name: tokens.programs.get(name, ()) for name in trees.broken}}
    given = {one.value for one in (*trees.given, *tokens.given)}
    empty = (name for name, prints in programs.items() if not prints)
    omitted = {**dict.fromkeys(empty, "nothing of it can be compared"), **trees.unread}
    grouped = groups([*by_trees.connected, *by_tokens.connected])
    report = study.SimilarityReport(
        compared=sum(bool(prints) for name, prints in programs.items() if name not in earlier),
        pairs=study.groups_first([*by_trees.listed, *by_tokens.listed], grouped),
        groups=grouped,
        omitted=tuple(study.Omitted(id=name, reason=omitted[name]) for name in sorted(omitted)),
        earlier=sum(bool(programs.get(name)) for name in earlier),
        by_tokens=tuple(sorted(name for name in trees.broken if programs[name])),
        cut=by_trees.cut,
        token_cut=by_tokens.cut if trees.broken else 0.0,
    )
    matched = list(report.pairs)
    for place in report.worth_a_look(MOST_MATCHED):
        pair = matched[place]
        read = trees if trees.broken.isdisjoint((pair.first, pair.second)) else tokens
        sides = read.programs[pair.first], read.programs[pair.second]
        matched[place] = replace(pair, matches=matches(*sides, given))
    return replace(report, pairs=tuple(matched))
