"""Waiting for a save of the files that `harness check --watch` was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from harness.common.errors import UserError

# How long one look for changes waits; also how long it takes until watching has surely begun.
LOOK_MS = 100


def saves(files: Sequence[Path]) -> Iterator[None]:
    """Yield whenever one of `files` was saved, made or removed, or a file directly in one of them
    that is a folder; several changes at once count as one.

    It watches from its call on, also while the caller is busy between two of them.
    UserError without the library that watches.
    """
    try:
        from watchfiles import watch  # noqa: PLC0415  (the extra `watch`)
    except ImportError as error:
        hint = "pip install 'a1-harness[watch]'"
        raise UserError("watching needs watchfiles", place="--watch", hint=hint) from error
    # By both paths: systems differ in whether they report a linked file by its link.
    wanted = {path for file in files for path in (file.absolute(), file.resolve())}
    folders = {path for path in wanted if path.is_dir()}
    # Folders, for many editors save by putting a new file in the old one's place.
    changes = watch(
        *(folders | {path.parent for path in wanted - folders}),
        watch_filter=lambda _, changed: is_save(Path(changed), wanted, folders),
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
        recursive=False,
    )
    next(changes)  # a generator: this begins
    return (None for changed in changes if changed)


def is_save(changed: Path, wanted: Set[Path], folders: Set[Path]) -> bool:
    """Whether a change of this path is one of a file in `wanted`, or directly in one of `folders`
    and no editor's own file there."""
    of_an_editor = changed.name.startswith(".") or changed.name.endswith("~")
    return changed in wanted or (changed.parent in folders and not of_an_editor)
