"""Build the students' archive, without hidden scenarios and without bodies of the reference.

It has the stub, the provided files, transcripts, a file that checks without any installation, and
the visible scenarios as text: calls, typed lines and expected results, as the scenario states them
or as the reference does."""

import re
import shlex
import textwrap
from collections.abc import Iterator
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
from harness.judging.compare.files import expected_files
from harness.judging.compare.session import is_default_repr
from harness.judging.differences import raise_in_words, value_in_words
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.assignment import Surroundings
from harness.model.expectation import Answer, AnswerKey, Expectation, Floats, Ignore, Matcher
from harness.model.observation import Ending, Observation, Raised
from harness.model.plan import Assignment, Clause, Plan, Scenario, Specification
from harness.model.stimulus import Action, Stimulus
from harness.model.values import NONE, ValueKind, file_value
from harness.packaging.program_file import program_file
from harness.reporting.view import paste

SELFCHECK = "selfcheck.pyz"
PAGE = "visible-scenarios.txt"
README = "README.txt"
REQUIREMENTS = "requirements.txt"
GAMEPLAY = "gameplay"
_NOT_HERE = (
    "Not in this folder, because the text differs between scenarios: {}. To try a scenario by "
    f"hand, write the file as {PAGE} shows it under that scenario."
)


def handout_zip(specification: Specification, context: GradingContext) -> bytes:
    """The archive's bytes; the same for the same specification, harness and interpreter.
    `specification` is the whole assignment, `context` was prepared from it cut by `visible_only`.
    UserError when two of the files would have one name; HarnessError when a stub failed."""
    shown = context.specification
    plan = student_plan(shown)
    key = student_key(context, plan)
    files: dict[str, bytes] = {}
    parts = [
        *((file.name, file.data) for file in handed_out_stubs(specification)),
        *((file.name, file.data) for file in shown.plan.assignment.variants[0].files),
        *((file.name, file.data) for file in shown.plan.assignment.extra_files),
        *((name, texts.pop()) for name, texts in _files_beside(plan).items() if len(texts) == 1),
        (PAGE, encoded(scenarios_page(plan, key))),
        (SELFCHECK, program_file(plan, key)),
    ]
    for game in shown.transcripts:
        name = PurePosixPath(game.path.replace("\\", "/")).name
        played = key.answers(game.scenario_id)[0].observation.transcript()
        parts.append((f"{GAMEPLAY}/{name}", encoded(played)))
    parts.append((README, _readme(plan, [name for name, _ in parts]).encode()))
    for name, data in parts:
        if name in files:
            what = f"two files of the handout would be called {name}"
            raise UserError(what, place=plan.assignment.id)
        files[name] = data
    return zipped(files)


def _files_beside(plan: Plan) -> dict[str, set[bytes]]:
    """All contents of each file that visible scenarios put beside a submission."""
    contents: dict[str, set[bytes]] = {}
    for file in (f for s in plan.scenarios for stimulus in s.stimuli for f in stimulus.files):
        contents.setdefault(file.name, set()).add(file.data)
    taken = {PAGE, SELFCHECK, README, *plan.assignment.submission_files}
    return {name: texts for name, texts in sorted(contents.items()) if name not in taken}


def _readme(plan: Plan, names: list[str]) -> str:
    assignment = plan.assignment
    several = len(assignment.submission_files) > 1
    program = "programs in them" if several else "program in it"
    what = [(", ".join(assignment.submission_files), f"start here: write your {program}")]
    provided = (*assignment.variants[0].files, *assignment.extra_files)
    what += [(file.name, "provided: do not change it") for file in provided]
    beside = _files_beside(plan)
    if same := [name for name, texts in beside.items() if len(texts) == 1]:
        files = "a file" if len(same) == 1 else "files"
        what.append((", ".join(same), f"{files} that visible scenarios read"))
    if any(name.startswith(f"{GAMEPLAY}/") for name in names):
        what.append((f"{GAMEPLAY}/", "what games look like, typed lines included"))
    what.append((PAGE, "the visible scenarios, with what should happen"))
    what.append((SELFCHECK, f"runs them on your {'files' if several else 'file'}"))
    width = max(len(name) for name, _ in what)
    listed = "".join(f"  {name:<{width}}  {text}\n" for name, text in what)
    if differing := [name for name, texts in beside.items() if len(texts) > 1]:
        listed += "\n" + textwrap.fill(_NOT_HERE.format(", ".join(differing)), 88) + "\n"
    named = assignment.archive or shlex.join(assignment.submission_files)
    nothing, install = "Nothing", ""
    if packages := " ".join(assignment.packages):
        nothing = "Nothing else"
        install = f"Install what it uses, once:\n\n  python3 -m pip install {packages}\n\n"
    return (
        f"{assignment.title}\n{assignment.course}\n\n{listed}\n{install}"
        "Check your work, in a terminal in this folder, with Python "
        f"{assignment.python}:\n\n  python3 {SELFCHECK} {named}\n\n"
        f"(py {SELFCHECK} {named} on Windows.) {nothing} has to be installed. It explains the\n"
        "first thing to fix; fix it, save, and check again. Another Python from 3.11 on will\n"
        "do, but grading uses the version named here.\n\n"
        "The check runs your program without protection, as you would run it yourself, and gives\n"
        "no marks. Other scenarios are graded too.\n"
    )


_NAME = re.compile(r"[^\W\d]\w*")
_ROUND_TO = (0.0, 0.1, 1.0, 10.0, 100.0)  # CPU seconds: measured ones differ from run to run
_QUICK = 0.05


# What a check runs by. A field that is not among these stays in the course.
_OF_ASSIGNMENT = (
    *("id", "title", "course", "python", "submission_files", "laid_as", "archive", "otherwise"),
    "extra_modules",
    *("functionality_marks", "limits", "policy", "variants", "extra_files", "packages"),
    *("isolate_all", "compare", "floats_within", "writes_files", "tells_time"),
)


def student_plan(specification: Specification) -> Plan:
    """The plan of an assignment that was cut by `visible_only`, with what a check runs by: of
    clauses the ids, of the reference's functions those that stimuli name."""
    plan = specification.plan
    assignment = plan.assignment
    stimuli = [stimulus for scenario in plan.scenarios for stimulus in scenario.stimuli]
    texts = [text for each in stimuli for text in each.source_texts()]
    texts += [binding.literal for each in stimuli for binding in each.bindings]
    named = {name for text in texts for name in _NAME.findall(text)}
    clauses = {clause for scenario in plan.scenarios for clause in scenario.clauses}
    ids = [clause.id for clause in assignment.clauses if clause.id in clauses]
    shown = Assignment(
        **{name: getattr(assignment, name) for name in _OF_ASSIGNMENT},
        clauses=tuple(Clause(id=each, section="", text="") for each in ids),
        functions=tuple(f for f in assignment.functions if named.issuperset(f.name.split("."))),
        other_names=tuple(name for name in assignment.other_names if name in named),
    )
    # A digest of the whole assignment would confirm a guess of a small hidden file.
    student = replace(plan, assignment=shown, spec_digest="", reference_digest="")
    digest = sha256(serial.dumps(student).encode("ascii")).hexdigest()
    return replace(student, spec_digest=digest)


def student_key(context: GradingContext, plan: Plan) -> AnswerKey:
    """The answers to that plan, without lines of the reference and what differs between makings."""
    kept = context.key.subset(scenario.id for scenario in plan.scenarios)
    entries = (replace(e, answers=tuple(map(_without_source, e.answers))) for e in kept.scenarios)
    # Measured, so it differs between makings; it is an upper bound.
    longer = (step for step in _ROUND_TO if step > kept.run_seconds)
    return replace(
        kept,
        made_with="",
        run_seconds=next(longer, kept.run_seconds),
        spec_digest=plan.spec_digest,
        reference_digest="",
        scenarios=tuple(entries),
    )


def _without_source(answer: Answer) -> Answer:
    def without_frames(raised: Raised | None) -> Raised | None:
        return raised and replace(raised, frames=())

    seen = answer.observation
    rounded_up = next(step for step in _ROUND_TO if step > seen.cpu_seconds)
    shown = replace(
        seen,
        raised=without_frames(seen.raised),
        steps=tuple(replace(step, raised=without_frames(step.raised)) for step in seen.steps),
        cpu_seconds=rounded_up if seen.cpu_seconds >= _QUICK else 0.0,
    )
    return replace(answer, observation=shown)


MOST_BYTES = 10_000_000  # the platform's limit for a bundle
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
    """What Classroom 50 starts (`autograder.py`) and `grader.pyz`; the same for the same
    specification, harness and interpreter. `context` was prepared from the scenarios that are to be
    in it: who has the bundle can read them. UserError when it is more than the platform takes."""
    plan = student_plan(context.specification)
    grader = program_file(plan, student_key(context, plan), "harness.packaging.classroom50")
    if len(grader) + len(_AUTOGRADER) > MOST_BYTES:
        what = f"the bundle has {len(grader) / 1e6:.1f} MB, and the platform takes 10"
        hint = "make fewer scenarios with large boards or many draws visible"
        raise UserError(what, place=plan.assignment.id, hint=hint)
    bundle = {"autograder.py": _AUTOGRADER.encode(), GRADER: grader}
    if packages := plan.assignment.packages:
        bundle[REQUIREMENTS] = "".join(f"{each}\n" for each in packages).encode()
    return bundle


def scenarios_page(plan: Plan, key: AnswerKey) -> str:
    """Return the page for a plan with only visible scenarios. `key` may have no answers (no
    reference)."""
    lines = [f"{plan.assignment.title}: the visible scenarios", ""]
    lines += ["Your program is graded on these and on hidden ones."]
    for function in dict.fromkeys(scenario.function for scenario in plan.scenarios):
        lines += ["", "", function, "=" * len(function)]
        for scenario in plan.scenarios:
            if scenario.function != function:
                continue
            answer = next(iter(key.answers(scenario.id)), None) if key.scenarios else None
            lines += ["", *_scenario(scenario, answer, plan.assignment)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _scenario(scenario: Scenario, answer: Answer | None, assignment: Assignment) -> Iterator[str]:
    stimulus = scenario.stimuli[0]
    settings = paste.settings(stimulus.constants)
    yield visible(scenario.name) + (f"  [{visible(settings)}]" if settings else "")
    for file, line in paste.constant_changes(stimulus, Surroundings.of(assignment)):
        yield from _labelled("set", f"in {file} {line}" if file else line)
    for name, content in paste.files_beside(stimulus):
        yield from _labelled("file", file_text(name, content))
    if stimulus.given:
        yield from _labelled("first", stimulus.given.rstrip("\n"))
    yield from _labelled("try", paste.to_try(stimulus))
    if stimulus.inputs:
        yield from _labelled("type", "  ".join(one.named() for one in stimulus.inputs))
    if stimulus.stdin is not None:
        yield from _labelled("pipe", file_text("piped in", paste.piped(stimulus)))
    if len(scenario.stimuli) > 1:
        yield from _labelled("", f"(and {len(scenario.stimuli) - 1} more like it)")
    for label, text in outcome(expectation(scenario, stimulus, answer, assignment), stimulus):
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
    """Return the compared parts; without a reference there is no text for unstated ones."""
    if stimulus.action.steps:
        yield from _steps(expected, stimulus.action)
    else:
        yield from _printed(expected, stimulus)
        yield from _ending_lines(expected)
    yield from _leave_lines(expected)
    if stimulus.folder:
        yield from _file_lines(expected, stimulus)
    for each in expected.stated.ignore:
        yield "and", _IGNORED[each]


def file_text(name: str, content: str) -> str:
    """Yield a file, or the piped input: its name, then its text, indented."""
    if not content:
        return f"{name}, empty"
    return "\n".join([f"{name}:", *(f"  {each}" for each in content.rstrip("\n").split("\n"))])


def _steps(expected: Expectation, session: Action) -> Iterator[Labelled]:
    texts = expected.stated.shown or ()
    results = expected.reference.steps if expected.reference else ()
    for number, (step, result) in enumerate(zip(session.steps, results, strict=False)):
        parts = [result.printed.rstrip("\n")]
        if result.value is not None:
            tells = result.shown and not is_default_repr(result.shown)
            parts.append(result.shown if tells else result.value.source())
        if result.raised is not None:
            text = texts[number] if number < len(texts) else ""
            name, message = result.raised.type_name, result.raised.message
            parts.append(f"{name}: {message}" if message and message in text else name)
        if shown := "\n".join(part for part in parts if part):
            yield "then", f">>> {step}\n{shown}"


def _printed(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield the reference's screen and the places where output may differ from it.

    These are the matcher for all output (`loose_text`) and those for single turns (`loose_turns`;
    with a loose text, all turns). Then follow stderr and the number of inputs."""
    stated = expected.stated
    loose_text = stated.prints if stated.prints and stated.prints.exact_text is None else None
    turns = stated.turns.turns if stated.turns else ()
    loose_turns = [turn for turn in turns if loose_text or turn.printed.exact_text is None]
    if screen := expected.reference.transcript() if expected.reference else "":
        yield "e.g." if loose_text or loose_turns else "screen", screen.rstrip("\n")
    if isinstance(loose_text, AnyValue):
        yield "may", "print anything else"
    elif loose_text:
        yield "must", f"print {_words(loose_text)}"
    if loose_turns:
        yield "must", "print" if loose_text else "print this, except"
    for turn in loose_turns:
        typed = stimulus.inputs[turn.index - 1 : turn.index] if turn.index else ()
        after = f"after input {turn.index}" if turn.index else "before any input"
        named = "".join(f" ({one.named()})" for one in typed)
        yield "", f"{after}{named}: {_anything(turn.printed)}"
    if stated.stderr is not None:
        exact = stated.stderr.exact_text
        words = _anything(stated.stderr) if exact is None else exact.rstrip("\n") or "nothing"
        yield "stderr", words
    if stated.reads_at_most is not None:
        yield "must", f"ask at most {stated.reads_at_most} times"


def _ending_lines(expected: Expectation) -> Iterator[Labelled]:
    stated, reference = expected.stated, expected.reference
    ending = stated.ends or (reference.ending if reference else Ending.ANSWERED)
    if stated.raises is not None:
        yield "raises", raise_in_words(stated.raises)
    elif ending in _ENDINGS:
        yield "and", _ENDINGS[ending]
    else:
        matcher = stated.returns
        if matcher is None and reference is not None and reference.value is not None:
            matcher = Exactly(value=reference.value)
        # Of a call that prints, "gives None" is left out.
        prints_alone = matcher == Exactly(value=NONE) and reference and reference.transcript()
        if matcher is not None and not prints_alone:
            yield "gives", _words(matcher, expected.floats)
        status = stated.exit if stated.exit is not None else reference and reference.exit_status
        if status and not stated.exit_any:
            yield "and", f"ends with exit status {status}"


def _leave_lines(expected: Expectation) -> Iterator[Labelled]:
    """Arguments, and variables of a session, afterwards."""
    reference = expected.reference or Observation(ending=Ending.ANSWERED)
    stated = {leave.name: leave.value for leave in expected.stated.leaves}
    both = zip(reference.arguments_before, reference.arguments, strict=False)
    for position, (before, after) in enumerate(both):
        name = expected.parameters[position] if position < len(expected.parameters) else ""
        if not isinstance(stated.get(name, Exactly(value=after)), Exactly):
            continue
        stated.pop(name, None)
        if before != after:
            yield "makes", f"{before.source()} to {after.source()}"
    for name, matcher in stated.items():
        yield "leaves", f"{name}: {_words(matcher, expected.floats)}"
    if expected.stated.leaves_unchanged:
        yield "and", "leaves what it is given unchanged"


def _file_lines(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """The files that are not as they were."""
    began = {file.name: Exactly(value=file_value(file.data)) for file in stimulus.files}
    contents = expected_files(expected, stimulus)
    stated = {file.name: file.value for file in expected.stated.writes}
    for name, matcher in sorted((stated if contents is None else contents).items()):
        if matcher == began.get(name):
            continue
        if matcher == Exactly(value=NONE):
            yield "leaves", f"no file {name}"
        elif (text := matcher.exact_text) is not None:
            yield "leaves", file_text(name, shorten(text, paste.MOST_OF_A_FILE))
        elif isinstance(matcher, Exactly) and matcher.value.kind is ValueKind.FOREIGN:
            yield "leaves", f"{name}, a {matcher.value.text}"
        else:
            yield "leaves", f"{name}: {_anything(matcher)}"
    for name in sorted(began.keys() - contents.keys()) if contents is not None else ():
        yield "leaves", f"no file {name}"
    if expected.stated.writes_unchanged:
        yield "and", "leaves all files unchanged"
    elif expected.stated.writes_only is not None:
        yield "and", "leaves all other files unchanged"


def _anything(matcher: Matcher) -> str:
    return "anything" if isinstance(matcher, AnyValue) else _words(matcher)


def _words(matcher: Matcher, floats: Floats | None = None) -> str:
    if isinstance(matcher, EqualData):
        return f"a value that is equal (==) to {matcher.value.source()}"
    return value_in_words(matcher, floats)
