"""Makes the data sent to a process: our modules of `inside/` as compiled code, a submission's
files, and a stimulus as a job. A submission's process gets only names of the course's stand-in
modules, never their code.
"""

import contextlib
import marshal
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from importlib import resources
from inspect import getsource
from pathlib import Path
from symtable import Function, symtable
from types import ModuleType

from harness.common.discovery import import_modules
from harness.common.errors import HarnessError
from harness.common.files import write_bytes
from harness.execution.inside import stimuli
from harness.execution.inside.messages.protocol import (
    ProcessLimits,
    ScenarioJob,
    Selection,
    StandInJob,
)
from harness.execution.interpreter import Interpreter
from harness.model.assignment import Assignment, CompareBy, ExtraUse, SourceFile
from harness.model.policy import MAX_SOURCE_BYTES
from harness.model.stimulus import Binding, Form, Limits, Stimulus
from harness.model.values import Value

INSIDE = (
    "messages.frames", "messages.protocol", "messages.arrays", "messages.codec",
    "messages.exceptions", "cells", "modules", "replacing", "waits", "clock", "confine", "limits",
    "stand_ins.calls",
    "running", "scenario.streams", "remote.values", "remote.peer", "remote.server",
    "remote.streams", "remote.guarded",
    "scenario.evaluate", "stimuli", "scenario.counting", "scenario.figures",
    "scenario.process",
    "shared.facades", "shared.namespaces", "shared.snapshot", "shared.run", "preload", "zygote",
)  # fmt: skip
_PIPED = "piped"  # sent only to systems without terminals

# Defines `load`, which makes a package from modules' code by name; nothing finds it by the names of
# folders on a disk. Optional modules are left out if an import of theirs fails. Also defines
# `message`, which reads a length and then that many bytes.
LOADER = """\
import builtins, marshal, sys
def message(take):
    def read(count):
        data = b""
        while len(data) < count:
            part = take(count - len(data))
            if not part:
                raise SystemExit(1)
            data += part
        return data
    return marshal.loads(read(int.from_bytes(read(4), "little")))
def load(parts, optional):
    Module = type(sys)
    package = Module("inside")
    package.__path__ = []
    sys.modules["inside"] = package
    own = dict(vars(builtins))
    for name, code in parts:
        folder, _, leaf = ("inside." + name).rpartition(".")
        if folder not in sys.modules:
            sys.modules[folder] = Module(folder)
            sys.modules[folder].__path__ = []
            setattr(package, folder.rpartition(".")[2], sys.modules[folder])
        module = Module("inside." + name)
        module.__dict__.update(__builtins__=own, __package__=folder)
        sys.modules["inside." + name] = module
        setattr(sys.modules[folder], leaf, module)
        try:
            exec(marshal.loads(code), module.__dict__)
        except ImportError:
            if name not in optional:
                raise
            del sys.modules["inside." + name]
            delattr(sys.modules[folder], leaf)
    return package
"""

# Ignore the user's settings and `site`, use UTF-8, write no byte code.
FLAGS = (
    "-s", "-S", "-P", "-B", "-X", "utf8",
    "-W", "ignore::SyntaxWarning", "-W", "ignore::DeprecationWarning",
)  # fmt: skip


def environment(hash_seed: int) -> dict[str, str]:
    """Return all environment variables of the interpreter that runs submissions."""
    windows = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**INNER_ENVIRONMENT, **windows, "PYTHONHASHSEED": str(hash_seed), "LD_BIND_NOW": "1"}


INNER_ENVIRONMENT = {
    "HOME": "/",
    "LC_ALL": "C.UTF-8",
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONIOENCODING": "utf-8:strict",
    "TERM": "dumb",
    "TZ": "UTC",
}


_FOLDER = Path(__file__).parent / "__pycache__"
_PATIENCE = 30.0  # seconds for the interpreter to compile them, under any load
_DIGEST = 32  # bytes
_COMPILER = """\
import marshal, sys
given = marshal.loads(sys.stdin.buffer.read())
found = [marshal.dumps(compile(text, name, "exec", dont_inherit=True)) for name, text in given]
sys.stdout.buffer.write(marshal.dumps(found, 2))
"""


def inside_modules(
    interpreter: Interpreter | None, names: Iterable[str]
) -> list[tuple[str, bytes]]:
    """Return the names and the compiled code of these modules of `inside`; a folder's name stands
    for all its modules.

    `interpreter` compiles them; None means the running interpreter, which needs no process. Raise
    HarnessError if the interpreter does not work.
    """
    if interpreter is None:
        return list(compiled_here(_texts(names), "inside/").items())
    texts = _texts((*INSIDE, _PIPED))
    code = _compiled(interpreter, "inside", "inside/", tuple(texts.items()))
    of_stimuli = [name for name in texts if name.startswith("stimuli.")]
    every = [part for name in names for part in (of_stimuli if name == "stimuli" else (name,))]
    return [(name, code[name]) for name in every]


def compiled_here(sources: Mapping[str, str], folder: str = "") -> dict[str, bytes]:
    """Compile the texts of these modules with the running interpreter."""
    return {
        name: marshal.dumps(compile(text, _file(folder, name), "exec", dont_inherit=True))
        for name, text in sources.items()
    }


def _texts(names: Iterable[str]) -> dict[str, str]:
    folder = resources.files("harness.execution").joinpath("inside")  # from an archive, too
    texts: dict[str, str] = {}
    for name in names:
        if name == "stimuli":
            texts |= {f"stimuli.{key}": getsource(kind) for key, kind in _kinds().items()}
        else:
            texts[name] = folder.joinpath(*_file("", name).split("/")).read_text("utf-8")
    return texts


def _kinds() -> dict[str, ModuleType]:
    kinds = import_modules(stimuli.__name__, stimuli.__path__)
    return {kind.__name__.rpartition(".")[2]: kind for kind in kinds}


def _file(folder: str, name: str) -> str:
    return f"{folder}{name.replace('.', '/')}.py"


def tool_modules(
    interpreter: Interpreter, sources: Mapping[str, str], entry: str
) -> dict[str, bytes]:
    """Compile the texts of a tool's modules; return the code by module name.

    `entry` is "package.module:function". Raise HarnessError if the interpreter does not work.
    """
    return _compiled(interpreter, entry.partition(":")[0], "", tuple(sources.items()))


@cache
def _compiled(
    interpreter: Interpreter, what: str, folder: str, sources: tuple[tuple[str, str], ...]
) -> dict[str, bytes]:
    given = marshal.dumps([(_file(folder, name), text) for name, text in sources], 2)
    digest = sha256(interpreter.build.encode() + b"\0" + given).digest()
    kept = _FOLDER / f"{what}.{interpreter.version}.code"
    data = b""
    with contextlib.suppress(OSError):
        data = kept.read_bytes()
    code = data[2 * _DIGEST :]
    if data[: 2 * _DIGEST] != digest + sha256(code).digest():  # of other texts, or not whole
        code = _compile(interpreter, given)
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):  # installed in a folder that this user may not write
                write_bytes(kept, digest + sha256(code).digest() + code)
    return dict(zip(dict(sources), marshal.loads(code), strict=True))


def _compile(interpreter: Interpreter, given: bytes) -> bytes:
    try:
        done = subprocess.run(
            [str(interpreter.path), *FLAGS, "-c", _COMPILER],
            input=given,
            capture_output=True,
            env=environment(0),
            timeout=_PATIENCE,
            check=False,
        )
    except OSError as error:
        raise HarnessError(f"{interpreter.path} did not start: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise HarnessError(f"{interpreter.path} did not answer in {_PATIENCE:.0f} s") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise HarnessError(f"{interpreter.path} does not work: {''.join(said)[:300]}")
    return done.stdout


_ANY_DATA = "None"


def main_file(assignment: Assignment) -> str:
    """Return the name under which the submission's first file is imported."""
    return assignment.laid_as or assignment.submission_files[0]


def process_limits(limits: Limits) -> ProcessLimits:
    """Convert limits to the form in which they are sent to a process."""
    return ProcessLimits(**asdict(limits))


def server_setup(assignment: Assignment, files: tuple[SourceFile, ...]) -> dict[str, object]:
    """Return the data about an assignment and a submission that every scenario's process needs.

    Provided files that differ between scenarios, or belong only to some of them, are sent with
    those scenarios instead.
    """
    return {
        "main": main_file(assignment),
        "files": _pairs(program_files(assignment, files)),
        "cells": _cell_ends(program_files(assignment, files)),
        "extra_modules": [file.name[:-3] for file in extra_modules(assignment, files)],
        "functions": list(assignment.module_names),
        "provided": _pairs(assignment.variants[0].files),
        "limits": vars(process_limits(assignment.limits)),
        "tells_time": assignment.tells_time,
        "packages": bool(assignment.packages),
        "writes": assignment.writes_files,
        "compare": {
            rule.name: list(rule.attributes) if rule.how is CompareBy.NAMED else rule.how.value
            for rule in assignment.compare
        },
    }


class Jobs:
    """Converts an assignment's stimuli to jobs for our processes.

    With `public_names` the program is the course's, and a student's tests may use only these names
    of it.
    """

    def __init__(self, assignment: Assignment, public_names: tuple[str, ...] | None = None) -> None:
        self._public_names = public_names
        self._kinds = frozenset(_kinds())
        self.main = main_file(assignment)
        self._stand_ins = {file.name: file for file in assignment.stand_in_files}
        self._provided = [tuple(_pairs(variant.files)) for variant in assignment.variants]
        self._extra = _pairs(assignment.extra_files)
        self._variants: dict[tuple[Binding, ...], int] = {
            variant.constants: index for index, variant in enumerate(assignment.variants)
        }

    def job(self, stimulus: Stimulus) -> ScenarioJob:
        """Return the job of one scenario's process, with the stimulus not yet compiled.

        Raise HarnessError if the plan lacks the stimulus's provided files.
        """
        action = stimulus.action
        clock = stimulus.clock
        public_names: list[str] | None = None
        if action.form is Form.SUITE and self._public_names is not None:
            public_names = list(self._public_names)
        serves = action.form in (Form.TEST, Form.SUITE)
        stdin = stimulus.stdin
        if serves and stdin is None:  # tests type nothing: what asks past them finds the end
            stdin = ""
        return ScenarioJob(
            action=self._module_of(stimulus),
            runs=action.program != "",
            serves=serves,
            public_names=public_names,
            program=action.program or self.main,
            argv=list(action.argv),
            texts=(
                stimulus.given,
                action.expression,
                action.steps,
                _equals_to_send(action.equals),
            ),
            selection=self._selection(stimulus),
            bindings=[(binding.name, binding.literal) for binding in stimulus.used_bindings()],
            seed=stimulus.seed or 0,
            clock=None if clock is None else (clock.seconds, clock.offset),
            stdin=stdin,
            stderr_apart=stimulus.stderr_apart,
            environment={variable.name: variable.literal for variable in stimulus.environment},
            finds_loop=stimulus.finds_loop,
            traces_lines=stimulus.traces_lines,
            counts_lines=stimulus.counts_lines,
            keeps_figures=stimulus.keeps_figures,
        )

    def _module_of(self, stimulus: Stimulus) -> str:
        """Return the module of `inside.stimuli` that runs the stimulus.

        It is named by the stimulus's kind, by a kind that this one derives from, or by the kind
        from which it is composed.
        """
        action = stimulus.action
        if action.form is Form.SUITE:
            return "test"
        for kind in type(action).__mro__:
            key = getattr(kind, "key", "")
            if key in self._kinds:
                return str(key)
        if action.program:
            return "run"
        return "session" if action.steps else "call"

    def _selection(self, stimulus: Stimulus) -> Selection:
        try:
            variant = self._variants[stimulus.constants]
        except KeyError:
            names = ", ".join(binding.name for binding in stimulus.constants)
            raise HarnessError(f"the plan has no provided files for {names}") from None
        own_files = None
        if variant or stimulus.provide:
            extra: list[tuple[str, bytes]] = []
            for path, data in self._extra:
                if path in stimulus.provide:
                    extra.append((path.rsplit("/", 1)[-1], data))
            own_files = (self._provided[variant], tuple(extra))
        stand_ins = tuple(
            (stand_in.module.removesuffix(".py"), *proxy_names(self._stand_ins[stand_in.file]))
            for stand_in in stimulus.stand_ins
        )
        substituted = tuple(
            (substitution.name, substitution.provided) for substitution in stimulus.substitutions
        )
        return own_files, stand_ins, substituted

    def stand_in_job(self, stimulus: Stimulus) -> StandInJob:
        """Return the job of the process with a scenario's stand-ins.

        It names the only functions that the submission may call.
        """
        modules = [
            (
                stand_in.module.removesuffix(".py"),
                stand_in.file,
                proxy_names(self._stand_ins[stand_in.file])[0],
            )
            for stand_in in stimulus.stand_ins
        ]
        if stimulus.substitutions:
            functions = tuple(
                substitution.name
                for substitution in stimulus.substitutions
                if not substitution.provided
            )
            modules.append((self.main.removesuffix(".py"), self.main, functions))
        clock = stimulus.clock
        return StandInJob(
            modules=modules,
            beside=stimulus.substitutions != (),
            variant=self._variants[stimulus.constants],
            provide=list(stimulus.provide),
            seed=stimulus.seed or 0,
            clock=None if clock is None else (clock.seconds, clock.offset),
        )


def _equals_to_send(equals: str) -> str:
    """Return the expression for `equals` as a process may see it.

    A literal would tell the expected answer, so it is replaced by other data, and the parent
    process compares. Any data in its place makes the process describe the result as data.
    """
    try:
        Value.parse(equals)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return equals
    return _ANY_DATA


def stand_in_setup(
    assignment: Assignment, reference: tuple[SourceFile, ...] = ()
) -> dict[str, object]:
    """Return the setup of the server for stand-ins.

    It has only the course's files, none of a student.
    """
    return {
        "variants": [_pairs(variant.files) for variant in assignment.variants],
        "extra": _pairs(assignment.extra_files),
        "stand_ins": _pairs(assignment.stand_in_files),
        "reference": _pairs(reference),
    }


def program_files(assignment: Assignment, files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """Return the submission's files that are used, under the names by which programs import them:
    first the required files, then permitted extra modules.

    Other files, and files too large to be checked, are ignored.
    """
    files = tuple(file for file in files if len(file.data) <= MAX_SOURCE_BYTES)
    extra = extra_modules(assignment, files)
    asked_for = tuple(file for file in files if file not in extra)
    named = tuple(file for file in asked_for if file.name in assignment.submission_files)
    if assignment.laid_as is None:
        return named + extra
    programs = named or tuple(file for file in asked_for if file.name.endswith(".py"))
    laid = tuple(replace(file, name=assignment.laid_as) for file in programs[:1])
    return laid + extra


def extra_modules(assignment: Assignment, files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """Return a submission's modules that are permitted but not required."""
    if not assignment.extra_modules.allow:
        return ()
    return tuple(file for file in files if assignment.use_of_extra(file.name) is ExtraUse.ALLOW)


def _pairs(files: tuple[SourceFile, ...]) -> list[tuple[str, bytes]]:
    return [(file.name, file.data) for file in files]


def _cell_ends(files: tuple[SourceFile, ...]) -> dict[str, tuple[int, ...]]:
    return {file.name: file.cell_ends for file in files if file.cell_ends}


@cache
def proxy_names(file: SourceFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a module's public functions and its other public names, both sorted.

    Values of the latter cannot be sent to another process. Raise HarnessError if the file is not
    Python.
    """
    try:
        table = symtable(file.data, file.name, "exec")  # type: ignore[arg-type]  # bytes, too
    except (SyntaxError, ValueError):
        raise HarnessError(f"{file.name} is not Python") from None
    public = [symbol for symbol in table.get_symbols() if not symbol.get_name().startswith("_")]
    functions = {
        symbol.get_name()
        for symbol in public
        if any(isinstance(space, Function) for space in symbol.get_namespaces())
    }
    bound = {symbol.get_name() for symbol in public if symbol.is_assigned() or symbol.is_imported()}
    return tuple(sorted(functions)), tuple(sorted(bound - functions))
