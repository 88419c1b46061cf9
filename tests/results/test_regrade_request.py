"""Requests for another look, as a page offers them and as mail programs change them."""

import time
from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from harness.results.regrade_request import (
    MAX_BYTES,
    MAX_TEXT,
    RegradeRequest,
    link,
    read_request,
    remarks,
    request_text,
    submission_of,
)
from harness.results.student_view import student_view
from tests.reporting.pages_read import refusal
from tests.reporting.report_samples import MANY_FAULTS, PERFECT, PLAN, SECRET

RESULT = replace(MANY_FAULTS, id="Smith, Jo\u202e")
VIEW = student_view(RESULT, PLAN)
OFFERED = request_text(VIEW)
IDS = ("perfect", RESULT.id)
WINS = link(VIEW, "check_win/boards-with-a-line-of-four")


def read(text: str) -> RegradeRequest:
    return read_request(text.encode())


def mail(text: str, subtype: str = "plain", encoding: str = "quoted-printable") -> bytes:
    message = EmailMessage(policy=SMTP)
    message["Subject"] = "Another look"
    message.set_content("see the other part" if subtype == "html" else text, cte=encoding)
    if subtype == "html":
        message = EmailMessage(policy=SMTP)
        message.set_content(text, subtype="html", cte=encoding)
    message.add_attachment(b"\0\1", maintype="image", subtype="png", filename="look.png")
    return bytes(message)


def test_a_request_from_a_page_is_read_back() -> None:
    request = read(OFFERED)
    assert submission_of(request, PLAN, IDS) == RESULT.id
    assert list(request.about) == [cause.checks[0].id for cause in VIEW.causes]
    assert remarks(request, PLAN, RESULT) == ()
    assert SECRET.id not in OFFERED
    assert RESULT.id not in OFFERED
    # A page without faults offers a link to the whole.
    request = read(request_text(student_view(PERFECT, PLAN)))
    assert request.about == ()
    assert submission_of(request, PLAN, IDS) == "perfect"


HTML = "<p>Hi,<br>{}</p><style>p {{ color: red }}</style>"
MAILS: dict[str, Callable[[str], bytes]] = {
    "quoted, line ends of Windows": lambda text: f"> {text}\n".replace("\n", "\r\n> ").encode(),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "quoted-printable": mail,
    "base64": lambda text: mail(text, encoding="base64"),
    "HTML alone": lambda text: mail(HTML.format(text.replace("\n", "<br>")), "html"),
    "a sentence": lambda text: f"Why is {text.split()[-1]}. wrong?".encode(),
    "in brackets": lambda text: f"see <{text.split()[-1]}>, please".encode(),
    "a charset of no mail": lambda text: mail(text).replace(b'"utf-8"', b'"unicode_escape"'),
    "a charset that nobody has": lambda text: mail(text).replace(b'"utf-8"', b'"klingon"'),
    "Latin-1": lambda text: f"Grüße: {text}".encode("latin-1"),
}


@pytest.mark.parametrize("name", MAILS)
def test_a_request_is_read_as_mail_programs_write_it(name: str) -> None:
    request = read_request(MAILS[name](f"About check_win:\n{WINS}"))
    assert request.about == ("check_win/boards-with-a-line-of-four",)
    assert submission_of(request, PLAN, IDS) == RESULT.id


OTHER = link(student_view(PERFECT, PLAN))
REFUSED = {
    "nothing": ("", "contains no link"),
    "no link": ("Please look again.", "contains no link"),
    "a page that is a path": (WINS.replace("harness:", "harness:../../etc/"), "contains no link"),
    "two submissions": (f"{WINS}\n{OTHER}", "has links to 2 different submissions"),
    "two versions": (f"{WINS}\n{WINS.replace('abab', 'cdcd')}", "versions"),
    "too many": ("\n".join(link(VIEW, f"f/{n}") for n in range(51)), "asks about 51 checks"),
    "too large": ("x" * (MAX_BYTES + 1), "is larger than 1024 KiB"),
    "a mail without text": (
        "MIME-Version: 1.0\nContent-Type: image/png\n\nharness:", "is an email without a text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_invalid_request_is_refused_in_one_line(name: str) -> None:
    text, said = REFUSED[name]
    line = refusal(read, text)
    assert said in line
    assert "\n" not in line


def test_a_mail_that_is_nested_without_end_costs_little() -> None:
    nested = b"MIME-Version: 1.0\n" + b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(15_000)
    )
    before = time.process_time()
    assert "nested too deeply" in refusal(read_request, nested)
    for text in ("<" * 500_000, "harness:" * 120_000, "harness:a/" * 100_000, "a:\n" * 300_000):
        assert "contains no link" in refusal(read, text)
    assert time.process_time() - before < 5


def test_a_text_is_shown_and_does_nothing() -> None:
    request = read(f"{WINS}\n\x1b[2J\u202e<script>{'x' * MAX_TEXT}")
    assert "\\x1b[2J\\u202e<script>" in request.text
    assert "\x1b" not in request.text
    assert len(request.text) < MAX_TEXT + 100


def test_another_assignment_and_nobody_here_are_named() -> None:
    other = read(WINS.replace("connect4ish", "connect5"))
    assert 'is about "connect5"' in refusal(submission_of, other, PLAN, IDS)
    assert "is not in this run" in refusal(submission_of, read(WINS), PLAN, ("perfect",))


def test_links_that_do_not_fit_the_run_are_reported() -> None:
    text = "\n".join(link(VIEW, each) for each in ("check_win", "nothing/\x1b", SECRET.id))
    other = replace(RESULT, source_digest="cd" * 32)
    files, unknown, hidden = remarks(read(text), PLAN, other)
    assert "other files than those graded here" in files
    assert unknown == 'The scenario "nothing/\\x1b" does not exist.'
    assert "is hidden" in hidden
