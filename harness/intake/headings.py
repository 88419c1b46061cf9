"""The columns of a list of students, and the times in it, in the languages that platforms write.

A column is known by its name in English, else by its name in German, French, Spanish, Dutch or
Swedish, else by what its cells hold: emails, or times.
"""

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from harness.common.csv_tables import Sheet, plain_name, plain_text

EMAILS = ("email", "email address", "e-mail")
TIMES = ("handed in", "last modified (submission)")

# By the English name: the names in other languages, as `plain_name` gives them.
_WORDS: dict[str, tuple[str, ...]] = {
    "last name": (
        *("nachname", "familienname", "nom", "nom de famille", "apellido", "apellidos"),
        *("apellido(s)", "achternaam", "efternamn"),
    ),
    "first name": (
        *("vorname", "prénom", "nombre", "nombre(s)", "nombre de pila", "voornaam", "förnamn"),
    ),
    "student": ("studierende", "studierende/r", "étudiant", "estudiante", "studerende", "elev"),
    "full name": (
        *("vollständiger name", "nom complet", "nombre completo", "volledige naam"),
        *("fullständigt namn", "namn", "naam"),
    ),
    "student id": (
        *("matrikelnummer", "matrikel-nr.", "matr.-nr.", "numéro étudiant", "n° étudiant"),
        *("numéro d'étudiant", "número de estudiante", "número de alumno", "matrícula"),
        *("studentnummer", "studienummer", "id-nummer", "numéro d'identification"),
        *("número de identificación", "número de id", "idnummer"),
    ),
    "username": (
        *("benutzername", "anmeldename", "nutzername", "nom d'utilisateur", "identifiant"),
        *("nombre de usuario", "usuario", "gebruikersnaam", "användarnamn"),
    ),
    "email address": (
        *("e-mail-adresse", "e-mailadresse", "emailadresse", "adresse de courriel", "courriel"),
        *("adresse e-mail", "adresse électronique", "correo", "correo electrónico"),
        *("dirección de correo", "dirección de correo electrónico", "dirección email"),
        *("e-mailadres", "mailadres", "e-postadress", "e-post"),
    ),
    "group": ("gruppe", "groupe", "grupo", "groep", "grupp"),
    "last modified (submission)": (
        *("zuletzt geändert (abgabe)", "dernière modification (travail remis)"),
        *("dernière modification (remise)", "última modificación (entrega)"),
        *("última modificación (envío)", "laatst gewijzigd (inzending)"),
        *("laatst gewijzigd (ingezonden opdracht)", "senast ändrad (inlämning)"),
        *("senast ändrad (inlämningsuppgift)", "abgegeben am", "eingereicht am", "remis le"),
        *("entregado el", "ingeleverd op", "inlämnad"),
    ),
}
_ENGLISH = {word: english for english, words in _WORDS.items() for word in words}
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

# In the order of the year: English, German, French, Spanish, Dutch, Swedish.
_MONTHS = (
    ("january", "januar", "jänner", "janvier", "enero", "januari"),
    ("february", "februar", "feber", "février", "febrero", "februari"),
    ("march", "märz", "mars", "marzo", "maart"),
    ("april", "avril", "abril"),
    ("may", "mai", "mayo", "mei", "maj"),
    ("june", "juni", "juin", "junio"),
    ("july", "juli", "juillet", "julio"),
    ("august", "août", "agosto", "augustus", "augusti"),
    ("september", "septembre", "septiembre"),
    ("october", "oktober", "octobre", "octubre"),
    ("november", "novembre", "noviembre"),
    ("december", "dezember", "décembre", "diciembre"),
)
_MONTH_OF = {word: number for number, words in enumerate(_MONTHS, 1) for word in words}
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?: ?(?P<half>[ap])\.?m\.?)?"
# `Tuesday, 24 September 2024, 5:00 PM`, `Dienstag, 24. September 2024, 17:00`
_IN_WORDS = re.compile(
    r"(?:[^\W\d]+,? )?(?P<day>\d{1,2})(?:\.|er)? (?:de )?(?P<month>[^\W\d]+)\.? (?:de )?"
    rf"(?P<year>\d{{4}}),? (?:um |à |kl\. )?{_CLOCK}(?: uhr)?"
)
# `24.09.2024 17:00`: between slashes it could be the month that comes first.
_WITH_DOTS = re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}),? {_CLOCK}")


def names_in_english(sheet: Sheet) -> Sheet:
    """Give columns that have a name in another language their English names. A name that is there
    in English stays the only one."""
    header = list(sheet.rows[0])
    present = set(sheet.columns)
    for at, name in enumerate(sheet.columns):
        english = _ENGLISH.get(name)
        if english is not None and english not in present:
            header[at] = english
            present.add(english)
    return sheet.with_rows([header, *sheet.rows[1:]])


def in_english(sheet: Sheet, known: Collection[str]) -> Sheet:
    """Give columns their English names, also those that are known only by their content.

    A column with one of the `known` names keeps it.
    """
    sheet = names_in_english(sheet)
    header, *body = [list(row) for row in sheet.rows]
    taken = {*known, *_WORDS}
    free = [at for at, name in enumerate(sheet.columns) if name not in taken]
    if sheet.column(*EMAILS) is None:
        emails = [at for at in free if _holds_emails(body, at)]
        if len(emails) == 1:
            header[emails[0]] = EMAILS[0]
    if sheet.column(*TIMES) is None:
        times = _column_of_hand_ins(body, len(header))
        if times in free:
            header[times] = TIMES[0]
    return sheet.with_rows([header, *body])


def _holds_emails(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = _cells(rows, column)
    return bool(cells) and all(_EMAIL.fullmatch(cell) for cell in cells)


def _column_of_hand_ins(rows: Sequence[Sequence[str]], width: int) -> int:
    """Find the column of hand-in times, if that is certain:

    Moodle has it beside the one of grade changes, with a dash for a missing time.
    """
    for at in range(width - 1):
        if _holds_times(rows, at) and _holds_times(rows, at + 1):
            return at
    return -1


def _holds_times(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = _cells(rows, column)
    return bool(cells) and all(cell == "-" or time_in(cell) is not None for cell in cells)


def _cells(rows: Sequence[Sequence[str]], column: int) -> list[str]:
    """Return what the cells of a column say that are not empty."""
    cells = (plain_text(row[column]) for row in rows if column < len(row))
    return [cell for cell in cells if cell]


def time_in(text: str) -> datetime | None:
    """Read a time as ISO 8601 or a platform writes it; return None if that is uncertain."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        plain = plain_name(text)
    match = _IN_WORDS.fullmatch(plain) or _WITH_DOTS.fullmatch(plain)
    if match is None:
        return None
    month = int(match["month"]) if match["month"].isdecimal() else _MONTH_OF.get(match["month"], 0)
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] == "p" else 0)
    day, year, minute = int(match["day"]), int(match["year"]), int(match["minute"])
    try:
        return datetime(year, month, day, hour, minute, int(match["second"] or 0))
    except ValueError:
        return None
