"""What our interpreters are started with, and the modules of `inside/` that they are sent, as code:
compiled once by the grading interpreter, and kept beside our own."""

from __future__ import annotations

import contextlib
import marshal
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from inspect import getsource
from pathlib import Path

from harness.common import files
from harness.common.discovery import import_modules
from harness.common.errors import HarnessError
from harness.execution.inside import stimuli
from harness.execution.interpreter import Interpreter

INSIDE = (
    "messages.frames", "messages.objects", "messages.codec", "messages.exceptions",
    "modules", "clock", "confine", "limits", "stand_ins.graph", "stand_ins.calls",
    "scenario.evaluate", "stimuli", "scenario.process",
    "shared.facades", "shared.snapshot", "shared.run", "warm_up", "server", "base",
)  # fmt: skip
_PIPED = "piped"  # sent where there are no terminals, alone

# Defines `load`: of modules' code by name makes a package that nothing finds by the names of its
# folders on a disk; those that are optional may lack what they import. And `message`, which takes
# one behind its length.
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

_PROGRAM = f"""\
{LOADER}
import _socket
control = int(sys.argv[1])
sock = _socket.socket(fileno=control)
modules, setup = message(sock.recv)
sock.detach()
package = load(modules, () if setup["confined"] else ("confine",))
package.base.serve(control, setup)
"""

FLAGS = (
    "-s", "-S", "-P", "-B", "-X", "utf8",
    "-W", "ignore::SyntaxWarning", "-W", "ignore::DeprecationWarning",
)  # fmt: skip


def command(executable: Path, control: int) -> list[str]:
    """The command line: nothing of the user's, no `site`, UTF-8, no byte code written."""
    return [str(executable), *FLAGS, "-c", _PROGRAM, str(control)]


def environment(hash_seed: int) -> dict[str, str]:
    """All that the interpreter's environment holds."""
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
_PATIENCE = 30.0  # seconds for the interpreter to compile them, whatever the load
_DIGEST = 32  # bytes
_COMPILER = """\
import marshal, sys
given = marshal.loads(sys.stdin.buffer.read())
found = [marshal.dumps(compile(text, name, "exec", dont_inherit=True)) for name, text in given]
sys.stdout.buffer.write(marshal.dumps(found, 2))
"""


def inside_modules(interpreter: Interpreter, names: Iterable[str]) -> list[tuple[str, bytes]]:
    """The code of these modules of `inside`, and of all that are in one of these folders, each with
    its name there. HarnessError where the interpreter does not work."""
    texts = _texts((*INSIDE, _PIPED))
    code = _compiled(interpreter, "inside", "inside/", tuple(texts.items()))
    own = [name for name in texts if name.startswith("stimuli.")]
    every = [part for name in names for part in (own if name == "stimuli" else (name,))]
    return [(name, code[name]) for name in every]


def inside_modules_compiled_here(names: Iterable[str]) -> list[tuple[str, bytes]]:
    """The same for an interpreter of this one's version, where no process can be started."""
    code = compiled_here(_texts(names), "inside/")
    return list(code.items())


def compiled_here(sources: Mapping[str, str], folder: str = "") -> dict[str, bytes]:
    """The code of these modules' texts, compiled by this interpreter."""
    return {
        name: marshal.dumps(compile(text, _file(folder, name), "exec", dont_inherit=True))
        for name, text in sources.items()
    }


def _texts(names: Iterable[str]) -> dict[str, str]:
    folder = resources.files("harness.execution").joinpath("inside")  # from an archive, too
    texts: dict[str, str] = {}
    for name in names:
        if name == "stimuli":
            kinds = import_modules(stimuli.__name__, stimuli.__path__)
            texts |= {f"stimuli.{k.__name__.rpartition('.')[2]}": getsource(k) for k in kinds}
        else:
            texts[name] = folder.joinpath(*_file("", name).split("/")).read_text("utf-8")
    return texts


def _file(folder: str, name: str) -> str:
    return f"{folder}{name.replace('.', '/')}.py"


def tool_modules(
    interpreter: Interpreter, sources: Mapping[str, str], entry: str
) -> dict[str, bytes]:
    """The code of the modules of a tool, `entry` ("package.module:function"), by module name, from
    their texts. HarnessError where the interpreter does not work."""
    return _compiled(interpreter, entry.partition(":")[0], "", tuple(sources.items()))


@cache
def _compiled(
    interpreter: Interpreter, what: str, folder: str, sources: tuple[tuple[str, str], ...]
) -> dict[str, bytes]:
    named = [(_file(folder, name), text) for name, text in sources]
    given = marshal.dumps(named, 2)
    digest = sha256(interpreter.build.encode() + b"\0" + given).digest()
    kept = _FOLDER / f"{what}.{interpreter.version}.code"
    data = b""
    with contextlib.suppress(OSError):
        data = kept.read_bytes()
    code = data[2 * _DIGEST :]
    if data[: 2 * _DIGEST] != digest + sha256(code).digest():  # of other texts, or not whole
        code = _compile(interpreter, given)
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):  # installed where this user may not write
                files.write_bytes(kept, digest + sha256(code).digest() + code)
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
