"""equivalent.yaml: changes of the reference that no input tells from it."""

from __future__ import annotations

from pathlib import Path

from harness.assignment.loading import EQUIVALENT
from harness.assignment.schema.models.lists import EquivalentsShape
from harness.assignment.schema.validate import shaped
from harness.assignment.yaml.document import Document
from harness.assignment.yaml.errors import Problems
from harness.model.study import Equivalent


def load_equivalents(folder: Path) -> tuple[Equivalent, ...]:
    """The entries of `folder`/equivalent.yaml, none where there is no such file; SpecErrors with
    every mistake in it."""
    path = folder / EQUIVALENT
    if not path.exists():
        return ()
    problems = Problems()
    document = Document.open(path, f"{folder.parent.name}/{folder.name}/{EQUIVALENT}", problems)
    problems.raise_any()
    assert document is not None
    shape = shaped(EquivalentsShape, document, (), document.data)
    for index, part in enumerate(shape.equivalent if shape is not None else ()):
        if not part.why.strip():
            document.add(("equivalent", index, "why"), "expected a reason, got nothing")
    problems.raise_any()
    assert shape is not None
    return tuple(
        Equivalent(
            file=part.file,
            function=part.function,
            before=part.find.strip(),
            after=part.replace.strip(),
            why=" ".join(part.why.split()),
        )
        for part in shape.equivalent
    )
