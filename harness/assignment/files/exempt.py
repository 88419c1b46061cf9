"""exempt.yaml: scenarios that do not count, for one student or for everybody."""

from __future__ import annotations

from collections.abc import Sequence

from harness.assignment.schema.models.lists import ExemptShape
from harness.assignment.schema.validate import shaped
from harness.assignment.yaml.document import Document
from harness.assignment.yaml.errors import nearest
from harness.model.plan import Exemption, glob


def read_exemptions(document: Document, scenario_ids: Sequence[str]) -> tuple[Exemption, ...]:
    """The exemptions; mistakes are noted in the document's problems."""
    shape = shaped(ExemptShape, document, (), document.data)
    if shape is None:
        return ()
    for index, part in enumerate(shape.exempt):
        if not part.reason.strip():
            document.add(("exempt", index, "reason"), "expected a reason, got nothing")
        for place, pattern in enumerate(part.scenarios):
            if not any(glob(pattern).fullmatch(name) for name in scenario_ids):
                hint = nearest(pattern, scenario_ids)
                what = f"{pattern} matches no scenario"
                document.add(("exempt", index, "scenarios", place), what, hint)
    return tuple(
        Exemption(
            student=part.student.strip(),
            scenarios=tuple(part.scenarios),
            reason=" ".join(part.reason.split()),
        )
        for part in shape.exempt
    )
