"""Mails as a mail program reads them: to whom, with what, whatever a student is called."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.headerregistry import AddressHeader
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from harness.model.result import RunResult, SubmissionResult, SubmissionStatus
from harness.model.submission import Student
from harness.reporting.mail import Mail, MailRequest, mails, usable_address
from harness.reporting.writing import write_reports
from tests.reporting.pages_read import refusal
from tests.reporting.report_samples import FACTS, MANY_FAULTS, PLAN, RUN

AT = datetime(2024, 3, 23, 9, 30, tzinfo=UTC)
REQUEST = MailRequest(sender="CSSE7030, Staff <csse7030@uni.example>", at=AT)
ADA = Student(id="4711", name="Ada Lovelace", email="ada@uni.example")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reports(RUN, PLAN, tmp_path_factory.mktemp("reports")).parent


def of(student: Student | None = ADA, result: SubmissionResult = MANY_FAULTS) -> SubmissionResult:
    return replace(result, student=student)


def made(folder: Path, *results: SubmissionResult, request: MailRequest = REQUEST) -> list[Mail]:
    return [*mails(RunResult(facts=FACTS, submissions=results), PLAN, folder, request)]


def read(mail: Mail) -> EmailMessage:
    message = message_from_bytes(mail.data, policy=default)
    assert isinstance(message, EmailMessage)
    assert mail.data.isascii()
    assert all(len(line) < 998 for line in mail.data.split(b"\r\n"))
    assert [line for line in re.split(rb"\r\n", mail.data) if b"\n" in line] == []
    for part in message.walk():
        assert part.defects == []
    return message


def text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_a_mail_has_the_mark_its_parts_and_the_page(folder: Path) -> None:
    (mail,) = made(folder, replace(of(), comment="Go on."))
    assert (mail.name, mail.to) == ("many-faults.eml", "ada@uni.example")
    message = read(mail)
    assert dict(message.items()) | {"Content-Type": ""} == {
        "Subject": "Connect 4 (ish): 0.88 of 6",
        "From": '"CSSE7030, Staff" <csse7030@uni.example>',
        "To": "Ada Lovelace <ada@uni.example>",
        "Date": "Sat, 23 Mar 2024 09:30:00 +0000",
        "Message-ID": message["Message-ID"],
        "Auto-Submitted": "auto-generated",
        "X-Unsent": "1",
        "MIME-Version": "1.0",
        "Content-Type": "",
    }
    assert text(message).splitlines()[:5] == [
        "Hello Ada Lovelace,",
        "",
        "your mark for Connect 4 (ish) is 0.88 of 6.",
        "- functionality: 0.88",
        "- comment: Go on.",
    ]
    (page,) = message.iter_attachments()
    assert (page.get_filename(), page.get_content_type()) == ("feedback.html", "text/html")
    written = (folder / "feedback" / "many-faults.html").read_text(encoding="utf-8")
    assert page.get_content() == written


def test_the_same_mail_has_the_same_id_and_another_mark_another(folder: Path) -> None:
    ids = [
        read(mail)["Message-ID"]
        for mail in made(folder, of(), of(), replace(of(), mark=None, scenarios=()))
    ]
    assert ids[0] == ids[1] != ids[2]
    assert re.fullmatch("<[0-9a-f]{32}@uni.example>", ids[0])


def test_a_page_may_be_linked_and_an_address_may_come_from_elsewhere(folder: Path) -> None:
    addresses = {"many-faults": "other@uni.example"}
    request = replace(REQUEST, link="https://uni.example/a1/", addresses=addresses)
    (mail,) = made(folder, of(None), request=request)
    message = read(mail)
    assert message["To"] == "many-faults <other@uni.example>"
    assert [*message.iter_attachments()] == []
    assert "https://uni.example/a1/many-faults.html" in message.get_content().splitlines()


NAMES = {
    "lines": "Jo\r\nBcc: all@uni.example\r\n\r\nHello",
    "one of Windows": "Jo\rBcc: all@uni.example",
    "separators": "Jo\u2028Bcc: all@uni.example\x85x",
    "other letters": "Zoë 陈 伟 Müller",
    "quotes and commas": 'O\'Brien, "Jo" <evil@uni.example>, x@y.example (comment) \\',
    "other letters, quotes and commas": 'Müller, "Zoë" <evil@uni.example>; ',
    "encoded words": "=?utf-8?q?Jo=0D=0ABcc:_all@uni.example?=",
    "long": "Zoë, " * 100,
    "a lone surrogate": "Jo \udc80",
    "another direction": "Jo \u202egnp.exe",
    "nothing to see": "\u200b",
}


IN_SUBJECT = "Subject: {{ name }}: {{ title }}\n\n{{ name }}"


def with_template(tmp_path: Path, text: str) -> MailRequest:
    template = tmp_path / "mail.txt"
    template.write_bytes(text.encode("utf-8", "surrogateescape"))
    return replace(REQUEST, template=template)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_name(folder: Path, tmp_path: Path, name: str) -> None:
    request = with_template(tmp_path, IN_SUBJECT)
    (mail,) = made(folder, of(replace(ADA, name=NAMES[name])), request=request)
    message = read(mail)
    assert len(message.keys()) == 9
    assert "\n" not in message["Subject"]
    to = message["To"]
    assert isinstance(to, AddressHeader)
    (address,) = to.addresses
    assert address.addr_spec == "ada@uni.example"
    assert not {"\r", "\n"} & {*address.display_name}
    if name == "other letters":
        assert address.display_name == "Zoë 陈 伟 Müller"


USABLE = {
    "ada@uni.example": "ada@uni.example",
    " Ada.Love+a1@Uni.Example ": "Ada.Love+a1@Uni.Example",
    "jo@exämple.de": "jo@xn--exmple-cua.de",
    "o'brien@localhost": "o'brien@localhost",
    **dict.fromkeys(
        (
            "", "ada", "@uni.example", "ada@", "zoë@uni.example", "a b@uni.example",
            "ada@uni.example, eve@uni.example", "ada@uni.example\r\nBcc: eve@uni.example",
            "Ada <ada@uni.example>", '"a b"@uni.example', "a..b@uni.example", "a@b@c.example",
            "ada@-uni.example", "ada@uni..example", f"{'a' * 65}@uni.example",
            f"a@{'b.' * 130}example", "ada@uni.example.", "ada@[127.0.0.1]", "a@\udc80.example",
        ),
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", USABLE)
def test_an_address_is_one_that_servers_take(text: str) -> None:
    assert usable_address(text) == USABLE[text]


def test_who_has_no_mail_is_named_with_the_reason(folder: Path) -> None:
    waits = of(result=replace(MANY_FAULTS, status=SubmissionStatus.NEEDS_REVIEW))
    found = made(folder, of(None), of(replace(ADA, email="zoë@uni.example")), waits)
    assert [(mail.data, mail.why_not) for mail in found] == [
        (b"", "no address is known"),
        (b"", "zoë@uni.example is not an address"),
        (b"", "needs review"),
    ]


def test_a_template_of_ones_own_is_filled_in(folder: Path, tmp_path: Path) -> None:
    request = with_template(
        tmp_path,
        "Subject: {{ title }}\n {{ 'x' }}\n\n{{ id }}: {{ functionality }}, {{ course }}{{ name }}",
    )
    (mail,) = made(folder, of(replace(ADA, name="Jo\x1b[2J\nBcc: x")), request=request)
    message = read(mail)
    assert message["Subject"] == "Connect 4 (ish)"
    assert "4711: 0.88, CSSE7030" in text(message)
    assert "\x1b" not in text(message)


TEMPLATES = {
    "a mistake": ("Subject: x\n\n{{ name\n", "mail.txt:3: is not a template"),
    "a name that is not there": ("Subject: x\n\n{{ secret }}", "'secret' is undefined. Hint: it"),
    "no number": ("Subject: x\n\n{{ 1 / 0 }}", "cannot be filled in"),
    "what a template may not do": (
        "Subject: {{ title.__class__.__mro__ }}\n", "cannot be filled in",
    ),
    "no subject": ("Hello {{ name }}", "mail.txt:1: has no subject"),
    "an empty subject": ("Subject: {{ '' }}\n\nHello", "mail.txt:1: has no subject"),
    "no UTF-8": ("Subject: \udcff", "byte 9 is not UTF-8"),
}  # fmt: skip
REFUSED = {
    "no template": (replace(REQUEST, template=Path("/nowhere/mail.txt")), "cannot be read"),
    "no sender": (replace(REQUEST, sender="CSSE7030"), "--from: 'CSSE7030' is not an address"),
    "two senders": (replace(REQUEST, sender="a@b.example, c@d.example"), "is not an address"),
    "no link": (replace(REQUEST, link="file:///etc"), "--link: is not a web address"),
    "a link with lines": (replace(REQUEST, link="https://x\ny"), "is not a web address"),
}


@pytest.mark.parametrize("name", [*TEMPLATES, *REFUSED])
def test_unusable_input_is_refused_in_one_line(folder: Path, tmp_path: Path, name: str) -> None:
    if name in TEMPLATES:
        text, said = TEMPLATES[name]
        request = with_template(tmp_path, text)
    else:
        request, said = REFUSED[name]
    line = refusal(made, folder, of(), request=request)
    assert said in line
    assert "\n" not in line.replace("https://x\ny", "")


def test_a_page_that_is_gone_is_named(tmp_path: Path) -> None:
    line = "cannot be read (No such file or directory). Hint: grade again to write it"
    assert refusal(made, tmp_path, of()).endswith(line)
