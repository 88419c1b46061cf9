"""`compare:` in assignment.yaml: how the objects of a class are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.assignment.schema.validators import COMPARE_WORDS, describe, listed
from harness.assignment.yaml.document import Document, Loc
from harness.assignment.yaml.errors import nearest
from harness.model.assignment import ClassComparison, CompareBy


def comparisons(
    document: Document, written: dict[str, Any], classes: Iterable[str] | None
) -> tuple[ClassComparison, ...]:
    """How the objects of each class are compared. Mistakes are noted for a class that is not among
    `classes` (None: not known) and for a way there is not."""
    known = None if classes is None else tuple(classes)
    found: list[ClassComparison] = []
    for name, how in written.items():
        loc: Loc = ("compare", name)
        if known is not None and name not in known:
            hint = nearest(name, known) or f"its classes are {', '.join(known) or 'none'}"
            document.add(loc, f"the reference has no class {name}", hint, key=True)
            continue
        made = _comparison(document, loc, name, how)
        if made is not None:
            found.append(made)
    return tuple(found)


def _comparison(document: Document, loc: Loc, name: str, how: Any) -> ClassComparison | None:
    if isinstance(how, str) and how in COMPARE_WORDS:
        return ClassComparison(name=name, how=CompareBy(how))
    if not isinstance(how, list) or not how:
        what = f"expected a list of attributes, or {listed(COMPARE_WORDS)}, got {describe(how)}"
        document.add(loc, what, nearest(how, COMPARE_WORDS) if isinstance(how, str) else "")
        return None
    for index, attribute in enumerate(how):
        if not isinstance(attribute, str) or not attribute.isidentifier():
            what = f"expected the name of an attribute, got {describe(attribute)}"
            document.add((*loc, index), what)
            return None
    return ClassComparison(name=name, how=CompareBy.NAMED, attributes=tuple(how))
