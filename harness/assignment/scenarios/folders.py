"""The files of a scenario: those it begins with, extra ones beside the submission, stand-ins."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.context import Context, Setting
from harness.assignment.vocabulary import Vocabulary
from harness.matchers import Refused, describe, nearest
from harness.model.policy import SourceFile

if TYPE_CHECKING:
    from harness.assignment.scenarios.shape import TextShape

LARGEST_GIVEN = 1024 * 1024  # bytes, of one file


def has_folder(chosen: Setting) -> bool:
    """Whether the scenario has a folder: files, or something to be written."""
    return chosen.states("writes") or any(True for _ in chosen.layers("files"))


def given_files(context: Context, chosen: Setting) -> tuple[SourceFile, ...]:
    """The files of every `files:` in force; mistakes are noted for what cannot be read."""
    found: dict[str, SourceFile] = {}
    for loc, files in chosen.layers("files"):
        for name, content in files.items():
            with suppress(Refused):
                found[name] = _file(context, (*loc, name), name, content)
    return tuple(found.values())


def _file(context: Context, loc: Loc, name: str, content: str | TextShape) -> SourceFile:
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        what = f"expected the name of a file, got {describe(name)}"
        context.refuse(loc, what, "a name has no folders", key=True)
    text = content if isinstance(content, str) else content.text
    if not isinstance(content, str) or not text or "\n" in text:
        return SourceFile(name=name, data=context.render(text, loc).encode())
    if text.startswith("/") or ".." in text.split("/"):
        context.refuse(loc, f"{text} is not below the spec folder")
    path = context.vocabulary.folder / text
    if not path.is_file():
        hint = "a text ends its lines with \\n; write {text: …} for one without"
        context.refuse(loc, f"there is no file {text} in the spec folder", hint)
    data = path.read_bytes()
    if len(data) > LARGEST_GIVEN:
        context.refuse(loc, f"{text} has {len(data)} bytes, more than {LARGEST_GIVEN:,}")
    return SourceFile(name=name, data=data)


def used_files(chosen: Setting) -> set[str]:
    """The paths, below the spec folder, of files that are copied into the folder."""
    contents = [content for _, files in chosen.layers("files") for content in files.values()]
    return {one for one in contents if isinstance(one, str) and one and "\n" not in one}


def provided_names(document: Document, vocabulary: Vocabulary, chosen: Setting) -> tuple[str, ...]:
    """The extra files that are there, as paths below the spec folder; mistakes for the others."""
    found: list[str] = []
    for index, name in enumerate(chosen.value("provide")):
        loc = (*chosen.where("provide"), index)
        if name.startswith("/") or ".." in name.split("/"):
            document.add(loc, f"{name} is not below the spec folder")
        elif not (vocabulary.folder / name).is_file():
            document.add(loc, f"there is no file {name} in the spec folder")
        else:
            found.append(name)
    return tuple(found)


def stand_in_files(
    document: Document, vocabulary: Vocabulary, chosen: Setting
) -> dict[str, SourceFile]:
    """The files that stand in, by their name: of the spec folder, else beside the reference.

    Mistakes are noted for what is no submitted module, for files that are not there, are no Python
    or are the reference's own answer, and where nothing of the submission would be left.
    """
    found: dict[str, SourceFile] = {}
    names: dict[str, str] = chosen.value("stand_in")
    where = chosen.where("stand_in")
    for module, name in names.items():
        loc = (*where, module)
        if module not in vocabulary.submission_files or not module.endswith(".py"):
            hint = nearest(module, vocabulary.submission_files)
            document.add(loc, f"{module} is no submitted module", hint, key=True)
            continue
        file = _stand_in(document, vocabulary, loc, name)
        if file is not None:
            found[name] = file
    if names and set(names) >= set(vocabulary.submission_files):
        what = "nothing of the submission would be left"
        document.add(where, what, "leave out the module that the scenario is about", key=True)
    return found


def _stand_in(document: Document, vocabulary: Vocabulary, loc: Loc, name: str) -> SourceFile | None:
    if "/" in name or "\\" in name:
        document.add(loc, f"{name} is a path", "write the file's name alone")
        return None
    beside = name not in vocabulary.submission_files
    folders = [vocabulary.folder, *([vocabulary.reference_folder] if beside else [])]
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if path is None:
        what = f"there is no file {name} in the spec folder or among the course's files"
        document.add(loc, what, "" if beside else "the reference's own answer is never used")
        return None
    file = SourceFile(name=name, data=path.read_bytes())
    if any(file.data == answer.data for answer in vocabulary.reference):
        document.add(loc, f"{name} is the reference's own answer", "write a module for this use")
        return None
    try:
        ast.parse(file.data)
    except (SyntaxError, ValueError) as error:
        reason = getattr(error, "msg", None) or str(error)
        document.add(loc, f"{name} is not Python ({reason})")
        return None
    return file
