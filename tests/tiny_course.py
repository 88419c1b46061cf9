"""A copy of the tiny course under fixtures/, and the installed command, as a user meets them."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pickle
import pty
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, chdir, closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jsonschema
import pexpect
import pytest
from ptyprocess import PtyProcess

from harness import load_assignment
from harness.cli import listings, main
from harness.execution import find_interpreter
from harness.model.result import SubmissionResult
from tests.inline import GradedPrograms, RememberingEngine, grade_here, inline_engine, real_drivers

HARNESS = Path(sys.executable).with_name("harness")
FIXTURE = Path(__file__).parent / "fixtures" / "course"
PATIENCE = 120
# The beginning of the smallest assignment.yaml; its marks are missing.
SMALL = 'title: Small\ncourse: Test\npython: "3.12"\nsubmission: {files: [a1.py]}\n'

# What is said about the sample prints_total.
PRINTS_TOTAL = "total printed 0 instead of returning it."


@cache
def python_here() -> str:
    """The minor version that assignments of tests name: 3.12 or, where there is none, ours."""
    return find_interpreter("3.12").version.rpartition(".")[0]


def for_a_python_here(text: str) -> str:
    """An assignment.yaml that names `python_here()`: else every command would say, where there is
    no 3.12, that another had to serve."""
    written = 'python: "3.12"'
    return text.replace(written, f'python: "{python_here()}"') if written in text else text


def environment(**changes: str) -> dict[str, str]:
    """Ours, with a screen that is wide enough for every line."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return {**inherited, "COLUMNS": "200", "PYTHONUTF8": "1", **changes}


def ran(
    command: Sequence[str | Path], *, check: bool = False, **more: Any
) -> subprocess.CompletedProcess[str]:
    """How a program ended that has nothing to read (unless there is `input`), and what it
    printed."""
    if "input" not in more:
        more["stdin"] = subprocess.DEVNULL
    return subprocess.run(command, capture_output=True, text=True, check=check, **more)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str


def _in_process(arguments: list[str], folder: Path, variables: dict[str, str]) -> Outcome:
    """`harness` with real files as its streams, and without the start of an interpreter."""
    with ExitStack() as stack:
        out, err = (
            stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(2)
        )
        stack.enter_context(chdir(folder))
        stack.enter_context(patch.dict(os.environ, environment(**variables)))
        stack.enter_context(patch.object(sys, "argv", [str(HARNESS), *arguments]))
        stack.enter_context(
            patch.object(sys, "stdin", stack.enter_context(Path(os.devnull).open(encoding="utf-8")))
        )
        if "--jobs" not in arguments:
            programs = GradedPrograms.current
            if "--fresh" in arguments or "--thorough" in arguments or programs is None:
                stack.enter_context(inline_engine())
            else:
                remembering = RememberingEngine(programs)
                stack.enter_context(inline_engine(lambda jobs=None: remembering))
        stack.enter_context(patch.object(sys, "stdout", out))
        stack.enter_context(patch.object(sys, "stderr", err))
        with pytest.raises(SystemExit) as ended:
            main()
        texts = []
        for now, stream in ((sys.stdout, out), (sys.stderr, err)):
            now.flush()
            stream.seek(0)
            texts.append(stream.read())
        return Outcome(int(ended.value.code or 0), *texts)


def in_a_copy(act: Callable[[], Any]) -> Any:
    """What `act` returns in a copy of this process."""
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if not child:
            try:
                pickle.dump(act(), told)
                told.flush()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        told.seek(0)
        return pickle.load(told)


def _changed_by(
    before: Callable[[], None], arguments: list[str], folder: Path, variables: dict[str, str]
) -> Outcome:
    before()
    with real_drivers():
        return _in_process(arguments, folder, variables)


class Terminal(pexpect.spawn):
    """`harness` in a copy of this process, on a terminal of its own, without the start of an
    interpreter."""

    def _spawnpty(
        self,
        args: list[bytes],
        *,
        env: dict[str, str],
        cwd: Path,
        dimensions: tuple[int, int],
        **_: object,
    ) -> PtyProcess:
        child, terminal = pty.fork()
        if not child:
            status = 1
            try:
                status = _on_streams([os.fsdecode(word) for word in args], cwd, env)
            finally:
                os._exit(status)
        process = PtyProcess(child, terminal)
        process.setwinsize(*dimensions)
        return process

    def assert_ended(self, status: int) -> None:
        """It prints no more, has printed no traceback, and has this exit status."""
        self.expect(pexpect.EOF)
        self.close()
        assert self.exitstatus == status, self.before
        assert "Traceback" not in self.before


def _on_streams(command: list[str], folder: Path, variables: dict[str, str]) -> int:
    """The status of this command line, whose streams are those of the process."""
    atexit._clear()  # what the copied process would do at its end
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    tempfile.tempdir = None
    sys.argv = command
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        for number, mode in enumerate("rww")
    )
    with real_drivers(), pytest.raises(SystemExit) as ended:
        main()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    return int(ended.value.code or 0)


@dataclass(frozen=True, slots=True)
class Course:
    """A folder with specs/, reference/ and submissions/, for a test to change and use."""

    root: Path

    @classmethod
    def lay(cls, root: Path, files: Mapping[str, str]) -> Course:
        """One of these texts, by their paths."""
        course = cls(root)
        for name, text in files.items():
            course.write(name, for_a_python_here(text))
        return course

    @classmethod
    def small(
        cls, root: Path, name: str, reference: str, scenarios: str, settings: str, **files: str
    ) -> Course:
        """One with a small assignment: what its assignment.yaml says beyond `SMALL`, one file of
        scenarios, and other `files` by their paths."""
        own = {
            f"specs/{name}/assignment.yaml": SMALL + settings,
            f"specs/{name}/all.yaml": scenarios,
            f"reference/{name}/a1.py": reference,
        }
        return cls.lay(root, own | files)

    @classmethod
    def copy(cls, source: Path, target: Path, *, reports: bool = True) -> Course:
        def ignored(folder: str, names: list[str]) -> list[str]:
            return [] if reports or Path(folder) != source / "reports" else names

        shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignored)
        for path in target.glob("specs/*/assignment.yaml"):
            path.write_text(for_a_python_here(path.read_text("utf-8")), "utf-8")
        return cls(target)

    def run(
        self,
        *arguments: str | Path,
        cwd: Path | None = None,
        before: Callable[[], None] | None = None,
        **variables: str,
    ) -> Outcome:
        """Run `harness` with these arguments in the course's folder (or `cwd`).

        In this process, or a copy of it that `before` changes, unless it gets a variable of the
        interpreter; `variables` are in its environment. This process grades as well, unless the
        test says with `--jobs` how many workers are to.
        """
        command = [str(argument) for argument in arguments]
        if before is not None:
            return in_a_copy(partial(_changed_by, before, command, cwd or self.root, variables))
        if not any(name.startswith("PYTHON") for name in variables):
            return _in_process(command, cwd or self.root, variables)
        where = cwd or self.root
        done = ran([HARNESS, *command], cwd=where, env=environment(**variables), timeout=PATIENCE)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def ok(self, *arguments: str | Path, **more: Any) -> Outcome:
        """Run `harness`, which succeeds."""
        outcome = self.run(*arguments, **more)
        assert outcome.status == 0, (outcome.out, outcome.err)
        return outcome

    def fails(self, *arguments: str | Path, **more: Any) -> Outcome:
        """Run `harness`, which finds what is wrong."""
        outcome = self.run(*arguments, **more)
        assert outcome.status == 1, outcome
        return outcome

    def refusal(self, *arguments: str | Path, **more: Any) -> str:
        """The one line with which `harness` refuses this, without the `error: ` before it."""
        outcome = self.run(*arguments, **more)
        assert (outcome.status, outcome.out) == (2, ""), outcome
        assert outcome.err.startswith("error: ")
        assert outcome.err.endswith("\n")
        assert outcome.err.count("\n") == 1, outcome.err
        return outcome.err.removeprefix("error: ").rstrip("\n")

    def on_terminal(self, *arguments: str | Path, **variables: str) -> Terminal:
        """`harness` with these arguments in the course's folder, on a terminal of its own."""
        # Import the command once, not in each copy.
        for entry in listings():
            if entry.name == arguments[0]:
                importlib.import_module(entry.module)
        return Terminal(
            str(HARNESS),
            [str(argument) for argument in arguments],
            cwd=self.root,
            env=environment(**variables),
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(40, 200),
        )

    def graded(self, name: str, **programs: str) -> dict[str, SubmissionResult]:
        """Hand in one-file `programs` in in/, and grade all that lies there, in this process; the
        results by their ids. The report is in out/."""
        for student, program in programs.items():
            self.write(f"in/{student}/a1.py", program)
        run = grade_here(load_assignment(self.root, name), self.root / "in", self.root / "out")
        return {each.id: each for each in run.submissions}

    def path(self, name: str) -> Path:
        return self.root / name

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def append(self, name: str, text: str) -> None:
        self.write(name, self.text(name) + text)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.text(name)
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        self.write(name, text.replace(old, new))

    @property
    def report(self) -> Path:
        return self.root / "reports" / "tiny"


@cache
def valid_results() -> jsonschema.Draft202012Validator:
    """What holds results.json against its schema."""
    schema = Path(__file__).parents[1] / "docs" / "results.schema.json"
    return jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))


def results(folder: Path) -> dict[str, Any]:
    """results.json without what another run says otherwise: its times, and how our own attempts to
    break out failed, which depends on where temporary folders lie. It is as its schema says."""
    whole: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    valid_results().validate(whole)
    for fact in ("started", "finished", "slowness"):
        del whole["run"][fact]
    for probe in whole["run"]["probes"]:
        probe["detail"] = ""
    return whole


def submission(folder: Path, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = results(folder)["submissions"]
    return next(each for each in found if each["id"] == name)


def verdicts(folder: Path, name: str) -> dict[str, str]:
    """A submission's verdicts by the scenarios' ids, in the plan's order."""
    failed = submission(folder, name)["failed"]
    ids = [each["id"] for each in results(folder)["scenarios"]]
    return {each: failed[each]["verdict"] if each in failed else "passed" for each in ids}


INCOMPLETE = "UPDATE run SET facts = json_set(facts, '$.complete', json('false'))"
NEWER = "PRAGMA user_version = 99"


def change_run(folder: Path, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Change a run's database by this statement of SQL; what it answers."""
    with closing(sqlite3.connect(folder / "run.sqlite")) as database, database:
        return database.execute(statement, parameters).fetchall()


def rows(folder: Path, table: str) -> set[tuple[Any, ...]]:
    """All rows of a table of a run's database."""
    with closing(sqlite3.connect(f"file:{folder / 'run.sqlite'}?mode=ro", uri=True)) as database:
        return set(database.execute(f"SELECT * FROM {table}"))
