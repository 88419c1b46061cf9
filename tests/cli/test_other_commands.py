"""Commands on a real run: compare, forget, show, mail, course, review; record, schema, doctor."""

import csv
import json
import re
import shutil
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.model.observation import Tier
from tests import tiny_course
from tests.tiny_course import PRINTS_TOTAL, Course, results, rows

FROZEN = "specs/tiny/draws/total.baskets-of-every-length.json"
TRANSCRIPT = "specs/tiny/gameplay/two_amounts.txt"


def test_record_writes_what_is_missing_or_has_changed(course: Course) -> None:
    before = {name: course.path(name).read_bytes() for name in (FROZEN, TRANSCRIPT)}
    for name in before:
        course.path(name).unlink()
    assert "harness record" in course.run("validate").err
    outcome = course.ok("record")
    assert outcome.out.splitlines() == [
        f"recorded {FROZEN}",
        f"recorded {TRANSCRIPT}",
        "tiny: 2 files changed",
    ]
    assert course.ok("record", "tiny").out == "tiny: 0 files changed\n"
    assert {name: course.path(name).read_bytes() for name in before} == before


def test_record_draws_again_when_the_generator_has_changed(course: Course) -> None:
    course.edit("specs/tiny/baskets.py", "range(6)", "range(7)")
    course.edit("specs/tiny/total.yaml", "name: baskets of every length", "name: more baskets")
    outcome = course.run("record")
    assert outcome.out.splitlines() == [
        "recorded specs/tiny/draws/total.more-baskets.json",
        f"removed {FROZEN}",
        "tiny: 2 files changed",
    ]
    assert "[1, 2, 3, 4, 5, 6]" in course.text("specs/tiny/draws/total.more-baskets.json")


def test_record_follows_the_reference(course: Course) -> None:
    course.edit("reference/tiny/till.py", 'BYE = "Bye."', 'BYE = "Good bye."')
    course.edit("reference/tiny/a1.py", "print(total(basket))", 'print("=", total(basket))')
    outcome = course.run("record", "tiny")
    assert outcome.out.splitlines() == [f"recorded {TRANSCRIPT}", "tiny: 1 file changed"]
    assert course.text(TRANSCRIPT).startswith("{{ PROMPT }}3\n= 3\n{{ PROMPT }}4\n= 7\n")


def test_record_refuses_what_does_not_end(course: Course) -> None:
    course.edit("specs/tiny/main.yaml", "input: [3, 4, q]", "input: [3, 4]")
    kept = course.text(TRANSCRIPT)
    line = "specs/tiny/main.yaml:4:5: the reference does not end by itself"
    assert course.refusal("record", "tiny").startswith(line)
    assert course.text(TRANSCRIPT) == kept


def test_schema_is_json_and_writes_a_file_a_kind(course: Course) -> None:
    assert json.loads(course.ok("schema").out)["$schema"].startswith("https://json-schema.org/")
    course.ok("schema", "--write", "schemas")
    names = sorted(path.name for path in course.path("schemas").iterdir())
    kinds = "assignment clauses equivalent exempt expect mutants policy scenarios"
    assert names == [f"{kind}.json" for kind in kinds.split()]
    below = "specs/tiny/main.yaml/below"
    assert course.refusal("schema", "--write", below) == f"{below}: not a directory"


def test_doctor_lists_available_parts(course: Course) -> None:
    outcome = course.ok("doctor", "--python", tiny_course.python_here())
    first, *tiers, together = outcome.out.splitlines()[:5]
    assert first.startswith(f"Python {tiny_course.python_here()}: /")
    assert [line.partition(":")[0] for line in tiers] == [f"tier {tier}" for tier in Tier]
    (used,) = [line for line in tiers if ": used, " in line]
    assert re.search(r": used, (\d+) of \1 forbidden acts prevented, input seen by ", used)
    assert together == "scenarios may share a process: yes"
    assert "read a file outside" not in outcome.out
    acts = course.run("doctor", "--python", tiny_course.python_here(), "-v").out
    assert acts.startswith(outcome.out)
    assert "read a file outside" in acts
    assert "not prevented: " in acts
    assert "\nlayouts: 10 Gradescope, " in acts
    assert re.search(r"\nexplanation rules, Stage\.LAST: .*\d+ \w+\n", acts)


def test_show_gives_the_table_and_explains_one_submission(graded: Course) -> None:
    whole = graded.ok("show", "reports/tiny")
    again = graded.run("grade", "submissions/tiny")
    assert again.out.splitlines()[:-1] == whole.out.splitlines()
    assert graded.run("show", "reports/tiny/run.sqlite").out == whole.out
    one = graded.ok("show", "reports/tiny", "prints_total")
    assert graded.ok("show", "reports/tiny", "--submission", "prints_total").out == one.out
    assert graded.ok("show", "tiny", "prints_total").out == one.out
    assert PRINTS_TOTAL in one.out
    assert "3.69/6" in one.out
    assert "`import math` was added" in one.out
    for name, hint in (
        ("nobody", "harness show reports/tiny lists them"),
        ("print_total", "did you mean prints_total?"),
    ):
        line = f"reports/tiny: no submission {name!r}. Hint: {hint}"
        assert graded.refusal("show", "reports/tiny", name) == line


def test_grade_without_the_scenarios_of_a_tag(graded: Course) -> None:
    name = "- name: an empty basket"
    graded.edit("specs/tiny/total.yaml", name, f"{name}\n    tags: [edge]")
    graded.ok("grade", "submissions/tiny", "--without-tag", "edge")
    found = results(graded.report)
    marks = {entry["id"]: entry["mark"] for entry in found["submissions"]}
    assert (marks["perfect"], marks["missing_total"]) == (6.0, 5.5)
    assert found["run"]["notices"] == ["graded without the scenarios tagged edge"]
    line = "no scenario has the tag 'egde'. Hint: available: edge"
    assert graded.refusal("grade", "submissions/tiny", "--without-tag", "egde") == line


def test_version(graded_once: Course) -> None:
    assert graded_once.ok("--version").out == f"harness, version {harness.__version__}\n"


def test_a_closed_pipe_does_not_stop_grading(course: Course) -> None:
    script = '"$0" grade submissions/tiny/perfect 2>&1 | true; exit "${PIPESTATUS[0]}"'
    done = tiny_course.ran(
        ["bash", "-c", script, str(tiny_course.HARNESS)],
        cwd=course.root,
        env=tiny_course.environment(),
    )
    assert done.returncode == 0
    assert results(course.report)["run"]["complete"] is True


@pytest.fixture(scope="module")
def regraded(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The graded course with its run in reports/old, graded again after some changes."""
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("again") / "course")
    shutil.copytree(course.report, course.path("reports/old"))
    anything = "returns: {any: true}\n    prints: {any: true}\n"
    course.edit("specs/tiny/total.yaml", "returns: 0\n", anything)
    changed = "submissions/tiny/hard_coded_5/a1.py"
    course.edit(changed, "basket.append(amount)", "basket.insert(0, amount)")
    shutil.copytree(course.path("submissions/tiny/perfect"), course.path("submissions/tiny/twin"))
    shutil.rmtree(course.path("submissions/tiny/missing_total"))
    course.ok("grade", "submissions/tiny")
    return course


def table(course: Course, *arguments: str | Path) -> list[dict[str, str]]:
    outcome = course.ok("compare", *arguments, "--to", "csv")
    assert outcome.err == ""
    return list(csv.DictReader(outcome.out.splitlines()))


def test_every_changed_mark_has_its_reason(regraded: Course) -> None:
    rows = table(regraded, "reports/old", "reports/tiny")
    told = {row["submission"]: (row["change"], row["files"]) for row in rows}
    assert told == {
        "hard_coded_5": ("-0.93", "changed"),
        "missing_total": ("", "gone"),
        "prints_total": ("+0.46", "same"),
        "twin": ("", "new"),
    }
    (through,) = (row["through"] for row in rows if row["submission"] == "prints_total")
    assert through == "total/an-empty-basket: failed before, passed now (+0.46)"
    assert table(regraded, "reports/old/results.json", "reports/tiny/results.json") == rows
    regraded.write("elsewhere/results.json", regraded.text("reports/tiny/results.json"))
    assert table(regraded, "reports/old/run.sqlite", "elsewhere") == rows


def test_results_json_of_an_earlier_harness_is_the_same(regraded: Course, tmp_path: Path) -> None:
    old = json.loads(regraded.text("reports/tiny/results.json"))
    for entry in old["submissions"]:
        for added in ("adjustment", "comment", "total", "total_out_of", "earlier"):
            del entry[added]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(old), encoding="utf-8")
    assert table(regraded, path, "reports/tiny") == []


def test_a_table_for_the_terminal_and_a_page(regraded: Course, tmp_path: Path) -> None:
    outcome = regraded.ok("compare", "reports/old", "reports/tiny")
    assert outcome.err == ""
    counted = "2 submissions as before, 2 changed (1 up, 1 down), 1 new, 1 gone."
    assert outcome.out.endswith(f"\n{counted}\n")
    assert "Different in the two runs: the scenarios." in outcome.out
    assert "total/an-empty-basket: 1 pass it now, 0 no longer (files unchanged)." in outcome.out
    same = regraded.run("compare", "reports/old", "reports/old")
    assert same.out == "5 submissions as before, 0 changed, 0 new, 0 gone.\n"
    made = tmp_path / "changes.html"
    arguments = ("reports/old", "reports/tiny", "--to", "html", "-o", made)
    assert regraded.ok("compare", *arguments).out == f"Wrote {made}\n"
    assert "total/an-empty-basket" in made.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [made]


def test_an_incomplete_run_is_named_as_such(regraded: Course, tmp_path: Path) -> None:
    folder = tmp_path / "half"
    shutil.copytree(regraded.report, folder)
    tiny_course.change_run(folder, tiny_course.INCOMPLETE)
    outcome = regraded.run("compare", "reports/old", folder)
    assert f"The new run ({folder}) is not complete, so its marks are not final." in outcome.out
    page = regraded.run("compare", "reports/old", folder, "--to", "html", "-o", tmp_path / "p.html")
    assert page.err == f"{folder}: this run is not complete, so its marks are not final\n"
    exported = regraded.run("export", folder, "--to", "csv")
    assert exported.err == "warning: this run is not complete. Grade again first\n"
    mail = ("mail", folder, "--dry-run", "--from", "a1@uni.example")
    line = f"{folder}: this run is not complete. Hint: grade again first"
    assert regraded.refusal(*mail) == line


WHO = "zephyrine4711"
PROGRAM = f'''
def total(prices):
    print("{WHO} prints")
    return sum(prices)
'''


def names(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and (WHO in path.name or WHO.encode() in path.read_bytes())
    )


def test_nothing_of_a_student_is_left(course: Course) -> None:
    """Of one whose program prints the name, who has a comment, and whom the command names."""
    folder = course.path(f"submissions/tiny/{WHO}")
    shutil.copytree(course.path("submissions/tiny/perfect"), folder)
    for path in folder.iterdir():
        path.write_text(path.read_text() + PROGRAM, encoding="utf-8")
    course.write(f"{WHO}.csv", "id\nperfect\n")
    course.ok("grade", "submissions/tiny", "--roster", f"{WHO}.csv")
    given = course.write("m.csv", f"id,comment\n{WHO},well done {WHO}\n")
    course.ok("manual", "reports/tiny", given)
    assert {"index.html", "marks.csv", "results.json"} <= set(names(course.report))
    for name in ("similarity/1.html", "similarity.json", "study.html"):
        course.write(f"reports/tiny/{name}", WHO)
    before = results(course.report)["submissions"]
    done = course.ok("forget", "reports/tiny", WHO)
    assert (done.out, done.err) == (
        f"Removed {WHO}; 5 submissions are left\n"
        "Also removed the results of similarity and fuzz: run them again\n",
        "",
    )
    assert names(course.report) == []
    assert rows(course.report, "observation") == rows(course.report, "verdict") == set()
    after = results(course.report)["submissions"]
    assert after == [each for each in before if each["id"] != WHO]
    shutil.rmtree(course.path(f"submissions/tiny/{WHO}"))
    course.ok("grade", "submissions/tiny", "--roster", f"{WHO}.csv")
    assert results(course.report)["submissions"] == after


EXEMPT = """\
exempt:
  - student: prints_total
    scenarios: ["total/*", "main/*"]
    reason: the sheet's example was wrong
"""


def test_a_student_is_excused_without_running_anything_again(graded: Course) -> None:
    before = tiny_course.submission(graded.report, "prints_total")["mark"]
    others = [e for e in results(graded.report)["submissions"] if e["id"] != "prints_total"]
    graded.write("specs/tiny/exempt.yaml", EXEMPT)
    graded.ok("grade", "submissions/tiny")
    found = tiny_course.submission(graded.report, "prints_total")
    assert (before, found["mark"]) == (3.69, 6.0)
    assert "not counted: total/*, main/* (the sheet's example was wrong)" in found["notes"]
    assert [e for e in results(graded.report)["submissions"] if e["id"] != "prints_total"] == others
    page = graded.text("reports/tiny/feedback/prints_total.html")
    assert "not counted: total/*, main/*" in page
    shown = graded.run("show", "reports/tiny", "prints_total").out
    rows = {row[0]: row[-1] for line in shown.splitlines() if len(row := line.split()) == 3}
    assert (rows["is_valid"], rows["total"]) == ("6/6", "0/0")


def test_who_is_excused_leaves_the_course_in_no_package(course: Course) -> None:
    course.write("specs/tiny/exempt.yaml", EXEMPT.replace("prints_total", "s-ada-4712"))
    for command, file in (("handout", "h.zip"), ("gradescope", "g.zip"), ("classroom50", "c")):
        course.ok(command, "tiny", "-o", file)
    places = [course.path("h.zip"), course.path("g.zip"), course.path("c/grader.pyz")]
    with zipfile.ZipFile(course.path("h.zip")) as handout:
        places.append(course.path("selfcheck.pyz"))
        places[-1].write_bytes(handout.read("selfcheck.pyz"))
    for place in places:
        with zipfile.ZipFile(place) as archive:
            assert not [n for n in archive.namelist() if b"s-ada-4712" in archive.read(n)]


def test_mistakes_have_their_place(course: Course) -> None:
    course.write(
        "specs/tiny/exempt.yaml", "exempt:\n  - {scenarios: [total/none], reason: ''}\n  - {}\n"
    )
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.status == 2
    assert all(one.startswith("error: specs/tiny/exempt.yaml:") for one in outcome.err.splitlines())
    course.write("specs/tiny/exempt.yaml", EXEMPT.replace("total/*", "totals/*"))
    place = "specs/tiny/exempt.yaml:3:17: exempt, item 1, scenarios, item 1: totals/* matches "
    assert course.refusal("grade", "submissions/tiny").startswith(place)


ROSTER = (
    "id,email\nperfect,p@uni.example\nprints_total,P@uni.example\nmissing_total,zoë@uni.example\n"
)


def mailed(course: Course, *more: str | Path) -> tiny_course.Outcome:
    return course.run("mail", "reports/tiny", "--dry-run", "--from", "a1@uni.example", *more)


def written(course: Course) -> list[str]:
    return sorted(path.name for path in (course.report / "mail").glob("*"))


def test_a_mail_for_each_address_and_a_line_for_all_others(graded: Course) -> None:
    stale = graded.write("reports/tiny/mail/gone.eml", "")
    done = mailed(graded, "--roster", graded.write("r.csv", ROSTER))
    assert (done.status, done.out) == (0, "2 emails in reports/tiny/mail; nothing was sent\n")
    assert done.err.splitlines() == [
        "no email for hard_coded_5: no address is known",
        "no email for missing_total: zoë@uni.example is not an address",
        "no email for syntax_error: no address is known",
        "p@uni.example gets 2 emails: is it the same person?",
    ]
    assert not stale.exists()
    assert written(graded) == ["perfect.eml", "prints_total.eml"]
    mail = graded.text("reports/tiny/mail/perfect.eml")
    assert "\nTo: perfect <p@uni.example>\n" in mail
    assert "your mark for A tiny till is 6.00 of 6." in mail
    done = graded.run("forget", "reports/tiny", "perfect")
    assert done.out.endswith("Also removed the emails in the folder mail\n")
    assert written(graded) == []


def changed(course: Course, name: str, statement: str) -> None:
    shutil.copytree(course.report, course.path(f"reports/{name}"))
    tiny_course.change_run(course.path(f"reports/{name}"), statement)


def page(course: Course, name: str = "course.html") -> str:
    return course.text(f"reports/{name}")


def test_all_students_on_a_page_and_one_on_a_page_of_its_own(graded: Course) -> None:
    done = graded.ok("course", "reports")
    assert (done.out, done.err) == ("5 students, 1 assignment: reports/course.html\n", "")
    assert 'href="./tiny/submissions/perfect.html"' in page(graded)
    done = graded.ok("course", "reports", "--student", "perfect")
    assert done.out == "perfect: reports/students/perfect.html\n"
    own = page(graded, "students/perfect.html")
    assert "6.00" in own
    for other in ("hard_coded_5", "missing_total", "prints_total", "syntax_error"):
        assert other not in own
    assert graded.path("reports/course.html").stat().st_mode & 0o077 == 0


def test_a_roster_shows_who_is_missing(graded: Course) -> None:
    roster = graded.write("r.csv", "id,email,name\nperfect,p@uni.example,Jo\nnobody,,Eve\n")
    done = graded.ok("course", "reports", "--roster", roster)
    assert done.out.startswith("6 students, 1 assignment")
    assert "1 of 6: <bdi>Eve</bdi>" in page(graded)
    graded.ok("course", "reports", "--student", "p@uni.example", "--roster", roster)
    assert "Marks of <bdi>Jo</bdi>" in page(graded, "students/perfect.html")


def test_unreadable_files_are_named_and_the_page_is_marked_incomplete(graded: Course) -> None:
    changed(graded, "newer", tiny_course.NEWER)
    changed(graded, "no-facts", "UPDATE run SET facts = '{'")
    changed(graded, "no-results", "UPDATE submission SET result = x'00'")
    graded.write("reports/damaged/run.sqlite", "no database")
    graded.write("reports/empty/run.sqlite", "")
    done = graded.fails("course", "reports")
    assert done.out == "5 students, 1 assignment: reports/course.html\n"
    *lines, other = done.err.splitlines()
    places = ("damaged", "empty", "newer", "no-facts")
    assert [line.split("/")[1] for line in lines] == [*places]
    assert "tiny counts, not no-results" in other  # its results are held, so the run can be read
    assert "written by a newer harness" in lines[2]
    assert "This page is incomplete." in page(graded)
    for name in places:
        assert f"reports/{name}/run.sqlite" in page(graded)


def test_of_two_runs_one_counts_and_the_other_is_named(graded: Course) -> None:
    changed(graded, "before", "DELETE FROM submission WHERE id = 'perfect'")
    done = graded.ok("course", "reports")
    assert done.err == (
        "tiny: tiny counts, not before: both have the same time, and its name is the last\n"
    )
    assert "tiny counts, not before" in page(graded)


def test_an_invalid_course_is_refused_in_one_line(graded: Course) -> None:
    graded.path("nothing").mkdir()
    assert graded.refusal("course", "nothing").startswith("nothing: has no run. Hint: ")
    graded.write("bad/a/run.sqlite", "no database")
    assert "bad: none of the runs here can be read: bad/a/run.sqlite: this is not a results" in (
        graded.refusal("course", "bad")
    )


# What it is called with, and the file that this is: in "seen".
BROWSER = """\
#!/bin/sh
path=${1#file://}
{ echo "$1"; ls -l "$path" | cut -c1-10; cat "$path"; } > seen
"""


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
    course.edit("specs/tiny/assignment.yaml", "[a1.py]}", "[a1.py], otherwise: review}")
    course.write("in/zoe/old.py", "x = 1\n")
    course.write("in/zoe/new.py", course.text("submissions/tiny/perfect/a1.py"))
    course.ok("grade", "in", "--assignment", "tiny")
    assert tiny_course.submission(course.report, "zoe")["status"] == "needs_review"

    browser = course.write("browser", BROWSER)
    browser.chmod(0o755)
    page = course.on_terminal("review", "reports/tiny", "--who", "ann", BROWSER=f"{browser} %s")
    page.expect(r"Review: (http://127\.0\.0\.1:\d+/#token=[\w-]+)\s")
    address = page.match[1]
    (entry,) = asked(address, "/since/0/0")["rows"]
    assert (entry["shown"], entry["reason"]) == ("zoe", "needs review")
    number = entry["number"]
    asked(address, "/do", {"number": number, "do": "comment", "text": "Name it a1.py."})
    choice = {"number": number, "do": "decide", "kind": "choose", "value": "new.py"}
    screen = asked(address, "/do", choice)["html"]
    again = "harness grade --assignment tiny in"
    assert f"cd {course.root}\n{again}" in screen
    called, mode, opened = course.text("seen").split("\n", 2)
    assert address not in called  # a command line is everybody's
    assert (mode, f"url={address}" in opened) == ("-rw-------", True)
    page.sendintr()
    page.expect("1 of 1 done")
    page.assert_ended(0)
    told = tiny_course.submission(course.report, "zoe")
    assert (told["comment"], told["decisions"]) == ("Name it a1.py.", {"choose": "new.py"})
    assert "Name it a1.py." in course.text("reports/tiny/feedback/zoe.html")
    left = sorted(path.name for path in course.report.glob("run.sqlite*"))
    assert left == ["run.sqlite", "run.sqlite.lock"]

    course.ok(*again.split()[1:])
    told = tiny_course.submission(course.report, "zoe")
    assert (told["status"], told["mark"], told["comment"]) == ("graded", 6.0, "Name it a1.py.")
    assert "a person chose new.py" in told["notes"]
