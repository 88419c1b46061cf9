"""`stand_in:`: the course's own modules that a failed scenario is run with a second time."""

from __future__ import annotations

import ast

from harness.assignment.scenarios.settings import Setting
from harness.assignment.vocabulary import Vocabulary
from harness.assignment.yaml.document import Document, Loc
from harness.assignment.yaml.errors import nearest
from harness.model.plan import SourceFile


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
        file = _read(document, vocabulary, loc, name)
        if file is not None:
            found[name] = file
    if names and set(names) >= set(vocabulary.submission_files):
        what = "nothing of the submission would be left"
        document.add(where, what, "leave out the module that the scenario is about", key=True)
    return found


def _read(document: Document, vocabulary: Vocabulary, loc: Loc, name: str) -> SourceFile | None:
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
