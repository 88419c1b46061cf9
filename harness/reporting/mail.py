"""A mail for each student of a run, made from a template, as a file that a mail program sends.

Names, addresses and comments are other people's: nothing in them can end a header or begin one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path

from harness.common.errors import UserError
from harness.common.escaping import shorten, visible, visible_lines
from harness.common.files import page_name
from harness.common.words import counted, rounded
from harness.model.plan import Plan
from harness.model.result import RunFacts, SubmissionResult, SubmissionStatus
from harness.reporting.export.exporter import Marks
from harness.reporting.export.gradebooks import gradebook_entry
from harness.reporting.view import words

FOLDER = "mail"  # of a report folder
TEMPLATE = Path(__file__).with_name("mail.txt.j2")
ATTACHED = "feedback.html"
_MOST_TEMPLATE = 100_000  # characters
_MOST_SUBJECT = 200
_MOST_NAME = 80
# What every mail server takes; quoted and non-ASCII names before the @ are left out.
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_MOST_LOCAL, _MOST_ADDRESS = 64, 254
# All is ASCII, so that every server on the way passes it on unchanged.
_POLICY = SMTP.clone(cte_type="7bit")
_WITHOUT = (
    SubmissionStatus.NO_SUBMISSION,
    SubmissionStatus.NEEDS_REVIEW,
    SubmissionStatus.HARNESS_ERROR,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRequest:
    """What the user asked for."""

    sender: str  # "CSSE7030 <csse7030@uni.example>"
    at: datetime  # with a zone
    template: Path = TEMPLATE
    link: str = ""  # the address of the folder that the pages are in; empty: they are attached
    addresses: Mapping[str, str] | None = None  # by the ids of submissions, in place of theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail: a file's name and bytes, and to whom; or why there is none."""

    id: str
    name: str = ""
    data: bytes = b""
    to: str = ""
    why_not: str = ""


def mails(
    submissions: Iterable[SubmissionResult],
    facts: RunFacts,
    plan: Plan,
    folder: Path,
    request: MailRequest,
) -> Iterator[Mail]:
    """A mail for each submission, with its page below the report's `folder`.

    Raises UserError: the sender or the link is none, the template has a mistake, or a page is not
    there.
    """
    sender = _sender(request.sender)
    if request.link and not re.fullmatch(r"https?://[!-~]+", request.link):
        raise UserError("is no address of pages", place="--link", hint="--link https://…/")
    write = _Template(request.template)
    for result in submissions:
        own = (request.addresses or {}).get(result.id) or (
            result.student.email if result.student else ""
        )
        to = usable_address(own)
        if result.status in _WITHOUT or result.excused:
            why = f"excused ({result.excused})" if result.excused else words.STATUS[result.status]
            yield Mail(id=result.id, why_not=why)
        elif not to:
            why = f"{visible(shorten(own))} is no address" if own else "there is no address"
            yield Mail(id=result.id, why_not=why)
        else:
            page = page_name(result.id)
            message = write.message(_values(result, plan, _page(request.link, page)))
            message["From"] = sender
            message["To"] = Address(_name(result), *to.rsplit("@", 1))
            message["Date"] = format_datetime(request.at)
            message["Message-ID"] = _message_id(facts, result, sender)
            message["Auto-Submitted"] = "auto-generated"
            message["X-Unsent"] = "1"  # mail programs open it as one to be sent
            if not request.link:
                _attach(message, folder / "feedback" / page)
            name = page.removesuffix(".html") + ".eml"
            yield Mail(id=result.id, name=name, data=bytes(message), to=to)


def usable_address(text: str) -> str:
    """The address as every mail server takes it, a domain of other letters in ASCII; empty for
    none."""
    local, at, domain = text.strip().rpartition("@")
    try:
        domain = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    if not at or not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain):
        return ""
    fits = len(local) <= _MOST_LOCAL and len(local) + 1 + len(domain) <= _MOST_ADDRESS
    return f"{local}@{domain}" if fits else ""


def _sender(text: str) -> Address:
    name, _, own = text.rpartition("<")
    address = usable_address(own.removesuffix(">") if name else own)
    if not address:
        hint = '--from "CSSE7030 <csse7030@uni.example>"'
        raise UserError(f"{text!r} is no address", place="--from", hint=hint)
    return Address(_in_header(name.strip(' "'), _MOST_NAME), *address.rsplit("@", 1))


def _in_header(text: str, most: int) -> str:
    """The text on one line; an encoded word in it stays as it is, or what it stands for, line ends
    too, would be written into the header."""
    return shorten(" ".join(visible(text).split()), most).replace("=?", "= ?")


def _name(result: SubmissionResult) -> str:
    name = result.student.name if result.student else ""
    return _in_header(name or result.id, _MOST_NAME)


def _page(link: str, page: str) -> str:
    return f"{link.removesuffix('/')}/{page}" if link else f"attached, {ATTACHED}"


def _values(result: SubmissionResult, plan: Plan, page: str) -> dict[str, object]:
    """What a template can print."""
    entry = gradebook_entry(result, Marks.TOTAL)
    student = entry.student
    status = f"waits for {entry.waits}" if entry.waits else words.STATUS[result.status]
    return {
        "name": _name(result),
        "id": student.id,
        "email": student.email,
        "title": plan.assignment.title,
        "course": plan.assignment.course,
        "mark": entry.mark,
        "out_of": words.number(entry.out_of),
        "functionality": rounded(result.mark) if result.mark is not None else "",
        "status": status,
        "account": words.account(result),
        "page": page,
    }


class _Template:
    """The template: `Subject: …` in its first line, then an empty one, then the text."""

    def __init__(self, path: Path) -> None:
        from jinja2 import StrictUndefined, TemplateSyntaxError  # noqa: PLC0415  (start-up time)
        from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415

        self._path = path
        made = SandboxedEnvironment(
            autoescape=False,  # it is plain text
            undefined=StrictUndefined,
            finalize=lambda value: visible_lines(str(value)),
            trim_blocks=True,
            lstrip_blocks=True,
        )
        try:
            text = path.read_text(encoding="utf-8-sig")
            if len(text) > _MOST_TEMPLATE:
                raise UserError(
                    f"is longer than {counted(_MOST_TEMPLATE, 'character')}", place=str(path)
                )
            self._template = made.from_string(text)
        except OSError as error:
            what = f"cannot be read ({error.strerror or error})"
            raise UserError(what, place=str(path)) from None
        except UnicodeDecodeError as error:
            raise UserError(f"byte {error.start} is not UTF-8", place=str(path)) from None
        except TemplateSyntaxError as error:
            place = f"{path}:{error.lineno}"
            raise UserError(f"is no template: {error.message}", place=place) from None

    def message(self, values: Mapping[str, object]) -> EmailMessage:
        """A message of its subject and text alone."""
        try:
            text = self._template.render(values)
        except Exception as error:  # a template may do what it likes: TypeError, ZeroDivisionError
            names = ", ".join(values)
            what = f"cannot be filled in: {error}"
            raise UserError(what, place=str(self._path), hint=f"it can use {names}") from None
        first, _, rest = text.lstrip().partition("\n")
        before, _, subject = first.partition("Subject:")
        if before or not subject.strip():
            hint = "begin it with Subject: {{ title }}"
            raise UserError("has no subject", place=f"{self._path}:1", hint=hint)
        message = EmailMessage(policy=_POLICY)
        message["Subject"] = _in_header(subject, _MOST_SUBJECT)
        message.set_content(rest.strip() + "\n")
        return message


def _message_id(facts: RunFacts, result: SubmissionResult, sender: Address) -> str:
    """The same for the same mail, so that one which is sent twice is shown once."""
    parts = (facts.assignment, facts.started, result.id, result.source_digest, str(result.total))
    digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"<{digest}@{sender.domain}>"


def _attach(message: EmailMessage, path: Path) -> None:
    try:
        data = path.read_bytes()
    except OSError as error:
        what, hint = f"cannot be read ({error.strerror})", "grade again to write it"
        raise UserError(what, place=str(path), hint=hint) from None
    message.add_attachment(
        data, maintype="text", subtype="html", filename=ATTACHED, params={"charset": "utf-8"}
    )


def remove_mails(folder: Path) -> bool:
    """Remove what was written below a report's folder; whether there was anything."""
    found = [*(folder / FOLDER).glob("*.eml")]
    for path in found:
        path.unlink()
    return bool(found)
