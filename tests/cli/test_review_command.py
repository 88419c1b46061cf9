"""`harness review` as it is called: its address, what is marked over it, the reports at its end;
and a held submission that is decided and graded."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tiny_course import Course, submission

# What it is called with, and the file that this is: in "seen".
BROWSER = """\
#!/bin/sh
path=${1#file://}
{ echo "$1"; ls -l "$path" | cut -c1-10; cat "$path"; } > seen
"""
SUBMISSION = "submission: {files: [a1.py]}"


def asked(address: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
    """What the page's server answers to whoever has the address."""
    origin, _, token = address.partition("/#token=")
    data = None if fields is None else json.dumps(fields).encode()
    headers = {"X-Token": token, "Origin": origin, "Content-Type": "application/json"}
    request = urllib.request.Request(f"{origin}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.process
def test_a_held_submission_is_decided_and_graded(course: Course) -> None:
    course.edit(
        "specs/tiny/assignment.yaml", SUBMISSION, "submission: {files: [a1.py], otherwise: review}"
    )
    own = course.path("submissions/tiny/perfect")
    text = (own / "a1.py").read_text(encoding="utf-8")
    course.write("in/zoe/old.py", "x = 1\n")
    course.write("in/zoe/new.py", text)
    course.ok("grade", "in", "--assignment", "tiny")
    assert submission(course.report, "zoe")["status"] == "needs_review"

    browser = course.write("browser", BROWSER)
    browser.chmod(0o755)
    seen = course.path("seen")
    page = course.on_terminal("review", "reports/tiny", "--who", "ann", BROWSER=f"{browser} %s")
    page.expect(r"Review: (http://127\.0\.0\.1:\d+/#token=[\w-]+)\s")
    address = page.match[1]
    (entry,) = asked(address, "/index")["entries"]
    assert (entry["shown"], entry["reason"]) == ("zoe", "needs review")
    number = entry["number"]
    comment = {"number": number, "do": "comment", "text": "Name it a1.py."}
    asked(address, "/do", comment)
    asked(address, "/do", {"number": number, "do": "decide", "kind": "choose", "value": "new.py"})
    called, mode, opened = seen.read_text(encoding="utf-8").split("\n", 2)
    assert address not in called  # a command line is everybody's
    assert (mode, f"url={address}" in opened) == ("-rw-------", True)
    page.sendintr()
    page.expect("0 of 1 have their whole mark")
    page.assert_ended(0)
    told = submission(course.report, "zoe")
    assert (told["comment"], told["decisions"]) == ("Name it a1.py.", {"choose": "new.py"})
    assert "Name it a1.py." in (course.report / "feedback/zoe.html").read_text(encoding="utf-8")
    assert sorted(path.name for path in course.report.glob("run.sqlite*")) == [
        "run.sqlite",
        "run.sqlite.lock",
    ]

    course.ok("grade", "in", "--assignment", "tiny")
    told = submission(course.report, "zoe")
    assert (told["status"], told["mark"], told["comment"]) == ("graded", 6.0, "Name it a1.py.")
    assert "a person chose new.py" in told["notes"]


REFUSED = {
    "--part 4/3 is no part. Hint: write 1/3 for the first of three": ["--part", "4/3"],
    "--part 0/3 is no part. Hint: write 1/3 for the first of three": ["--part", "0/3"],
    "--request shows who asks, and --anonymous hides it. Hint: leave out one": [
        *("--request", "m.txt", "--anonymous")
    ],
    "m.txt: cannot be read (No such file or directory)": ["--request", "m.txt"],
    "--part x is no part. Hint: write 1/3 for the first of three": ["--part", "x"],
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_asked_for_in_vain(graded_once: Course, line: str) -> None:
    assert graded_once.refusal("review", "reports/tiny", *REFUSED[line]) == line


def test_without_a_run_there_is_nothing_to_review(graded_once: Course, tmp_path: Path) -> None:
    line = graded_once.refusal("review", tmp_path)
    assert re.fullmatch(r".*: there is no run here. Hint: name a report folder", line)
