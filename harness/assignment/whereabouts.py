"""Whose points a scenario's are, which clauses it tests, which files it needs."""

from __future__ import annotations

from harness.assignment.document import Document
from harness.assignment.problems import nearest
from harness.assignment.settings import Chosen
from harness.assignment.vocabulary import Vocabulary


def check_function(document: Document, vocabulary: Vocabulary, chosen: Chosen) -> None:
    """A mistake if the scenario belongs to no function of the reference."""
    name = chosen.value("function")
    if not name and not chosen.broken:
        hint = "name the function that the points belong to, here or at the head of the file"
        document.add(chosen.loc, "the key function is missing", hint)
    elif name and vocabulary.has_reference:
        known = (*vocabulary.function_names, *vocabulary.submission_files, *vocabulary.provided)
        if name not in known:
            what = f"the reference has no function {name}"
            document.add(chosen.where("function"), what, nearest(name, known))


def check_clauses(document: Document, vocabulary: Vocabulary, chosen: Chosen) -> None:
    """A mistake for every clause that clauses.yaml does not list."""
    if vocabulary.clauses is None:
        return
    known = [clause.id for clause in vocabulary.clauses]
    for index, name in enumerate(chosen.value("clause")):
        if name not in known:
            loc = (*chosen.where("clause"), index)
            document.add(loc, f"unknown clause {name}", nearest(name, known))


def provided_names(document: Document, vocabulary: Vocabulary, chosen: Chosen) -> tuple[str, ...]:
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
