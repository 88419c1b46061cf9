"""Files: what each rule fires on, says, and leaves alone."""

from dataclasses import replace
from typing import Any

from harness.judging.explain.failure import Failure
from harness.matchers.kinds.contains import Contains
from harness.model.expectation import Expected, Ignore
from harness.model.observation import NamedValue, Observation, Phase
from harness.model.policy import SourceFile
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind, file_value, place_value
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests.judging.judging_cases import (
    CALL,
    Neighbours,
    Sentences,
    called,
    case,
    exactly,
    raised,
    raising,
    ran,
)

GIVEN = SourceFile(name="in.txt", data=b"a\n")
IN_A_FOLDER = replace(CALL, folder=True)
WITH_A_FILE = replace(CALL, folder=True, files=(GIVEN,))


def wrote(*, left_open: tuple[str, ...] = (), **texts: str | bytes) -> Observation:
    """A call that left these files, their names without .txt."""
    files = tuple(
        NamedValue(
            name=f"{name}.txt", value=file_value(text.encode() if isinstance(text, str) else text)
        )
        for name, text in sorted(texts.items())
    )
    return replace(called(None), files=files, left_open=left_open)


USAGE = "usage: a1.py FILE\n"


def complained(errors: str, *parts: str, wanted: Any = USAGE) -> Failure:
    """A program that wrote this to stderr and printed these parts, where `wanted` is stated."""
    return case(
        replace(ran(), stderr=USAGE),
        replace(ran(*parts), stderr=errors),
        replace(CALL, action=Run(program="a1.py"), stderr_apart=True),
        stated=Expected(stderr=exactly(wanted) if isinstance(wanted, str) else wanted),
    )


FOLDER = place_value("folder", "a folder")
TWO_LINES = file_value(b"a: 1\nb: 2\n")


def left_files(**files: Value) -> Observation:
    """A call that left these."""
    found = tuple(NamedValue(name=name, value=value) for name, value in files.items())
    return replace(called(None), files=found)


def denied(
    path: str, *, error: int = 13, name: str = "PermissionError", **more: Any
) -> Observation:
    """A call that raised because of this path."""
    words = {2: "No such file or directory", 13: "Permission denied", 30: "Read-only file system"}
    return raised(name, f"[Errno {error}] {words[error]}: {path!r}", **more)


def left(observation: Observation, given: bytes = b"a\nb\n") -> Failure:
    """A call that should leave in.txt as it is."""
    stimulus = replace(CALL, folder=True, files=(SourceFile(name="in.txt", data=given),))
    return case(called(None), observation, stimulus, stated=Expected(writes_unchanged=True))


def stays(text: str | bytes, given: bytes = b"a\nb\n") -> Failure:
    """The same, which leaves this in it."""
    return left(wrote(**{"in": text}), given)


STAYS = {
    "it is removed.": left(wrote()),
    "it is renamed to other.txt.": left(wrote(other="a\nb\n")),
    "it is emptied: is it opened with mode 'w'? To read a file, open it with mode 'r'.": stays(""),
    'nothing of it is left: line 1 was "a" and is "c" now. Is it opened with mode \'w\'? '
    "To read a file, open it with mode 'r'.": stays("c\n"),
    "it is changed: blanks at the end of line 1 differ.": stays("a \nb \n"),
    "1 line is added at its end: \"c\". Is it opened with mode 'a'?": stays("a\nb\nc\n"),
    "1 line is added at its end: \"\". Is it opened with mode 'a'?": stays("a\nb\n\n"),
    'it is changed: line 2 was "b" and is "b!" now.': stays("a\nb!\n"),
    'it is changed: line 2, "b", is gone.': stays("a\n"),
    "it is now a binary file.": stays(b"\xff\x00"),
    "it is changed: the newline at its end is gone.": stays("a\nb"),
    "it is changed: a newline is added at its end.": stays("a\n", given=b"a"),
    "it is overwritten.": stays("a\n", given=b"\xff\x00"),
    'it is changed: line 1, "", is added.': stays("\na\nb\n"),
    "it is now a file of 2000000 bytes.": left(
        left_files(**{"in.txt": Value(ValueKind.TOO_LARGE, "a file of 2000000 bytes")})
    ),
}
REPORT = wrote(report="a: 1\nb: 2\n")
DIFFERS = case(REPORT, wrote(report="a: 1\nb: 3\n"), IN_A_FOLDER)
NOT_THERE = case(REPORT, wrote(), IN_A_FOLDER)

NOT_HANDED_IN = raised("ModuleNotFoundError", "No module named 'triangle'", phase=Phase.LOADING)

FIRES: Sentences = {
    "not_handed_in": {
        "triangle.py was not handed in.": [
            case(called(1), NOT_HANDED_IN),
            case(called(1), replace(NOT_HANDED_IN, phase=Phase.GIVEN)),
            case(
                ran("1\n"),
                replace(NOT_HANDED_IN, phase=Phase.STIMULUS),
                Stimulus(action=Run(program="plays.py"), provide=("plays.py",)),
            ),
        ]
    },
    "module_is_unknown": {
        "a1.py imports numpy, which Python does not have, and which is neither one of your "
        "files nor a package of this assignment (line 1: import numpy).": case(
            called(1),
            raised(
                "ModuleNotFoundError",
                "No module named 'numpy'",
                line=1,
                source="import numpy",
                phase=Phase.LOADING,
            ),
        ),
        "add imports numpy, which Python does not have, and which is neither one of your "
        "files nor a package of this assignment (line 7).": case(
            called(1), raised("ModuleNotFoundError", "No module named 'numpy'", line=7)
        ),
    },
    "file_not_closed": {
        "add does not close report.txt, so that its text is not all written: use with open(…).": [
            case(REPORT, wrote(report="", left_open=("report.txt",)), IN_A_FOLDER),
            case(wrote(report="\n"), wrote(report="", left_open=("report.txt",)), IN_A_FOLDER),
        ]
    },
    "file_written_elsewhere": {
        "add writes reports.txt and not report.txt: the name is different.": case(
            REPORT, wrote(reports="a: 1\nb: 2\n"), IN_A_FOLDER
        ),
        "add writes data/report.txt and not report.txt: open the file by its name only, "
        "without a folder.": case(
            REPORT, left_files(data=FOLDER, **{"data/report.txt": TWO_LINES}), IN_A_FOLDER
        ),
        "add writes C:\\me\\report.txt and not report.txt: open the file by its name only, "
        "without "
        "a folder.": case(REPORT, left_files(**{"C:\\me\\report.txt": TWO_LINES}), IN_A_FOLDER),
        "add writes report.txt and not data/report.txt: it belongs in a folder.": case(
            left_files(data=FOLDER, **{"data/report.txt": TWO_LINES}), REPORT, IN_A_FOLDER
        ),
    },
    "folder_is_read_only": {
        "add uses /tmp/x.txt, which is outside its folder (line 3: "
        "open('/tmp/x.txt', 'w')). Files belong beside the program: open x.txt by its "
        "plain name.": case(
            called(None), denied("/tmp/x.txt", line=3, source="open('/tmp/x.txt', 'w')")
        ),
        "add uses ../data/x.txt, which is outside its folder. Files belong beside the program: "
        "open x.txt by its plain name.": case(called(None), denied("../data/x.txt"), IN_A_FOLDER),
        "add uses a/../../x.txt, which is outside its folder. Files belong beside "
        "the program: open x.txt by its "
        "plain name.": case(called(None), denied("a/../../x.txt", error=30, name="OSError")),
        "add uses C:\\me\\x.txt, which is outside its folder. Files belong beside "
        "the program: open x.txt by its plain "
        "name.": case(called(None), denied(r"C:\me\x.txt", error=2, name="FileNotFoundError")),
        "add uses /home/me/it's, which is outside its folder. Files belong beside "
        "the program: open it's by its plain name.": case(
            raised("ValueError"), denied("/home/me/it's", error=2, name="FileNotFoundError")
        ),
        "add uses /, which is outside its folder. Files belong beside the program: open each "
        "by its plain name.": case(called(None), denied("/")),
        "add writes log.txt, although no file should be written here (line 6: "
        "open('log.txt', "
        "'a')).": case(called(None), denied("log.txt", line=6, source="open('log.txt', 'a')")),
    },
    "file_not_written": {
        "The file report.txt is not written.": NOT_THERE,
        "The file in.txt is gone afterwards.": case(wrote(**{"in": "a\n"}), wrote(), WITH_A_FILE),
    },
    "file_should_stay": {
        f"The file in.txt should stay unchanged, but {what}": case for what, case in STAYS.items()
    },
    "windows_line_ends": {
        "The lines of the file report.txt end with \\r\\n, as on Windows, and should end with \\n: "
        'write only "\\n"; a csv.writer does with '
        'lineterminator="\\n".': case(REPORT, wrote(report="a: 1\r\nb: 2\r\n"), IN_A_FOLDER),
        "1 of 2 lines of the file report.txt ends with \\r\\n, as on Windows, and should end with "
        '\\n: write only "\\n"; a csv.writer does with '
        'lineterminator="\\n".': case(REPORT, wrote(report="a: 1\nb: 2\r\n"), IN_A_FOLDER),
        "The lines of the file report.txt end with \\n, and should end with \\r\\n, as on "
        "Windows.": case(wrote(report="a\r\nb\r\n"), wrote(report="a\nb\n"), IN_A_FOLDER),
    },
    "printed_to_stdout": {
        'The program prints "usage: a1.py FILE" to stdout, but it belongs on stderr. '
        "Write print(…, file=sys.stderr).": complained("", USAGE)
    },
    "stderr_differs": {
        'The program writes "usage: a1.py\\n" to stderr, expected "usage: a1.py FILE\\n".': (
            complained("usage: a1.py\n")
        ),
        'The program writes nothing to stderr, expected "usage: a1.py FILE\\n".': complained(""),
        'The program writes "usage: a1.py FILE\\n" to stderr, expected nothing.': complained(
            USAGE, wanted=""
        ),
        'The program writes "oops\\n" to stderr, expected text that contains "usage".': complained(
            "oops\n", wanted=Contains(text="usage")
        ),
    },
    "file_should_not_be_there": {
        "add leaves the file debug.txt, which should not be there afterwards.": case(
            wrote(), wrote(debug="x"), IN_A_FOLDER
        )
    },
    "only_whitespace": {
        "Only white space differs in the file report.txt: line 2 has 2 extra spaces at "
        "its end.": case(REPORT, wrote(report="a: 1\nb: 2  \n"), IN_A_FOLDER),
        "Only white space differs in the file report.txt: line 1 has an extra space at "
        "its end.": case(REPORT, wrote(report="a: 1 \nb: 2 \n"), IN_A_FOLDER),
        'Only white space differs in the file report.txt: the line end after "b: 2" is '
        "missing.": case(REPORT, wrote(report="a: 1\nb: 2"), IN_A_FOLDER),
        "Only white space differs in the file report.txt: there is an extra line end "
        'after "b: 2".': case(REPORT, wrote(report="a: 1\nb: 2\n\n"), IN_A_FOLDER),
    },
    "file_differs": {
        'The file report.txt differs in line 2: it is "b: 3", it should be "b: 2".': [
            case(
                REPORT,
                wrote(report="a: 1 \nb: 3\n"),
                IN_A_FOLDER,
                stated=Expected(ignore=(Ignore.TRAILING_SPACE,)),
            ),
            DIFFERS,
        ],
        'The file report.txt lacks 1 line from line 2 on: "b: 2".': case(
            REPORT, wrote(report="a: 1\n"), IN_A_FOLDER
        ),
        'The file report.txt has 1 line too many from line 3 on: "c: 3".': case(
            REPORT, wrote(report="a: 1\nb: 2\nc: 3\n"), IN_A_FOLDER
        ),
        "The file in.txt is 2 bytes, SHA-256 "
        "ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f, expected 'a\\n'.": case(
            None, wrote(**{"in": b"\xff\x00"}), WITH_A_FILE, stated=Expected(writes_unchanged=True)
        ),
    },
    "lines_in_another_order": {
        'The file report.txt has the right lines in another order: line 1 is "b: 2", it should be '
        '"a: 1".': case(REPORT, wrote(report="b: 2\na: 1\n"), IN_A_FOLDER)
    },
    "lines_run_together": {
        'The file report.txt has all of its text in one line: write "\\n" after each line.': case(
            REPORT, wrote(report="a: 1b: 2"), IN_A_FOLDER
        )
    },
}

WITH_A_REPORT = replace(IN_A_FOLDER, files=(SourceFile(name="report.txt", data=b"old\n"),))
OTHER = case(called(1), called(2))
LEAVES_ALONE: Neighbours = {
    "module_is_unknown": [
        case(called(1), raised("ImportError", "cannot import name 'x' from 'numpy'", line=1)),
        case(called(1), raised("ModuleNotFoundError", "no such plug-in", line=1)),
        case(
            called(1),
            raised("ModuleNotFoundError", "No module named 'x'"),
            stated=raising("ModuleNotFoundError", "no plug-in"),
        ),
    ],
    "not_handed_in": [
        case(
            called(1),
            raised("ModuleNotFoundError", "No module named 'numpy'", line=1, phase=Phase.LOADING),
        ),
        case(called(1), raised("ModuleNotFoundError", "No module named 'numpy'")),
    ],
    "file_not_closed": [DIFFERS],
    "file_written_elsewhere": [NOT_THERE],
    "file_not_written": [DIFFERS],
    "folder_is_read_only": [
        NOT_THERE,
        case(called(None), denied("in.txt"), WITH_A_FILE),
        case(called(None), denied("x", error=2, name="FileNotFoundError")),
        case(called(None), raised("PermissionError", "no")),
        case(called(None), denied("/etc/x", phase=Phase.LOADING)),
        case(
            raised("ValueError"),
            denied("/x", error=2, name="FileNotFoundError"),
            replace(CALL, action=Call(expression="read('/x')")),
        ),
        case(None, denied("/x"), stated=raising("PermissionError", "sealed")),
    ],
    "file_should_stay": [
        NOT_THERE,
        case(REPORT, wrote(report="a: 1\n"), WITH_A_REPORT),
        case(REPORT, wrote(), WITH_A_REPORT),
    ],
    "windows_line_ends": [DIFFERS, case(REPORT, wrote(report="a: 1\r\nb: 3\r\n"), IN_A_FOLDER)],
    "file_should_not_be_there": [NOT_THERE],
    "only_whitespace": [DIFFERS],
    "lines_in_another_order": [DIFFERS],
    "lines_run_together": [DIFFERS],
    "printed_to_stdout": [
        NOT_THERE,
        complained("", "usage\n"),
        complained("usage\n", USAGE),
        complained("", USAGE, wanted=Contains(text="usage")),
    ],
    "stderr_differs": [NOT_THERE],
    "file_differs": [OTHER, NOT_THERE],
}
