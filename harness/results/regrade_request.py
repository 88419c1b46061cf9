"""A student's request for another look: links that the student's page has, and a mail with them.

A link names the assignment, the page and the files of a submission, and may name a scenario or a
function: `harness:connect4ish/ada/3f9a0c2b1d0e#check_win/a-vertical-win`. The text is the
student's: whose links they are and what they are about is compared with the run, and nothing else
of it is used.
"""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email import message_from_bytes
from urllib.parse import quote, unquote

from harness.common.errors import UserError
from harness.common.escaping import in_link, quoted, visible_lines
from harness.common.files import page_name
from harness.common.words import counted
from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.results.student_view import StudentView

MOST_BYTES = 1024 * 1024  # of a mail
MOST_ABOUT = 50  # links of a request
MOST_TEXT = 5000  # characters that are shown of it
_MOST_OFFERED = 20  # links on a page
_MOST_IN_MAIL_LINK = 1000  # characters
_DIGITS = 12  # of the files' digest
_LINK = re.compile(
    r"harness:(?P<assignment>[A-Za-z0-9%._~-]{1,200})/(?P<page>[A-Za-z0-9._-]{1,80})"
    rf"/(?P<files>[0-9a-f]{{{_DIGITS}}})(?:#(?P<about>[A-Za-z0-9%/\[\]=._~-]{{1,600}}))?"
)
_HEADER = re.compile(rb"^(?:mime-version|content-type|received|message-id):", re.I | re.M)
_TAG = re.compile(r"<[^<>]*>")
_HINT = "save the mail or its text as a file, with the links in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradeRequest:
    """What a student asks to look at again."""

    assignment: str
    page: str  # the name of the submission's page, without its ending
    files: str  # the first digits of their digest
    about: tuple[str, ...]  # ids of scenarios, and functions; of a student, so of anything
    text: str


def link(view: StudentView, about: str = "") -> str:
    """The link to a submission, and to a scenario or function of it."""
    page = page_name(view.id).removesuffix(".html")
    start = f"harness:{in_link(view.assignment)}/{page}/{view.source_digest[:_DIGITS]}"
    return f"{start}#{in_link(about, safe='/[]=')}" if about else start


def request_text(view: StudentView) -> str:
    """The text of a mail for its student to shorten: a link for each thing to fix that may be
    shown, and one for the whole."""
    parts = [f"Please look again at my {view.title}.", link(view)]
    for cause in view.causes[:_MOST_OFFERED]:
        check = cause.checks[0] if cause.checks else None
        if check is not None:
            parts.append(f"About {check.function}: {check.name}\n{link(view, check.id)}")
        elif cause.function:
            parts.append(f"About {cause.function}: hidden checks\n{link(view, cause.function)}")
    return "\n\n".join([*parts, "Why I think that this is right:"]) + "\n"


def request_mail(view: StudentView) -> str:
    """A `mailto:` link without an address that begins such a mail. It has only the link to the
    whole submission if all links would be too long for a mail program."""
    text = request_text(view)
    if len(text) > _MOST_IN_MAIL_LINK:
        text = f"Please look again at my {view.title}.\n\n{link(view)}\n\nAbout: \n\nWhy: \n"
    subject = quote(f"Regrade request: {view.title}", safe="", errors="replace")
    body = quote(text.replace("\n", "\r\n"), safe="", errors="replace")
    return f"mailto:?subject={subject}&body={body}"


def read_request(data: bytes) -> RegradeRequest:
    """The request in a mail or a text. UserError: it is too large or no text, has no link, too
    many, or links to several submissions."""
    if len(data) > MOST_BYTES:
        raise UserError(f"is larger than {MOST_BYTES // 1024} KiB", hint=_HINT)
    text = _text_of(data)
    links = [*_LINK.finditer(text)]
    if not links:
        hint = f"{_HINT}: harness:…, as the student's page has them"
        raise UserError("has no link of a student's page", hint=hint)
    whose = {each.group("assignment", "page", "files") for each in links}
    if len(whose) > 1:
        pages = ", ".join(sorted({page for _, page, _ in whose})[:3])
        what = f"has links to {len(whose)} submissions or versions of one ({pages})"
        raise UserError(what, hint="open them one by one")
    about = dict.fromkeys(unquote(each["about"].rstrip(".")) for each in links if each["about"])
    if len(about) > MOST_ABOUT:
        what = f"asks about {counted(len(about), 'check')}"
        raise UserError(what, hint=f"at most {MOST_ABOUT} are opened: ask which ones are meant")
    assignment, page, files = links[0].group("assignment", "page", "files")
    return RegradeRequest(
        assignment=unquote(assignment),
        page=page,
        files=files,
        about=tuple(about),
        text=visible_lines(text.replace("\r\n", "\n").strip()[:MOST_TEXT]),
    )


def _text_of(data: bytes) -> str:
    """The text of a mail as it was saved, or of a file of text."""
    head = data.lstrip()[:20_000].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if not _HEADER.search(head):
        return data.decode("utf-8-sig", "replace")
    try:
        # Not the newer policies: they read headers as well, and may fail on what is in these.
        parts = {
            part.get_content_type(): part
            for part in reversed([*message_from_bytes(data).walk()])
            if part.get_content_maintype() == "text"
        }
        kind = next((each for each in ("text/plain", "text/html") if each in parts), "")
        if not kind:
            raise UserError("is a mail without a text", hint=_HINT)
        payload = parts[kind].get_payload(decode=True)
        charset = parts[kind].get_content_charset("utf-8")
    except RecursionError:
        raise UserError("is a mail that is nested too deeply", hint=_HINT) from None
    assert isinstance(payload, bytes)
    try:
        text = payload.decode(charset, "replace")
    except (LookupError, ValueError):  # a charset that nobody has
        text = payload.decode("utf-8", "replace")
    return html.unescape(_TAG.sub(" ", text)) if kind == "text/html" else text


def submission_of(request: RegradeRequest, plan: Plan, ids: Iterable[str]) -> str:
    """The id, among those of a run's submissions, of the one that is meant. UserError where the
    request is about another assignment, or there is none."""
    if request.assignment != plan.assignment.id:
        what = f"is about {quoted(request.assignment)}, and this run is of {plan.assignment.id}"
        raise UserError(what, hint="name the report folder of that assignment")
    for name in ids:
        if page_name(name) == f"{request.page}.html":
            return name
    raise UserError(f"is about {quoted(request.page)}, which is not in this run")


def remarks(request: RegradeRequest, plan: Plan, result: SubmissionResult) -> tuple[str, ...]:
    """Return a line for each part of a request that does not fit the run, to be read first."""
    lines = []
    if not result.source_digest.startswith(request.files):
        what = "The links are of other files than those graded here: of an earlier version, or "
        lines.append(f"{what}of somebody else's page.")
    shown = {each.id: each.visibility is Visibility.VISIBLE for each in plan.scenarios}
    functions = {each.function for each in plan.scenarios}
    for name in request.about:
        if name not in shown and name not in functions:
            lines.append(f"There is no scenario {quoted(name)}.")
        elif not shown.get(name, True):
            lines.append(f"The scenario {quoted(name)} is hidden: the student's page has no link.")
    return tuple(lines)
