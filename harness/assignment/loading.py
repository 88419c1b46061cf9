"""`load`: an assignment from its spec folder, or from the cache when nothing has changed."""

from __future__ import annotations

from pathlib import Path

from harness.assignment.cache import Cache
from harness.assignment.folders import spec_folder
from harness.model.errors import UserError
from harness.model.specification import Specification


def load(
    root: Path, assignment_id: str, *, support: Path | None = None, recording: bool = False
) -> Specification:
    """Everything that specs/<id> and reference/<id> say.

    `support` is a folder whose files take the place of provided files of the same name. While
    `recording`, draws and transcripts may still be missing. Raises SpecErrors with every mistake
    of every file, UserError if there is no such assignment.
    """
    root = root.resolve()
    folder = spec_folder(root, assignment_id)
    if support is not None and not support.is_dir():
        raise UserError(f"the support folder {support} is not there", hint="mend --support")
    cache = Cache(root, assignment_id, folder, support)
    if not recording:
        cached = cache.read()
        if cached is not None:
            return cached
    # Only now: the libraries that read YAML cost more than a cached load.
    from harness.assignment.compiling import compile_assignment  # noqa: PLC0415

    compilation = compile_assignment(root, assignment_id, support=support, recording=recording)
    if not recording:
        cache.write(compilation.specification)
    return compilation.specification
