"""Real folders in, submissions out; everything in a download is accounted for: a student's, in need
of review, or ignored."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.intake.pipeline import Cohort, read
from harness.model.result import Contents
from harness.model.submission import MissingFiles, Submission, Withheld, WrongFiles
from tests import plans
from tests.downloads import (
    DOWNLOADS,
    Files,
    HandIn,
    blackboard,
    canvas,
    laid,
    moodle,
    plain_files,
    program,
    zipped_class,
)
from tests.intake.cohorts import Tree, by_id, cohort, lay

ONE = plans.assignment(id="one")
TWO = replace(ONE, submission_files=("connect4.py", "c4game.py"))
ANY = replace(ONE, submission_files=("p4.py",), laid_as="p4.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def summary(submissions: tuple[Submission, ...]) -> list[str]:
    """Of each the files with their texts, or the problem, behind the id."""
    assert not any(one.files and one.problem for one in submissions)
    return [
        f"{one.id}: " + (one.problem or ", ".join(f"{f.name}={f.data.decode()}" for f in one.files))
        for one in submissions
    ]


# What is not about one file a1.py.
OTHER = {
    "two files": TWO,
    "a file of any name": ANY,
    "any name": ANY,
    "two files in one": ANY,
    "a folder around files of any name": ANY,
}
LAYOUTS: dict[str, tuple[Tree, list[str]]] = {
    "a folder of folders": (
        {"eve/a1.py": "e", "ada/a1.py": "a", "ada/notes.txt": "n", "README.md": "r"},
        ["ada: a1.py=a", "eve: a1.py=e"],
    ),
    "a folder that is a submission": (
        {"a1.py": "a", "extra.py": "x", "old/a1.py": "o"},
        ["root: a1.py=a"],
    ),
    "a folder of files": (
        {"ada.py": "a", "eve.py": "e", "notes.txt": "n"},
        ["ada: a1.py=a", "eve: a1.py=e"],
    ),
    "a sample with a wrong name": (
        {"Assignment1.py": "a", "expect.yaml": "mark: [0, 0]"},
        ["root: found Assignment1.py, expected a1.py"],
    ),
    "wrong names": (
        {
            "case/A2.py": "a",
            "both/x.py": "x",
            "both/y.py": "y",
            "none": None,
            "report/report.docx": "r",
            "inside/a1/main.py": "a",
            "hidden/.a1.py": "h",
            "marker/expect.yaml": "e",
        },
        [
            "both: found x.py and y.py, expected a1.py",
            "case: found A2.py, expected a1.py",
            "hidden: no file a1.py",
            "inside: found a1, expected a1.py",
            "marker: no file a1.py",
            "none: no file a1.py",
            "report: found report.docx, expected a1.py",
        ],
    ),
    "a folder around the files": (
        {"ada/a1/a1.py": "a", "bob/term/week 1/a1.py": "b", "eve/a1/a1.py": "e", "eve/b.py": "x"},
        ["ada: a1.py=a", "bob: a1.py=b", "eve: found b.py, expected a1.py"],
    ),
    "many wrong names": (
        {f"ada/{letter}.py": "" for letter in "abcdefgh"},
        ["ada: found a.py, b.py, c.py, d.py, e.py and 3 more, expected a1.py"],
    ),
    "what is never a submission": (
        {"ada/a1.py": "a", ".git/a1.py": "g", "__MACOSX/a1.py": "m", "__pycache__/a1.py": "c"},
        ["ada: a1.py=a"],
    ),
    "a folder named as the file": (
        {"ada/a1.py/inner.py": "i", "eve/a1.py": "e"},
        ["ada: a1.py is a folder, not a file", "eve: a1.py=e"],
    ),
    "two files": (
        {"ada/connect4.py": "c", "ada/c4game.py": "g", "eve/c4game.py": "g", "bob/x.py": "x"},
        [
            "ada: connect4.py=c, c4game.py=g",
            "bob: found x.py, expected connect4.py and c4game.py",
            "eve: c4game.py=g",
        ],
    ),
    "a file of any name": (
        {"ada/mine.py": "a", "eve/p4.py": "e", "eve/x.py": "x", "bob/a.py": "", "bob/b.py": ""},
        ["ada: p4.py=a", "bob: found a.py and b.py, expected p4.py", "eve: p4.py=e"],
    ),
    "ids that need care": (
        {"a\x1b[31mb/a1.py": "1", "a_[31mb/a1.py": "2", "a\u202eb/a1.py": "3", " c /a1.py": "4"},
        ["a_[31mb: a1.py=1", "a_[31mb-2: a1.py=2", "a_b: a1.py=3", "c: a1.py=4"],
    ),
    "a suffix that is taken": (
        {"a\x1b/a1.py": "1", "a\x1c/a1.py": "2", "a_-2/a1.py": "3"},
        ["a_: a1.py=1", "a_-2: a1.py=3", "a_-3: a1.py=2"],
    ),
    "nothing": ({}, []),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(root: Path, name: str) -> None:
    tree, expected = LAYOUTS[name]
    assert summary(read((lay(root, tree),), OTHER.get(name, ONE))) == expected


def test_a_lone_file_is_graded_whatever_its_name(root: Path) -> None:
    lay(root, {"ada.py": "a", "deep/a1.py": "b"})
    first, second = read((root / "deep" / "a1.py", root / "ada.py"), ONE)
    assert summary((first, second)) == ["a1: a1.py=b", "ada: a1.py=a"]
    assert first.notes == ()
    assert second.notes == ("ada.py was graded as a1.py",)
    assert second.origin == str(root / "ada.py")


def test_a_missing_file_of_several_is_a_note(root: Path) -> None:
    (one,) = read((lay(root, {"ada/c4game.py": "g"}),), TWO)
    missing = MissingFiles(names=("connect4.py",))
    assert one.missing == missing
    assert one.notes == (missing.note,)


def test_several_paths_give_each_submission_once(root: Path) -> None:
    lay(root, {"x/ada/a1.py": "1", "x/eve/a1.py": "2", "y/ada/a1.py": "3"})
    submissions = read((root / "y", root / "x", root / "x" / "ada", root / "x"), ONE)
    assert summary(submissions) == ["ada: a1.py=1", "ada-2: a1.py=3", "eve: a1.py=2"]


def test_the_current_folder_has_a_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lay(root, {"a1.py": "a"}))
    assert summary(read((Path(),), ONE)) == ["root: a1.py=a"]


def test_links_and_pipes_are_not_followed(root: Path) -> None:
    lay(root, {"ada/notes.txt": "n", "eve/x.txt": "x", "outside/secret.py": "secret"})
    outside = root / "outside"
    root = root / "in"
    (root / "ada").mkdir(parents=True)
    (root / "eve").mkdir()
    (root / "ada" / "a1.py").symlink_to(outside / "secret.py")
    os.mkfifo(root / "eve" / "a1.py")
    (root / "linked").symlink_to(outside)
    (root / "loose.py").symlink_to(outside / "secret.py")
    assert summary(read((root,), ONE)) == [
        "ada: a1.py is a symbolic link, which is not followed",
        "eve: a1.py is a special file, not a file",
        "linked: linked is a symbolic link, which is not followed",
        "loose: loose.py is a symbolic link, which is not followed",
    ]


def test_a_path_that_the_user_names_may_be_a_link(root: Path) -> None:
    lay(root, {"real/a1.py": "a"})
    (root / "link").symlink_to(root / "real")
    (root / "ada.py").symlink_to(root / "real" / "a1.py")
    assert summary(read((root / "link" / "a1.py",), ONE)) == ["a1: a1.py=a"]
    assert summary(read((root / "ada.py",), ONE)) == ["ada: a1.py=a"]


def test_caps(root: Path) -> None:
    lay(root, {"big/a1.py": "#" * (512 * 1024 + 1), "fits/a1.py": "#" * (512 * 1024)})
    many = root / "many"
    many.mkdir()
    for number in range(1001):
        (many / f"{number}.txt").write_text("")
    assert {one.id: one.problem for one in read((root,), ONE)} == {
        "big": "a1.py is larger than 512 KiB",
        "fits": "",
        "many": "the folder holds more than 1000 files",
    }


def test_a_name_as_long_as_the_disk_allows(root: Path) -> None:
    (one,) = read((lay(root, {"n" * 255 + "/a1.py": "a"}),), ONE)
    assert one.id == "n" * 100


def test_a_name_that_is_not_text_is_escaped(root: Path) -> None:
    lay(root, {})
    os.mkdir(os.fsencode(root) + b"/b\xe9b")  # noqa: PTH102  (a name of bytes)
    (one,) = read((root,), ONE)
    assert (one.id, one.problem) == ("b_b", "no file a1.py")
    assert one.wrong_files == WrongFiles()


REFUSED = {
    "no such file or folder. Hint: write the file's whole path, or go to its folder first "
    "(cd)": "nowhere",
    "no such file or folder. Hint: is it class.zip?": "clas.zip",
    "is not an archive, expected a zip or tar archive. Hint: download it again, or unpack it "
    "yourself and name the folder": "class.zip",
    "this is not a folder, an archive or a .py file": "pipe.py",
}


@pytest.mark.parametrize(("what", "name"), REFUSED.items())
def test_a_path_that_cannot_be_read_is_one_line(root: Path, name: str, what: str) -> None:
    lay(root, {"class.zip": "PK"})
    os.mkfifo(root / "pipe.py")
    with pytest.raises(UserError) as caught:
        read((root / name,), ONE)
    assert str(caught.value) == f"{root / name}: {what}"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a user without privilege may reach, as pytest's own may not be."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path
        for sealed in path.rglob("*"):
            sealed.chmod(0o755)


def unprivileged(root: Path) -> list[list[str]]:
    """What `read` finds when it is not root, to whom everything is readable."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            try:
                found = [[one.id, one.problem, one.withheld or ""] for one in read((root,), ONE)]
            except UserError as error:
                found = [[str(error)]]
            os.write(sink, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(sink)
    with os.fdopen(source) as output:
        found = json.loads(output.read())
    os.waitpid(child, 0)
    return found


@pytest.mark.process
def test_one_unreadable_submission_stops_no_other(open_folder: Path) -> None:
    for name in ("ada", "bob", "eve"):
        (open_folder / name).mkdir()
        (open_folder / name / "a1.py").write_text(name)
    (open_folder / "ada" / "a1.py").chmod(0)
    (open_folder / "bob").chmod(0)
    assert unprivileged(open_folder) == [
        ["ada", "a1.py cannot be read (Permission denied)", "needs_review"],
        ["bob", "the folder cannot be read (Permission denied)", "needs_review"],
        ["eve", "", ""],
    ]


@pytest.mark.process
def test_an_unreadable_path_is_one_line(open_folder: Path) -> None:
    sealed = open_folder / "sealed"
    sealed.mkdir()
    sealed.chmod(0)
    assert unprivileged(sealed) == [[f"{sealed}: cannot be read (Permission denied)"]]


def test_the_digest_is_of_names_and_bytes(root: Path) -> None:
    lay(root, {"ada/a1.py": "a", "eve/a1.py": "a", "bob/a1.py": "b"})
    ada, bob, eve = read((root,), ONE)
    assert ada.digest == eve.digest != bob.digest


GLOBS: dict[str, tuple[Tree, list[str]]] = {
    "any name": (
        {"ada/project4.py": "a", "eve/project4.py": "e"},
        ["ada: p4.py=a", "eve: p4.py=e"],
    ),
    "two files in one": (
        {"ada/project4.py": "a", "bob/a.py": "", "bob/b.py": ""},
        ["ada: p4.py=a", "bob: found a.py and b.py, expected p4.py"],
    ),
    "one with a wrong name": (
        {"ada/a1.py": "a", "eve/main.py": "e", "eve/old/main.py": "e", "none": None},
        ["ada: a1.py=a", "eve: found main.py, expected a1.py", "none: no file a1.py"],
    ),
    "all with a wrong name": (
        {"ada/main.py": "a", "eve/main.py": "e"},
        ["ada: found main.py, expected a1.py", "eve: found main.py, expected a1.py"],
    ),
    "a class beside a submission": (
        {"ada/a1.py": "a", "week1/bob/a1.py": "b", "week1/eve/a1.py": "e"},
        ["ada: a1.py=a", "bob: a1.py=b", "eve: a1.py=e"],
    ),
    "a folder around the files of each": (
        {"ada/a1/a1.py": "a", "eve/a1/a1.py": "e", "kim/main.py": "k"},
        ["ada: a1.py=a", "eve: a1.py=e", "kim: found main.py, expected a1.py"],
    ),
    "a folder around files of any name": (
        {"ada/a1/project4.py": "a", "eve/a1/project4.py": "e"},
        ["ada: p4.py=a", "eve: p4.py=e"],
    ),
    "a folder around files beside a class": (
        {"week1/ada/a1.py": "a", "week2/ada/a1.py": "b", "week2/eve/a1.py": "e"},
        ["ada: a1.py=a", "ada-2: a1.py=b", "eve: a1.py=e"],
    ),
    "two classes of files": (
        {"x/ada.py": "a", "x/bob.py": "b", "y/eve.py": "e", "y/kim.py": "k"},
        ["ada: a1.py=a", "bob: a1.py=b", "eve: a1.py=e", "kim: a1.py=k"],
    ),
}


@pytest.mark.parametrize("name", GLOBS)
def test_files_that_a_shell_lists_are_grouped(root: Path, name: str) -> None:
    tree, expected = GLOBS[name]
    assert summary(read(sorted(lay(root, tree).iterdir()), OTHER.get(name, ONE))) == expected


def test_one_folder_is_named_as_among_others(root: Path) -> None:
    lay(root, {"ada/project4.py": "a"})
    (one,) = read((root / "ada",), ANY)
    assert (one.id, one.notes) == ("ada", ("project4.py was graded as p4.py",))


def test_a_folder_around_the_files_is_a_note(root: Path) -> None:
    lay(root, {"ada/a1/a1.py": "a", "eve/a1/a1.py": "e"})
    ada, _ = read(sorted(root.iterdir()), ONE)
    assert (ada.origin, ada.notes) == (str(root / "ada"), ("a1/a1.py was in a folder",))
    assert read((root,), ONE)[0] == ada


CLASS = [
    HandIn(id=str(100 + n), name=f"Student N{letter}", files=program("print(1)\n"))
    for n, letter in enumerate("abcdef")
]
JUNK: Files = {".DS_Store": b"x", "__MACOSX/._a": b"x", "._a1.py": b"x", "Thumbs.db": b"x"}
ALL: dict[str, Callable[[list[HandIn]], Files]] = {
    **DOWNLOADS,  # type: ignore[dict-item]
    "files": plain_files,
    "moodle flat": lambda handed: moodle(handed, flat=True),
    "canvas anonymous": lambda handed: canvas(handed, anonymous=True),
}


def contents(found: Cohort) -> Contents:
    """The account, which adds up."""
    account = found.facts.contents
    rest = len(account.review) + len(account.ignored) + len(account.metadata)
    assert account.total == account.of_students + rest
    return account


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("layout", sorted(ALL))
def test_the_sum_over_every_layout(tmp_path: Path, layout: str, packed: bool) -> None:
    files = ALL[layout](CLASS)
    root = "assignment_4100_export/" if layout == "gradescope" else ""
    files |= {root + name: data for name, data in JUNK.items()}
    place = zipped_class(files, tmp_path / "c.zip") if packed else laid(files, tmp_path / "c")

    account = contents(cohort(place))

    assert account.total == len({name.removeprefix(root).split("/")[0] for name in files})
    assert account.students == len(CLASS)
    assert not account.review
    assert {".DS_Store", "__MACOSX", "._a1.py", "Thumbs.db"} <= set(account.ignored)


def test_files_beside_the_folder_around_a_class_are_counted(tmp_path: Path) -> None:
    files = {f"class/{name}": data for name, data in moodle(CLASS).items()} | JUNK
    account = contents(cohort(zipped_class(files, tmp_path / "c.zip")))
    assert set(account.ignored) == {".DS_Store", "__MACOSX", "._a1.py", "Thumbs.db"}
    assert account.students == len(CLASS)


def test_the_line() -> None:
    account = Contents(
        what="folders",
        total=68,
        students=64,
        of_students=64,
        review=("one", "two"),
        ignored=(".DS_Store", "__MACOSX"),
    )
    line = "68 folders: 64 students, 2 need review, 2 ignored (.DS_Store, __MACOSX)"
    assert str(account) == line


def test_a_students_name_may_begin_with_a_dot(tmp_path: Path) -> None:
    files = moodle(CLASS) | {". Plato_99_assignsubmission_file/a1.py": b"print(1)\n"}
    roster = tmp_path / "roster.csv"
    roster.write_text("Identifier,Full name\nParticipant 99,. Plato\nParticipant 100,Student Na\n")
    for place in (laid(files, tmp_path / "c"), zipped_class(files, tmp_path / "c.zip")):
        found = cohort(place, roster=roster)
        plato = by_id(found)["99"]
        assert plato.withheld is Withheld.NEEDS_REVIEW
        assert "begins with a dot" in plato.notes[0]
        assert contents(found).review == (". Plato_99_assignsubmission_file",)


def test_a_plain_folder_may_begin_with_a_dot(tmp_path: Path) -> None:
    files = {"ann/a1.py": b"1\n", ".plato/a1.py": b"1\n", ".git/config": b"", "bob/a1.py": b"1\n"}
    for place in (laid(files, tmp_path / "c"), zipped_class(files, tmp_path / "c.zip")):
        found = cohort(place)
        assert by_id(found)["_plato"].withheld is Withheld.NEEDS_REVIEW
        assert str(contents(found)) == "4 folders: 2 students, 1 needs review, 1 ignored (.git)"


@pytest.mark.parametrize("layout", ["plain", "moodle", "brightspace"])
def test_a_folder_of_junk_alone_needs_review(tmp_path: Path, layout: str) -> None:
    junk = ((".a1.py", b"1\n"), (".DS_Store", b"x"), ("__pycache__/a1.pyc", b"x"))
    files = DOWNLOADS[layout]([*CLASS, HandIn(id="7", name="Only Junk", files=junk)])
    for place in (laid(files, tmp_path / "c"), zipped_class(files, tmp_path / "c.zip")):
        found = cohort(place)
        one = by_id(found)["7"]
        assert one.withheld is Withheld.NEEDS_REVIEW
        assert ".DS_Store, .a1.py and __pycache__" in one.notes[-1]
        assert len(contents(found).review) == 1


def test_a_text_or_link_typed_into_canvas_needs_review(tmp_path: Path) -> None:
    files = canvas(CLASS) | {"leeann_501_text.html": b"<p>", "raybob_LATE_502_link.html": b"<a>"}
    found = cohort(laid(files, tmp_path / "c"))
    both = by_id(found)["501"], by_id(found)["502"]
    assert [one.withheld for one in both] == [Withheld.NEEDS_REVIEW] * 2
    assert "as a text and not as a file" in both[0].notes[0]
    assert "as a link and not as a file" in both[1].notes[0]
    assert len(contents(found).review) == 2


def test_a_text_alone_typed_into_moodle_needs_review(tmp_path: Path) -> None:
    """Beside a file it is a remark, and the file is graded."""
    text, file = "assignsubmission_onlinetext_/onlinetext.html", "assignsubmission_file_/a1.py"
    files = {f"Ann Lee_1_{text}": b"<p>", f"Bob Ray_2_{text}": b"<p>"}
    files |= {f"Bob Ray_2_{file}": b"x = 1\n", f"Cy Fox_3_{file}": b"x = 1\n"}
    found = cohort(laid(files, tmp_path / "c"))
    assert by_id(found)["1"].withheld is Withheld.NEEDS_REVIEW
    assert "as a text and not as a file" in by_id(found)["1"].notes[0]
    assert [by_id(found)[name].withheld for name in "23"] == [None, None]


def test_a_file_that_is_called_as_a_typed_text_is_a_file(tmp_path: Path) -> None:
    files = canvas(CLASS) | {"leeann_501_9_text.html": b"<p>"}
    assert by_id(cohort(laid(files, tmp_path / "c")))["501"].withheld is None


@pytest.mark.parametrize("start", ["LATE_anon_", "anon_LATE_"])
def test_two_anonymous_late_ones_are_two(tmp_path: Path, start: str) -> None:
    files = {f"{start}{who}_88{n}_a1.py": b"1\n" for n, who in enumerate(("x1", "x2"))}
    found = cohort(laid(files | canvas(CLASS, anonymous=True), tmp_path / "c"))
    assert {"x1", "x2"} < set(by_id(found))
    assert "marked late by its platform" in by_id(found)["x1"].notes


def test_the_texts_about_attempts_are_their_students(tmp_path: Path) -> None:
    again = HandIn(id="100", name="Student Na", files=(), at=CLASS[0].at.replace(hour=13))
    account = contents(cohort(laid(blackboard([*CLASS, again]), tmp_path / "c")))
    assert str(account) == "13 files: 13 of 6 students"
