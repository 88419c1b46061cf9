"""Build the autograder for Classroom 50."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.cli.printing import tell_notice
from harness.common.files import write_bytes
from harness.grading.context import (
    for_students,
    prepare,
    with_handed_out_tests,
    with_own_tests,
)
from harness.packaging.handout import REQUIREMENTS, classroom50_bundle, needed_packages


@dataclass(frozen=True, slots=True, kw_only=True)
class _Classroom50Options:
    """The options: the bundle's folder, and whether it contains hidden scenarios."""

    output: Annotated[
        Path, options.output("The folder for the bundle.", metavar="DIR", required=True)
    ]
    with_hidden: Annotated[
        bool,
        options.flag("--with-hidden", "Include hidden scenarios. Students can then read them."),
    ]


@options.click_command(
    "classroom50",
    "harness classroom50 connect4ish -o bundle",
    "harness classroom50 connect4ish -o bundle --with-hidden",
)
@click.argument("assignment", metavar="ID")
@options.options_of("chosen", _Classroom50Options)
@options.course
def command(assignment: str, chosen: _Classroom50Options, course: options.CourseOptions) -> int:
    """Build the autograder of assignment ID: autograder.py and grader.pyz. They need only Python.

    The bundle contains the visible scenarios and their answers, but no code of the reference. It
    runs in the student's own repository, so its results are feedback: grade again yourself.
    """
    base = course.base()
    specification = load(base, assignment, support=course.support)
    if chosen.with_hidden:
        specification = with_handed_out_tests(with_own_tests(specification))
        specification = replace(specification, plan=specification.plan.without_stand_ins())
        click.echo(
            "warning: students can read the hidden scenarios and their answers in this bundle",
            err=True,
        )
    else:
        specification = for_students(specification)
    context = prepare(specification, python=course.python, cache=base / CACHE)
    tell_notice(context.interpreter.notice)
    if needed_packages(context.specification.plan.assignment):
        install = f"pip install -r {REQUIREMENTS}"
        click.echo(f"notice: have the workflow run `{install}` before the autograder", err=True)
    for name, data in classroom50_bundle(context).items():
        target = chosen.output / name
        write_bytes(target, data)
        click.echo(target)
    return 0
