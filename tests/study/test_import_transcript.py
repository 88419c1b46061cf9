"""`harness import-transcript` on real transcripts of a small course, and how lines are aligned.
Evidence of style: what is counted, what ruff is asked, where it is shown."""

import json
from pathlib import Path

import pytest

from harness.assignment.loading import load
from harness.model.study import CodeElement, StyleEvidence, StyleFinding
from harness.reporting.html.study_pages import style_in_words
from harness.study import program_texts, style
from harness.study.style import RULES, find_ruff, ruff_findings
from harness.study.transcripts import MisalignedError, Screen, typed_lines
from tests.tiny_course import Course

MAIN = "specs/tiny/main.yaml"
NAME = "Three amounts.txt"


def imported(course: Course, text: str, *arguments: str, to: str = MAIN, name: str = NAME) -> str:
    """What the command says of a transcript of this text, which it takes."""
    course.write(name, text)
    outcome = course.ok("import-transcript", name, "--to", to, *arguments)
    assert outcome.err == ""
    return outcome.out


def shown(*typed: str) -> str:
    text, total = "", 0
    for line in typed:
        text += f"Amount: {line}\n"
        if line == "q":
            return text + "Bye.\n"
        total += int(line)
        text += f"{total}\n"
    return text


def test_a_scenario_is_added_that_the_reference_passes(course: Course) -> None:
    before = course.path(MAIN).read_text(encoding="utf-8")
    said = imported(course, shown("1", "2", "3", "q").replace("\n", "\r\n"))
    assert said == "Three amounts.txt: scenario 'Three amounts' with 4 inputs\n"
    after = course.path(MAIN).read_text(encoding="utf-8")
    assert after == (
        before + '  - name: "Three amounts"\n    run: a1.py\n    input: ["1", "2", "3", "q"]\n'
        "    transcript: gameplay/three_amounts.txt\n"
    )
    recorded = course.path("specs/tiny/gameplay/three_amounts.txt").read_text(encoding="utf-8")
    assert recorded.startswith("{{ PROMPT }}1\n")
    assert course.run("import-transcript", NAME, "--to", MAIN).status == 2
    assert course.path(MAIN).read_text(encoding="utf-8") == after


MARKS = {"basket": 1, "is_valid": 1, "main": 3, "total": 1}  # of 6


def test_where_all_marks_are_given_it_is_told_how_to_give_points(course: Course) -> None:
    for name, marks in MARKS.items():
        text = course.path(f"specs/tiny/{name}.yaml").read_text("utf-8")
        course.write(f"specs/tiny/{name}.yaml", f"marks: {marks}\n{text}")
    file = "specs/tiny/imported.yaml"
    said = imported(course, shown("1", "2", "q"), "--clause", "5.game", to=file)
    assert said.splitlines() == [
        "Three amounts.txt: scenario 'Three amounts' with 3 inputs",
        "It costs no marks, because `marks:` of the other files add up to all of the "
        "assignment's marks. To give it points, lower one of them, and remove informational: "
        f"true from {file}",
    ]
    course.ok("validate", "tiny", "--no-samples")
    course.edit("specs/tiny/main.yaml", "marks: 3\n", "marks: 2\n")
    course.edit(file, "    informational: true\n", "")
    course.ok("validate", "tiny", "--no-samples")
    (added,) = (s for s in load(course.root, "tiny").plan.scenarios if s.id.startswith("imported/"))
    assert not added.informational


def test_a_new_file_belongs_to_the_program_if_there_is_no_main(course: Course) -> None:
    reference = course.path("reference/tiny/a1.py").read_text("utf-8")
    course.write("reference/tiny/a1.py", reference.replace("main()", "play()"))
    course.path(MAIN).unlink()
    course.edit("specs/tiny/assignment.yaml", "mutants: mutants.yaml\n", "")
    course.path("specs/tiny/mutants.yaml").unlink()
    file = "specs/tiny/imported.yaml"
    imported(course, shown("q"), to=file)
    assert course.path(file).read_text(encoding="utf-8").startswith("function: a1.py\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            shown("1", "2", "q").replace("\n3\n", "\n4\n"),
            "Three amounts.txt:4: the transcript has '4', the reference shows '3'. Hint: ",
        ),
        ("Amount: {{ PROMPT }}\nAmount: q\nBye.\n", "cannot be written as a scenario"),
    ],
    ids=["a wrong line is named", "a typed template would stand for a constant"],
)
def test_nothing_is_written_of_what_is_refused(course: Course, text: str, said: str) -> None:
    before = course.path(MAIN).read_bytes()
    course.write(NAME, text)
    assert said in course.refusal("import-transcript", NAME, "--to", MAIN)
    assert course.path(MAIN).read_bytes() == before
    assert not course.path("specs/tiny/gameplay/three_amounts.txt").exists()


def test_a_file_that_is_not_a_transcript_is_refused_in_one_line(course: Course) -> None:
    course.path("bytes.txt").write_bytes(b"\xff\xfe")
    for arguments, words in (
        (("bytes.txt", "--to", MAIN), "byte 0 is not UTF-8"),
        (("bytes.txt", "--to", "elsewhere.yaml"), "not a scenario file of an assignment"),
        (("bytes.txt", "--to", MAIN, "--set", "LIMIT"), "--set LIMIT is not NAME=VALUE"),
    ):
        assert words in course.refusal("import-transcript", *arguments)


# A line end, to YAML, and as many readers have it; marks that move text; escapes; what looks like
# YAML. A person can paste each of them into a terminal.
ODD = (
    "a\x85b",
    "a\u2028b\u202ec",
    "a\x7fb\x9b31m",
    "\U0001f600\U000e0001",
    "a\\n\"'b",
    "- name: x",
    "*x",
    " 3, 4 # c",
)


def test_typed_text_is_read_back_unchanged(course: Course) -> None:
    imported(course, "".join(f"Amount: {line}\n" for line in (*ODD, "q")) + "Bye.\n")
    typed = load(course.root, "tiny").plan.scenario("main/three-amounts").stimuli[0].inputs
    assert tuple(each.text for each in typed) == (*ODD, "q")


@pytest.mark.parametrize("name", ["x\x1b[2Jy.txt", "x\ny.txt"])
def test_the_name_of_a_transcript_is_shown_with_escapes(course: Course, name: str) -> None:
    said = imported(course, shown("1", "q"), name=name)
    assert said.count("\n") == 1
    assert said.startswith(("x\\x1b[2Jy.txt: ", "x\\ny.txt: "))


GOOD = "Welcome\nName: Ada\nHello, Ada!\nAgain? n\nBye.\n"


def screen(inputs: tuple[str, ...]) -> Screen:
    """A program that asks for a name, greets, and asks whether to go on."""
    text = "Welcome\nName: "
    for number, typed in enumerate(inputs):
        text += f"{typed}\n"
        if number % 2 == 0:
            text += f"Hello, {typed}!\nAgain? "
        elif typed == "y":
            text += "Name: "
        else:
            return Screen(text=text + "Bye.\n", waits=False)
    return Screen(text=text, waits=True)


@pytest.mark.parametrize(
    ("transcript", "inputs"),
    [
        (GOOD, ("Ada", "n")),
        (GOOD.replace("\n", "\r\n"), ("Ada", "n")),
        (GOOD.replace("\n", "\r"), ("Ada", "n")),
        ("\ufeff" + GOOD, ("Ada", "n")),
        (GOOD.rstrip("\n"), ("Ada", "n")),
        (GOOD + "\n\n", ("Ada", "n")),
        (GOOD.replace("Ada", ""), ("", "n")),
        (GOOD.replace("Ada", "Name: "), ("Name: ", "n")),
        (GOOD[: GOOD.index("Bye")].replace(" n\n", " y\n") + GOOD[8:], ("Ada", "y", "Ada", "n")),
    ],
    ids=[
        "as printed", "of Windows", "of old Macs", "a mark at the start", "no end of line",
        "blank lines at the end", "nothing typed", "typed what a prompt says", "a second round",
    ],
)  # fmt: skip
def test_typed_text_is_found(transcript: str, inputs: tuple[str, ...]) -> None:
    assert typed_lines(transcript, screen) == inputs


@pytest.mark.parametrize(
    ("transcript", "line", "reason"),
    [
        (GOOD.replace("Hello", "Helo"), 3, "has 'Helo, Ada!', the reference shows 'Hello, Ada!'"),
        (GOOD.replace("Name: ", "Name:"), 2, "has 'Name:Ada', the reference shows 'Name: '"),
        (GOOD[: GOOD.index("lo, A")], 3, "ends here, but the reference goes on with 'Hello, Ada!'"),
        (GOOD[: GOOD.index("n\nBye")], 4, "ends here, but the reference still asks for input"),
        (GOOD + "More.\n", 6, "the reference ends before 'More.'"),
        ("A game of chess\n", 1, "has 'A game of chess', the reference shows 'Welcome'"),
        ("", 1, "ends here, but the reference goes on with 'Welcome'"),
    ],
    ids=[
        "a typing mistake", "a space is missing", "cut in a line", "cut at a prompt",
        "something after the end", "another program", "empty",
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_aligned_has_its_own_line(
    transcript: str, line: int, reason: str
) -> None:
    with pytest.raises(MisalignedError) as raised:
        typed_lines(transcript, screen)
    assert reason in str(raised.value)
    assert raised.value.line == line


PROGRAM = '''\
LIMIT = 42
def first(rows):
    """Say."""
    total = 0
    for row in rows:
        total += row * 17
    return total + 17 + 1
def second(rows):
    a = rows[0]
    b = a + 1
    c = b + 1
    print(a, b, c)
    if c:
        a = rows[0]
        b = a + 1
        c = b + 1
        print(a, b, c)
'''


def test_facts_of_a_text() -> None:
    facts = json.loads(program_texts.run_facts(json.dumps({"a1.py": PROGRAM, "b.py": "def ("})))
    assert facts["longest"] == [["second", "a1.py", 8, 9], ["first", "a1.py", 2, 4]]
    assert facts["undocumented"] == [["the file", "a1.py", 1, 0], ["second", "a1.py", 8, 0]]
    assert facts["numbers"] == [["17", "a1.py", 6, 2]]
    assert facts["repeated"] == [["lines 9 to 12", "a1.py", 14, 4]]
    assert facts["unreadable"] == ["b.py"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"import os  # noqa\n", [(1, "F401")]),
        (b"# ruff: noqa\nx = 1 \n", [(1, "ERA001"), (2, "W291")]),
        (b"def f(list):\n    return list == None\n", [(1, "A002"), (2, "E711")]),
        (b"x = 1\n", []),
        (b"def (\n", []),
        (b"\xff\xfe\x00", None),
    ],
)
def test_findings_of_ruff_have_lines_and_rules(
    text: bytes, expected: list[tuple[int, str]] | None
) -> None:
    program = find_ruff()
    assert program is not None
    found = ruff_findings(program, "a1.py", text)
    seen = None if found is None else [(each.line, each.rule) for each in found]
    assert seen in (expected, [] if expected is None else expected)
    assert all(each.reason in RULES.values() for each in found or ())


def test_each_rule_and_its_reason_are_documented() -> None:
    page = (Path(__file__).parent.parent.parent / "docs/style-evidence.md").read_text("utf-8")
    for rule, reason in RULES.items():
        assert f"| `{rule}` | {reason} |" in page


def test_a_cell_names_the_first_of_each_kind() -> None:
    place = CodeElement(name="main", file="a1.py", line=3, count=70)
    finding = StyleFinding(file="a1.py", line=1, rule="F401", message="m", reason="r")
    evidence = StyleEvidence(
        findings=(finding, finding), found=2, longest=(place,), undocumented=(place,) * 5
    )
    assert style_in_words(evidence) == (
        "ruff 2 (F401 2); longest function main with 70 lines; "
        "no docstring: main, main, main and 2 more"
    )
    assert style_in_words(StyleEvidence()) == ""


def test_the_page_and_the_table_show_it(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = Path(course.path("reference/tiny/a1.py")).read_text(encoding="utf-8")
    course.write(
        "class/jo/a1.py", reference + "\n\ndef <b>(\n".replace("<b>", "odd_one") + "): pass\n"
    )
    course.ok("grade", "class", "--assignment", "tiny")
    before = course.run("export", "reports/tiny", "--to", "manual-marks")
    monkeypatch.setattr(style, "find_ruff", lambda: None)
    outcome = course.ok("style", "reports/tiny")
    assert "ruff is not installed, so its rules were not checked" in outcome.out
    page = (course.report / "submissions" / "jo.html").read_text(encoding="utf-8")
    assert "Style evidence" in page
    assert "<code>odd_one</code>" in page
    assert "odd_one" not in (course.report / "feedback" / "jo.html").read_text(encoding="utf-8")
    course.ok("export", "reports/tiny", "--to", "manual-marks", "-o", "style.csv")
    text = course.path("style.csv").read_text(encoding="utf-8")
    assert "style evidence" in text.splitlines()[0]
    assert "no docstring: odd_one" in text
    assert "style evidence" not in before.out
    assert course.run("manual", "reports/tiny", "style.csv").out.startswith("0 submissions changed")
    course.ok("forget", "reports/tiny", "jo")
    assert "odd_one" not in (course.report / "style.json").read_text(encoding="utf-8")
