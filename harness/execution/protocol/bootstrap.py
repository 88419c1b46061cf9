"""What our interpreters are started with, and the modules of `inside/` that they are sent."""

from __future__ import annotations

import marshal
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from harness.execution.inside.messages.frames import framed

INSIDE = (
    "messages.frames", "messages.names", "messages.objects", "messages.codec",
    "messages.equality", "modules", "confine", "limits", "stand_ins.graph", "stand_ins.proxies",
    "stand_ins.substituted", "stand_ins.stand_in", "scenario.stimulus", "scenario.evaluate",
    "scenario.streams", "scenario.loops", "scenario.process", "shared.facades",
    "shared.snapshot", "shared.run", "warm_up", "heap", "server", "base",
)  # fmt: skip
_SOMETIMES = ("shifted_clock", "piped")
_KEPT = ("SYSTEMROOT",)  # Windows' interpreters need it

# Defines `load`: of modules' code by name makes a package that nothing finds by the names of its
# folders on a disk; those that are optional may lack what they import.
LOADER = """\
import builtins, marshal, sys
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
def read(count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise SystemExit(1)
        data += part
    return data
modules, setup = marshal.loads(read(int.from_bytes(read(4), "little")))
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
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**INNER_ENVIRONMENT, **kept, "PYTHONHASHSEED": str(hash_seed), "LD_BIND_NOW": "1"}


def first_message(modules: Mapping[str, bytes], setup: dict[str, object]) -> bytes:
    """The modules' code (of all of `inside`) and the base's setup, framed."""
    names = ("shifted_clock", *INSIDE) if setup["clock_offset"] else INSIDE
    payload = marshal.dumps(([(name, modules[name]) for name in names], setup), 2)
    return framed(payload)


def sources() -> list[tuple[str, str]]:
    """Every module of `inside` by name, as text; from an archive, too."""
    folder = resources.files("harness.execution").joinpath("inside")
    found = []
    for name in (*INSIDE, *_SOMETIMES):
        *packages, module = name.split(".")
        found.append((name, folder.joinpath(*packages, f"{module}.py").read_text("utf-8")))
    return found


INNER_ENVIRONMENT = {
    "HOME": "/",
    "LC_ALL": "C.UTF-8",
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONIOENCODING": "utf-8:strict",
    "TERM": "dumb",
    "TZ": "UTC",
}
