"""Writes an e-mail for each student of a run, from a template, as an .eml file that mail programs
can send.

Names, addresses and comments are untrusted: they cannot end a header or start a new one.
"""

import re
from collections.abc import Callable, Iterator, Mapping
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
from harness.common.words import rounded
from harness.model.plan import Plan
from harness.model.result import RunFacts, RunResult, SubmissionResult, SubmissionStatus
from harness.reporting.export.exporter import Marks
from harness.reporting.export.gradebooks import gradebook_entry
from harness.reporting.holding import OF_EVERYBODY, hold_back
from harness.reporting.view import words

FOLDER = "mail"  # subfolder of a report folder
TEMPLATE = Path(__file__).with_name("mail.txt.j2")
ATTACHED = "feedback.html"
_MAX_SUBJECT, _MAX_NAME = 200, 80  # characters
# Every mail server takes these; quoted and non-ASCII names before the @ are left out.
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(
    rf"(?=.{{,254}}\Z)(?=[^@]{{,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*"
)
# Use ASCII only, so that every server forwards it unchanged.
_POLICY = SMTP.clone(cte_type="7bit")
_WITH = (SubmissionStatus.GRADED, SubmissionStatus.UNREADABLE, SubmissionStatus.LATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRequest:
    """The options of the command."""

    sender: str  # "CSSE7030 <csse7030@uni.example>"
    at: datetime  # with a time zone
    template: Path = TEMPLATE
    link: str = ""  # URL of the folder with the pages; empty to attach them instead
    addresses: Mapping[str, str] | None = None  # by submission id; replace the students' own


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One e-mail: file name, bytes and recipient, or the reason why none is sent."""

    id: str
    name: str = ""
    data: bytes = b""
    to: str = ""
    why_not: str = ""


def mails(run: RunResult, plan: Plan, folder: Path, request: MailRequest) -> Iterator[Mail]:
    """Yield an e-mail for each submission, with its page from the report `folder`.

    Raise UserError if the sender or link is invalid, the template has a mistake, or a page is
    missing.
    """
    name, _, address = request.sender.rpartition("<")
    if name:
        address = address.removesuffix(">")
    sender = usable_address(address)
    if not sender:
        hint = '--from "CSSE7030 <csse7030@uni.example>"'
        raise UserError(f"{request.sender!r} is not an address", place="--from", hint=hint)
    if request.link and not re.fullmatch(r"https?://[!-~]+", request.link):
        raise UserError("is not a web address", place="--link", hint="--link https://…/")
    sending = _Sending(
        run=run.facts, plan=plan, folder=folder, request=request, name=name, sender=sender
    )
    filled = _template(request.template)
    for result in run.submissions:
        to, why_not = _address(result, request.addresses or {})
        if why_not:
            yield Mail(id=result.id, why_not=why_not)
            continue
        try:
            mail = sending.mail(result, to, filled)
        except OF_EVERYBODY:
            raise
        except Exception as error:
            yield Mail(id=result.id, why_not=hold_back(result, "its mail", error).problem)
            continue
        yield mail


Filled = Callable[[Mapping[str, object]], EmailMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sending:
    """Everything that all e-mails of a run have in common."""

    run: RunFacts
    plan: Plan
    folder: Path
    request: MailRequest
    name: str
    sender: str

    def mail(self, result: SubmissionResult, to: str, filled: Filled) -> Mail:
        """Return the e-mail to this address. Raise UserError if the student's page is missing."""
        page = page_name(result.id)
        link = f"attached, {ATTACHED}"
        if self.request.link:
            link = f"{self.request.link.removesuffix('/')}/{page}"
        message = filled(_values(result, self.plan, link))
        message["From"] = _addressed(self.name.strip(' "'), self.sender)
        message["To"] = _addressed(_name(result), to)
        message["Date"] = format_datetime(self.request.at)
        message["Message-ID"] = self._message_id(result)
        message["Auto-Submitted"] = "auto-generated"
        message["X-Unsent"] = "1"  # mail programs open it as a draft
        if not self.request.link:
            _attach(message, self.folder / "feedback" / page)
        file = page.removesuffix(".html") + ".eml"
        return Mail(id=result.id, name=file, data=bytes(message), to=to)

    def _message_id(self, result: SubmissionResult) -> str:
        """Return the same id whenever the same e-mail is made again, so that mail programs show it
        only once.
        """
        parts = (self.run.assignment, self.run.started, result.id, str(result.total))
        digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        _, _, domain = self.sender.rpartition("@")
        return f"<{digest}@{domain}>"


def _attach(message: EmailMessage, path: Path) -> None:
    try:
        data = path.read_bytes()
    except OSError as error:
        what = f"cannot be read ({error.strerror})"
        raise UserError(what, place=str(path), hint="grade again to write it") from None
    message.add_attachment(
        data, maintype="text", subtype="html", filename=ATTACHED, params={"charset": "utf-8"}
    )


def usable_address(text: str) -> str:
    """Return the address in the form that every mail server accepts, with its domain in ASCII; ""
    if it is unusable.
    """
    local, _, domain = text.strip().rpartition("@")
    try:
        address = f"{local}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        return ""
    if _ADDRESS.fullmatch(address) is None:
        return ""
    return address


def _address(result: SubmissionResult, addresses: Mapping[str, str]) -> tuple[str, str]:
    """Return (recipient, ""), or ("", reason for sending no e-mail)."""
    address = addresses.get(result.id, "")
    if not address and result.student is not None:
        address = result.student.email
    to = usable_address(address)
    if result.excused:
        return to, f"excused ({result.excused})"
    if result.status not in _WITH:
        return to, words.STATUS[result.status]
    if not address:
        return to, "no address is known"
    if not to:
        return to, f"{shorten(address)} is not an address"
    return to, ""


def _addressed(name: str, address: str) -> Address:
    return Address(_in_header(name, _MAX_NAME), *address.split("@"))


def _in_header(text: str, most: int) -> str:
    """Return the text on one line, for a header.

    Encoded words in it stay encoded, because they could stand for line ends.
    """
    return shorten(" ".join(visible(text).split()), most).replace("=?", "= ?")


def _name(result: SubmissionResult) -> str:
    if result.student is None:
        return result.id
    return result.student.name or result.id


def _values(result: SubmissionResult, plan: Plan, page: str) -> dict[str, object]:
    entry = gradebook_entry(result, Marks.TOTAL)
    functionality = ""
    if result.mark is not None:
        functionality = rounded(result.mark)
    return {
        "name": _name(result),
        "id": entry.student.id,
        "email": entry.student.email,
        "title": plan.assignment.title,
        "course": plan.assignment.course,
        "mark": entry.mark,
        "out_of": words.number(entry.out_of),
        "functionality": functionality,
        "status": entry.why or words.STATUS[result.status],
        "account": words.account(result),
        "page": page,
    }


def _template(path: Path) -> Filled:
    """Return a function that makes an e-mail from the values of a submission.

    The template's first line is `Subject: …`; the rest is the text.
    """
    from jinja2 import StrictUndefined, TemplateSyntaxError  # noqa: PLC0415  (start-up time)
    from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415

    made = SandboxedEnvironment(
        autoescape=False,  # plain text, so no HTML escaping
        undefined=StrictUndefined,
        finalize=lambda value: visible_lines(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    try:
        template = made.from_string(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except UnicodeDecodeError as error:
        raise UserError(f"byte {error.start} is not UTF-8", place=str(path)) from None
    except TemplateSyntaxError as error:
        place = f"{path}:{error.lineno}"
        raise UserError(f"is not a template: {error.message}", place=place) from None

    def filled(values: Mapping[str, object]) -> EmailMessage:
        try:
            text = template.render(values)
        except Exception as error:  # a template can raise any exception, such as ZeroDivisionError
            what, hint = f"cannot be filled in: {error}", f"it can use {', '.join(values)}"
            raise UserError(what, place=str(path), hint=hint) from None
        return _message(text, path)

    return filled


def _message(text: str, path: Path) -> EmailMessage:
    """Return the e-mail for a filled-in template. `path` is used in errors."""
    first, _, rest = text.lstrip().partition("\n")
    before, _, subject = first.partition("Subject:")
    if before or not subject.strip():
        hint = "begin it with Subject: {{ title }}"
        raise UserError("has no subject", place=f"{path}:1", hint=hint)
    message = EmailMessage(policy=_POLICY)
    message["Subject"] = _in_header(subject, _MAX_SUBJECT)
    message.set_content(rest.strip() + "\n")
    return message


def remove_mails(folder: Path) -> bool:
    """Delete the e-mail files in a report folder; return whether there were any."""
    paths = [*(folder / FOLDER).glob("*.eml")]
    for path in paths:
        path.unlink()
    return bool(paths)
