"""Write an email for each student, as a file; none is sent."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import click

from harness.cli import options
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.common.files import write_bytes
from harness.common.people import By, Person, pairs
from harness.common.words import counted
from harness.intake.terms import read_roster
from harness.model.result import SubmissionResult
from harness.reporting.mail import FOLDER, TEMPLATE, MailRequest, mails, remove_mails
from harness.results.database import read_run, store_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _MailOptions:
    """The options: the e-mails' content, and their folder."""

    dry_run: Annotated[bool, options.flag("--dry-run", "Required: write files and send nothing.")]
    sender: Annotated[
        str, options.option("--from", "sender", "The sender.", required=True, metavar="ADDRESS")
    ]
    template: Annotated[
        Path | None,
        options.file("--template", "A Jinja template: Subject: …, an empty line, then the text."),
    ]
    link: Annotated[
        str,
        options.option(
            "--link",
            "Link to the pages at this address instead of attaching them.",
            default="",
            metavar="URL",
        ),
    ]
    roster: Annotated[
        Path | None,
        options.file(
            "--roster", "A CSV with ids and email addresses, for downloads without addresses."
        ),
    ]


@options.click_command(
    "mail",
    'harness mail reports/connect4ish --dry-run --from "CSSE7030 <csse7030@uni.example>"',
    "harness mail reports/connect4ish --dry-run --from a@uni.example --template mail.txt",
)
@click.argument("run", type=options.RUN)
@options.options_of("chosen", _MailOptions)
def command(run: Path, chosen: _MailOptions) -> int:
    """Write an email with the feedback page for each student of RUN (a report folder).

    The emails are .eml files in the folder RUN/mail. Nothing is sent: open the files in a mail
    program. The command lists students without an address, without a submission or awaiting review;
    they get no email.
    """
    if not chosen.dry_run:
        raise UserError("harness sends no email", hint="--dry-run writes the emails as files")
    folder = store_of(run).parent
    result, plan = read_run(run)
    if not result.facts.complete:
        raise UserError("this run is not complete", place=str(run), hint="grade again first")
    addresses: dict[str, str] | None = None
    if chosen.roster:
        addresses = _addresses(result.submissions, chosen.roster)
    request = MailRequest(
        sender=chosen.sender,
        at=datetime.now(UTC),
        template=chosen.template or TEMPLATE,
        link=chosen.link,
        addresses=addresses,
    )
    made = list(mails(result, plan, folder, request))
    remove_mails(folder)
    for mail in made:
        if mail.data:
            write_bytes(folder / FOLDER / mail.name, mail.data, private=True)
        else:
            click.echo(f"no email for {visible(mail.id)}: {visible(mail.why_not)}", err=True)
    written = Counter(mail.to.casefold() for mail in made if mail.to)
    for address, count in written.items():
        if count > 1:
            click.echo(f"{address} gets {count} emails: is it the same person?", err=True)
    emails = counted(written.total(), "email")
    click.echo(f"{emails} in {folder / FOLDER}; nothing was sent")
    return 0


def _addresses(submissions: Collection[SubmissionResult], roster: Path) -> dict[str, str]:
    """Return the e-mail addresses in a roster, keyed by submission id."""
    entries = read_roster(roster, None)
    ids = [submission.id for submission in submissions]
    people = list(map(_person, submissions))
    on_roster = [entry.person for entry in entries]
    found = pairs(people, on_roster, By.ID, shared=True)
    addresses: dict[str, str] = {}
    for number, entry_number in found.items():
        student = entries[entry_number].student
        addresses[ids[number]] = student.email
    return addresses


def _person(submission: SubmissionResult) -> Person:
    student = submission.student
    if student is None:
        return Person(ids=(submission.id,))
    return Person(ids=(submission.id, student.id, student.email))
