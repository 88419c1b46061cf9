"""Write a mail for each student, as a file; none is sent."""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

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

SECTION = "Results"


@options.click_command(
    "mail",
    'harness mail reports/connect4ish --dry-run --from "CSSE7030 <csse7030@uni.example>"',
    "harness mail reports/connect4ish --dry-run --from a@uni.example --template mail.txt",
)
@click.argument("run", type=options.PATH)
@options.flag("--dry-run", "Needed: the mails are files, and nothing is sent.")
@click.option("--from", "sender", required=True, metavar="ADDRESS", help="Who writes.")
@options.file("--template", "A Jinja template: Subject: …, an empty line, the text.")
@options.option(
    "--link",
    "Name the page below this address in place of attaching it.",
    default="",
    metavar="URL",
)
@options.file("--roster", "A CSV with ids and emails, for students whose download has no email.")
def command(
    run: Path, dry_run: bool, sender: str, template: Path | None, link: str, roster: Path | None
) -> int:
    """Write a mail for each student of RUN (a report folder) into its folder `mail`, an .eml file
    each, with the student's page. Nothing is sent: a mail program opens and sends such files.

    Who has no address that can be used, or waits for a person, has no mail; each is named.
    """
    if not dry_run:
        raise UserError("harness sends no mail", hint="--dry-run writes the mails as files")
    folder = store_of(run).parent
    result, plan = read_run(run)
    if not result.facts.complete:
        raise UserError("this run is not complete", place=str(run), hint="grade again first")
    addresses = _addresses(result.submissions, roster) if roster else None
    now, text = datetime.now(UTC), template or TEMPLATE
    request = MailRequest(sender=sender, at=now, template=text, link=link, addresses=addresses)
    made = [*mails(result, plan, folder, request)]
    remove_mails(folder)
    for mail in made:
        if mail.data:
            write_bytes(folder / FOLDER / mail.name, mail.data, private=True)
        else:
            click.echo(f"no mail for {visible(mail.id)}: {visible(mail.why_not)}", err=True)
    written = Counter(mail.to.casefold() for mail in made if mail.to)
    for address, count in written.items():
        if count > 1:
            click.echo(f"{address} gets {count} mails: is it one person's?", err=True)
    click.echo(f"{counted(written.total(), 'mail')} in {folder / FOLDER}; nothing was sent")
    return 0


def _addresses(submissions: Collection[SubmissionResult], roster: Path) -> dict[str, str]:
    """The emails of a list, by the submissions' ids."""
    listed = read_roster(roster, None)
    ids = [each.id for each in submissions]
    people = [
        Person(ids=(each.id, *((each.student.id, each.student.email) if each.student else ())))
        for each in submissions
    ]
    found = pairs(people, [each.person for each in listed], By.ID, shared=True)
    return {ids[one]: listed[other].student.email for one, other in found.items()}
