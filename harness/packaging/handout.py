"""Build the students' archive, without hidden scenarios and without bodies of the reference.

It has the stub, the provided files, transcripts, a file that checks without any installation, and
the visible scenarios as text: calls, typed lines and expected results, as the scenario states them
or as the reference produces them.
"""

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath

from harness.common import serial
from harness.common.errors import UserError
from harness.common.escaping import encoded, shorten, visible, visible_lines
from harness.common.files import zipped
from harness.grading.context import GradingContext
from harness.grading.observing.answer_key import expectation
from harness.grading.stub import handed_out_stubs
from harness.judging.compare.files import expected_files, given_files
from harness.judging.compare.session import is_default_repr
from harness.judging.side_by_side.differences import raise_in_words, value_in_words
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.assignment import Surroundings
from harness.model.expectation import (
    Answer,
    AnswerKey,
    Expectation,
    Floats,
    Ignore,
    Matcher,
    StatedStep,
    StatedTurn,
)
from harness.model.observation import CourseTestOutcome, Ending, Raised
from harness.model.plan import Assignment, Clause, Plan, Scenario, Specification
from harness.model.policy import SourceFile
from harness.model.stimulus import Action, Stimulus
from harness.model.values import NONE, ValueKind
from harness.packaging.notebook import notebook_of
from harness.packaging.program_file import program_file
from harness.reporting.view import paste

SELFCHECK = "selfcheck.pyz"
PAGE = "visible-scenarios.txt"
README = "README.txt"
REQUIREMENTS = "requirements.txt"
GAMEPLAY = "gameplay"
_NOT_HERE = (
    "Not in this folder, because the text differs between checks: {}. To try a check by "
    f"hand, write the file as {PAGE} shows it under that check."
)


def handout_zip(
    specification: Specification, context: GradingContext, *, notebook: bool = False
) -> bytes:
    """Return the archive's bytes, which are always the same for the same specification, harness and
    interpreter. With `notebook` the stub is a notebook.

    `specification` is the whole assignment; `context` was prepared from its visible part
    (`visible_only`). Raise UserError if two files would have the same name, and HarnessError if a
    stub failed.
    """
    plan = student_plan(context.specification)
    stubs = handed_out_stubs(specification)
    if notebook:
        stubs = (notebook_of(stubs, plan.assignment, f"python {SELFCHECK}"),)
    parts = _parts(specification, context, plan, stubs)
    names = [name for name, _ in parts]
    to_write = [stub.name for stub in stubs] if notebook else []
    parts.append((README, _readme(plan, names, to_write).encode()))
    files: dict[str, bytes] = {}
    for name, data in parts:
        if name in files:
            problem = f"two files of the handout would have the name {name}"
            raise UserError(problem, place=plan.assignment.id)
        files[name] = data
    return zipped(files)


def _parts(
    specification: Specification,
    context: GradingContext,
    plan: Plan,
    stubs: Sequence[SourceFile],
) -> list[tuple[str, bytes]]:
    """Return all files but the README, with their names."""
    shown = context.specification
    assignment = shown.plan.assignment
    key = student_key(context, plan)
    provided = (*assignment.variants[0].files, *assignment.shown_extra_files())
    parts = [(file.name, file.data) for file in (*stubs, *provided)]
    for name, contents in _files_beside(plan).items():
        if len(contents) == 1:
            parts.append((name, contents.pop()))
    for file in plan.assignment.test_files:
        parts.append((file.name, file.data))
    parts.append((PAGE, encoded(scenarios_page(plan, key))))
    parts.append((SELFCHECK, program_file(plan, key)))
    for game in shown.transcripts:
        name = PurePosixPath(game.path.replace("\\", "/")).name
        played = key.answers(game.scenario_id)[0].observation.transcript()
        parts.append((f"{GAMEPLAY}/{name}", encoded(played)))
    return parts


def _files_beside(plan: Plan) -> dict[str, set[bytes]]:
    """Return all contents of each file that visible scenarios put beside a submission."""
    other_files = {PAGE, SELFCHECK, README, *plan.assignment.submission_files}
    contents: dict[str, set[bytes]] = {}
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            for file in stimulus.files:
                if file.name not in other_files:
                    contents.setdefault(file.name, set()).add(file.data)
    return dict(sorted(contents.items()))


def _readme(plan: Plan, names: list[str], notebooks: Sequence[str] = ()) -> str:
    """Return the README. `notebooks` are the names under which the files are handed out, if they
    are notebooks."""
    assignment = plan.assignment
    files = tuple(notebooks) or assignment.submission_files
    same: list[str] = []
    differing: list[str] = []
    for name, contents in _files_beside(plan).items():
        group = same if len(contents) == 1 else differing
        group.append(name)
    rows = _listed_files(assignment, files, same, names)
    width = max(len(name) for name, _ in rows)
    listed = "".join(f"  {name:<{width}}  {text}\n" for name, text in rows)
    if differing:
        not_here = _NOT_HERE.format(", ".join(differing))
        listed += "\n" + textwrap.fill(not_here, 88) + "\n"
    named = assignment.archive or shlex.join(files)
    if notebooks:
        named = shlex.join(files)
    packages = " ".join(needed_packages(assignment))
    if packages:
        nothing = "Nothing else"
        install = f"Install its packages, once:\n\n  python3 -m pip install {packages}\n\n"
    else:
        nothing = "Nothing"
        install = ""
    return (
        f"{assignment.title}\n{assignment.course}\n\n{listed}\n{install}"
        "Check your work, in a terminal in this folder, with Python "
        f"{assignment.python}:\n\n  python3 {SELFCHECK} {named}\n\n"
        f"(py {SELFCHECK} {named} on Windows.) {nothing} has to be installed. It explains the\n"
        "first thing to fix; fix it, save, and check again. Another Python from 3.11 on will\n"
        "do, but grading uses the version named here.\n\n"
        "The check runs your program without protection, as you would run it yourself, and gives\n"
        "no marks. Grading makes other checks too.\n"
    )


def needed_packages(assignment: Assignment) -> tuple[str, ...]:
    """Return the packages that the self-check needs: those of the programs, and pytest for
    tests."""
    if assignment.test_files:
        return (*assignment.packages, "pytest")
    return assignment.packages


def _listed_files(
    assignment: Assignment, files: Sequence[str], beside: Sequence[str], names: Iterable[str]
) -> list[tuple[str, str]]:
    """Return the names of the archive's files, each with its purpose."""
    several = len(files) > 1
    program = "programs in them" if several else "program in it"
    rows = [(", ".join(files), f"start here: write your {program}")]
    for file in (*assignment.variants[0].files, *assignment.shown_extra_files()):
        rows.append((file.name, "provided: do not change it"))
    if beside:
        what = "a file" if len(beside) == 1 else "files"
        rows.append((", ".join(beside), f"{what} that the checks read"))
    tests = [file.name for file in assignment.test_files]
    if tests:
        rows.append((", ".join(tests), "tests of your course, which the check runs too"))
    if any(name.startswith(f"{GAMEPLAY}/") for name in names):
        rows.append((f"{GAMEPLAY}/", "examples of games, with the typed lines"))
    rows.append((PAGE, "the checks that you can run yourself, with the expected results"))
    rows.append((SELFCHECK, f"runs them on your {'files' if several else 'file'}"))
    return rows


_NAME = re.compile(r"[^\W\d]\w*")
# CPU seconds are rounded up to one of these, because they differ from run to run.
_ROUND_TO = (0.0, 0.1, 1.0, 10.0, 100.0)
# Fewer CPU seconds count as none.
_QUICK = 0.05


# The fields of an assignment that a check needs. All others stay in the course.
_OF_ASSIGNMENT = (
    *("id", "title", "course", "python", "submission_files", "laid_as", "archive", "otherwise"),
    *("extra_modules", "takes_notebooks"),
    *("functionality_marks", "limits", "policy", "variants", "extra_files", "packages"),
    *("isolate_all", "compare", "floats_within", "writes_files", "tells_time"),
    *("test_files", "handed_out_tests", "sent_names"),
)


def student_plan(specification: Specification) -> Plan:
    """Return the plan of the visible part of an assignment, with only the parts that a check needs.

    It has the ids of clauses, not their texts, and of the reference's functions only those that
    stimuli name.
    """
    plan = specification.plan
    assignment = plan.assignment
    names = _names_in_stimuli(plan)
    functions = []
    for function in assignment.functions:
        if names.issuperset(function.name.split(".")):
            functions.append(function)
    used_clauses = {clause for scenario in plan.scenarios for clause in scenario.clauses}
    clauses = []
    for clause in assignment.clauses:
        if clause.id in used_clauses:
            clauses.append(Clause(id=clause.id, section="", text=""))
    shown = Assignment(
        **{name: getattr(assignment, name) for name in _OF_ASSIGNMENT},
        clauses=tuple(clauses),
        functions=tuple(functions),
        other_names=tuple(name for name in assignment.other_names if name in names),
    )
    # A digest of the whole assignment could confirm a guess of a small hidden file.
    student = replace(plan, assignment=shown, spec_digest="", reference_digest="")
    digest = sha256(serial.dumps(student).encode("ascii")).hexdigest()
    return replace(student, spec_digest=digest)


def _names_in_stimuli(plan: Plan) -> set[str]:
    names: set[str] = set()
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            for text in stimulus.source_texts():
                names.update(_NAME.findall(text))
            for binding in stimulus.bindings:
                names.update(_NAME.findall(binding.literal))
    return names


def student_key(context: GradingContext, plan: Plan) -> AnswerKey:
    """Return the answers to that plan, without lines of the reference and without measured times,
    which would make each archive different."""
    key = context.key.subset(scenario.id for scenario in plan.scenarios)
    entries = []
    most = 0.0
    for entry in key.scenarios:
        answers = tuple(map(_without_source, entry.answers))
        entries.append(replace(entry, answers=answers))
        most += sum(max(_QUICK, answer.observation.cpu_seconds) for answer in answers)
    return replace(
        key,
        made_with="",
        run_seconds=round(most, 2),
        spec_digest=plan.spec_digest,
        reference_digest="",
        scenarios=tuple(entries),
    )


def _without_source(answer: Answer) -> Answer:
    observation = answer.observation
    steps = []
    for step in observation.steps:
        steps.append(replace(step, raised=_without_frames(step.raised)))
    cpu_seconds = 0.0
    if observation.cpu_seconds >= _QUICK:
        cpu_seconds = next(step for step in _ROUND_TO if step > observation.cpu_seconds)
    test = observation.test
    if test is not None:
        test = CourseTestOutcome(result=test.result)
    shown = replace(
        observation,
        raised=_without_frames(observation.raised),
        steps=tuple(steps),
        test=test,
        cpu_seconds=cpu_seconds,
    )
    return replace(answer, observation=shown)


def _without_frames(raised: Raised | None) -> Raised | None:
    if raised is None:
        return None
    return replace(raised, frames=())


# The platform's limit for a bundle.
MAX_BYTES = 10_000_000
GRADER = "grader.pyz"
_AUTOGRADER = f"""\
#!/usr/bin/env python3
\"\"\"Grades the checkout that it is started in. Needs Python 3.11 or later and nothing else.\"\"\"

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.exit(subprocess.call([sys.executable, "-I", os.path.join(here, "{GRADER}")]))
"""


def classroom50_bundle(context: GradingContext) -> dict[str, bytes]:
    """Return `autograder.py`, which Classroom 50 starts, and `grader.pyz`.

    They are the same for the same specification, harness and interpreter. `context` was prepared
    from the scenarios to include: everybody who has the bundle can read them. Raise UserError if it
    is too large for the platform.
    """
    plan = student_plan(context.specification)
    key = student_key(context, plan)
    grader = program_file(plan, key, "harness.packaging.classroom50")
    if len(grader) + len(_AUTOGRADER) > MAX_BYTES:
        problem = f"the bundle has {len(grader) / 1e6:.1f} MB, and the platform takes at most 10"
        hint = "make some scenarios with large boards or many draws hidden"
        raise UserError(problem, place=plan.assignment.id, hint=hint)
    bundle = {"autograder.py": _AUTOGRADER.encode(), GRADER: grader}
    packages = needed_packages(plan.assignment)
    if packages:
        requirements = "\n".join(packages) + "\n"
        bundle[REQUIREMENTS] = requirements.encode()
    return bundle


def scenarios_page(plan: Plan, key: AnswerKey) -> str:
    """Return the page for a plan with only visible scenarios. `key` may have no answers (no
    reference)."""
    lines = [f"{plan.assignment.title}: checks that you can run yourself", ""]
    lines.append("Your program is graded on these and on hidden ones.")
    by_function: dict[str, list[Scenario]] = {}
    for scenario in plan.scenarios:
        by_function.setdefault(scenario.function, []).append(scenario)
    for function, scenarios in by_function.items():
        lines += ["", "", function, "=" * len(function)]
        for scenario in scenarios:
            answer = None
            if key.scenarios:
                answer = next(iter(key.answers(scenario.id)), None)
            lines.append("")
            lines += _scenario(scenario, answer, plan.assignment)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _scenario(scenario: Scenario, answer: Answer | None, assignment: Assignment) -> Iterator[str]:
    stimulus = scenario.stimuli[0]
    title = visible(scenario.name)
    settings = paste.settings(stimulus.constants)
    if settings:
        title += f"  [{visible(settings)}]"
    yield title
    for file, line in paste.constant_changes(stimulus, Surroundings.of(assignment)):
        change = f"in {file} {line}" if file else line
        yield from _labelled("set", change)
    for name, content in paste.files_beside(stimulus):
        yield from _labelled("file", file_text(name, content))
    if stimulus.given:
        yield from _labelled("first", stimulus.given.rstrip("\n"))
    yield from _labelled("try", paste.to_try(stimulus))
    if stimulus.at_load:
        lines = "  ".join(typed.named() for typed in stimulus.at_load)
        yield from _labelled("import", f"type {lines}")
    if stimulus.inputs:
        inputs = "  ".join(typed.named() for typed in stimulus.inputs)
        yield from _labelled("type", inputs)
    if stimulus.stdin is not None:
        yield from _labelled("pipe", file_text("piped in", paste.piped(stimulus)))
    more = len(scenario.stimuli) - 1
    if more:
        yield from _labelled("", f"(and {more} more like it)")
    expected = expectation(scenario, stimulus, answer, assignment)
    for label, text in outcome(expected, stimulus):
        yield from _labelled(label, text)


def _labelled(label: str, text: str) -> Iterator[str]:
    for line in visible_lines(text).split("\n"):
        yield f"  {label:<7}{line}"
        label = ""


Labelled = tuple[str, str]

_ENDINGS = {
    Ending.TIMEOUT: "waits for ever",
    Ending.CPU_LIMIT: "goes on for ever",
    Ending.ASKED_FOR_MORE: "goes on asking",
    Ending.ENDED_EARLY: "ends the program",
}
_IGNORED = {
    Ignore.CASE: "capital and small letters count as the same",
    Ignore.TRAILING_SPACE: "spaces at the end of a line do not count",
    Ignore.BLANK_LINES: "empty lines do not count",
    Ignore.WHITESPACE: "the number of blanks does not count",
}


def outcome(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield the compared parts; without a reference, unstated ones have no text."""
    if stimulus.action.steps:
        yield from _steps(expected, stimulus.action)
    else:
        yield from _printed(expected, stimulus)
        yield from _ending_lines(expected)
    yield from _leave_lines(expected)
    if stimulus.folder:
        yield from _file_lines(expected, stimulus)
    if figures := expected.stated.figures:
        yield "draws", figures.in_words()
    for ignored in expected.stated.ignore:
        yield "and", _IGNORED[ignored]


def file_text(name: str, content: str) -> str:
    """Return the name of a file, or of the piped input, then its text, indented."""
    if not content:
        return f"{name}, empty"
    lines = [f"{name}:"]
    for line in content.rstrip("\n").split("\n"):
        lines.append(f"  {line}")
    return "\n".join(lines)


def _steps(expected: Expectation, session: Action) -> Iterator[Labelled]:
    if expected.reference is None:
        return
    texts = expected.stated.shown or ()
    both = zip(session.steps, expected.reference.steps, strict=False)
    for number, (step, result) in enumerate(both):
        stated_step = expected.stated.of_step(number)
        if stated_step is not None:
            yield "then", f">>> {step}"
            yield from _own_step(stated_step)
            continue
        parts = [result.printed.rstrip("\n")]
        if result.value is not None:
            has_text = result.shown and not is_default_repr(result.shown)
            parts.append(result.shown if has_text else result.value.source())
        if result.raised is not None:
            text = texts[number] if number < len(texts) else ""
            parts.append(_raised_text(result.raised, text))
        shown = "\n".join(part for part in parts if part)
        if shown:
            yield "then", f">>> {step}\n{shown}"


def _own_step(step: StatedStep) -> Iterator[Labelled]:
    """Yield a scenario's statements about one step."""
    for label, matcher in (("gives", step.returns), ("prints", step.prints), ("shows", step.shows)):
        if matcher is not None:
            yield label, _anything(matcher)
    if step.raises is not None:
        yield "raises", step.raises.in_words()


def _raised_text(raised: Raised, stated: str) -> str:
    """Return the exception's name, and its message if the stated text has it too."""
    if raised.message and raised.message in stated:
        return f"{raised.type_name}: {raised.message}"
    return raised.type_name


def _printed(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield the reference's screen and the places where output may differ from it.

    These are the matcher for all output (`loose_text`) and those for single turns (`loose_turns`;
    with a loose text, all turns). Then follow stderr and the number of inputs.
    """
    stated = expected.stated
    loose_text = None
    if stated.prints and stated.prints.exact_text is None:
        loose_text = stated.prints
    loose_turns = []
    for turn in stated.turns.turns if stated.turns else ():
        if loose_text or turn.printed.exact_text is None:
            loose_turns.append(turn)
    screen = ""
    if expected.reference:
        screen = expected.reference.transcript()
    if screen:
        label = "e.g." if loose_text or loose_turns else "screen"
        yield label, screen.rstrip("\n")
    if stated.prompts_any:
        yield "may", "use any text in each input()"
    if isinstance(loose_text, AnyValue):
        yield "may", "print anything else"
    elif loose_text:
        yield "must", f"print {_words(loose_text)}"
    if loose_turns:
        yield "must", "print" if loose_text else "print this, except"
    for turn in loose_turns:
        yield "", f"{_turn_place(turn, stimulus)}: {_anything(turn.printed)}"
    if stated.stderr is not None:
        exact = stated.stderr.exact_text
        if exact is None:
            yield "stderr", _anything(stated.stderr)
        else:
            yield "stderr", exact.rstrip("\n") or "nothing"
    if stated.reads_at_most is not None:
        yield "must", f"ask at most {stated.reads_at_most} times"
    if stated.reads_any:
        yield "may", "ask any number of times"


def _turn_place(turn: StatedTurn, stimulus: Stimulus) -> str:
    """Name the input that a turn follows."""
    if not turn.index:
        return "before any input"
    place = f"after input {turn.index}"
    for typed in stimulus.inputs[turn.index - 1 : turn.index]:
        place += f" ({typed.named()})"
    return place


def _ending_lines(expected: Expectation) -> Iterator[Labelled]:
    stated = expected.stated
    reference = expected.reference
    ending = stated.ends
    if ending is None:
        ending = reference.ending if reference else Ending.ANSWERED
    if stated.raises is not None:
        yield "raises", raise_in_words(stated.raises)
        return
    if stated.ends_any:
        yield "may", "end, or ask for more"
        return
    if ending in _ENDINGS:
        yield "and", _ENDINGS[ending]
        return
    matcher = stated.returns
    if matcher is None and reference is not None and reference.value is not None:
        matcher = Exactly(value=reference.value)
    # "gives None" is left out for a call that prints.
    only_prints = matcher == Exactly(value=NONE) and reference and reference.transcript()
    if matcher is not None and not only_prints:
        yield "gives", _words(matcher, expected.floats)
    status = stated.exit
    if status is None and reference is not None:
        status = reference.exit_status
    if status and not stated.exit_any:
        yield "and", f"ends with exit status {status}"


def _leave_lines(expected: Expectation) -> Iterator[Labelled]:
    """Yield the arguments, and variables of a session, afterwards."""
    if expected.stated.leaves_any:
        yield "may", "change its arguments"
        return
    stated = {leave.name: leave.value for leave in expected.stated.leaves}
    if expected.reference is not None:
        reference = expected.reference
        names = (*expected.parameters, *[""] * len(reference.arguments))
        sides = reference.arguments_before, reference.arguments
        for name, before, after in zip(names, *sides, strict=False):
            if not isinstance(stated.get(name, Exactly(value=after)), Exactly):
                continue
            stated.pop(name, None)
            if before != after:
                yield "makes", f"{before.source()} to {after.source()}"
    for name, matcher in stated.items():
        yield "leaves", f"{name}: {_words(matcher, expected.floats)}"
    if expected.stated.leaves_unchanged:
        yield "and", "leaves its arguments unchanged"


def _file_lines(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield the files that have changed."""
    before = {name: Exactly(value=value) for name, value in given_files(stimulus).items()}
    contents = expected_files(expected, stimulus)
    if contents is None:
        matchers = {file.name: file.value for file in expected.stated.writes}
        removed = []
    else:
        matchers = dict(contents)
        removed = sorted(before.keys() - contents.keys())
    for name, matcher in sorted(matchers.items()):
        if matcher != before.get(name):
            yield "leaves", _file_change(name, matcher)
    for name in removed:
        yield "leaves", f"no file {name}"
    if expected.stated.writes_any:
        yield "may", "write any files"
    elif expected.stated.writes_unchanged:
        yield "and", "leaves all files unchanged"
    elif expected.stated.writes_only is not None:
        yield "and", "leaves all other files unchanged"


def _file_change(name: str, matcher: Matcher) -> str:
    if matcher == Exactly(value=NONE):
        return f"no file {name}"
    text = matcher.exact_text
    if text is not None:
        return file_text(name, shorten(text, paste.MAX_OF_A_FILE))
    if isinstance(matcher, Exactly) and matcher.value.kind is ValueKind.FOREIGN:
        return f"{name}, a {matcher.value.text}"
    return f"{name}: {_anything(matcher)}"


def _anything(matcher: Matcher) -> str:
    if isinstance(matcher, AnyValue):
        return "anything"
    return _words(matcher)


def _words(matcher: Matcher, floats: Floats | None = None) -> str:
    if isinstance(matcher, EqualData):
        return f"a value that is equal (==) to {matcher.value.source()}"
    return value_in_words(matcher, floats)
