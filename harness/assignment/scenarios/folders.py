"""A scenario's own folder: the files it begins with, and what is stated of them afterwards."""

from __future__ import annotations

from typing import Any

from harness.assignment.scenarios.matchers import text_matcher
from harness.assignment.scenarios.settings import Context, Setting
from harness.assignment.schema.validators import describe
from harness.assignment.yaml.document import Loc
from harness.matchers import Exactly
from harness.model.expectation import Expected, Matcher, StatedLeave
from harness.model.policy import SourceFile
from harness.model.values import NONE

LARGEST_GIVEN = 1024 * 1024  # bytes, of one file
_ONLY = "only"


def has_folder(chosen: Setting) -> bool:
    """Whether the scenario has a folder: files, or something to be written."""
    return chosen.states("writes") or any(True for _ in chosen.layers("files"))


def given_files(context: Context, chosen: Setting) -> tuple[SourceFile, ...]:
    """The files of every `files:` in force; mistakes are noted for what cannot be read."""
    found: dict[str, SourceFile] = {}
    for loc, files in chosen.layers("files"):
        for name, content in files.items():
            where: Loc = (*loc, name)
            if not isinstance(name, str) or not _is_name(name):
                what = f"expected the name of a file, got {describe(name)}"
                context.add(where, what, "a name has no folders", key=True)
                continue
            data = _content(context, where, content)
            if data is not None:
                found[name] = SourceFile(name=name, data=data)
    return tuple(found.values())


def _is_name(name: str) -> bool:
    return bool(name) and "/" not in name and "\\" not in name and name not in (".", "..")


def _content(context: Context, loc: Loc, content: Any) -> bytes | None:
    if isinstance(content, dict) and list(content) == ["text"] and isinstance(content["text"], str):
        return context.render(content["text"], loc).encode()
    if not isinstance(content, str):
        what = f"expected a text or a path, got {describe(content)}"
        context.add(loc, what, "write {text: …} for a text of one line")
        return None
    if not content or "\n" in content:
        return context.render(content, loc).encode()
    if content.startswith("/") or ".." in content.split("/"):
        context.add(loc, f"{content} is not below the spec folder")
        return None
    path = context.vocabulary.folder / content
    if not path.is_file():
        hint = "a text ends its lines with \\n; write {text: …} for one without"
        context.add(loc, f"there is no file {content} in the spec folder", hint)
        return None
    data = path.read_bytes()
    if len(data) > LARGEST_GIVEN:
        context.add(loc, f"{content} has {len(data)} bytes, more than {LARGEST_GIVEN:,}")
        return None
    return data


def used_files(chosen: Setting) -> set[str]:
    """The paths, below the spec folder, of files that are copied into the folder."""
    contents = [content for _, files in chosen.layers("files") for content in files.values()]
    return {one for one in contents if isinstance(one, str) and one and "\n" not in one}


def stated_files(context: Context, chosen: Setting) -> Expected:
    """What `writes:` says, as the part of an expectation that it makes."""
    data, loc = chosen.own.writes, (*chosen.loc, "writes")
    if not chosen.states("writes"):
        return Expected()
    if data == "unchanged":
        return Expected(writes_unchanged=True)
    if not isinstance(data, dict) or not data:
        what = f"expected files with their texts, or unchanged, got {describe(data)}"
        context.add(loc, what)
        return Expected()
    only: tuple[str, ...] | None = None
    found: list[StatedLeave] = []
    for name, stated in data.items():
        if name == _ONLY and isinstance(stated, list):
            only = _names(context, (*loc, _ONLY), stated)
            continue
        matcher = _matcher(context, (*loc, name), stated)
        if matcher is not None:
            found.append(StatedLeave(name=str(name), value=matcher))
    return Expected(writes=tuple(found), writes_only=only)


def _matcher(context: Context, loc: Loc, stated: Any) -> Matcher | None:
    if stated is None:  # the file is not there
        return Exactly(value=NONE)
    return text_matcher(context, loc, stated)


def _names(context: Context, loc: Loc, names: list[Any]) -> tuple[str, ...]:
    for index, name in enumerate(names):
        if not isinstance(name, str):
            what = f"expected the name of a file, got {describe(name)}"
            context.add((*loc, index), what)
            return ()
    return tuple(names)
