"""Compile an archive of modules, so that the browser does not have to compile them at each start.

This file runs in the Python version that the page uses, without the harness. It reads the archive
from standard input and writes the compiled archive to standard output. The argument names the place
of the modules on the page: an archive of that name, which then has only compiled code, or a folder,
which also keeps the source.
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
    """Return the archive with compiled modules.

    A file that this Python cannot compile is kept as it is.
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
    """Return the files that replace one module: compiled code, and the source if `place` is a
    folder.
    """
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
