"""Whatever the names and bytes are: submissions with ids of their own, or one line."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.common.errors import UserError
from harness.intake import Cohort, layout_names
from tests.downloads import HandIn, canvas, gradescope, program, zipped_class
from tests.intake.cohorts import cohort

PARTS = (
    *("_", "-", " - ", "LATE", "anon", "12", "7", "a1", ".py", "a1.py", "a1-1.py", ".txt", "é"),
    *("_assignsubmission_file_", "_attempt_2024-09-24-21-26-00", "_attempt_2024-99-99-99-99-99"),
    *("Sep 24, 2024 926 PM", "Feb 30, 2024 1399 PM", "submission_1", "submission_metadata.yml"),
    *("/", "\u202e", "e\u0301", "O'Brien", "(", ")", "%s", "{0}"),
)
ANY = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join)
ALMOST = (
    *("{}_12_7_{}", "{}_LATE_13_8_{}", "anon_{}_7_{}", "{}_7_assignsubmission_file_{}"),
    *("{}_8_assignsubmission_file_/{}", "12-7 - {} - Sep 24, 2024 926 PM/{}"),
    *("13-7 - {} - Sep 24, 2024 926 PM - {}", "A1_{}_attempt_2024-09-24-21-26-00_{}"),
    *("{}_attempt_2024-09-24-21-26-00.txt{}", "submission_1/{}{}", "submission_metadata.yml{}{}"),
)
NAMES = st.one_of(
    ANY, *(st.tuples(ANY, ANY).map(lambda two, name=name: name.format(*two)) for name in ALMOST)
).filter(lambda name: not name.startswith("/"))
SETTINGS = settings(max_examples=150, deadline=None, derandomize=True)


def taken(files: dict[str, bytes], **asked: object) -> Cohort | str:
    """What is read of an archive with these files: submissions, or the line that says why not."""
    with tempfile.TemporaryDirectory() as folder:
        path = zipped_class(files, Path(folder) / "class.zip")
        for name, value in asked.items():
            if isinstance(value, bytes):
                asked[name] = Path(folder) / name
                (Path(folder) / name).write_bytes(value)
        try:
            return cohort(path, **asked)
        except UserError as error:
            return str(error)


def check(found: Cohort | str) -> None:
    if isinstance(found, str):
        assert "\n" not in found
        return
    ids = [one.id for one in found.submissions]
    assert len(set(ids)) == len(ids)
    for one in found.submissions:
        assert one.id.isprintable()
        assert one.files or one.problem or one.withheld
        assert "\n" not in "".join((one.problem, *one.notes))


@SETTINGS
@given(names=st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_any_names_in_a_class(names: list[str]) -> None:
    files = dict.fromkeys(names, b"x = 1")
    check(taken(files))
    for layout in layout_names():
        check(taken(files, layout=layout, due="2024-09-24T21:26Z", time_zone="UTC"))


@SETTINGS
@given(text=st.text(alphabet="-:[]{}&*!|>'\"\n #submitersnacdh_1", max_size=60))
def test_any_metadata(text: str) -> None:
    files = gradescope([HandIn(id="1", name="K", files=program(""))])
    whole = {name: data for name, data in files.items() if not name.endswith(".yml")}
    check(taken({**whole, "assignment_4100_export/submission_metadata.yml": text.encode()}))


@SETTINGS
@given(data=st.binary(max_size=60), start=st.sampled_from([b"", b"id,due\n1,", b"\xff\xfe"]))
def test_any_tables(data: bytes, start: bytes) -> None:
    files = canvas([HandIn(id="1", name="K", files=program(""))])
    check(taken(files, roster=start + data))
    check(taken(files, due="2024-09-24T21:26Z", extensions=start + data))
