"""Gradebook files of any bytes: a table that is written back as it was, or one line."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.common.csv_tables import Form, Sheet, bare_cell, encoded, inert_cell, read_sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks import GradebookEntry, gradebooks, make_gradebook
from tests.reporting.gradebook_samples import request

QUIET = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
CELL = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8
).filter(lambda cell: inert_cell(cell) == cell)
FORMS = st.builds(
    lambda code, delimiter, end, quoted, separator_line: Form(
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
@given(rows=st.lists(st.lists(CELL, min_size=2, max_size=3), max_size=5), form=FORMS)
def test_a_table_comes_back_in_its_form(tmp_path: Path, rows: list[list[str]], form: Form) -> None:
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
    ada = GradebookEntry(id="ada", student_id="1", email="", name="Ada", mark="1.00", out_of=6)
    for platform in gradebooks().values():
        try:
            make_gradebook(platform, [ada], request(path))
        except UserError as error:
            assert "\n" not in str(error)


@given(text=st.text(max_size=12))
def test_an_inert_cell_is_read_back(text: str) -> None:
    cell = inert_cell(text)
    assert bare_cell(cell) == text or "'" in text
    assert inert_cell(cell) == cell
