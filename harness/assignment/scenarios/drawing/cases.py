"""`cases:` as a list: a table in the YAML, of names that rows bind and what is expected of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from harness.assignment.scenarios.expected import raised_as, stated_leaves
from harness.assignment.scenarios.matchers import plain_value, text_matcher, value_matcher
from harness.assignment.scenarios.settings import Context, Setting
from harness.assignment.schema.validators import describe
from harness.assignment.yaml.document import Loc
from harness.model.expectation import Expected
from harness.model.stimulus import Binding

EXPECTING = ("returns", "prints", "raises", "leaves")


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One row: the names that it binds, and its place."""

    bindings: tuple[Binding, ...]
    loc: Loc
    data: dict[str, Any]

    def expected(self, context: Context, base: Expected) -> Expected:
        """What the scenario states, with what this row states in its place."""
        found = base
        for key in EXPECTING:
            if key not in self.data:
                continue
            where, data = (*self.loc, key), self.data[key]
            if key == "returns":
                found = replace(found, returns=value_matcher(context, where, data))
            elif key == "prints":
                found = replace(found, prints=text_matcher(context, where, data))
            elif key == "raises":
                found = replace(found, raises=raised_as(context, where, data))
            else:
                found = replace(found, leaves=stated_leaves(context, where, data))
        return found


def case_rows(context: Context, chosen: Setting) -> list[CaseRow]:
    """The rows in their order; mistakes are noted for rows that bind other names than the first."""
    loc: Loc = (*chosen.loc, "cases")
    rows: list[CaseRow] = []
    for index, data in enumerate(chosen.own.cases):
        where: Loc = (*loc, index)
        if not isinstance(data, dict):
            context.add(where, f"expected a mapping of names, got {describe(data)}")
            return []
        bindings: list[Binding] = []
        for name, value in data.items():
            if name in EXPECTING:
                continue
            if not isinstance(name, str) or not name.isidentifier():
                context.add((*where, name), f"{name} is no name", key=True)
                return []
            described = plain_value(context, (*where, name), value)
            if described is None:
                return []
            bindings.append(Binding(name=name, literal=described.source()))
        rows.append(CaseRow(tuple(sorted(bindings, key=lambda each: each.name)), where, data))
    if not rows:
        context.add(loc, "expected at least one case, got an empty list")
        return []
    first = [each.name for each in rows[0].bindings]
    for row in rows:
        names = [each.name for each in row.bindings]
        if names != first:
            bound, wanted = (", ".join(each) or "nothing" for each in (names, first))
            what = f"this case binds {bound}, the first one {wanted}"
            context.add(row.loc, what, "every case binds the same names")
            return []
    return rows
