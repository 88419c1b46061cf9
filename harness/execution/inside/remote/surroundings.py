"""Connects a test's surroundings with the program in another process: imports, `input` and
standard input, `print`, `open`, random numbers, time, arguments, environment variables, and
runs of the program as a command.
"""

from __future__ import annotations

import builtins
import importlib.util
import inspect
import io
import os
import random
import runpy
import shlex
import subprocess
import sys
import time  # noqa: F401  (one of the modules in which names are replaced)
from importlib.machinery import ModuleSpec
from pathlib import Path, PurePath
from typing import Any

from .client import RemoteProgram, short
from .peer import REPLACEABLE
from .proxies import RemoteFunction, is_remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class ProgramFinder:
    """Finds the program's modules for imports in a test; their bodies run in the program's
    process. `packages` are the package names by which tests may import them, such as `src`.
    """

    def __init__(
        self, program: RemoteProgram, names: Iterable[str], packages: Iterable[str]
    ) -> None:
        self._program = program
        self._names = frozenset(names)
        self._packages = frozenset(packages)
        self._imported: set[str] = set()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name in self._packages:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        if name.rpartition(".")[2] not in self._names:
            return None
        is_reload = target is not None
        return ModuleSpec(name, self, origin=f"{name}.py", loader_state=is_reload)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> Any:
        if spec.name in self._packages:
            return None
        name = spec.name.rpartition(".")[2]
        is_again = spec.name in self._imported
        self._imported.add(spec.name)
        return self._program.request("import", name, is_again)

    def exec_module(self, module: Any) -> None:
        """Have the program run the module's body again if this is a reload; otherwise do
        nothing.
        """
        if module.__spec__.loader_state:
            self._program.request("reload", module)

    def get_source(self, name: str) -> str:
        """Return a module's text, for `inspect` (part of the import protocol)."""
        return str(self._program.request("source", self._program.module(name.rpartition(".")[2])))


class Mirror:
    """Repeats in the program, before each request to it, the replacements that tests made, such as
    by monkeypatch.
    """

    def __init__(self, program: RemoteProgram) -> None:
        self._program = program
        self._usual: dict[tuple[str, str], Any] = {}
        self._now: dict[tuple[str, str], Any] = {}
        for module, names in REPLACEABLE.items():
            for name in names:
                self._usual[module, name] = getattr(sys.modules[module], name)
        self._now.update(self._usual)
        self._argv, self._environment = list(sys.argv), _environment()
        self._variables = dict(_variables())
        self._folder = os.getcwd()  # noqa: PTH109
        self._seed = random.seed
        random.seed = self._seed_both

    def bring_up_to_date(self) -> None:
        """Send the replacements, and the restored originals, that are new since the last call."""
        for (module, name), before in self._now.items():
            value = getattr(sys.modules[module], name)
            if value is before or (module, name) == ("builtins", "input"):
                continue
            if value is self._usual[module, name]:
                self._program.request("restore", module, name)
            else:
                self._program.request("replace", module, name, value)
            self._now[module, name] = value
        if sys.argv != self._argv or self._has_other_environment():
            self._argv, self._environment = list(sys.argv), _environment()
            self._program.request("surround", self._argv, self._environment)
        folder = os.getcwd()  # noqa: PTH109
        if folder != self._folder:
            self._folder = folder
            self._program.request("chdir", folder)

    def _has_other_environment(self) -> bool:
        variables = _variables()
        if variables == self._variables:
            return False
        self._variables = dict(variables)
        return _environment() != self._environment

    def _seed_both(self, a: Any = None, version: int = 2) -> None:
        self._seed(a, version)
        self._program.request("seed", a)


def _variables() -> Any:
    """Return the environment variables in the form that `os` stores.

    Comparing them takes a twentieth of the time.
    """
    return getattr(os.environ, "_data", os.environ)


def _environment() -> dict[str, str]:
    """Return the environment variables, without those in which pytest stores the running test's
    name.
    """
    return {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}


_USUAL_INPUT = builtins.input
_OF_SUBPROCESS = (
    "run", "check_output", "check_call", "call", "getstatusoutput", "getoutput", "Popen",
)  # fmt: skip
_OF_SHELLS = frozenset(("|", ">", ">>", "<", "<<", "&&", "||", ";", "&"))


class Runs:
    """Replaces `subprocess` and `runpy` for tests, so that they run the program in its own
    process.
    """

    def __init__(self, program: RemoteProgram, names: Iterable[str]) -> None:
        self._program = program
        self._names = frozenset(names)

    def install(self) -> None:
        """Replace the functions of `subprocess` and `runpy` that run programs."""
        for name in _OF_SUBPROCESS:
            setattr(subprocess, name, getattr(self, name.lower()))
        runpy.run_path = self.run_path  # type: ignore[assignment]
        runpy.run_module = self.run_module  # type: ignore[assignment]

    def run(self, command: Any, **options: Any) -> subprocess.CompletedProcess[Any]:
        """Stand for `subprocess.run`."""
        name, argv, redirected = self._of(command)
        given = redirected if redirected is not None else options.get("input")
        is_text = bool(
            options.get("text") or options.get("universal_newlines") or options.get("encoding")
        )
        if isinstance(given, bytes):
            given = given.decode()
        captured = options.get("capture_output") or options.get("stdout") is not None
        words = f"python {shlex.join(argv)}"
        if given:
            words += f" with the input {short(given)}"
        with self._program.acts.telling(words) as told:
            status, out, err = self._program.request("run", name, argv, given or "")
            told(f"printed {short(out)}, exit status {status}")
        if options.get("stderr") == subprocess.STDOUT:
            out, err = out + err, None
        if is_text:  # as `subprocess` reads it
            out, err = _with_line_ends(out), _with_line_ends(err)
        if not captured:
            self._program.write("stdout", out)
            out = err = None
        if not is_text:
            out = None if out is None else out.encode()
            err = None if err is None else err.encode()
        if options.get("check") and status:
            raise subprocess.CalledProcessError(status, command, out, err)
        return subprocess.CompletedProcess(command, status, out, err)

    def check_output(self, command: Any, **options: Any) -> Any:
        """Stand for `subprocess.check_output`."""
        return self.run(command, **{**options, "check": True, "stdout": subprocess.PIPE}).stdout

    def check_call(self, command: Any, **options: Any) -> int:
        """Stand for `subprocess.check_call`."""
        return self.run(command, **{**options, "check": True}).returncode

    def call(self, command: Any, **options: Any) -> int:
        """Stand for `subprocess.call`."""
        return self.run(command, **options).returncode

    def getstatusoutput(self, command: str, **options: Any) -> tuple[int, str]:
        """Stand for `subprocess.getstatusoutput`."""
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = self.run(command, **options, **both)
        return done.returncode, done.stdout.removesuffix("\n")

    def getoutput(self, command: str, **options: Any) -> str:
        """Stand for `subprocess.getoutput`."""
        return self.getstatusoutput(command, **options)[1]

    def popen(self, command: Any, **options: Any) -> _Started:
        """Stand for `subprocess.Popen`."""
        return _Started(lambda given: self.run(command, **{**options, "input": given}))

    def run_path(self, path: Any, init_globals: Any = None, run_name: str = "<run_path>") -> Any:
        """Stand for `runpy.run_path`."""
        return self._program.request("namespace", self._name(path), run_name)

    def run_module(self, name: str, init_globals: Any = None, run_name: str = "", **_: Any) -> Any:
        """Stand for `runpy.run_module`."""
        return self._program.request("namespace", self._name(name), run_name or name)

    def _of(self, command: Any) -> tuple[str, list[str], str | None]:
        """Return the module that a command runs, its arguments, and the text of the file in the
        shell's `< FILE`. Raise FileNotFoundError if the command runs another program.
        """
        if isinstance(command, str):
            words = shlex.split(command)
        else:
            words = [os.fspath(word) for word in command]
        given: str | None = None
        if isinstance(command, str) and words[-2:-1] == ["<"]:
            given = Path(words.pop()).read_text()
            words.pop()
        if any(word in _OF_SHELLS for word in words) and isinstance(command, str):
            raise FileNotFoundError(2, "a test has no shell: it can only run the program", command)
        if words and not words[0].endswith(".py"):  # the interpreter
            words.pop(0)
            while words and words[0] in ("-u", "-B", "-m"):
                words.pop(0)
        if not words:
            raise FileNotFoundError(2, "a test can run only the program that it tests", command)
        return self._name(words[0]), words, given

    def _name(self, path: Any) -> str:
        name: str = os.path.basename(os.fspath(path)).removesuffix(".py")  # noqa: PTH119
        if name not in self._names:
            raise FileNotFoundError(2, "a test can run only the program that it tests", name)
        return name


def _with_line_ends(text: str | None) -> str | None:
    return None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")


class _Started:
    """Replaces `subprocess.Popen` objects. The program runs when its input is complete."""

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self._run = run
        self.returncode: int | None = None
        self.stdin = io.StringIO()

    def communicate(self, input: Any = None, timeout: object = None) -> tuple[Any, Any]:
        """Run the program with this input; return its output."""
        done = self._run(self.stdin.getvalue() if input is None else input)
        self.returncode = done.returncode
        return done.stdout, done.stderr

    def wait(self, timeout: object = None) -> int | None:
        if self.returncode is None:
            self.communicate()
        return self.returncode

    poll = wait

    def kill(self) -> None:
        """Do nothing: the program has already ended."""

    def __enter__(self) -> _Started:
        return self

    def __exit__(self, *error: object) -> None:
        self.wait()


def answer(operation: str, values: tuple[Any, ...]) -> Any:
    """Answer the program's `input` and its reads of standard input with the test's own streams."""
    if operation == "replaces_input":
        return builtins.input is not _USUAL_INPUT
    if operation == "input":
        try:
            return builtins.input(*values)  # a mock may return anything
        except OSError as error:  # the tests' runner captures input
            raise EOFError("EOF when reading a line") from error
    method, size = values
    if method not in ("read", "readline") or type(size) is not int:
        raise ValueError("an unknown way to read")
    return getattr(sys.stdin, method)(size)


def write(stream: str, text: str) -> None:
    """Write the program's output to the present `sys.stdout` or `sys.stderr` of the test's
    process.
    """
    getattr(sys, "stderr" if stream == "stderr" else "stdout").write(text)


def let_program_use_streams(program: RemoteProgram) -> None:
    """Let the program read and write the streams of the test's process, and report these acts."""

    def ask(operation: str, values: tuple[Any, ...]) -> Any:
        result = answer(operation, values)
        if operation != "replaces_input":
            program.acts.reads(short(result))
        return result

    def say(stream: str, text: str) -> None:
        program.acts.prints(text)
        write(stream, text)

    program.ask = ask
    program.write = say


def let_inspect_know(program: RemoteProgram) -> None:
    """Make `inspect` return signatures and sources of the program's functions and classes."""
    usual_source, usual_is_function = inspect.getsource, inspect.isfunction

    def getsource(thing: Any) -> str:
        return str(program.request("source", thing)) if is_remote(thing) else usual_source(thing)

    def isfunction(thing: Any) -> bool:
        return type(thing) is RemoteFunction or usual_is_function(thing)

    setattr(inspect, "getsource", getsource)  # noqa: B010
    setattr(inspect, "isfunction", isfunction)  # noqa: B010


def let_importlib_know(program: RemoteProgram, names: frozenset[str]) -> None:
    """Make `importlib.util` load the program's modules if a test names their files."""
    usual = importlib.util.spec_from_file_location

    def spec_from_file_location(name: str, location: Any = None, **options: Any) -> Any:
        stem = "" if location is None else PurePath(os.fspath(location)).stem
        if stem not in names:
            return usual(name, location, **options)
        finder = ProgramFinder(program, names, ())
        spec = finder.find_spec(stem)
        assert spec is not None
        return spec

    setattr(importlib.util, "spec_from_file_location", spec_from_file_location)  # noqa: B010


def install(program: RemoteProgram, names: Iterable[str], packages: Iterable[str]) -> None:
    """Connect tests in this process with the program, as if it were imported here."""
    names = list(names)
    sys.argv = [f"{names[0]}.py"]
    let_program_use_streams(program)
    sys.meta_path.insert(0, ProgramFinder(program, names, packages))
    program.watch(Mirror(program).bring_up_to_date)
    Runs(program, names).install()
    let_inspect_know(program)
    let_importlib_know(program, frozenset(names))
