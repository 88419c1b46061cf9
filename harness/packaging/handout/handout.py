"""The students' archive: no hidden scenario, nothing of the reference's bodies.

The stub, the provided files, the games as they should look, the visible scenarios as a text, and a
file that checks without anything being installed.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from harness.common.errors import UserError
from harness.common.files import zipped
from harness.grading import GradingContext, handed_out_stubs
from harness.model.expectation import Answer, AnswerKey, ScenarioAnswers
from harness.model.observation import Observation, Raised
from harness.model.plan import Plan
from harness.model.specification import Specification
from harness.model.stimulus import Stimulus
from harness.packaging.handout.scenarios_page import scenarios_page
from harness.packaging.program_file import program_file

SELFCHECK = "selfcheck.pyz"
PAGE = "visible-scenarios.txt"
README = "README.txt"
GAMEPLAY = "gameplay"
_NOT_HERE = (
    "Not in this folder, because the text differs between scenarios: {}. To try a scenario by "
    f"hand, write the file as {PAGE} shows it under that scenario."
)


def handout_zip(specification: Specification, context: GradingContext) -> bytes:
    """The archive's bytes; the same for the same specification, harness and interpreter.

    `specification` is the whole assignment, `context` was prepared from it cut by `visible_only`.
    UserError when two of the files would have one name; HarnessError when a stub failed.
    """
    visible = context.specification
    plan = student_plan(visible)
    key = student_key(context, plan)
    files: dict[str, bytes] = {}
    parts = [
        *((file.name, file.data) for file in handed_out_stubs(specification)),
        *((file.name, file.data) for file in visible.plan.assignment.variants[0].files),
        *((file.name, file.data) for file in visible.plan.assignment.extra_files),
        *_games(visible, key),
        *((name, texts.pop()) for name, texts in _files_beside(plan).items() if len(texts) == 1),
        (PAGE, scenarios_page(plan, key).encode("utf-8", "backslashreplace")),
        (SELFCHECK, program_file(plan, key)),
    ]
    parts.append((README, _readme(plan, [name for name, _ in parts]).encode()))
    for name, data in parts:
        if name in files:
            raise UserError(
                f"two files of the handout would be called {name}", place=plan.assignment.id
            )
        files[name] = data
    return zipped(files)


def _files_beside(plan: Plan) -> dict[str, set[bytes]]:
    """All contents of each file that visible scenarios put beside a submission."""
    contents: dict[str, set[bytes]] = {}
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            for file in stimulus.files:
                contents.setdefault(file.name, set()).add(file.data)
    taken = {PAGE, SELFCHECK, README, *plan.assignment.submission_files}
    return {name: texts for name, texts in sorted(contents.items()) if name not in taken}


def _games(visible: Specification, key: AnswerKey) -> Iterator[tuple[str, bytes]]:
    """The visible transcripts as a person sees them, under their file names."""
    for transcript in visible.transcripts:
        name = PurePosixPath(transcript.path.replace("\\", "/")).name
        answers = key.answers(transcript.scenario_id)
        yield f"{GAMEPLAY}/{name}", answers[0].observation.transcript().encode()


def _readme(plan: Plan, names: list[str]) -> str:
    assignment = plan.assignment
    handed_in = ", ".join(assignment.submission_files)
    provided = [file.name for file in (*assignment.variants[0].files, *assignment.extra_files)]
    several = len(assignment.submission_files) > 1
    program = "programs in them" if several else "program in it"
    what = [(handed_in, f"start here: write your {program}")]
    what += [(name, "provided: do not change it") for name in provided]
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
    return (
        f"{assignment.title}\n{assignment.course}\n\n{listed}\n"
        "Check your work, in a terminal in this folder, with Python "
        f"{assignment.python}:\n\n  python3 {SELFCHECK} {named}\n\n"
        f"(py {SELFCHECK} {named} on Windows.) Nothing has to be installed. It explains the\n"
        "first thing to fix; fix it, save, and check again. Another Python from 3.11 on will\n"
        "do, but grading uses the version named here.\n\n"
        "The check runs your program without protection, as you would run it yourself, and gives\n"
        "no marks. Other scenarios are graded too.\n"
    )


_NAME = re.compile(r"[^\W\d]\w*")
_ROUND_TO = (0.0, 0.1, 1.0, 10.0, 100.0)  # CPU seconds: measured ones differ from run to run
_QUICK = 0.05


def student_plan(specification: Specification) -> Plan:
    """The plan of an assignment that was cut by `visible_only`, without what it does not run by:
    the texts of clauses, and functions that only the reference has."""
    plan = specification.plan
    assignment = plan.assignment
    named = {name for s in plan.scenarios for one in s.stimuli for name in _named(one)}
    clauses = {clause for scenario in plan.scenarios for clause in scenario.clauses}
    return replace(
        plan,
        assignment=replace(
            assignment,
            clauses=tuple(
                replace(clause, section="", text="", unsettled="")
                for clause in assignment.clauses
                if clause.id in clauses
            ),
            functions=tuple(f for f in assignment.functions if named.issuperset(f.name.split("."))),
            manual=(),
            exemptions=(),
            stand_in_files=(),
        ),
    )


def student_key(context: GradingContext, plan: Plan) -> AnswerKey:
    """The answers to that plan, without lines of the reference, and without what differs from one
    making to the next."""
    kept = context.key.subset(scenario.id for scenario in plan.scenarios)
    return replace(
        kept,
        made_with="",
        scenarios=tuple(
            ScenarioAnswers(
                scenario_id=entry.scenario_id,
                answers=tuple(_without_source(answer) for answer in entry.answers),
            )
            for entry in kept.scenarios
        ),
    )


def _without_source(answer: Answer) -> Answer:
    observation = answer.observation
    shown = replace(
        observation,
        raised=_without_frames(observation.raised),
        steps=tuple(
            replace(step, raised=_without_frames(step.raised)) for step in observation.steps
        ),
        cpu_seconds=_rounded_up(observation),
    )
    return replace(answer, observation=shown)


def _without_frames(raised: Raised | None) -> Raised | None:
    return None if raised is None else replace(raised, frames=())


def _rounded_up(observation: Observation) -> float:
    if observation.cpu_seconds < _QUICK:
        return 0.0
    return next(step for step in _ROUND_TO if step > observation.cpu_seconds)


def _named(stimulus: Stimulus) -> set[str]:
    texts = [*stimulus.source_texts(), *(binding.literal for binding in stimulus.bindings)]
    return {name for text in texts for name in _NAME.findall(text)}
