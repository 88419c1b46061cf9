"""`transcript:` a file with the whole screen, typed text included."""

from __future__ import annotations

from dataclasses import dataclass

from harness.assignment.context import Context
from harness.assignment.problems import nearest
from harness.assignment.settings import Chosen
from harness.assignment.templates import TemplateError, names_in, render
from harness.model.plan import Place


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript's path below the spec folder, and its text (None: still to be recorded)."""

    path: str
    text: str | None


def transcript_of(
    context: Context, chosen: Chosen, swept: tuple[str, ...], *, recording: bool
) -> Transcript | None:
    """The transcript a scenario names; None, with a mistake, if there is none."""
    loc = (*chosen.loc, "transcript")
    written = chosen.own.transcript
    lacking = [name for name in swept if name not in names_in(written)]
    if lacking:
        hint = f"put {{{{ {lacking[0]} }}}} into the name"
        context.add(loc, f"the file's name does not hold the swept {lacking[0]}", hint)
        return None
    path = context.render(written, loc)
    if path.startswith("/") or ".." in path.split("/") or not path.endswith(".txt"):
        context.add(loc, f"{path} is not a .txt file below the spec folder")
        return None
    file = context.vocabulary.folder / path
    if not file.is_file():
        if recording:
            return Transcript(path, None)
        context.add(loc, f"there is no file {path}", "run harness record, or mend the name")
        return None
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        context.add(loc, f"byte {error.start} of {path} is not UTF-8", "save the file as UTF-8")
        return None
    try:
        return Transcript(path, render(text, context.constants))
    except TemplateError as error:
        before = text[: error.position]
        line = before.count("\n") + 1
        column = error.position - (before.rfind("\n") + 1) + 1
        shown = f"{context.vocabulary.shown_folder}/{path}"
        place = Place(file=shown, line=line, column=column)
        hint = nearest(error.name, context.constants)
        context.document.problems.add(place, "", str(error), hint)
        return None
