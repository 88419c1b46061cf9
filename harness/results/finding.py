"""Find a submission of a run by its id, or by its student's id or name."""

import difflib
from collections.abc import Sequence

from harness.common.errors import UserError
from harness.common.people import id_key, name_keys

_MAX_NAMED = 5
Called = tuple[str, str, str]  # the submission's id, its student's name, the student's id


def only_match(wanted: str, called: Sequence[Called], *, listing: str = "harness show RUN") -> int:
    """Return the index of the only submission in `called` that fits `wanted`.

    Compare `wanted` with the submissions' ids, then with students' ids, then with students' names
    in any order and case, then with parts of names. The first comparison that finds something
    counts. Raise UserError if nothing fits, with a similar name or the command that lists all
    submissions (`listing`). Raise UserError with the ids if several fit.
    """
    for match in (_has_id, _has_student_id, _has_name, _has_part_of_name):
        places = [place for place, names in enumerate(called) if match(wanted, names)]
        if len(places) == 1:
            return places[0]
        if places:
            ids = [called[place][0] for place in places]
            raise UserError(f"{wanted!r} names {len(ids)} submissions", hint=_choice(ids))
    known: list[str] = []
    for submission_id, name, _ in called:
        known += filter(None, (submission_id, name))
    near = difflib.get_close_matches(wanted, known, n=1)
    hint = f"{listing} lists them"
    if near:
        hint = f"did you mean {near[0]}?"
    raise UserError(f"no submission {wanted!r}", hint=hint)


def _choice(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_MAX_NAMED])
    if len(ids) > _MAX_NAMED:
        shown += f" and {len(ids) - _MAX_NAMED} more"
    return f"name one by its id: {shown}"


def _has_id(wanted: str, called: Called) -> bool:
    return called[0] == wanted


def _has_student_id(wanted: str, called: Called) -> bool:
    return bool(called[2]) and id_key(called[2]) == id_key(wanted)


def _has_name(wanted: str, called: Called) -> bool:
    return not name_keys(wanted).isdisjoint(name_keys(called[1]))


def _has_part_of_name(wanted: str, called: Called) -> bool:
    part = " ".join(wanted.casefold().split())
    return bool(part) and part in called[1].casefold()
