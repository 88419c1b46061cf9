"""Mark a run in the browser, by rubrics and comments."""

import re
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click
from markupsafe import escape

from harness.cli import options
from harness.common.errors import UserError
from harness.common.extras import install_command
from harness.common.files import write
from harness.reporting.writing import write_reports
from harness.results.database import store_of
from harness.results.store import Store
from harness.review.desk import ClassPart, Desk

# The browser opens this file, which redirects. So the process list shows its path, not the token.
_OPENS = "review.html"


def _part(ctx: click.Context, param: click.Parameter, value: str) -> ClassPart:
    match = re.fullmatch(r"([1-9][0-9]{0,2})/([1-9][0-9]{0,2})", value)
    if match is None or int(match[1]) > int(match[2]):
        raise UserError(f"--part {value} is not a part", hint="write 1/3 for the first of three")
    return ClassPart(number=int(match[1]), of=int(match[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReviewOptions:
    """The options: who marks which submissions, and the page's address."""

    part: Annotated[
        ClassPart,
        options.option(
            "--part",
            "Mark only part K of N, so that several people can share the work.",
            default="1/1",
            metavar="K/N",
            callback=_part,
        ),
    ]
    anonymous: Annotated[
        bool, options.flag("--anonymous", "Hide students' names and file names while marking.")
    ]
    request: Annotated[
        Path | None,
        options.file(
            "--request",
            "Open the regrade request in this file: an email or text from a student.",
        ),
    ]
    at: Annotated[
        str | None,
        options.option("--at", "Begin with this submission or student.", metavar="STUDENT"),
    ]
    who: Annotated[
        str | None,
        options.option(
            "--who", "The name to store with your marks (default: your login name).", metavar="NAME"
        ),
    ]
    port: Annotated[
        int | None,
        options.option(
            "--port", "The port to use (default: a free one).", type=click.IntRange(0, 65535)
        ),
    ]
    no_browser: Annotated[
        bool, options.flag("--no-browser", "Print the address and open no browser.")
    ]


@options.click_command(
    "review",
    "harness review reports/connect4ish",
    "harness review reports/connect4ish --part 1/3 --anonymous",
)
@click.argument("run", type=options.RUN)
@options.options_of("chosen", _ReviewOptions)
def command(run: Path, chosen: _ReviewOptions) -> int:
    """Mark RUN (a report folder) in the browser: programs with findings, rubrics and comments.

    Every change is stored at once, with its author and time. Ctrl-C ends the page and writes the
    reports. `harness manual` merges the reports of several people. Only people who have the
    printed address can open the page.
    """
    try:
        from harness.review.server import ReviewServer, read_asked  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        what = f"{error.name} is not installed"
        raise UserError(what, hint=install_command("review")) from None
    _refuse_names_while_anonymous(chosen)
    database = store_of(run)
    who = chosen.who
    if who is None:
        who = options.login_name()
    desk = Desk(database, who=who, part=chosen.part, anonymous=chosen.anonymous)
    asked = None
    if chosen.request is not None:
        asked = read_asked(chosen.request, desk)
    begin = 0
    if chosen.at is not None:
        begin = desk.number_of(chosen.at)
    server = ReviewServer(desk, database.parent, chosen.port or 0, asked=asked, begin=begin)
    opener = database.parent / _OPENS
    try:
        click.echo(f"Review: {server.address}")
        click.echo("Every change is stored at once. Ctrl-C ends the page and writes the reports.")
        if not chosen.no_browser:
            refresh = f'<meta http-equiv="refresh" content="0; url={escape(server.address)}">'
            write(opener, f"<!DOCTYPE html><title>Review</title>{refresh}\n", private=True)
            webbrowser.open(opener.absolute().as_uri())
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
        if not chosen.no_browser:
            opener.unlink(missing_ok=True)
    return _end(database, desk)


def _refuse_names_while_anonymous(chosen: _ReviewOptions) -> None:
    if not chosen.anonymous:
        return
    hint = "leave out one"
    if chosen.request is not None:
        raise UserError("--request shows the student's name, --anonymous hides it", hint=hint)
    if chosen.at is not None:
        raise UserError("--at shows the student's name, --anonymous hides it", hint=hint)


def _end(database: Path, desk: Desk) -> int:
    """Write the reports, unless a running `grade` will write them."""
    try:
        with Store.open(database) as store:
            result, plan = store.run(), store.plan()
    except UserError as error:
        click.echo(f"the reports were not written: {error}", err=True)
        return 0
    if not result.facts.complete:
        click.echo("grading is still running; it writes the reports at its end", err=True)
        return 0
    write_reports(result, plan, database.parent)
    desk.refresh()
    done, count = desk.progress()
    click.echo(f"{done} of {count} done")
    click.echo(f"Report: {database.parent / 'index.html'}")
    return 0
