"""`harness review` by its requests: who may ask, what is refused in one line, what is stored."""

import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from waitress.adjustments import Adjustments
from werkzeug.test import TestResponse

from harness.model.result import CommandLine, SubmissionResult, SubmissionStatus
from harness.model.submission import Lateness, Student
from harness.results.database import StoreReader
from harness.results.regrade_request import request_text
from harness.results.store import Store
from harness.results.student_view import student_view
from harness.review.connections import MAX_CONNECTIONS, THREADS, Connection
from harness.review.desk import ClassPart, Desk
from harness.review.server import HOST, ReviewServer, create_app, read_asked
from tests.reporting.pages_read import Page, refusal
from tests.reporting.report_samples import FACTS
from tests.review.marked_class import COURSE, NAMES, database_of, submission

TOKEN, PORT = "secret-token", 4321
OWN = f"http://{HOST}:{PORT}"
GOOD = {"Host": f"{HOST}:{PORT}", "Origin": OWN, "X-Token": TOKEN}
COUNT = 4


@dataclass(frozen=True, slots=True)
class Window:
    """Somebody's page."""

    desk: Desk
    client: FlaskClient
    database: Path

    def get(self, path: str) -> Any:
        answer = self.client.get(path, headers=GOOD)
        assert answer.status_code == 200, answer.text
        return answer.json

    def post(self, **fields: Any) -> TestResponse:
        return self.client.post("/do", headers=GOOD, json=fields)

    def do(self, number: int, do: str, **fields: Any) -> Any:
        answer = self.post(number=number, do=do, **fields)
        assert answer.status_code == 200, answer.text
        return answer.json

    def is_done(self) -> dict[str, bool]:
        return {row["shown"]: row["done"] for row in self.get("/since/0/0")["rows"]}

    def refused(self, number: Any, do: Any, **fields: Any) -> str:
        """The line that refuses it; nothing is stored."""
        before = self.desk.newest_change
        answer = self.post(number=number, do=do, **fields)
        assert answer.status_code == 400
        self.desk.refresh()
        assert self.desk.newest_change == before
        assert "\n" not in answer.json["error"]
        return str(answer.json["error"])

    def stored(self, name: str) -> SubmissionResult:
        with StoreReader.read_only(self.database) as reader:
            found = reader.whole_result(name)
        assert found is not None
        return found


def window(database: Path, who: str = "ann", request: Path | None = None, **more: Any) -> Window:
    desk = Desk(database, who=who, **more)
    asked = None if request is None else read_asked(request, desk)
    app = create_app(desk, database.parent, TOKEN, asked)
    app.config["PORT"] = PORT
    return Window(desk, app.test_client(), database)


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return database_of(tmp_path_factory.mktemp("run"), COUNT).read_bytes()


@pytest.fixture
def ann(run_once: bytes, tmp_path: Path) -> Window:
    path = tmp_path / "run.sqlite"
    path.write_bytes(run_once)
    return window(path)


def test_a_line_of_a_held_submission_is_commented_on(ann: Window) -> None:
    ann.do(COUNT, "line", file="new.py", line=1, text="Rename this file")
    (comment,) = ann.stored(f"s{COUNT:03}").line_comments
    assert (comment.file, comment.line, comment.text) == ("new.py", 1, "Rename this file")
    assert not comment.outdated


ATTACKS: dict[str, dict[str, str | None]] = {
    "another user without the token": {"X-Token": None},
    "a wrong token": {"X-Token": TOKEN + "x"},
    "a token that is not ASCII": {"X-Token": "s\xe9cret"},
    "another page": {"Origin": "http://evil.example"},
    "another page of this machine": {"Origin": f"http://{HOST}:80"},
    "a page without an origin": {"Origin": "null"},
    "no origin": {"Origin": None},
    "a name that resolves to this machine": {"Host": f"evil.example:{PORT}"},
    "localhost": {"Host": f"localhost:{PORT}"},
    "no port": {"Host": HOST},
    "another port": {"Host": f"{HOST}:80"},
    "a form of another site": {"Sec-Fetch-Site": "cross-site"},
    "a page of the same site": {"Sec-Fetch-Site": "same-site"},
}


@pytest.mark.parametrize("headers", ATTACKS.values(), ids=ATTACKS)
def test_somebody_else_is_refused_in_a_line(ann: Window, headers: dict[str, str | None]) -> None:
    sent = {name: value for name, value in {**GOOD, **headers}.items() if value is not None}
    fields = {"number": 1, "do": "comment", "text": "evil"}
    answer = ann.client.post("/do", headers=sent, json=fields)
    assert answer.status_code == 403
    assert list(answer.json) == ["error"]
    assert ann.stored("s001").comment == ""
    if "Origin" not in headers or headers["Origin"]:
        assert ann.client.get("/since/0/0", headers=sent).status_code == 403


def test_the_page_without_the_token_has_nothing_of_the_run(ann: Window) -> None:
    answer = ann.client.get("/", headers={"Host": f"{HOST}:{PORT}"})
    assert answer.status_code == 200
    assert "s001" not in answer.text
    assert TOKEN not in answer.text
    assert COURSE.assignment.title not in answer.text
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"
    policy = answer.text.partition('content="')[2].partition('"')[0]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "http" not in policy
    assert "unsafe" not in policy
    assert ann.client.get("/", headers={"Host": "evil.example"}).status_code == 403


MARKUP = "<img src=x onerror=alert(1)>\x1b[31m=cmd|' /C calc'!A0"


def test_text_by_people_and_programs_is_inert(ann: Window) -> None:
    ann.do(1, "comment", text=MARKUP)
    ann.do(1, "line", file="a1.py", line=2, text=MARKUP)
    ann.do(1, "item", slot="report", title=MARKUP, points="1")
    html = ann.do(1, "override", mark="1", reason=MARKUP)["html"]
    assert html.count("&lt;img src=x") >= 5
    for tag, attributes in Page(html).elements:
        assert tag not in ("img", "script", "iframe")
        assert not any(name.startswith(("on", "src", "style")) for name in attributes)
    found = ann.stored("s001")
    assert (found.comment, found.line_comments[0].text) == (MARKUP, MARKUP)


REFUSED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "this list has no submission 99": (99, "comment", {"text": "x"}),
    "this is not a request of the page": ("1", "comment", {"text": "x"}),
    "do is not a text": (1, 7, {}),
    "unknown action 'burn'": (1, "burn", {}),
    "style: 'many' is not a number": (1, "mark", {"slot": "style", "mark": "many"}),
    "style: '1e999999' is not a number": (1, "mark", {"slot": "style", "mark": "1e999999"}),
    "Style: 5 is not between 0 and 4": (1, "mark", {"slot": "style", "mark": "5"}),
    "the assignment has no mark 'other'": (1, "mark", {"slot": "other", "mark": "1"}),
    "Style: -1 is not between 0 and 4": (1, "mark", {"slot": "style", "mark": "-1"}),
    "style: the rubric has no 'none'": (1, "pick", {"slot": "style", "item": "none"}),
    "style: the rubric has no 'shape'": (1, "pick", {"slot": "style", "item": "shape"}),
    "style: the rubric has no 'shape odd'": (
        1, "pick", {"slot": "style", "item": "shape", "level": "odd"},
    ),
    "Style: 2.00 points more would exceed 4.00. Hint: the rubric already adds up to 3.00": (
        1, "item", {"slot": "style", "title": "More", "points": "2"},
    ),
    "The report: 2.50 points more would exceed 2.00. Hint: the rubric already adds up to 0.00": (
        1, "item", {"slot": "report", "title": "More", "points": "5/2"},
    ),
    "a rubric item needs points": (1, "item", {"slot": "style", "title": "More"}),
    "a rubric item needs a title": (1, "item", {"slot": "style", "points": "1"}),
    "the points must be between -100000 and 100000, got -200000.00": (
        1, "item", {"slot": "style", "title": "Less", "points": "-200000"},
    ),
    "an override of -1.00 is below 0": (1, "override", {"mark": "-1", "reason": "r"}),
    "an override needs a reason": (1, "override", {"mark": "1", "reason": " "}),
    "functionality is out of 6.46": (1, "override", {"mark": "7.1", "reason": "r"}),
    "an override of 200000.00 is not a mark": (1, "override", {"mark": "200000", "reason": "r"}),
    "the reason is too long (501 characters). Hint: at most 500 are kept": (
        1, "override", {"mark": "1", "reason": "x" * 501},
    ),
    "the comment is empty": (1, "line", {"file": "a1.py", "line": 1, "text": " "}),
    "a1.py has no line 99": (1, "line", {"file": "a1.py", "line": 99, "text": "x"}),
    "a1.py has no line 0": (1, "line", {"file": "a1.py", "line": 0, "text": "x"}),
    "the submission has no file 'b.py' to comment on": (
        1, "line", {"file": "b.py", "line": 1, "text": "x"},
    ),
    "unknown comment '../x'": (
        1, "line", {"comment": "../x", "file": "a1.py", "line": 1, "text": "x"},
    ),
    "line is not a number": (1, "line", {"file": "a1.py", "line": True, "text": "x"}),
    "the comment is too long (1,048,576 characters). Hint: at most 10,000 are kept": (
        1, "comment", {"text": "x" * 2**20},
    ),
    "the comment is too long (10,001 characters). Hint: at most 10,000 are kept": (
        1, "keep", {"text": "x" * 10_001},
    ),
    "not marked yet: Style, The report": (1, "done", {}),
    "this class has no student '9999'": (
        COUNT, "decide", {"kind": "match", "value": "9999"},
    ),
    "'burn' is not a decision": (1, "decide", {"kind": "burn", "value": "x"}),
    "the submission has no file 'x.py' to choose": (
        COUNT, "decide", {"kind": "choose", "value": "x.py"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_a_mistake_is_a_line_and_nothing_is_stored(ann: Window, line: str) -> None:
    number, do, fields = REFUSED[line]
    assert ann.refused(number, do, **fields) == line


TAKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "no mark": ("mark", {"slot": "style"}),
    "the whole mark": ("mark", {"slot": "style", "mark": "4"}),
    "an item that is gone no more": ("pick", {"slot": "style", "item": "gone", "off": "yes"}),
    "an item that takes the rest": ("item", {"slot": "style", "title": "More", "points": "1"}),
    "an item that takes away": ("item", {"slot": "style", "title": "Less", "points": "-9"}),
    "the longest comment": ("comment", {"text": "x" * 10_000}),
    "the highest override": ("override", {"mark": "6.46", "reason": "x" * 500}),
    "no override": ("override", {}),
    "no choice": ("decide", {"kind": "choose"}),
}


@pytest.mark.parametrize("name", TAKEN)
def test_allowed_actions_are_stored(ann: Window, name: str) -> None:
    do, fields = TAKEN[name]
    before = ann.desk.newest_change
    ann.do(1, do, **fields)
    assert ann.desk.newest_change == before + 1


def test_an_invalid_request_is_refused(ann: Window) -> None:
    for data in (b"", b"{", b"[1]", b"\xff", b"[" * 100_000):
        headers = {**GOOD, "Content-Type": "application/json"}
        assert ann.client.post("/do", headers=headers, data=data).status_code == 400
    assert ann.client.post("/do", headers=GOOD, data={"number": "1"}).status_code == 415
    long = ann.post(number=1, text="x" * 5_000_000)
    assert (long.status_code, long.json) == (413, {"error": "the request is too long"})
    assert ann.client.get("/none", headers=GOOD).status_code == 404


def test_marks_are_stored_at_once(ann: Window) -> None:
    ann.do(1, "pick", slot="style", item="names")
    ann.do(1, "pick", slot="style", item="shape", level="some")
    ann.do(1, "pick", slot="style", item="names", off="yes")
    ann.do(1, "mark", slot="report", mark="1,5")
    done = ann.do(1, "comment", text="Good.\r\nGo on. ")
    assert [row["done"] for row in done["rows"]] == [True]
    found = ann.stored("s001")
    assert [part.mark for part in found.manual] == [Fraction(1, 2), Fraction(3, 2)]
    assert found.comment == "Good.\nGo on."
    ann.do(1, "mark", slot="report", mark="")
    assert ann.stored("s001").manual[1].mark is None
    ann.do(1, "mark", slot="report", mark="start")
    assert ann.stored("s001").manual[1].mark == 2
    ann.do(1, "comment", text="half \ud83d, whole \U0001f600, \x00 zero")
    assert ann.stored("s001").comment == "half \ufffd, whole \U0001f600, \ufffd zero"


def test_a_comment_on_a_line_is_changed_removed_and_kept_ones_are_offered(ann: Window) -> None:
    ann.do(1, "line", file="a1.py", line=4, text="Why?")
    (comment,) = ann.stored("s001").line_comments
    assert (comment.line, comment.quoted) == (4, "    return len(text)")
    ann.do(1, "line", comment=comment.id, text="Why so?")
    assert [each.text for each in ann.stored("s001").line_comments] == ["Why so?"]
    assert ann.get("/since/0/0")["offered"] == ["Why so?"]
    ann.do(1, "line", comment=comment.id, text="")
    assert ann.stored("s001").line_comments == ()
    ann.do(1, "comment", text="Used.")
    ann.do(1, "keep", text="Kept.")
    assert ann.do(2, "keep", text="Kept last.")["offered"] == ["Kept last.", "Kept.", "Used."]


def test_undo_goes_back_through_what_one_person_did(ann: Window) -> None:
    ben = window(ann.database, "ben")
    ann.do(1, "comment", text="One.")
    ann.do(2, "comment", text="Two.")
    ben.do(2, "override", mark="3", reason="r")
    said = [ann.client.post("/undo", headers=GOOD, json={}).json for _ in range(3)]
    assert said == [
        {"number": 2, "said": "undone: comment of s002"},
        {"number": 1, "said": "undone: comment of s001"},
        {"error": "you have no change to undo"},
    ]
    assert (ann.stored("s001").comment, ann.stored("s002").comment) == ("", "")
    assert ann.stored("s002").override is not None


def test_a_text_that_was_stored_in_parts_is_undone_at_once(ann: Window) -> None:
    own = "0123456789abcdef" * 2
    begun = ann.do(1, "line", comment=own, file="a1.py", line=2, text="Say")
    about: dict[str, Any] = {"comment": own, "file": "a1.py", "line": 2}
    more = ann.do(1, "line", **about, text="Say why", continues=begun["change"])
    assert [each.text for each in ann.stored("s001").line_comments] == ["Say why"]
    taken_back = ann.client.post("/undo", headers=GOOD, json={"change": more["change"]}).json
    assert taken_back["said"] == "undone: comment on line 2 of s001"
    assert ann.stored("s001").line_comments == ()
    assert ann.client.post("/redo", headers=GOOD, json={}).json["number"] == 1
    assert [each.text for each in ann.stored("s001").line_comments] == ["Say why"]


def test_only_a_change_of_ones_own_is_continued_or_undone_by_its_id(ann: Window) -> None:
    ben = window(ann.database, "ben")
    given = ann.do(1, "mark", slot="style", mark="3")
    ben.do(1, "mark", slot="style", mark="2", continues=given["change"])
    refused = ben.client.post("/undo", headers=GOOD, json={"change": given["change"]})
    assert refused.status_code == 400
    ben.client.post("/undo", headers=GOOD, json={})
    assert ann.stored("s001").manual[0].mark == 3
    for value in (7, None):
        answer = ann.client.post("/undo", headers=GOOD, json={"change": value})
        assert answer.json == {"error": "this is not a request of the page"}


def test_a_newer_change_that_is_replaced_unseen_is_told(ann: Window) -> None:
    ben = window(ann.database, "ben")
    seen = ben.get("/submission/1")["rows"][0]["seen"]
    ann.do(1, "mark", slot="style", mark="3")
    ann.do(1, "comment", text="By Ann")
    assert ben.do(1, "mark", slot="report", mark="1", seen=seen)["replaced"] == []
    assert ben.do(1, "mark", slot="style", mark="2", seen=seen)["replaced"] == ["ann"]
    now = ben.get("/submission/1")["rows"][0]["seen"]
    assert ben.do(1, "comment", text="By Ben", seen=now)["replaced"] == []


def test_a_second_window_sees_it(ann: Window) -> None:
    ben = window(ann.database, "ben")
    seen = ben.get("/since/0/0")
    assert ben.get(f"/since/{seen['made']}/{seen['last']}")["rows"] == []
    ann.do(2, "pick", slot="style", item="names")
    ann.do(2, "item", slot="style", title="More", points="1")
    news = ben.get(f"/since/{seen['made']}/{seen['last']}")
    assert [(row["number"], row["begun"]) for row in news["rows"]] == [(2, True)]
    assert "<bdi>More</bdi>" in ben.get("/submission/3")["html"]
    assert ben.get(f"/since/{seen['made']}/{news['last']}")["rows"] == []


def test_a_run_that_is_graded_again_while_somebody_marks(ann: Window) -> None:
    seen = ann.get("/since/0/0")
    ann.do(1, "line", file="a1.py", line=2, text="This comment.")
    with Store.open(ann.database) as store:
        again = replace(store.facts(), started="2027-01-01T00:00:00+00:00", complete=False)
        store.begin(again, COURSE)
        store.keep_only(["s002", "s003", "s004"])
        told = "s001 is being graded. Hint: try again in a moment"
        assert ann.refused(1, "comment", text="x") == told
        changed = submission(1)
        file = replace(changed.files[0], data=b"# new\n" + changed.files[0].data)
        store.save(replace(changed, source_digest="f" * 64, files=(file,)))
        store.finish(replace(again, finished="2027-01-01T00:01:00+00:00", complete=True))
    news = ann.get(f"/since/{seen['made']}/{seen['last']}")
    assert news["made"] > seen["made"]
    assert len(news["rows"]) == COUNT
    html = ann.get("/submission/1")["html"]
    assert "This comment." in html
    assert "line 2 before the file changed" in html


def test_a_student_who_is_forgotten_meanwhile_is_gone(ann: Window) -> None:
    ann.do(1, "comment", text="zq-secret")
    with Store.open(ann.database) as store:
        store.forget("s001", replace(store.facts(), notices=("one is forgotten",)))
    index = ann.get("/since/0/0")
    assert "zq-secret" not in str(index)
    assert "s001" not in str(index)


def test_the_order_has_first_what_needs_a_person(ann: Window) -> None:
    first, *_ = ann.get("/since/0/0")["rows"]
    assert first["reason"] == "needs review"
    done = ann.is_done()
    assert [*done] == ["s004", "s003", "s001", "s002"]
    assert not any(done.values())
    ann.do(3, "mark", slot="style", mark="1")
    assert not ann.do(3, "mark", slot="report", mark="1")["rows"][0]["done"]  # it is flagged
    assert ann.do(3, "done")["rows"][0]["done"]


def test_held_submissions_are_decided(ann: Window) -> None:
    assert 'data-kind="choose" data-value="new.py"' in ann.get(f"/submission/{COUNT}")["html"]
    ann.do(COUNT, "decide", kind="choose", value="new.py")
    ann.do(COUNT, "decide", kind="match", value="4711", added="yes")
    assert ann.do(COUNT, "decide", kind="excuse", value="ill")["rows"][0]["done"]
    found = ann.stored("s004")
    kinds = {decision.kind.value: decision.value for decision in found.decisions}
    assert kinds == {"choose": "new.py", "match": "4711", "excuse": "ill"}
    assert "excused: ill" in found.notes
    ann.do(COUNT, "decide", kind="choose", value="")
    assert len(ann.stored("s004").decisions) == 2


def test_a_held_submission_is_assigned_by_name(ann: Window) -> None:
    ann.do(COUNT, "decide", kind="match", value="student <2>")
    decided = {each.kind.value: each.value for each in ann.stored("s004").decisions}
    assert decided == {"match": "s002"}


def test_done_means_marked_and_looked_at(ann: Window) -> None:
    for slot in ("style", "report"):
        assert not ann.is_done()["s003"]
        ann.do(3, "mark", slot=slot, mark="1")
    assert not ann.is_done()["s003"]
    ann.do(3, "done")
    assert ann.is_done()["s003"]
    ann.do(3, "mark", slot="style", mark="")
    assert not ann.is_done()["s003"]
    assert ann.desk.progress() == (0, COUNT)


def test_a_chosen_submission_is_marked_when_graded_and_a_late_one_is_done(ann: Window) -> None:
    assert ann.do(COUNT, "decide", kind="choose", value="new.py")["rows"][0]["done"]
    late = replace(submission(2), status=SubmissionStatus.LATE, mark=None, scenarios=(), files=())
    with Store.open(ann.database) as store:
        store.save(replace(submission(2), id="s004"))
        store.save(late)
        store.finish(replace(store.facts(), notices=("again",)))
    assert ann.is_done() == {"s001": False, "s002": True, "s003": False, "s004": False}


def test_parts_are_a_class_without_overlap(ann: Window) -> None:
    parts = [window(ann.database, part=ClassPart(number=n, of=3)) for n in (1, 2, 3)]
    names = sorted(name for each in parts for name in each.is_done())
    assert names == [f"s{n:03}" for n in range(1, COUNT + 1)]
    parts[1].do(1, "comment", text="In a part.")
    assert ann.stored("s002").comment == "In a part."


def test_marking_can_hide_the_names(ann: Window) -> None:
    ben = window(ann.database, "ben", anonymous=True)
    seen = str(ben.get("/since/0/0")) + "".join(
        ben.get(f"/submission/{n}")["html"].replace("the s00", "") for n in range(1, COUNT + 1)
    )
    for hidden in ("s001", "s004", "Student", "old.py", "_a1.py", "handed in"):
        assert hidden not in seen
    assert sorted(ben.is_done()) == [f"Submission {n}" for n in range(1, COUNT + 1)]
    ben.do(1, "comment", text="Fair.")
    assert len([n for n in range(1, COUNT + 1) if ann.stored(f"s{n:03}").comment]) == 1


WHO = "Xanthippe"


def test_no_view_of_anonymous_marking_names_a_student(ann: Window) -> None:
    student = Student(id=f"{WHO}-1", name=WHO, email=f"{WHO}@example.edu")
    notes = (f"{WHO}.py was graded as a1.py",)
    named = {"student": student, "source": f"{WHO}/", "notes": notes}
    facts = replace(FACTS, complete=True, notices=(f"{WHO} is unknown",), command=AGAIN)
    with Store.open(ann.database) as store:
        for number in range(1, COUNT + 1):
            result = ann.stored(f"s{number:03}")
            store.forget(result.id, facts)
            problem = f"found {WHO}.py" if result.problem else ""
            store.save(replace(result, id=f"{WHO}-{number}", problem=problem, **named))
    hidden = window(ann.database, anonymous=True)
    seen = [str(hidden.get("/since/0/0"))]
    for number in range(1, COUNT + 1):
        seen.append(str(hidden.get(f"/submission/{number}")))
        path = hidden.client.post(f"/preview/{number}", headers=GOOD, json={}).json["path"]
        seen.append(hidden.client.get(path, headers={"Host": GOOD["Host"]}).text)
        seen.append(str(hidden.do(number, "comment", text="Fair.")))
    seen.append(str(hidden.client.post("/undo", headers=GOOD, json={}).json))
    assert "Fair." in "".join(seen)
    assert [text for text in seen if WHO.lower() in text.lower()] == []
    assert WHO in str(window(ann.database).get("/since/0/0"))


AGAIN = CommandLine(folder="/term 1", words=("harness", "grade", f"in/{WHO}", "--roster", "r.csv"))


def test_a_decision_is_applied_by_the_command_that_graded_the_class(ann: Window) -> None:
    command = "harness grade in/Xanthippe --roster r.csv"
    assert command not in ann.do(COUNT, "decide", kind="choose", value="new.py")["html"]
    with Store.open(ann.database) as store:
        store.finish(replace(store.facts(), command=AGAIN))
    screen = unescape(ann.get(f"/submission/{COUNT}")["html"])
    assert f"cd '/term 1'\n{command}" in screen


def test_a_students_request_is_opened(ann: Window, tmp_path: Path) -> None:
    mail = tmp_path / "mail.txt"
    view = student_view(submission(2), COURSE)
    mail.write_text(request_text(view) + "I checked it. <b>Really.</b>\n")
    ben = window(ann.database, request=mail)
    html = ben.get("/submission/2")["html"]
    assert "Regrade request" in html
    assert "&lt;b&gt;Really.&lt;/b&gt;" in html
    for number, cause in enumerate(view.causes[:2], start=1):
        link = f'<a href="#cause-{number}">thing to fix {number}</a>'
        assert f"<code>{cause.checks[0].id}</code>: {link}" in html
        assert re.search(rf'<details class="card fix" open>\s*<summary><h3>{number}\. ', html)
    assert "Regrade request" not in ben.get("/submission/1")["html"]
    for text, line in (
        ("Please!", "mail.txt: contains no link from a student's page"),
        (request_text(replace(view, id="s099")), 'is about "s099", which is not in this run'),
    ):
        mail.write_text(text)
        assert line in refusal(window, ann.database, request=mail)


def test_the_address_has_a_token_that_is_never_sent(ann: Window) -> None:
    server = ReviewServer(ann.desk, ann.database.parent)
    with closing(server):
        assert server.address == f"http://127.0.0.1:{server.port}/#token={server.token}"
        assert len(server.token) >= 40
        taken = refusal(ReviewServer, ann.desk, ann.database.parent, server.port)
        assert f"port {server.port} of this machine is in use" in taken


@contextmanager
def serving(ann: Window) -> Iterator[ReviewServer]:
    server = ReviewServer(ann.desk, ann.database.parent)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
        server.close()


def asked_with_token(server: ReviewServer, connection: http.client.HTTPConnection) -> Any:
    connection.request("GET", "/since/0/0", headers={"X-Token": server.token})
    return json.load(connection.getresponse())


NOTHING, HALF_A_REQUEST = b"", b"POST /do HTTP/1.1\r\nContent-Length: 9\r\n\r\n"


@pytest.mark.parametrize("sent", [NOTHING, HALF_A_REQUEST], ids=["nothing", "half a request"])
def test_other_users_cannot_use_up_connections_or_threads(ann: Window, sent: bytes) -> None:
    before = threading.active_count()
    with serving(ann) as server, ExitStack() as stack:
        mine = stack.enter_context(closing(http.client.HTTPConnection(HOST, server.port)))
        rows = asked_with_token(server, mine)["rows"]
        others = []
        for _ in range(300):
            other = stack.enter_context(socket.create_connection((HOST, server.port)))
            other.sendall(sent)
            others.append(other)
        new = stack.enter_context(closing(http.client.HTTPConnection(HOST, server.port)))
        assert asked_with_token(server, new)["rows"] == rows
        assert asked_with_token(server, mine)["rows"] == rows  # over the connection of before
        assert threading.active_count() <= before + THREADS + 1
        assert sum(map(is_open, others)) <= MAX_CONNECTIONS


def is_open(connection: socket.socket) -> bool:
    """Whether the server keeps it: it closed those that it gave up before it answered the last."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def test_a_malformed_request_has_a_path_that_can_be_named() -> None:
    """waitress names it if the client has gone meanwhile."""
    request = Connection.parser_class(Adjustments())
    request.received(b"\x00\xff GET x\r\n\r\n")
    assert request.error is not None
    assert request.path == ""


def test_a_request_that_is_too_long_is_refused(ann: Window) -> None:
    with serving(ann) as server, closing(http.client.HTTPConnection(HOST, server.port)) as mine:
        mine.putrequest("POST", "/do")
        mine.putheader("Content-Length", str(1 << 30))
        mine.endheaders()
        answer = mine.getresponse()
        assert answer.status == 413
        assert "Server" not in answer.headers


def test_a_folder_that_cannot_be_written_is_a_line(tmp_path: Path) -> None:
    assert "\n" not in refusal(Desk, tmp_path / "run.sqlite", who="ann")


def test_redo_takes_back_an_undo_until_something_else_is_done(ann: Window) -> None:
    def asked(path: str) -> str:
        answer = ann.client.post(path, headers=GOOD, json={}).json
        return str(answer.get("said", answer.get("error")))

    nothing = "you have no change to redo"
    ann.do(1, "comment", text="First.")
    ann.do(2, "comment", text="Second.")
    assert asked("/redo") == nothing
    assert [asked("/undo"), asked("/undo")] == [
        "undone: comment of s002",
        "undone: comment of s001",
    ]
    assert asked("/redo") == "done again: comment of s001"
    assert (ann.stored("s001").comment, ann.stored("s002").comment) == ("First.", "")
    assert asked("/redo") == "done again: comment of s002"
    assert asked("/redo") == nothing
    assert ann.stored("s002").comment == "Second."
    assert asked("/undo") == "undone: comment of s002"
    ann.do(1, "comment", text="Third.")
    assert asked("/redo") == nothing


def test_a_preview_is_the_students_page_for_one_time(ann: Window) -> None:
    path = ann.client.post("/preview/2", headers=GOOD, json={}).json["path"]
    own = {"Host": GOOD["Host"]}
    page = ann.client.get(path, headers=own)
    assert page.status_code == 200
    assert "Feedback for" in page.text
    assert "Scenarios shared" not in page.text
    assert ann.client.get(path, headers=own).status_code == 403
    assert ann.client.post("/preview/2", headers=own, json={}).status_code == 403
    assert ann.client.post("/preview/99", headers=GOOD, json={}).status_code == 400


def test_previews_of_several_windows_open_each_one_time(ann: Window) -> None:
    own = {"Host": GOOD["Host"]}
    paths = [ann.client.post("/preview/2", headers=GOOD, json={}).json["path"] for _ in range(22)]
    statuses = [ann.client.get(path, headers=own).status_code for path in paths[:-1]]
    assert statuses == [403, 403, *[200] * 19]

    def opened(_: int) -> int:
        return ann.client.get(paths[-1], headers=own).status_code

    with ThreadPoolExecutor(12) as pool:
        assert sorted(pool.map(opened, range(12))) == [200, *[403] * 11]


def test_the_screen_counts_items_and_names_authors_and_equal_files(
    ann: Window,
) -> None:
    ann.do(1, "pick", slot="style", item=NAMES.id)
    ann.do(2, "pick", slot="style", item=NAMES.id)
    html = ann.do(1, "line", file="a1.py", line=2, text="Why?")["html"]
    assert '<small class="used">2 submissions</small>' in html
    assert '<small class="quiet"><bdi>ann</bdi></small>' in html
    held = ann.get(f"/submission/{COUNT}")["html"]
    assert "(same content as <bdi>old.py</bdi>)" in held
    marks = {row["shown"]: row["mark"] for row in ann.get("/since/0/0")["rows"]}
    assert marks["s001"].endswith(" of 12 so far")
    assert marks[f"s{COUNT:03}"] == ""


def test_marking_without_names_shows_no_due_time_of_one_s_own(ann: Window) -> None:
    late = Lateness(due="2031-01-02T03:04:05+00:00", slip_days=1)
    extended = replace(submission(1), late=late, extended_to="2031-01-02T03:04:05+00:00")
    with Store.open(ann.database) as store:
        store.save(extended)
    hidden = window(ann.database, anonymous=True)
    texts = [str(hidden.get(f"/submission/{number}")) for number in range(1, COUNT + 1)]
    assert not any("2031" in text for text in texts)
    assert any("1 slip day used" in text for text in texts)


def test_the_page_begins_at_a_student_who_is_named(ann: Window) -> None:
    assert ann.desk.number_of("s002") == ann.desk.number_of("Student <2>") == 2
    server = ReviewServer(ann.desk, ann.database.parent, begin=2)
    with closing(server):
        assert server.address.endswith("&at=2")
