"""No path of ours is in what is said of a program."""

import pytest

from harness.common import serial
from harness.judging.judge import judge
from harness.judging.shown_text import hide_folder_of, without_paths
from harness.model.expectation import Expectation, Expected
from harness.model.observation import Ending, Frame, Observation, Raised, StepOutcome, Turn
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.stimuli.call import Call
from harness.stimuli.session import Session

ROOTS = "/" + "root"  # the home of the account
RIGHT = Observation(ending=Ending.ANSWERED, value=Value.of(1))
PATHS = {
    "/proc/self/fd/3/typing.py": "typing.py",
    "/proc/71/fd/12/json/decoder.py": "json/decoder.py",
    "/tmp/harness-scenario-ab12/4/home/a1.py": "4/home/a1.py",
    "/var/run/x/harness-unlocked-9/a1.py": "a1.py",
    "/tmp/harness-scenario-ab12/files/0123456789abcdef/x/y.txt": "x/y.txt",
    "/home/a/.pyenv/versions/3.12.1/lib/python3.12/json/decoder.py": "json/decoder.py",
    "/usr/lib/python3.12/site-packages/numpy/core.py": "numpy/core.py",
    "/lib/python312.zip/selectors.py": "selectors.py",
    "C:\\Python312\\Lib\\typing.py": "typing.py",
    "/opt/.pyenv/versions/3.12.1/bin/python3.12": "python3.12",
    "/home/ann/.pyenv/versions/3.12.1": "…",
    f"{ROOTS}/old/venv/bin/python3": "python3",
    "/home/ann/.local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu/bin": "bin",
    "C:\\Users\\ann\\AppData\\Local\\Programs\\Python\\Python312\\python.exe": "python.exe",
    "C:\\Users\\ann\\AppData\\Local\\Programs\\Python\\Python312\\Lib\\typing.py": "typing.py",
    "/Users/ann/old/venv/bin/python3": "python3",
    "/tmp/python-build.20260509.228/Python-3.12.1/coverage.info": "coverage.info",
    "/home/ann/src/Python-3.14.0rc1": "…",
}


@pytest.mark.parametrize("path", PATHS)
def test_no_path_of_ours_is_in_a_verdict(path: str) -> None:
    text = f"cannot import name 'x' from 'typing' ({path})"
    frame = Frame(file="a1.py", line=1, function="f", source=text)
    raised = Raised(type_name="ImportError", message=text, frames=(frame,))
    for wrong in (
        Observation(ending=Ending.ANSWERED, raised=raised),
        Observation(ending=Ending.ANSWERED, value=Value.of([text])),
        Observation(ending=Ending.ANSWERED, value=Value.of(1), turns=(Turn(printed=text),)),
    ):
        stimulus = Stimulus(action=Call(expression="f()"))
        verdict = judge(wrong, Expectation(stated=Expected(), reference=RIGHT), stimulus)
        said = serial.dumps(verdict)
        assert not verdict.passed
        assert serial.dumps(f"({PATHS[path]})").strip('"') in said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("['/proc/self/fd/3', '/proc/self/fd/4']", "['…', '…']"),
        ("in /tmp/harness-scenario-a/files/0123456789abcdef", "in …"),
        ("inside/zygote.py:265: UserWarning", "…:265: UserWarning"),
        ("my/inside/zygote.py", "my/inside/zygote.py"),
        ('File "inside/scenario/process.py", line 3', 'File "…", line 3'),
        ("os.listdir('/proc/self/fd')", "os.listdir('/proc/self/fd')"),
        (
            "python3.12 is inside/a and lib/python3.12x",
            "python3.12 is inside/a and lib/python3.12x",
        ),
        ("harness-scenario-a, a name", "harness-scenario-a, a name"),
        ("/proc/self/fd/3x/y", "/proc/self/fd/3x/y"),
        ("#!/usr/bin/python3", "#!/usr/bin/python3"),
        ("/usr/local/bin/python3.12 /usr", "/usr/local/bin/python3.12 /usr"),
        ("/home/ann/bin/pythonic", "/home/ann/bin/pythonic"),
        (f"/srv{ROOTS}/bin/python3", f"/srv{ROOTS}/bin/python3"),
        ("/home/ann/python3/notes.txt", "/home/ann/python3/notes.txt"),
        ("Python-3.12.1 /tmp/Python-3.12.1x/a", "Python-3.12.1 /tmp/Python-3.12.1x/a"),
        ("uses .pyenv and cpython-3.12", "uses .pyenv and cpython-3.12"),
    ],
)
def test_only_internal_paths_are_shortened(text: str, shown: str) -> None:
    assert without_paths(text) == shown


def test_the_folder_of_a_python_in_a_home_is_shortened_under_any_name() -> None:
    hide_folder_of("/home/zed/opt/mine/bin/python3.12")
    hide_folder_of("C:\\Users\\zed\\mine\\python.exe")
    hide_folder_of("/usr/bin/python3.12")
    assert without_paths("'/home/zed/opt/mine' /home/zed/opt/mine/include/x.h") == "'…' include/x.h"
    assert without_paths("C:\\Users\\zed\\mine") == "…"
    assert without_paths("/home/zed/opt/mine2 /home/zed/notes.txt /usr") == (
        "/home/zed/opt/mine2 /home/zed/notes.txt /usr"
    )


def test_a_long_text_without_an_end_costs_no_time() -> None:
    text = "harness-scenario-" + "/" * 200_000 + "/harness-scenario-" * 2000
    wrong = Observation(ending=Ending.ANSWERED, value=Value.of(1), turns=(Turn(printed=text),))
    stimulus = Stimulus(action=Call(expression="f()"))
    assert not judge(wrong, Expectation(stated=Expected(), reference=RIGHT), stimulus).passed


@pytest.mark.parametrize(
    "unit",
    [
        "/",
        "\\'",
        "'\\",
        '\\"',
        "/harness-scenario-",
        "/lib/python3.1",
        "/proc/self/fd/",
        "/home/a/",
    ],
)
def test_a_text_of_a_megabyte_is_read_once(unit: str) -> None:
    """Of which some, read from each of its characters on, would take an hour."""
    text = "'" + unit * (800_000 // len(unit))
    shown = Value(ValueKind.FOREIGN, "Decimal", (Value.simple(ValueKind.STR, text),))
    turns = (Turn(printed=text),)
    step = StepOutcome(value=shown, turns=turns if "/" in unit else ())
    wrong = Observation(ending=Ending.ANSWERED, steps=(step,))
    stimulus = Stimulus(action=Session(steps=("f()",)))
    stated = Expected(shown=("Decimal('1.5')",))
    assert not judge(wrong, Expectation(stated=stated, reference=None), stimulus).passed


@pytest.mark.parametrize("path", ["/proc/self/fd/3/re/__init__.py", "/usr/lib/python3.12/os.py"])
def test_an_unreadable_library_file_is_not_reported_as_written(path: str) -> None:
    raised = Raised(type_name="PermissionError", message=f"[Errno 13] Permission denied: '{path}'")
    wrong = Observation(ending=Ending.ANSWERED, raised=raised)
    stimulus = Stimulus(action=Call(expression="f()"))
    verdict = judge(wrong, Expectation(stated=Expected(), reference=RIGHT), stimulus)
    assert verdict.explanation is not None
    assert verdict.explanation.rule == "raised_unexpectedly"
