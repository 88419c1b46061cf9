"""`run_autograder` as the platform starts it, on what students hand in. Where that start does not
matter, the step that grades is called in this process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.packaging.autograder_tree import METADATA, Autograder, gives_no_mark, verdicts
from tests.per_commit import per_commit
from tests.tiny_course import FIXTURE, python_here

RIGHT = (FIXTURE / "reference" / "tiny" / "a1.py").read_text("utf-8")
REFUSING = str(Path(__file__).with_name("refusing.py"))
HIDDEN = {
    "add: hidden canary Xanthippe",
    "is_valid: nothing at all",
    "is_valid: the limit itself",
    "main: too much under another limit",
    "main: interrupted",
    "total: baskets of every length",
}


def sample(name: str) -> str:
    return (FIXTURE / "submissions" / "tiny" / name / "a1.py").read_text("utf-8")


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new)


def test_a_perfect_submission(autograder: Autograder) -> None:
    results = autograder.grade(RIGHT)
    assert results["score"] == 6
    assert set(verdicts(results).values()) == {"passed"}
    assert [test["number"] for test in results["tests"]][:3] == ["1.1", "1.2", "2.1"]
    assert results["stdout_visibility"] == "hidden"
    assert f"Python {python_here()}." in results["output"]
    assert results["extra_data"]["attempt"] == 1


def test_a_faulty_one_is_told_why_where_it_may_see(autograder: Autograder) -> None:
    results = autograder.grade(sample("hard_coded_5"))
    assert results["score"] == 4.62
    failed = {test["name"]: test for test in results["tests"] if test["status"] == "failed"}
    assert set(failed) == {
        "is_valid: the limit and one more [LIMIT = 9]",
        "is_valid: the limit itself",
        "main: too much under another limit",
    }
    assert "hard-coded to 5" in failed["is_valid: the limit and one more [LIMIT = 9]"]["output"]
    for test in results["tests"]:
        hidden = test["name"] in HIDDEN
        assert test["visibility"] == ("after_published" if hidden else "visible")
        if hidden:
            assert test["output"] in ("A hidden check: passed.", "A hidden check: failed.")
    assert "4711" not in json.dumps(results)
    # What is shown at once counts no hidden check.
    assert "<td><code>is_valid</code></td><td>3 of 4</td>" in results["output"]


def test_leaving_at_import(autograder: Autograder) -> None:
    results = autograder.grade("import os\nos._exit(0)\n")
    assert results["score"] == 0
    assert set(verdicts(results).values()) == {"failed"}


def test_an_endless_loop(autograder: Autograder) -> None:
    results = autograder.grade(
        changed("    result = 0\n", "    result = 0\n    while not basket: pass\n")
    )
    assert verdicts(results)["total: an empty basket"] == "failed"
    assert verdicts(results)["add: to the end"] == "passed"
    assert 0 < results["score"] < 6


def test_a_program_is_not_root_and_reaches_nothing_of_ours(autograder: Autograder) -> None:
    root = autograder.root
    autograder.hand_in(
        "import os\n"
        "def reached(path, mode):\n"
        "    try:\n"
        "        return open(path, mode)\n"
        "    except OSError:\n"
        "        return None\n"
        f"if (os.getuid() == 0 or reached({f'{root}/source/specification.json'!r}, 'r')\n"
        f"    or reached({f'{root}/submission_metadata.json'!r}, 'r')\n"
        f"    or reached({f'{root}/submission/a1.py'!r}, 'a')\n"
        f"    or reached({f'{root}/results/results.json'!r}, 'w')):\n"
        "    os._exit(0)\n" + RIGHT
    )
    assert autograder.run()["score"] == 6


def test_a_crash(autograder: Autograder) -> None:
    results = autograder.grade(
        changed("    result = 0\n", "    import ctypes\n    ctypes.string_at(0)\n    result = 0\n")
    )
    crashed = next(t for t in results["tests"] if t["name"] == "total: an empty basket")
    assert crashed["status"] == "failed"
    assert "crash (SIGSEGV)" in crashed["output"]


@pytest.mark.parametrize(
    ("hand_in", "reason"),
    [
        (lambda it: None, "no file a1.py"),
        (lambda it: it.hand_in(RIGHT, "assignment1.py"), "found assignment1.py, expected a1.py"),
        (lambda it: it.hand_in(sample("syntax_error")), "syntax error: expected ':'"),
        (lambda it: it.hand_in("x = 1\n\0"), "NUL bytes"),
    ],
    ids=["nothing", "wrong name", "syntax error", "null bytes"],
)
def test_what_cannot_be_graded_says_why(
    autograder: Autograder, hand_in: Callable[[Autograder], None], reason: str
) -> None:
    hand_in(autograder)
    results = autograder.grade()
    assert results["score"] == 0
    (only,) = results["tests"]
    assert only["status"] == "failed"
    assert reason in only["output"]
    assert reason in results["output"].replace("&#39;", "'")


def test_output_with_markup_and_controls_is_inert(autograder: Autograder) -> None:
    results = autograder.grade(
        changed("    return result\n", "    return '<script>\\x1b[2J\\u202e' # <b>\n")
    )
    failed = next(t for t in results["tests"] if t["name"] == "total: an empty basket")
    assert results["test_output_format"] == "text"
    assert "\\x1b[2J" in failed["output"]
    assert "\\u202e" in failed["output"]


def test_when_the_time_is_over_nothing_is_a_mark(autograder: Autograder) -> None:
    autograder.limit(stop_after=0, end_after=600)
    results = autograder.grade(sample("hard_coded_5"))
    assert gives_no_mark(results, "out of time")
    assert "not counted as wrong" in results["output"]
    states = verdicts(results)
    assert states.keys() >= HIDDEN
    assert set(states.values()) == {None}
    assert {test["output"] for test in results["tests"][1:]} == {"Not run: out of time."}


def test_what_does_not_stop_is_ended(autograder: Autograder) -> None:
    autograder.limit(stop_after=600, end_after=0)
    autograder.hand_in(RIGHT)
    results = autograder.run()
    assert gives_no_mark(results, "out of time")


@pytest.mark.parametrize("refused", per_commit(["landlock", "seccomp"], "landlock"))
def test_where_programs_cannot_be_confined(autograder: Autograder, refused: str) -> None:
    secret = autograder.tree.source / "specification.json"
    autograder.hand_in(
        "import os\n"
        + changed(
            "    result = 0\n",
            f"    if os.access({str(secret)!r}, os.R_OK): return 'it can read the answers'\n"
            f"    if os.access({str(autograder.tree.results)!r}, os.W_OK): return 'and its mark'\n"
            "    result = int(os.getuid() == 0)\n",
        )
    )
    results = autograder.run(sys.executable, REFUSING, refused)
    assert gives_no_mark(results, "not confined")
    assert results["extra_data"]["tier"] == "portable"
    assert "hidden checks were not run" in results["output"]
    states = verdicts(results)
    assert not states.keys() & HIDDEN
    if os.geteuid() == 0:
        assert states["add: to the end"] == "passed"
        assert states["total: an empty basket"] == "passed"  # as another user
    else:
        assert len(states) == 1


def test_where_there_is_no_other_user_either(autograder: Autograder) -> None:
    autograder.hand_in(RIGHT)
    alone = ("unshare", "--user", "--map-root-user")
    results = autograder.run(*alone, sys.executable, REFUSING, "landlock")
    assert gives_no_mark(results, "not confined")
    assert len(results["tests"]) == 1


@pytest.mark.parametrize(
    "metadata",
    per_commit(["", "{", "[]", '{"id": [], "created_at": 3}', "[" * 100_000], "{", "[" * 100_000),
    ids=["empty", "cut", "a list", "other kinds", "deep"],
)
def test_malformed_metadata_costs_nothing(autograder: Autograder, metadata: str) -> None:
    assert autograder.grade(RIGHT, metadata)["score"] == 6


def test_a_late_one_is_told(autograder: Autograder) -> None:
    late = METADATA | {"created_at": "2024-03-23T18:30:00+10:00"}
    results = autograder.grade(RIGHT, json.dumps(late))
    assert "Submitted 1 day 1 hour 30 minutes after the due date" in results["output"]
    assert results["score"] == 6


def test_valid_results_stand_there_before_anything_runs(autograder: Autograder) -> None:
    (autograder.tree.source / "venv" / "bin" / "python").unlink()
    autograder.write("results/results.json", "left by an earlier run")
    results = autograder.run()
    assert gives_no_mark(results, "did not finish")


def test_our_own_failure_is_no_mark(autograder: Autograder) -> None:
    autograder.write("source/interpreter", "/nowhere/python3\n")
    results = autograder.grade(RIGHT)
    assert gives_no_mark(results, "the harness failed")
    assert "/nowhere" not in json.dumps(results)


def test_a_grading_process_that_is_killed_is_no_mark(autograder: Autograder) -> None:
    """As by a container that runs out of memory."""
    autograder.write(
        "source/sitecustomize.py",
        "import os, signal, sys\n"
        "if sys.orig_argv[-1] == 'grade':\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
    )
    autograder.hand_in(RIGHT)
    results = autograder.run()
    assert gives_no_mark(results, "the harness failed")
    assert "The staff must run it again" in results["output"]


def test_a_package_that_is_not_whole_is_no_mark(autograder: Autograder) -> None:
    autograder.write("source/specification.json", "{")
    autograder.hand_in(RIGHT)
    results = autograder.run()
    assert gives_no_mark(results, "did not finish")
