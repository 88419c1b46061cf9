"""Our own modules as code of the grading interpreter: compiled by it once, and kept beside them."""

from __future__ import annotations

import contextlib
import marshal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from harness.common import files
from harness.common.errors import HarnessError
from harness.execution.interpreter import Interpreter
from harness.execution.protocol import bootstrap

_FOLDER = Path(__file__).parent / "__pycache__"
_PATIENCE = 30.0  # seconds for the interpreter to compile them, whatever the load
_DIGEST = 32  # bytes
_COMPILER = """\
import marshal, sys
given = marshal.loads(sys.stdin.buffer.read())
found = [marshal.dumps(compile(text, name, "exec", dont_inherit=True)) for name, text in given]
sys.stdout.buffer.write(marshal.dumps(found, 2))
"""


def inside_modules(interpreter: Interpreter) -> dict[str, bytes]:
    """The code of every module of `inside`, by its name there.

    HarnessError where the interpreter does not work.
    """
    return _compiled(interpreter, "inside", "inside/", tuple(bootstrap.sources()))


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
    named = [(f"{folder}{name.replace('.', '/')}.py", text) for name, text in sources]
    given = marshal.dumps(named, 2)
    digest = sha256(interpreter.build.encode() + b"\0" + given).digest()
    kept = _FOLDER / f"{what}.{interpreter.version}.code"
    data = _read(kept, digest)
    if data is None:
        data = _compile(interpreter, given)
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):  # installed where this user may not write
                files.write_bytes(kept, digest + sha256(data).digest() + data)
    return dict(zip(dict(sources), marshal.loads(data), strict=True))


def _read(kept: Path, digest: bytes) -> bytes | None:
    """What is kept, where it is of these texts and whole."""
    try:
        found = kept.read_bytes()
    except OSError:
        return None
    data = found[2 * _DIGEST :]
    return data if found[: 2 * _DIGEST] == digest + sha256(data).digest() else None


def _compile(interpreter: Interpreter, given: bytes) -> bytes:
    try:
        done = subprocess.run(
            [str(interpreter.path), *bootstrap.FLAGS, "-c", _COMPILER],
            input=given,
            capture_output=True,
            env=bootstrap.environment(0),
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
