"""Marks into downloaded gradebooks (`UPDATE_GOLDEN=1` writes the files anew)."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.common.csv_tables import CsvForm, Sheet, bare_cell, encoded, inert_cell, read_sheet
from harness.common.errors import UserError
from harness.intake.gradebook import GradebookEntry
from harness.intake.platforms import gradebooks
from harness.model.submission import Student
from harness.reporting.export import exporter, exporters
from harness.reporting.export.exporter import ExportRequest
from harness.reporting.export.gradebooks import FilledGradebook, make_gradebook
from tests.reporting.pages_read import assert_golden, refusal
from tests.reporting.report_samples import PLAN, RUN

TITLE = "A tiny till"
_PLAN = replace(PLAN, assignment=replace(PLAN.assignment, title=TITLE))


def request(gradebook: Path | None = None, **more: object) -> ExportRequest:
    return ExportRequest(run=RUN, plan=_PLAN, folder=Path(), gradebook=gradebook, **more)


def entry(number: int, name: str, mark: str, **more: str) -> GradebookEntry:
    """A submission of student `number` out of 6."""
    student = Student(
        id=more.pop("student_id", str(number)), name=name, email=more.pop("email", "")
    )
    own = more.pop("id", f"s{number}")
    return GradebookEntry(id=own, student=student, mark=mark, out_of=Fraction(6), **more)


PLATFORMS = {each.name: each for each in gradebooks()}
HERE = Path(__file__).parent
GIVEN, GOLDEN = HERE / "gradebooks", HERE / "exported"

CLASS = (
    entry(101, "Ada Lovelace", "4.50", comment="=2+2 is what I'd write\tshorter"),
    entry(102, "Séan O'Brien", "0.00"),
    entry(103, "Wei Ng", "6.00"),
    entry(105, "Lena Late", "", why="late"),
    entry(199, "Not Enrolled", "1.00"),
)
LOGINS = {101: "ada", 102: "sean", 103: "wei", 105: "lena", 199: "not"}
BY_LOGIN = tuple(
    replace(each, student=replace(each.student, id=LOGINS[int(each.student.id)])) for each in CLASS
)
# The class of each download.
FILES = {
    "canvas.csv": CLASS,
    "brightspace.csv": BY_LOGIN,
    "blackboard.xls": BY_LOGIN,
    "moodle.csv": CLASS,
    "moodle-de.csv": CLASS,
}


def make(
    platform: str, entries: tuple[GradebookEntry, ...], path: Path | None, **more: object
) -> FilledGradebook:
    return make_gradebook(PLATFORMS[platform], entries, request(path, **more))


@pytest.mark.parametrize("name", FILES)
def test_a_filled_gradebook(name: str) -> None:
    found = make(re.split("[-.]", name)[0], FILES[name], GIVEN / name)
    assert found.sheet.form == read_sheet(GIVEN / name).form
    warnings = "".join(f"{line}\n" for line in found.warnings).replace(f"{GIVEN}/", "")
    assert_golden(GOLDEN / f"gradebook-{name}", encoded(found.sheet))
    assert_golden(GOLDEN / f"gradebook-{name}.txt", warnings)


def test_exports_that_need_names_refuse_anonymous() -> None:
    found = {name for name, each in exporters().items() if each.may_be_anonymous}
    assert found == {"csv", "faults", "json", "junit"}


def test_a_comment_in_blackboards_gradebook_has_a_format(tmp_path: Path) -> None:
    text = (GIVEN / "blackboard.xls").read_bytes().decode("utf-16").replace("SMART_TEXT", "")
    (tmp_path / "gc.xls").write_bytes(text.encode("utf-16"))
    found = make("blackboard", BY_LOGIN, tmp_path / "gc.xls").sheet
    form = [(bool(row[8]), row[9]) for row in found.rows[1:]]
    assert form == [(True, "SMART_TEXT"), (False, ""), (False, "")]
    lines = (line.split("\t") for line in text.splitlines())
    (tmp_path / "gc.xls").write_bytes("\n".join("\t".join(c[:8]) for c in lines).encode("utf-16"))
    filled = make("blackboard", BY_LOGIN, tmp_path / "gc.xls")
    assert {len(row) for row in filled.sheet.rows} == {8}
    assert any("1 comment left out" in line for line in filled.warnings)


NO_WAY = {
    "gradescope": "marks cannot be imported into Gradescope. Hint: harness gradescope ID",
    "feedback-gradescope": "feedback files cannot be imported into Gradescope. "
    "Hint: harness gradescope ID",
    "feedback-blackboard": "Blackboard cannot import feedback files for a whole class. "
    "Hint: --to black",
}


@pytest.mark.parametrize("name", NO_WAY)
def test_features_that_a_platform_lacks_are_named(name: str) -> None:
    assert refusal(exporter, name).startswith(NO_WAY[name])


@pytest.mark.parametrize("platform", ["canvas", "blackboard"])
def test_a_gradebook_is_made_only_from_the_submissions(platform: str) -> None:
    found = make(platform, BY_LOGIN, None)
    assert_golden(GOLDEN / f"gradebook-made-{platform}.csv", encoded(found.sheet))
    assert found.marks == 4
    assert found.warnings == ("s105 (Lena Late) has no mark: late",)


ROSTERS = {
    "both keys": (
        "Username,OrgDefinedId,Last Name,First Name\nada,s101,Lovelace,Ada\nlena,s105,Late,Lena\n",
        [
            "OrgDefinedId,Username,Last Name,First Name,A tiny till Points Grade,"
            "End-of-Line Indicator",
            "#s101,#ada,Lovelace,Ada,4.50,#",
        ],
    ),
    "one key, as exported": (
        "OrgDefinedId,Last Name,First Name\n#ada,Lovelace,Ada\n#x,Ng,Wei\n",
        [
            "OrgDefinedId,Last Name,First Name,A tiny till Points Grade,End-of-Line Indicator",
            "#ada,Lovelace,Ada,4.50,#",
            "#x,Ng,Wei,6.00,#",
        ],
    ),
}


@pytest.mark.parametrize(("roster", "lines"), ROSTERS.values(), ids=ROSTERS)
def test_brightspace_has_keys_of_the_roster(roster: str, lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(roster, encoding="utf-8")
    found = make("brightspace", BY_LOGIN, None, roster=path)
    assert encoded(found.sheet).decode().splitlines() == lines
    named = f"ONLY BY NAME: {path}:3: Wei Ng is treated as s103 (Wei Ng)"
    by_name = [line for line in found.warnings if line.startswith("ONLY BY NAME")]
    assert by_name == [named] * ("#x" in roster)


CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,{title} (7)\n{rows}\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "book.csv"


def canvas(
    book: Path, rows: str, *entries: GradebookEntry, **more: object
) -> tuple[list[str], list[str]]:
    """The marks in Canvas's gradebook of these rows, and what is said."""
    book.write_text(CANVAS.format(title=TITLE, rows=rows), encoding="utf-8")
    found = make("canvas", entries, book, **more)
    lines = [line.replace(str(book), "book.csv") for line in found.warnings]
    return [row[5] for row in found.sheet.rows[1:]], lines


ADA = entry(0, "Ada Lovelace", "4.50", id="folder", student_id="9")
NAMED = "ONLY BY NAME: book.csv:2: Lovelace, Ada is treated as "
MATCHED = {
    "the id": ("x,9,,,,", ADA, []),
    "an id that we wrote as no formula": ("x,'=9,,,,", entry(0, "", "1.00", student_id="=9"), []),
    "the other id": ("x,1,9,,,", ADA, []),
    "the login": ("x,1,,9,,", ADA, []),
    "the email": ("x,1,,a@b,,", entry(0, "", "1.00", email="A@B"), []),
    "the login of the email": ("x,1,,a,,", entry(0, "", "1.00", email="a@b"), []),
    "the name": ('"Lovelace, Ada",1,,,,', ADA, [NAMED + "folder (Ada Lovelace)"]),
    "the name in one word": (
        '"Lovelace, Ada",1,,,,',
        entry(0, "", "1.00", id="lovelaceada", student_id="77"),
        [NAMED + "lovelaceada"],
    ),
}


@pytest.mark.parametrize(("row", "who", "lines"), MATCHED.values(), ids=MATCHED)
def test_a_row_is_matched_by(book: Path, row: str, who: GradebookEntry, lines: list[str]) -> None:
    assert canvas(book, row, who) == ([who.mark], lines)


DECIMALS = {
    "its own column": ('a,9,,,,\nb,1,,,,"3,5"', '"4,50"'),
    "points": ("a,9,,,,\nb,1,,,,3.5", "4.50"),
    "both": ('a,9,,,,"2,5"\nb,1,,,,3.5', "4.50"),
    "thousands": ('a,9,,,,\nb,1,,,,"1,000"', "4.50"),
}


@pytest.mark.parametrize(("rows", "written"), DECIMALS.values(), ids=DECIMALS)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_marks_have_the_decimal_sign_of_the_file(
    book: Path, rows: str, written: str, delimiter: str
) -> None:
    text = CANVAS.format(title=TITLE, rows=rows)
    if delimiter == ";":
        text = re.sub(r',(?!\d+")', ";", text)
        written = written.strip('"')
    book.write_text(text, encoding="utf-8")
    line = encoded(make("canvas", (ADA,), book).sheet).decode().splitlines()[1]
    assert line == f"a{delimiter}9{delimiter * 4}{written}"


OTHER_DECIMALS = {
    "canvas": "Student,ID,Quiz (70),A tiny till (7)\nx,9,\"3,5\",\n",
    "brightspace": "OrgDefinedId,A tiny till Points Grade <Numeric MaxPoints:6 Weight:10>,Q Points "
                   "Grade\n#9,,\"3,5\"\n",
    "blackboard": 'Username\t"A tiny till [Total Pts: 6,0 Score] |71"\n9\t\n',
    "moodle": "Identifier,Grade,Maximum grade\nParticipant 9,,\"6,00\"\n",
}  # fmt: skip


@pytest.mark.parametrize(("platform", "text"), OTHER_DECIMALS.items())
def test_the_decimal_sign_is_looked_for_on_every_platform(
    book: Path, platform: str, text: str
) -> None:
    book.write_text(text, encoding="utf-8")
    assert "4,50" in make(platform, (ADA,), book).sheet.rows[1]


LOCALISED = {
    "blackboard in German": (
        "blackboard",
        "Nachname,Vorname,Benutzername,A tiny till [Gesamtpunkte: 6 Punkte] |71\nLee,Zo\u00e9,9,\n",
    ),
    "blackboard in French": (
        "blackboard",
        "Nom,Pr\u00e9nom,Nom d'utilisateur,A tiny till [Total des points : 6] |71\nLee,Zo,9,\n",
    ),
    "blackboard in Spanish": (
        "blackboard",
        "Apellidos,Nombre,Nombre de usuario,A tiny till [Puntos totales: 6] |71\nLee,Zo,9,\n",
    ),
    "canvas in Spanish": ("canvas", "Estudiante,ID,A tiny till (71)\n\"Lee, Zo\",9,\n"),
    "canvas in Dutch": ("canvas", "Student;ID;A tiny till (71)\nLee, Zo;9;\n"),
    "brightspace in Swedish": (
        "brightspace", "Anv\u00e4ndarnamn,A tiny till Points Grade <Numeric MaxPoints:6>\n#9,\n",
    ),
    "moodle in Swedish": ("moodle", "X;Betyg;Maximalt betyg\nDeltagare 9;;6\n"),
}  # fmt: skip


@pytest.mark.parametrize(("platform", "text"), LOCALISED.values(), ids=LOCALISED)
def test_a_gradebook_in_another_language(book: Path, platform: str, text: str) -> None:
    book.write_text(text, encoding="utf-8")
    given = read_sheet(book)
    found = make(platform, (ADA,), book)
    assert "4.50" in found.sheet.rows[1]
    assert found.sheet.rows[0][: len(given.rows[0])] == given.rows[0]
    assert found.warnings == ()


TWICE = {
    "canvas": "Student,ID,A tiny till (7)\nx,101,\ny,101,\n",
    "brightspace": "OrgDefinedId,A tiny till Points Grade\n#101,\n101,\n",
    "blackboard": "Username,A tiny till [Total Pts: 6 Score] |71\n101,\n101,\n",
    "moodle": "Identifier,Grade,Maximum grade\nParticipant 101,,6\nParticipant 101,,6\n",
}


@pytest.mark.parametrize(("platform", "text"), TWICE.items())
def test_a_student_who_is_twice_in_a_gradebook(book: Path, platform: str, text: str) -> None:
    book.write_text(text, encoding="utf-8")
    line = refusal(make, platform, CLASS, book)
    assert line == f"{book}:3: two rows have id 101. Hint: remove one"


def test_a_row_whose_id_lost_its_zeros(book: Path) -> None:
    who = entry(0, "Ada", "4.50", id="folder", student_id="00429")
    marks, lines = canvas(book, "x,429,,,,", who)
    assert marks == ["4.50"]
    assert lines == ["WITHOUT LEADING ZEROS: book.csv:2: x is treated as folder (Ada)"]


TWINS = '"Lovelace, Ada",1,,,,\n"Lovelace, Ada",2,,,,\n"Hopper, Grace",3,,,,'


def test_students_with_the_same_name_are_not_matched_by_name(book: Path) -> None:
    assert canvas(book, TWINS, ADA, entry(3, "Grace Hopper", "2.00")) == (
        ["", "", "2.00"],
        [
            "book.csv:2: Lovelace, Ada has no submission; the row stays",
            "book.csv:3: Lovelace, Ada has no submission; the row stays",
            "book.csv: submission folder (Ada Lovelace) has no row (or more than one)",
            "book.csv: use --match FILE to say whose rows they are",
        ],
    )


def test_two_submissions_of_one_id_get_nothing_by_it(book: Path) -> None:
    twin = entry(9, "Ada Twin", "1.00")
    assert "no row fits any of 2 submissions" in refusal(canvas, book, "x,9,,,,", ADA, twin)


PAIRS = "download id,gradebook id\n"
SETTLED = {
    "by the submission's id": (f"{PAIRS}folder,2\n", TWINS, ["", "4.50", "2.00"]),
    "by the student's id": ("Gradebook ID;Download ID\n2;9\n", TWINS, ["", "4.50", "2.00"]),
    "against an id": (f"{PAIRS}folder,1\n", "x,9,,,,\ny,1,,,,", ["", "4.50"]),
}


@pytest.mark.parametrize(("text", "rows", "marks"), SETTLED.values(), ids=SETTLED)
def test_a_match_file_settles_who_it_is(book: Path, text: str, rows: str, marks: list[str]) -> None:
    path = book.with_name("match.csv")
    path.write_text(text, encoding="utf-8")
    entries = (ADA, entry(3, "Grace Hopper", "2.00"))[: len(marks) - 1]
    found, (line,) = canvas(book, rows, *entries, match=path)
    assert found == marks
    assert line.startswith("book.csv:2: ")
    assert line.endswith(" has no submission; the row stays")


BAD_MATCHES = {
    "a,b\n1,2": "match.csv:1: needs the columns download id and gradebook id",
    f"{PAIRS}nobody,2": "match.csv:2: no submission of this run has the id 'nobody'",
    f"{PAIRS}folder,44": "match.csv:2: no row of the gradebook has the id '44'",
    f"{PAIRS}folder,": "match.csv:2: no row of the gradebook has the id ''",
    f"{PAIRS}folder,2\nfolder,1": "match.csv:3: a line above already has folder or 1",
}


@pytest.mark.parametrize(("text", "line"), BAD_MATCHES.items(), ids=BAD_MATCHES)
def test_a_match_file_with_a_mistake(book: Path, text: str, line: str) -> None:
    path = book.with_name("match.csv")
    path.write_text(text + "\n", encoding="utf-8")
    assert line in refusal(canvas, book, TWINS, ADA, match=path)


LATE = entry(9, "", "", why="late")
WAITS = entry(9, "", "", why="no mark yet for Style", waits="Style")
EXISTING = {
    "a late student's": (LATE, "3", False, "3", "has no mark: late; 3 stays in the gradebook"),
    "a late student's, cleared": (
        LATE, "3", True, "", "has no mark: late; 3 was removed from the gradebook",
    ),
    "a late student's that is not there": (LATE, "-", True, "-", "has no mark: late"),
    "one that waits for a person's": (
        WAITS, "3", False, "3", "has no mark: no mark yet for Style; 3 stays in the gradebook",
    ),
    "an older one": (ADA, "3.00", False, "4.50", "3.00 became 4.50"),
    "the same": (ADA, "4.5", False, "4.50", ""),
    "an excused student's": (ADA, "ex", True, "ex", "is excused (EX); it stays excused"),
}  # fmt: skip


@pytest.mark.parametrize("case", EXISTING.values(), ids=EXISTING)
def test_a_mark_that_the_gradebook_has_already(
    book: Path, case: tuple[GradebookEntry, str, bool, str, str]
) -> None:
    who, before, clear, after, line = case
    rows = f'x,9,,,,"{before}"\ny,1,,,,'
    marks, lines = canvas(book, rows, who, entry(1, "", "1.00"), clear=clear)
    assert marks == [after, "1.00"]
    assert [line in each for each in lines] == ([True] if line else [])


def test_those_who_have_no_mark_are_counted_in_a_line(book: Path) -> None:
    many = [replace(WAITS, id=f"{n}", student=Student(id=f"{n}")) for n in range(10, 24)]
    rows = "\n".join(f"x,{each.student.id},,,," for each in (ADA, *many))
    _, (line,) = canvas(book, rows, ADA, *many)
    assert line.startswith("book.csv:3: x, book.csv:4: x, ")
    assert line.endswith(" and 9 more have no mark: no mark yet for Style")


def test_rows_of_nobody_stay_and_a_mark_over_the_maximum_is_named(book: Path) -> None:
    assert canvas(book, "x,9,,,,\nother,5,,,,3", ADA, clear=True)[0] == ["4.50", "3"]
    line = "book.csv:2: x: 7.25 is more than the maximum, 6"
    assert canvas(book, "x,9,,,,", replace(ADA, mark="7.25"))[1] == [line]


def test_a_comment_that_is_replaced_is_named(book: Path) -> None:
    item = "A tiny till [Total Pts: 6 Score] |1"
    book.write_text(f"Username,{item},Feedback to Learner\nada,,old\nsean,,\n", encoding="utf-8")
    both = tuple(replace(each, comment="new") for each in BY_LOGIN[:2])
    found = make("blackboard", both, book)
    assert [row[2] for row in found.sheet.rows[1:]] == ["new", "new"]
    assert found.warnings == (f"{book}:2: ada: the comment in the gradebook was replaced",)


OUT_OF_100 = CANVAS.format(title=TITLE, rows="Points Possible,,,,,100\nx,9,,,,7.50")
TWO = "Student,ID,A tiny till (7),A  Tiny till (8)\nx,9,7.50,\n"
TWO_LINE = (
    '2 columns are called \'A tiny till\'. Hint: --column "A tiny till (7)" | "A  Tiny till (8)"'
)
NOT_OURS = CANVAS.format(title="Quiz", rows="x,9,,,,7.50")
MAXIMUM = 'the column "A tiny till (7)" is out of 100, but the marks are out of 6'
MOODLE = (GIVEN / "moodle.csv").read_text("utf-8").replace("Maximum grade", "Nota massima")
WRONG = {
    "nobody fits": ("canvas", CANVAS.format(title=TITLE, rows="x,1,,,,"), None,
                    "no row fits any of 1 submission"),
    "another column": ("canvas", CANVAS.format(title=TITLE, rows="x,9,,,,"), "Quiz",
                       "the column 'Quiz' for marks is missing"),
    "no column of ours": ("canvas", NOT_OURS, None,
                          "no column is called 'A tiny till'. Hint: --column \"Quiz (7)\""),
    "another maximum": ("canvas", OUT_OF_100, None,
                        f'{MAXIMUM}. Hint: add --column "A tiny till (7)" to fill it anyway'),
    # It stands beside the grade, whatever it is called.
    "another maximum in Moodle": ("moodle", MOODLE.replace(",6.00,", ",9.00,"), None,
                                  'the column "Grade" is out of 9, but the marks are out of 6'),
    "two columns": ("canvas", TWO, None, TWO_LINE),
    "two columns, asked for": ("canvas", TWO, TITLE, TWO_LINE),
    "two columns of one header": (
        "canvas", TWO.replace("(8)", "(7)"), "A tiny till (7)",
        "2 columns are called 'A tiny till (7)'. Hint: rename one of them on the platform",
    ),
    "no students": ("canvas", CANVAS.format(title=TITLE, rows=""), None, "contains no students"),
    "no header": ("canvas", "a,b\n1,2\n", None, "has no columns Student and ID"),
    "no participants": ("moodle", "a,b\n1,2\n", None,
                        'has no column with "Participant 12" in every row'),
    "no usernames": ("blackboard", "a,b\n1,2\n", None, "has no column Username"),
    "no key": ("brightspace", "a,b\n1,2\n", None, "has neither a column OrgDefinedId nor Username"),
    "an empty file": ("canvas", "", None, "is empty"),
}  # fmt: skip


@pytest.mark.parametrize(("platform", "text", "column", "line"), WRONG.values(), ids=WRONG)
def test_an_error_is_one_line(
    book: Path, platform: str, text: str, column: str | None, line: str
) -> None:
    book.write_text(text, encoding="utf-8")
    entries = CLASS if platform == "moodle" else (ADA,)
    refused = refusal(make, platform, entries, book, column=column)
    assert refused.startswith(f"{book}: {line}")
    assert "\n" not in refused


def test_a_column_that_is_asked_for_is_filled(book: Path) -> None:
    book.write_text(OUT_OF_100, encoding="utf-8")
    assert make("canvas", (ADA,), book, column=TITLE).warnings == (
        f"{book}: {MAXIMUM}",
        f"{book}:3: x: 7.50 became 4.50",
    )
    book.write_text(TWO, encoding="utf-8")
    found = make("canvas", (ADA,), book, column="A tiny till (8)")
    assert found.sheet.rows[1] == ("x", "9", "7.50", "4.50")


WITHOUT = {
    "moodle": "Moodle can only import its own worksheet",
    "brightspace": "Brightspace's gradebook has different ids than its downloads",
}


@pytest.mark.parametrize(("platform", "line"), WITHOUT.items())
def test_a_platform_that_needs_a_file(platform: str, line: str) -> None:
    assert refusal(make, platform, (ADA,), None).startswith(f"{line}. Hint: --gradebook FILE")


@pytest.mark.parametrize("lock", [".~lock.book.csv#", "~$book.csv"])
def test_a_gradebook_that_is_open_in_an_office_program(book: Path, lock: str) -> None:
    book.with_name(lock).touch()
    refused = refusal(canvas, book, "x,9,,,,", ADA)
    assert refused.startswith(f"{book}: is open in another program. Hint: close it there")


QUIET = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CELL = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8
).filter(lambda cell: inert_cell(cell) == cell)
TABLE_FORMS = st.builds(
    lambda code, delimiter, end, quoted, separator_line: CsvForm(
        encoding=code[0],
        mark=code[1],
        delimiter=delimiter,
        line_end=end,
        quoted=quoted,
        separator_line=separator_line,
    ),
    st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")]),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\r\n", "\n"]),
    st.booleans(),
    st.booleans(),
)


@QUIET
@given(rows=st.lists(st.lists(CELL, min_size=2, max_size=3), max_size=5), form=TABLE_FORMS)
def test_a_table_comes_back_in_its_form(
    tmp_path: Path, rows: list[list[str]], form: CsvForm
) -> None:
    sheet = Sheet(rows=(("ID", "Name", "Mark"), *map(tuple, rows)), form=form)
    path = tmp_path / "book.csv"
    path.write_bytes(encoded(sheet))
    again = read_sheet(path)
    assert again.rows == sheet.rows
    assert (again.form.encoding, again.form.mark) == (form.encoding, form.mark)
    assert (again.form.delimiter, again.form.quoted) == (form.delimiter, form.quoted)
    assert again.form.separator_line == form.separator_line


@QUIET
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(lambda t: t.encode("utf-16")))
def test_any_bytes_are_a_table_or_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "book.csv"
    path.write_bytes(data)
    ada = GradebookEntry(id="ada", student=Student(id="1", name="Ada"), mark="1.00", out_of=6)
    for platform in gradebooks():
        try:
            make_gradebook(platform, [ada], request(path))
        except UserError as error:
            assert "\n" not in str(error)


@given(text=st.text(max_size=12))
def test_an_inert_cell_is_read_back(text: str) -> None:
    cell = inert_cell(text)
    assert bare_cell(cell) == text or "'" in text
    assert inert_cell(cell) == cell
