"""Read a student's regrade request: an email that contains links from the student's results page.

A link names the assignment, the submission's page and its files, and may name a scenario or a
function: `harness:connect4ish/ada/3f9a0c2b1d0e#check_win/a-vertical-win`. A student may write
anything, so only the links are used, and they are compared with the run.
"""

import codecs
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from urllib.parse import quote, unquote

from harness.common.errors import UserError
from harness.common.escaping import in_link, quoted, visible_lines
from harness.common.files import page_name
from harness.common.words import counted
from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.results.student_view import StudentView

# A request is a mail of a few KiB. Larger files are refused before they are parsed.
MAX_BYTES = 1024 * 1024
# Links of a request.
MAX_ABOUT = 50
# Characters of a request that are shown.
MAX_TEXT = 5000
# Links on a page.
_MAX_OFFERED = 20
# Characters of the text in a `mailto:` link.
_MAX_IN_MAIL_LINK = 1000
# Digits of the files' digest in a link.
_DIGITS = 12
_LINK = re.compile(
    r"harness:(?P<assignment>[A-Za-z0-9%._~-]{1,200})/(?P<page>[A-Za-z0-9._-]{1,80})"
    rf"/(?P<files>[0-9a-f]{{{_DIGITS}}})(?:#(?P<about>[A-Za-z0-9%/\[\]=._~-]{{1,600}}))?"
)
_HEADER = re.compile(rb"^(?:mime-version|content-type|received|message-id):", re.I | re.M)
_CHARSETS = (
    *("utf-8", "utf-16", "ascii", "iso8859-", "cp12", "koi8-", "gb", "big5", "shift_jis"),
    *("euc_", "iso2022_", "mac-", "tis-620"),
)
_TAG = re.compile(r"<[^<>]*>")
_HINT = "save the email or its text as a file, including the links"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradeRequest:
    """A student's request to look at a submission again, as its links state it."""

    assignment: str
    # The name of the submission's page, without its ending.
    page: str
    # The first digits of the files' digest.
    files: str
    # Ids of scenarios, and functions. They come from a student, so they may be anything.
    about: tuple[str, ...]
    text: str


def link(view: StudentView, about: str = "") -> str:
    """Return the link to a submission.

    `about` is the scenario or function that the link names, if any.
    """
    page = page_name(view.id).removesuffix(".html")
    address = f"harness:{in_link(view.assignment)}/{page}/{view.source_digest[:_DIGITS]}"
    if about:
        address += f"#{in_link(about, safe='/[]=')}"
    return address


def request_text(view: StudentView) -> str:
    """Return a draft of the email, which the student shortens.

    It has a link for each visible thing to fix, and one for the whole submission.
    """
    parts = [f"Please look again at my {view.title}.", link(view)]
    for cause in view.causes[:_MAX_OFFERED]:
        if cause.checks:
            check = cause.checks[0]
            parts.append(f"About {check.function}: {check.name}\n{link(view, check.id)}")
        elif cause.function:
            parts.append(f"About {cause.function}: hidden checks\n{link(view, cause.function)}")
    parts.append("Why I think my program is right:")
    return "\n\n".join(parts) + "\n"


def request_mail(view: StudentView) -> str:
    """Return a `mailto:` link that opens the draft in a mail program, without an address.

    If the draft is too long for a mail program, it has only the link to the whole submission.
    """
    text = request_text(view)
    if len(text) > _MAX_IN_MAIL_LINK:
        text = f"Please look again at my {view.title}.\n\n{link(view)}\n\nAbout: \n\nWhy: \n"
    subject = quote(f"Regrade request: {view.title}", safe="", errors="replace")
    body = quote(text.replace("\n", "\r\n"), safe="", errors="replace")
    return f"mailto:?subject={subject}&body={body}"


def read_request(data: bytes) -> RegradeRequest:
    """Read the request from an email or a text file.

    Raise UserError if it is too large or is not text, if it has no links or too many, or if the
    links are to several submissions.
    """
    if len(data) > MAX_BYTES:
        raise UserError(f"is larger than {MAX_BYTES // 1024} KiB", hint=_HINT)
    text = _text_of(data)
    links = [*_LINK.finditer(text)]
    if not links:
        hint = f"{_HINT}: harness:…, as on the student's page"
        raise UserError("contains no link from a student's page", hint=hint)
    submissions = {match.group("assignment", "page", "files") for match in links}
    if len(submissions) > 1:
        pages = sorted({page for _, page, _ in submissions})
        shown = ", ".join(pages[:3])
        problem = f"has links to {len(submissions)} different submissions or versions ({shown})"
        raise UserError(problem, hint="open them one by one")
    about: dict[str, None] = {}
    for match in links:
        if match["about"]:
            about[unquote(match["about"].rstrip("."))] = None
    if len(about) > MAX_ABOUT:
        problem = f"asks about {counted(len(about), 'check')}"
        raise UserError(problem, hint=f"at most {MAX_ABOUT} are opened: ask the student to choose")
    ((assignment, page, files),) = submissions
    shown_text = text.replace("\r\n", "\n").strip()[:MAX_TEXT]
    return RegradeRequest(
        assignment=unquote(assignment),
        page=page,
        files=files,
        about=tuple(about),
        text=visible_lines(shown_text),
    )


def _text_of(data: bytes) -> str:
    """Return the text of a saved email or of a text file."""
    head = data.lstrip()[:20_000].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if not _HEADER.search(head):
        return data.decode("utf-8-sig", "replace")
    try:
        part = _text_part(data)
        payload = part.get_payload(decode=True)
        charset = part.get_content_charset("utf-8")
    except RecursionError:
        raise UserError("is an email that is nested too deeply", hint=_HINT) from None
    assert isinstance(payload, bytes)
    text = payload.decode(_usual(charset), "replace")
    if part.get_content_type() == "text/html":
        return html.unescape(_TAG.sub(" ", text))
    return text


def _text_part(data: bytes) -> Message:
    """Return the first plain-text part of an email, or its first HTML part.

    Raise UserError if it has neither.
    """
    # The newer policies of the email package read headers as well, and may fail on these.
    parts = list(message_from_bytes(data).walk())
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.get_content_type() == kind:
                return part
    raise UserError("is an email without a text", hint=_HINT)


def _usual(charset: str) -> str:
    """Return the charset if emails commonly use it, otherwise UTF-8.

    Python knows more charsets, and some of them take minutes to decode a megabyte.
    """
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name.startswith(_CHARSETS) else "utf-8"


def submission_of(request: RegradeRequest, plan: Plan, ids: Iterable[str]) -> str:
    """Return the id of the submission that a request is about.

    Raise UserError if the request is about another assignment, or if no submission fits. `ids` are
    those of the run's submissions.
    """
    if request.assignment != plan.assignment.id:
        problem = f"is about {quoted(request.assignment)}, and this run is of {plan.assignment.id}"
        raise UserError(problem, hint="name the report folder of that assignment")
    for name in ids:
        if page_name(name) == f"{request.page}.html":
            return name
    raise UserError(f"is about {quoted(request.page)}, which is not in this run")


def remarks(request: RegradeRequest, plan: Plan, result: SubmissionResult) -> tuple[str, ...]:
    """Return a message for each part of a request that does not fit the run.

    People read them before the request.
    """
    lines = []
    if not result.source_digest.startswith(request.files):
        lines.append(
            "The links belong to other files than those graded here: an earlier version, or "
            "somebody else's."
        )
    visibilities = {scenario.id: scenario.visibility for scenario in plan.scenarios}
    functions = {scenario.function for scenario in plan.scenarios}
    for name in request.about:
        if name not in visibilities:
            if name not in functions:
                lines.append(f"The scenario {quoted(name)} does not exist.")
        elif visibilities[name] is not Visibility.VISIBLE:
            lines.append(f"The scenario {quoted(name)} is hidden: the student's page has no link.")
    return tuple(lines)
