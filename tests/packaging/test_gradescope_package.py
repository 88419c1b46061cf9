"""What is in autograder.zip, and what a run comes to: marks, none, and who sees what. Where it does
not matter how the platform starts it, the step that grades is called in this process."""

import itertools
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.assignment.loading import load
from harness.execution import create_driver
from harness.grading.context import GradingContext, prepare
from harness.grading.grader import Grader
from harness.model.observation import Tier
from harness.model.plan import Plan, Visibility
from harness.model.submission import Submission, Withheld
from harness.packaging.gradescope.package import (
    Metadata,
    NoMark,
    PackageSettings,
    PlatformFolder,
    PlatformRun,
    fallback_json,
    read_metadata,
    results_json,
)
from harness.packaging.gradescope.run import InTime, grade_one
from tests.inline import handed_in
from tests.packaging import autograder_tree
from tests.packaging.autograder_tree import Autograder
from tests.per_commit import per_commit
from tests.shipped import ROOT, shipped
from tests.tiny_course import FIXTURE, Course, python_here, ran

FILES = ROOT / "harness" / "packaging" / "gradescope" / "files"
PROGRAMS = ("setup.sh", "run_autograder")


def test_its_files_lie_at_the_root_and_the_programs_can_be_started(package: Path) -> None:
    with zipfile.ZipFile(package) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        for name in PROGRAMS:
            text = archive.read(name)
            assert text.startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in text
    assert {name for name, mode in modes.items() if mode & 0o111} == set(PROGRAMS)
    assert {name for name in modes if "/" not in name} == {
        *PROGRAMS,
        *("requirements.txt", "python-version"),
        *("settings.json", "specification.json", "fallback.json"),
    }
    assert {name.split("/")[0] for name in modes if "/" in name} == {"harness"}
    assert not [name for name in modes if "__pycache__" in name or name.endswith(".pyc")]


def test_it_carries_no_mutants_and_no_path_of_the_lecturers(package: Path, tmp_path: Path) -> None:
    autograder_tree.unpack(package, tmp_path / "source")
    specification = PlatformFolder(tmp_path).specification()
    assert (specification.mutants, specification.transcripts) == ((), ())
    assert specification.folder == ""
    assert [file.name for file in specification.reference] == ["a1.py"]


def test_it_needs_only_the_packages_in_its_requirements(package: Path, tmp_path: Path) -> None:
    autograder_tree.unpack(package, tmp_path)
    code = (
        "import importlib.metadata as m, sys; import harness.packaging.gradescope.run, harness;"
        "import harness.execution.linux.pexpect_terminal;"
        "import harness.execution.confinement.layers.seccomp as s; s.Seccomp().unavailable();"
        "names = {n.partition('.')[0] for n in sys.modules}; of = m.packages_distributions();"
        "print(harness.__file__, *{d for n in names for d in of.get(n, ())})"
    )
    done = ran([sys.executable, "-P", "-c", code], env={"PYTHONPATH": str(tmp_path)}, check=True)
    place, *used = done.stdout.split()
    assert place == str(tmp_path / "harness" / "__init__.py")
    beside = {"a1-harness", "setuptools"}  # how this environment was made
    assert set(used) - beside == {line.partition("==")[0] for line in pinned()}


def pinned() -> list[str]:
    return (FILES / "requirements.txt").read_text("ascii").splitlines()


def test_pinned_versions_are_the_tested_ones() -> None:
    assert set(pinned()) <= set((ROOT / "constraints.txt").read_text("ascii").splitlines())
    for line in pinned():
        name, _, version = line.partition("==")
        assert metadata.version(name) == version


def test_the_programs_are_sound_shell_and_name_no_host() -> None:
    for name in PROGRAMS:
        subprocess.run(["bash", "-n", FILES / name], check=True)
    for path in FILES.iterdir():
        assert "://" not in path.read_text("utf-8")


def test_the_schema_is_one_and_refuses_what_the_platform_would() -> None:
    jsonschema.Draft202012Validator.check_schema(autograder_tree.SCHEMA)
    valid = jsonschema.Draft202012Validator(autograder_tree.SCHEMA).is_valid
    assert valid({"score": 3.5})
    assert valid({"tests": [{"name": "a", "number": "1.1", "status": "passed"}]})
    spoiled: list[dict[str, object]] = [
        {},
        {"output": "no score and no tests"},
        {"score": "3"},
        {"score": 1, "visibility": "never"},
        {"score": 1, "scores": 1},
        {"tests": [{"number": 1.1}]},
        {"tests": [{"status": "ok"}]},
        {"tests": [{"output": "\x1b[31m"}]},
        {"tests": [{"output": "a\r\n"}]},
    ]
    assert [plain for plain in spoiled if valid(plain)] == []


def test_the_bytes_stay_and_options_reach_it(course: Course, package: Path, tmp_path: Path) -> None:
    course.ok("gradescope", "tiny", "-o", "again.zip", PYTHONHASHSEED="1")
    assert course.path("again.zip").read_bytes() == package.read_bytes()
    course.ok("gradescope", "tiny", "--hidden-visibility", "hidden", "--time-limit", "1200")
    autograder_tree.unpack(course.path("autograder.zip"), tmp_path / "source")
    settings = PlatformFolder(tmp_path).settings()
    assert (settings.hidden, settings.stop_after, settings.end_after) == ("hidden", 840, 1020)


def test_a_stray_setup_fails_loudly(package: Path, tmp_path: Path) -> None:
    """Where apt can do nothing and the Python that is named is another, no image is made."""
    autograder_tree.unpack(package, tmp_path / "source")
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\nexit 0\n")
    apt.chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "AUTOGRADER_ROOT": str(tmp_path)}
    command = [tmp_path / "source" / "setup.sh"]
    done = ran(command, env={**variables, "PYTHON_FOR_GRADING": "/bin/false"})
    which = f"Python {python_here()} with venv"
    said = f"setup.sh: STOP: PYTHON_FOR_GRADING=/bin/false is no {which}\n"
    assert (done.returncode, done.stderr) == (1, said)
    assert not (tmp_path / "source" / "interpreter").exists()


SETTINGS = PackageSettings(
    assignment="tiny",
    python="3.12",
    hidden=Visibility.AFTER_PUBLISHED,
    stop_after=420,
    end_after=510,
    harness="0.1.0",
)


@pytest.fixture(scope="module")
def context() -> GradingContext:
    return prepare(load(FIXTURE, "tiny"))


@pytest.fixture(scope="module")
def plan(context: GradingContext) -> Plan:
    return context.specification.plan


def sample(name: str, **facts: Any) -> Submission:
    data = (FIXTURE / "submissions" / "tiny" / name / "a1.py").read_bytes()
    return replace(handed_in(data), **facts)


@pytest.fixture(scope="module")
def faulty(context: GradingContext) -> PlatformRun:
    return grade_one(context, sample("hard_coded_5"), float("inf"))


def shown(run: PlatformRun, plan: Plan, settings: PackageSettings = SETTINGS) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(results_json(run, plan, settings, Metadata(), 1.04))
    jsonschema.Draft202012Validator(autograder_tree.SCHEMA).validate(plain)
    return plain


def test_the_mark_and_what_to_fix_stand_above_the_tests(faulty: PlatformRun, plan: Plan) -> None:
    results = shown(faulty, plan)
    assert results["score"] == 4.62
    assert results["execution_time"] == 1.0
    assert not [test for test in results["tests"] if {"score", "max_score"} & test.keys()]
    items = results["output"].split("<p>To fix, most marks first</p>")[1].split("</ul>")[0]
    assert items.count("<li>") == 1
    assert re.search(r"<li>is_valid \(a1\.py, lines \d+ to \d+\): .*\bLIMIT\b", items)


@pytest.mark.parametrize("visibility", list(Visibility))
def test_who_sees_hidden_scenarios(faulty: PlatformRun, plan: Plan, visibility: Visibility) -> None:
    settings = replace(SETTINGS, hidden=visibility)
    tests = {test["name"]: test for test in shown(faulty, plan, settings)["tests"]}
    assert tests["is_valid: the limit itself"]["visibility"] == visibility.value
    assert tests["is_valid: the limit itself"]["output"] == "A hidden check: failed."
    assert tests["is_valid: a word"]["visibility"] == "visible"


@pytest.mark.parametrize("visibility", [Visibility.AFTER_DUE_DATE, Visibility.AFTER_PUBLISHED])
def test_checks_opened_later_have_their_details(
    faulty: PlatformRun, plan: Plan, visibility: Visibility
) -> None:
    later = "is_valid/the-limit-itself"
    scenarios = tuple(
        replace(one, visibility=visibility) if one.id == later else one for one in plan.scenarios
    )
    assert scenarios != plan.scenarios
    tests = shown(faulty, replace(plan, scenarios=scenarios))["tests"]
    test = next(test for test in tests if test["name"].startswith("is_valid: the limit itself"))
    assert test["visibility"] == visibility.value
    assert test["name"].endswith("[LIMIT = 9]")
    assert "is_valid(f" in test["output"]


def test_where_the_time_ends_in_the_middle(context: GradingContext) -> None:
    """What ran is told, what did not is neither passed nor failed, and there is no mark."""
    seconds: Iterator[float] = itertools.count()
    plan = context.specification.plan
    driver = InTime(create_driver(context.interpreter, context.tier.tier), 4, lambda: next(seconds))
    with driver, Grader(context.grader_setup(), driver) as grader:
        result = grader.grade(sample("perfect")).result
    assert driver.ran_out
    assert result.mark is None
    run = PlatformRun(context=context, result=result, no_mark=NoMark.OUT_OF_TIME)
    results = shown(run, plan)
    assert autograder_tree.gives_no_mark(results)
    states = [*autograder_tree.verdicts(results).values()][1:]
    # Visible scenarios run first, and here four runs are allowed.
    run_first = sorted(
        range(len(states)),
        key=lambda place: list(Visibility).index(plan.scenarios[place].visibility),
    )
    in_turn = [states[place] for place in run_first]
    assert in_turn == ["passed"] * 4 + [None] * (len(plan.scenarios) - 4)


def test_a_run_that_is_out_of_time_or_not_confined_gives_no_mark(context: GradingContext) -> None:
    assert grade_one(context, sample("perfect"), 0).no_mark is NoMark.OUT_OF_TIME
    unconfined = replace(context, tier=replace(context.tier, tier=Tier.PORTABLE))
    run = grade_one(unconfined, sample("perfect"), float("inf"))
    assert run.no_mark is NoMark.NOT_CONFINED


@pytest.mark.parametrize("reason", list(Withheld))
def test_submissions_held_for_a_person_have_no_mark(
    context: GradingContext, reason: Withheld
) -> None:
    submission = sample("perfect", withheld=reason, notes=("two files of that name",))
    results = shown(grade_one(context, submission, float("inf")), context.specification.plan)
    assert autograder_tree.gives_no_mark(results)
    assert "two files of that name" in results["output"]


@pytest.mark.parametrize("reason", list(NoMark))
def test_every_reason_is_shown_to_the_student(plan: Plan, reason: NoMark) -> None:
    results = shown(PlatformRun(no_mark=reason, complaint="check_win/slow: secret"), plan)
    assert autograder_tree.gives_no_mark(results)
    assert "no mark" in results["tests"][0]["output"].lower()
    assert "secret" not in json.dumps(results)


def test_the_fallback_is_not_a_mark() -> None:
    results = json.loads(fallback_json())
    jsonschema.Draft202012Validator(autograder_tree.SCHEMA).validate(results)
    assert autograder_tree.gives_no_mark(results)


def test_informational_ones_and_what_people_give(faulty: PlatformRun, plan: Plan) -> None:
    scenarios = tuple(replace(one, informational=True) for one in plan.scenarios)
    tests = shown(faulty, replace(plan, scenarios=scenarios))["tests"]
    assert not [test for test in tests if "status" in test]
    assert all(test["output"].startswith("Not graded.") for test in tests)
    page = shown(faulty, shipped("connect4ish").plan)["output"]
    assert "Marked by hand, not in this score: Code style, out of 4." in page


WHEN = "2024-03-22T15:00:00.123456+10:00"
NO_TIME = Metadata(notice="a time in m.json cannot be read and was not used")


def due(text: str) -> dict[str, object]:
    return {"created_at": WHEN, "assignment": {"due_date": text}}


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ({"id": 7}, Metadata(id="7")),
        ({"id": True, "previous_submissions": [{}, {}]}, Metadata(attempt=3)),
        (due(WHEN), Metadata()),
        (due("2024-03-22T04:00:00.123456+00:00"), Metadata(late_by=timedelta(hours=1))),
        (due("soon"), NO_TIME),
        (due("2024-03-22T04:00:00"), NO_TIME),
        ({"created_at": WHEN, "assignment": []}, Metadata()),
        ([], Metadata(notice="m.json does not have the platform's format and was ignored")),
    ],
)
def test_metadata_of_the_platform_are_read(
    plain: object, expected: Metadata, tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(plain))
    assert read_metadata(path) == expected
    path.unlink()
    notice = "m.json cannot be read (No such file or directory)"
    assert read_metadata(path) == Metadata(notice=notice)


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


def text_of(name: str) -> str:
    return sample(name).files[0].data.decode()


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new)


def test_a_perfect_submission(autograder: Autograder) -> None:
    results = autograder.grade(RIGHT)
    assert results["score"] == 6
    assert set(autograder_tree.verdicts(results).values()) == {"passed"}
    assert [test["number"] for test in results["tests"]][:3] == ["1.1", "1.2", "2.1"]
    assert results["stdout_visibility"] == "hidden"
    assert f"Python {python_here()}." in results["output"]
    assert results["extra_data"]["attempt"] == 1


def test_a_faulty_one_is_told_why_where_it_may_see(autograder: Autograder) -> None:
    results = autograder.grade(text_of("hard_coded_5"))
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
    assert set(autograder_tree.verdicts(results).values()) == {"failed"}


PROWLER = """\
import os
def reached(name, mode):
    try:
        return open("{}/" + name, mode)
    except OSError:
        return None
if (os.getuid() == 0 or reached("source/specification.json", "r")
        or reached("submission_metadata.json", "r") or reached("submission/a1.py", "a")
        or reached("results/results.json", "w")):
    os._exit(0)
"""


def test_a_program_is_not_root_and_reaches_nothing_of_ours(autograder: Autograder) -> None:
    autograder.hand_in(PROWLER.format(autograder.root) + RIGHT)
    assert autograder.run()["score"] == 6


def test_a_crash_and_an_endless_loop_fail_only_themselves(autograder: Autograder) -> None:
    crash = "    import ctypes\n    ctypes.string_at(0)\n"
    endless = "    while amount: pass\n"
    harmful = changed("    result = 0\n", f"{crash}    result = 0\n")
    harmful = re.sub(r'(def is_valid\(amount.*\n    """.*\n)', rf"\1{endless}", harmful)
    results = autograder.grade(harmful)
    tests = {test["name"]: test for test in results["tests"]}
    assert "crash (SIGSEGV)" in tests["total: an empty basket"]["output"]
    states = autograder_tree.verdicts(results)
    assert states["total: an empty basket"] == states["is_valid: a word"] == "failed"
    assert states["add: to the end"] == "passed"
    assert 0 < results["score"] < 6


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "no file a1.py"),
        ({"assignment1.py": RIGHT}, "found assignment1.py, expected a1.py"),
        ({"a1.py": text_of("syntax_error")}, "syntax error: expected ':'"),
        ({"a1.py": "x = 1\n\0"}, "NUL bytes"),
    ],
    ids=["nothing", "wrong name", "syntax error", "null bytes"],
)
def test_an_ungraded_submission_has_a_reason(
    autograder: Autograder, files: dict[str, str], reason: str
) -> None:
    for name, text in files.items():
        autograder.hand_in(text, name)
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
    assert "\\x1b[2J\\u202e" in failed["output"]


def test_when_the_time_is_over_nothing_is_a_mark(autograder: Autograder) -> None:
    autograder.limit(stop_after=0, end_after=600)
    results = autograder.grade(text_of("hard_coded_5"))
    assert autograder_tree.gives_no_mark(results, "out of time")
    assert "do not count as wrong" in results["output"]
    states = autograder_tree.verdicts(results)
    assert states.keys() >= HIDDEN
    assert set(states.values()) == {None}
    assert {test["output"] for test in results["tests"][1:]} == {"Not run: out of time."}
    autograder.limit(stop_after=600, end_after=0)  # what does not stop is ended
    assert autograder_tree.gives_no_mark(autograder.run(), "out of time")


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
    assert autograder_tree.gives_no_mark(results, "not confined")
    assert results["extra_data"]["tier"] == "portable"
    assert "Hidden checks were not run" in results["output"]
    states = autograder_tree.verdicts(results)
    assert not states.keys() & HIDDEN
    if os.geteuid() == 0:
        assert states["add: to the end"] == "passed"
        assert states["total: an empty basket"] == "passed"  # as another user
    else:
        assert len(states) == 1


def test_it_also_works_without_another_user(autograder: Autograder) -> None:
    autograder.hand_in(RIGHT)
    alone = ("unshare", "--user", "--map-root-user")
    results = autograder.run(*alone, sys.executable, REFUSING, "landlock")
    assert autograder_tree.gives_no_mark(results, "not confined")
    assert len(results["tests"]) == 1


@pytest.mark.parametrize(
    "metadata",
    per_commit(["", "{", "[]", '{"id": [], "created_at": 3}', "[" * 100_000], "{", "[" * 100_000),
    ids=["empty", "cut", "a list", "other kinds", "deep"],
)
def test_malformed_metadata_costs_nothing(autograder: Autograder, metadata: str) -> None:
    assert autograder.grade(RIGHT, metadata)["score"] == 6


def test_a_late_one_is_told(autograder: Autograder) -> None:
    late = autograder_tree.METADATA | {"created_at": "2024-03-23T18:30:00+10:00"}
    results = autograder.grade(RIGHT, json.dumps(late))
    assert "Submitted 1 day 1 hour 30 minutes after the due date" in results["output"]
    assert results["score"] == 6


def test_valid_results_stand_there_before_anything_runs(autograder: Autograder) -> None:
    autograder.write("source/specification.json", "{")  # the package is not whole
    autograder.hand_in(RIGHT)
    assert autograder_tree.gives_no_mark(autograder.run(), "did not finish")
    (autograder.tree.source / "venv" / "bin" / "python").unlink()
    autograder.write("results/results.json", "left by an earlier run")
    assert autograder_tree.gives_no_mark(autograder.run(), "did not finish")


def test_our_own_failure_gives_no_mark(autograder: Autograder) -> None:
    autograder.write("source/interpreter", "/nowhere/python3\n")
    results = autograder.grade(RIGHT)
    assert autograder_tree.gives_no_mark(results, "the harness failed")
    assert "/nowhere" not in json.dumps(results)


def test_a_killed_grading_process_gives_no_mark(autograder: Autograder) -> None:
    """As by a container that runs out of memory."""
    autograder.write(
        "source/sitecustomize.py",
        "import os, signal, sys\n"
        "if sys.orig_argv[-1] == 'grade':\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
    )
    autograder.hand_in(RIGHT)
    results = autograder.run()
    assert autograder_tree.gives_no_mark(results, "the harness failed")
    assert "The staff must run it again" in results["output"]
