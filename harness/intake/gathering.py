"""Several sources as one class: attempts of one student put together, times in their zone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.cohort.matching import RosterEntry
from harness.intake.cohort.terms import Terms
from harness.intake.cohort.times import in_zone
from harness.intake.layouts import Times
from harness.intake.layouts.choice import PLAIN
from harness.intake.sources import UploadSource
from harness.intake.uploads import Attempt, StudentUploads

MAX_SUBMISSIONS = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """Everybody who handed in, and how much: attempts are submissions."""

    sources: tuple[UploadSource, ...]
    handed: tuple[StudentUploads, ...]
    notices: tuple[str, ...] = ()

    @property
    def layouts(self) -> tuple[str, ...]:
        """Their names, each once."""
        return tuple(dict.fromkeys(source.layout for source in self.sources))

    @property
    def submissions(self) -> int:
        """All attempts; what a group handed in together is one."""
        origins = {(a.found.origin, a.number) for one in self.handed for a in one.attempts}
        return len(origins) + sum(
            len(one.elsewhere) for one in {_origin(one): one for one in self.handed}.values()
        )

    def check_times(self, standings: Sequence[RosterEntry], terms: Terms) -> None:
        """Raise UserError where a due time cannot be held against anything."""
        if terms.due is None:
            return
        times = [attempt.at for standing in standings for attempt in standing.handed.attempts]
        for source in self.sources:
            if source.times is Times.NONE and not any(times):
                whose = "this" if source.layout == PLAIN else f"a download from {source.layout}"
                raise UserError(
                    f"{whose} does not say when anything was handed in, so --due cannot be held to",
                    place=str(source.path),
                    hint="add --roster with a column handed_in, or leave out --due",
                )
        if any(at is not None and at.tzinfo is None for at in times):
            raise UserError(
                "the times here have no zone",
                place=str(self.sources[0].path),
                hint="add --time-zone Australia/Brisbane (or yours)",
            )


def gathered(sources: Sequence[UploadSource], terms: Terms) -> Class:
    """Everybody once; UserError for more than `MAX_SUBMISSIONS`."""
    everybody: dict[tuple[str, str], StudentUploads] = {}
    for source in sources:
        for handed in source.handed:
            key = _key(source, handed)
            earlier = everybody.get(key)
            if earlier is None:
                everybody[key] = _zoned(handed, terms)
            elif source.layout != PLAIN:
                everybody[key] = _merged(earlier, _zoned(handed, terms))
        if len(everybody) > MAX_SUBMISSIONS:
            raise UserError(f"more than {MAX_SUBMISSIONS} submissions", place=str(source.path))
    notices = []
    if terms.due is not None and any(source.times is Times.LATE_ONLY for source in sources):
        notices.append(
            "Canvas gives no times: late is what it marked LATE by its own due time, not by --due"
        )
    return Class(sources=tuple(sources), handed=tuple(everybody.values()), notices=tuple(notices))


def _key(source: UploadSource, handed: StudentUploads) -> tuple[str, str]:
    """Two plain folders of one name are two submissions; a platform's student is one."""
    if handed.student is None:
        return PLAIN, str(Path(_origin(handed)).absolute())
    return source.layout, handed.student.id


def _origin(handed: StudentUploads) -> str:
    return handed.attempts[0].found.origin


def _merged(one: StudentUploads, other: StudentUploads) -> StudentUploads:
    """One student in two downloads; an attempt that is in both counts once."""
    known = {_mark(attempt) for attempt in one.attempts} - {None}
    return replace(
        one,
        attempts=(*one.attempts, *(a for a in other.attempts if _mark(a) not in known)),
        elsewhere=tuple(dict.fromkeys((*one.elsewhere, *other.elsewhere))),
        doubt=one.doubt or other.doubt,
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
    )


def _mark(attempt: Attempt) -> tuple[str, str, int] | None:
    """What tells an attempt from all others, where the platform names a time or a number."""
    if attempt.at is None and attempt.number is None:
        return None
    return attempt.found.source, str(attempt.at), attempt.number or 0


def _zoned(handed: StudentUploads, terms: Terms) -> StudentUploads:
    return replace(
        handed,
        attempts=tuple(_in_zone(handed.attempts, terms)),
        elsewhere=tuple(in_zone(at, terms.zone) for at in handed.elsewhere),
    )


def _in_zone(attempts: Iterable[Attempt], terms: Terms) -> Iterable[Attempt]:
    for attempt in attempts:
        at = attempt.at
        yield attempt if at is None else replace(attempt, at=in_zone(at, terms.zone))
