"""Compile an archive of modules, so that a browser does not have to at each start.

This file runs with the Python whose code is needed, without the harness. It reads the archive
from standard input and writes it back with compiled code. The argument names the folder in which
the modules will be found: in an archive of that name, which then has only code, or in a folder,
with their source.
"""

import importlib.util
import io
import marshal
import sys
import zipfile

# The head of a compiled module: the Python that made it, and the flag that its source is not
# compared with it.
HEAD = importlib.util.MAGIC_NUMBER + bytes([1, 0, 0, 0]) + bytes(8)


def compiled(archive: bytes, place: str) -> bytes:
    """Return the archive with the code of each module. A file that this Python cannot compile is
    kept as it is.
    """
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as given,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in given.namelist():
            files = {name: given.read(name)}
            if name.endswith(".py"):
                files = with_code(name, files[name], place)
            for path, data in files.items():
                made.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def with_code(name: str, text: bytes, place: str) -> dict[str, bytes]:
    """Return the files of one module."""
    try:
        code = compile(text, f"{place}/{name}", "exec", dont_inherit=True)
    except SyntaxError:
        return {name: text}
    data = HEAD + marshal.dumps(code)
    if place.endswith(".zip"):
        return {f"{name}c": data}
    return {name: text, importlib.util.cache_from_source(name): data}


if __name__ == "__main__":
    sys.stdout.buffer.write(compiled(sys.stdin.buffer.read(), sys.argv[1]))
