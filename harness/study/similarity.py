"""Find similar programs in a graded class: read the submissions, compare them and report."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from operator import attrgetter
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import ToolFailed, TrustedFunction
from harness.grading.check import cohort_of
from harness.grading.machine import choose_tier, create_driver, find_interpreter
from harness.grading.stub import handed_out_stubs
from harness.model import study
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Tier
from harness.model.plan import Specification
from harness.model.submission import Submission
from harness.results.database import StoreReader
from harness.study.likeness import Likeness, Prints, groups, likeness, matches

# The size of a submission's files together.
MAX_BYTES = 512 * 1024
# Programs that one process reads.
_AT_ONCE = 20
# Pairs whose matching lines are looked for.
MAX_MATCHED = 200

Progress = Callable[[int], None]


@contextmanager
def program_reader(
    assignment: Assignment, function: str, python: Path | None
) -> Iterator[TrustedFunction]:
    """Run a function of `program_texts` in a confined process.

    Raise UserError if this machine has no usable interpreter or lacks the standard tier.
    """
    text = resources.files("harness.study").joinpath("program_texts.py").read_text("utf-8")
    modules = {"program_texts": text}
    interpreter = find_interpreter(assignment.python, python)
    tier = choose_tier(interpreter, Tier.STANDARD).tier
    with (
        create_driver(interpreter, tier) as driver,
        driver.tool(modules, f"program_texts:{function}") as tool,
    ):
        yield tool


def graded_submissions(store: StoreReader) -> tuple[tuple[Submission, ...], dict[str, str]]:
    """Read a run's submissions again. Return them, and by id the reasons why others are left out.

    A submission is left out if it had no file to grade, or if it was changed or removed after
    grading. Raise UserError if none is left.
    """
    folder = store.path.parent.resolve()
    paths = []
    for name in store.paths():
        path = (folder / name).resolve()
        if path.exists():
            paths.append(path)
    if not paths:
        hint = "move them back, or grade again from the new folder"
        raise UserError("the graded files have moved", place=str(store.path), hint=hint)
    graded: dict[str, str] = {}
    for result in store.run().submissions:
        graded[result.id] = result.source_digest
    unchanged: list[Submission] = []
    problems: dict[str, str] = {}
    cohort = cohort_of(paths, store.plan().assignment)
    for submission in cohort.submissions:
        if not submission.files:
            problems[submission.id] = submission.problem
        elif graded.get(submission.id) == submission.digest:
            unchanged.append(submission)
    compared = {submission.id for submission in unchanged}
    left_out: dict[str, str] = {}
    for id_, digest in sorted(graded.items()):
        if digest and id_ not in compared:
            left_out[id_] = problems.get(id_) or "it has changed since it was graded, or is gone"
    return tuple(unchanged), left_out


def without_ids(
    submissions: Sequence[Submission], prefix: str = "student"
) -> tuple[Submission, ...]:
    """Replace the submissions' ids by numbers.

    They are sorted by the digest of their files, so that the order does not reveal the ids.
    """
    ordered = sorted(submissions, key=attrgetter("digest", "id"))
    width = len(str(len(ordered)))
    renamed = []
    for number, submission in enumerate(ordered, start=1):
        renamed.append(replace(submission, id=f"{prefix}-{number:0{width}}"))
    return tuple(renamed)


def earlier_submissions(
    paths: Sequence[Path], assignment: Assignment, taken: Set[str]
) -> tuple[Submission, ...]:
    """Read the submissions of other classes.

    Their ids begin with the name of the path and differ from those in `taken`. Raise UserError if a
    path cannot be read or has no submission.
    """
    by_id: dict[str, Submission] = {}
    for path in paths:
        cohort = cohort_of([path], assignment)
        for submission in cohort.submissions:
            if not submission.files:
                continue
            id_ = f"{path.resolve().name}/{submission.id}"
            while id_ in taken or id_ in by_id:
                id_ = f"{id_}+"
            by_id[id_] = replace(submission, id=id_)
    return tuple(by_id.values())


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
        # Programs that cannot be parsed are compared with all others by their tokens.
        broken = trees.broken
        to_compare = everybody if broken else ()
        tokens = _read(tool, specification, to_compare, TOKENS)
    earlier_ids = frozenset(submission.id for submission in earlier)
    whole: dict[str, Sequence[study.Fingerprint]] = {}
    for name, prints in trees.programs.items():
        if name not in broken:
            whole[name] = prints
    by_trees = likeness(whole, given=trees.given, earlier=earlier_ids)
    by_tokens = likeness(tokens.programs, given=tokens.given, earlier=earlier_ids, only=broken)
    return _report(trees, tokens, by_trees, by_tokens, earlier_ids)


TREE, TOKENS = "tree", "tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClassPrints:
    """The fingerprints of a class, of one kind."""

    programs: Prints
    # The programs with a file that cannot be parsed.
    broken: Set[str]
    # Why a program could not be read, by id.
    unread: Mapping[str, str]
    given: Sequence[study.Fingerprint]


def _read(
    tool: TrustedFunction,
    specification: Specification,
    submissions: Sequence[Submission],
    kind: str,
    progress: Progress = lambda done: None,
) -> _ClassPrints:
    given = _given_prints(tool, specification, kind)
    programs: dict[str, tuple[study.Fingerprint, ...]] = {}
    broken: set[str] = set()
    unread: dict[str, str] = {}
    for start in range(0, len(submissions), _AT_ONCE):
        part = submissions[start : start + _AT_ONCE]
        answers = read_some(tool, part, kind)
        for submission, answer in zip(part, answers, strict=True):
            if isinstance(answer, ToolFailed):
                unread[submission.id] = f"it could not be read: {answer}"
                continue
            programs[submission.id] = answer.prints
            if not answer.whole:
                broken.add(submission.id)
        progress(start + len(part))
    return _ClassPrints(programs=programs, broken=broken, unread=unread, given=given)


def _given_prints(
    tool: TrustedFunction, specification: Specification, kind: str
) -> list[study.Fingerprint]:
    """Return the fingerprints of the provided code and of the reference, which all programs may
    contain.
    """
    assignment = specification.plan.assignment
    given_files = (
        *specification.reference, *handed_out_stubs(specification),
        *assignment.variants[0].files, *assignment.extra_files,
    )  # fmt: skip
    prints: list[study.Fingerprint] = []
    for file in given_files:
        (answer,) = _fingerprints(tool, [(file,)], kind)
        prints += answer.prints
    return prints


@dataclass(frozen=True, slots=True)
class ProgramPrints:
    """The fingerprints of one program."""

    prints: tuple[study.Fingerprint, ...]
    # Whether all its Python files can be parsed.
    whole: bool


def read_some(
    tool: TrustedFunction, part: Sequence[Submission], kind: str
) -> list[ProgramPrints | ToolFailed]:
    """Return the fingerprints of several programs, read at once.

    If that fails, read them one by one.
    """
    programs = [submission.files for submission in part]
    try:
        return [*_fingerprints(tool, programs, kind)]
    except ToolFailed as failure:
        if len(part) == 1:
            return [failure]
    answers: list[ProgramPrints | ToolFailed] = []
    for submission in part:
        answers += read_some(tool, [submission], kind)
    return answers


def _fingerprints(
    tool: TrustedFunction, programs: Sequence[Sequence[SourceFile]], kind: str
) -> list[ProgramPrints]:
    """Return the fingerprints of each program. Raise ToolFailed if one is too large to read."""
    for files in programs:
        size = sum(len(file.data) for file in files)
        if size > MAX_BYTES:
            raise ToolFailed(Ending.MEMORY_LIMIT, f"more than {MAX_BYTES // 1024} KiB")
    texts = [_in_base64(files) for files in programs]
    payload = json.dumps({"kind": kind, "programs": texts})
    answers = json.loads(tool.run(payload))
    read_programs: list[ProgramPrints] = []
    for answer in answers:
        prints = _prints(answer["rows"])
        read_programs.append(ProgramPrints(prints, answer["whole"]))
    return read_programs


def _in_base64(files: Sequence[SourceFile]) -> list[str]:
    """Return the text of each Python file, and an empty text for each other file."""
    texts = []
    for file in files:
        data = b""
        if file.name.lower().endswith(".py"):
            data = file.data
        texts.append(base64.b64encode(data).decode())
    return texts


def _prints(rows: Sequence[tuple[int, int, int, int]]) -> tuple[study.Fingerprint, ...]:
    prints = []
    for value, first, last, file in rows:
        prints.append(study.Fingerprint(value=value, first_line=first, last_line=last, file=file))
    return tuple(prints)


def _report(
    trees: _ClassPrints,
    tokens: _ClassPrints,
    by_trees: Likeness,
    by_tokens: Likeness,
    earlier: Set[str],
) -> study.SimilarityReport:
    """Return the report: pairs in the order in which people look at them, the first with lines."""
    programs = dict(trees.programs)
    for name in trees.broken:
        programs[name] = tokens.programs.get(name, ())
    compared: set[str] = set()
    reasons: dict[str, str] = {}
    for name, prints in programs.items():
        if prints:
            compared.add(name)
        else:
            reasons[name] = "it has no code that can be compared"
    reasons.update(trees.unread)
    omitted = []
    for name, reason in sorted(reasons.items()):
        omitted.append(study.Omitted(id=name, reason=reason))
    listed = [*by_trees.listed, *by_tokens.listed]
    grouped = groups([*by_trees.connected, *by_tokens.connected])
    token_cut = by_tokens.cut if trees.broken else 0.0
    report = study.SimilarityReport(
        compared=len(compared - earlier),
        pairs=study.groups_first(listed, grouped),
        groups=grouped,
        omitted=tuple(omitted),
        earlier=len(compared & earlier),
        by_tokens=tuple(sorted(compared & trees.broken)),
        cut=by_trees.cut,
        token_cut=token_cut,
    )
    return _with_matches(report, trees, tokens)


def _with_matches(
    report: study.SimilarityReport, trees: _ClassPrints, tokens: _ClassPrints
) -> study.SimilarityReport:
    """Return the report with the matching lines of the pairs that are worth a look."""
    given_prints = [*trees.given, *tokens.given]
    given = {given_print.value for given_print in given_prints}
    pairs = list(report.pairs)
    for place in report.worth_a_look(MAX_MATCHED):
        pair = pairs[place]
        class_prints = tokens
        if trees.broken.isdisjoint((pair.first, pair.second)):
            class_prints = trees
        first = class_prints.programs[pair.first]
        second = class_prints.programs[pair.second]
        pairs[place] = replace(pair, matches=matches(first, second, given))
    return replace(report, pairs=tuple(pairs))
