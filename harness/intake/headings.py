"""Recognise the columns and the times in lists of students, in the languages that platforms write.

A column is recognised by its name in English, otherwise in German, French, Spanish, Dutch or
Swedish, otherwise by the content of its cells: emails or times.
"""

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from harness.common.csv_tables import Sheet, plain_name, plain_text

EMAILS = ("email", "email address", "e-mail")
TIMES = ("handed in", "last modified (submission)")

# The names in other languages, as `plain_name` gives them, by the English name.
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
        *("registration number", "matriculation number", "matriculation no."),
        *("matrikelnummer", "matrikel-nr.", "matr.-nr.", "numéro étudiant", "n° étudiant"),
        *("numéro d'étudiant", "número de estudiante", "número de alumno", "matrícula"),
        *("studentnummer", "studienummer", "id-nummer", "numéro d'identification"),
        *("número de identificación", "número de id", "idnummer"),
    ),
    "username": (
        *("login", "login name", "user login"),
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
# `24.09.2024 17:00`. With slashes the month could come first.
_WITH_DOTS = re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}),? {_CLOCK}")


def names_in_english(sheet: Sheet) -> Sheet:
    """Rename columns from other languages to English.

    If the table already has a column with the English name, only that column has it.
    """
    header = list(sheet.rows[0])
    present = set(sheet.columns)
    for index, name in enumerate(sheet.columns):
        english = _ENGLISH.get(name)
        if english is not None and english not in present:
            header[index] = english
            present.add(english)
    return sheet.with_rows([header, *sheet.rows[1:]])


def in_english(sheet: Sheet, known: Collection[str]) -> Sheet:
    """Rename columns to English, including those that are recognised only by their content.

    A column with one of the `known` names keeps its name.
    """
    sheet = names_in_english(sheet)
    header, *body = [list(row) for row in sheet.rows]
    known_names = {*known, *_WORDS}
    free = [index for index, name in enumerate(sheet.columns) if name not in known_names]
    if sheet.column(*EMAILS) is None:
        emails = [index for index in free if _holds_emails(body, index)]
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


def _column_of_hand_ins(rows: Sequence[Sequence[str]], width: int) -> int | None:
    """Return the number of the column of submission times; None if that is not certain.

    Moodle has it next to the column of grade changes, with a dash for a missing time.
    """
    for index in range(width - 1):
        if _holds_times(rows, index) and _holds_times(rows, index + 1):
            return index
    return None


def _holds_times(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = _cells(rows, column)
    return bool(cells) and all(cell == "-" or time_in(cell) is not None for cell in cells)


def _cells(rows: Sequence[Sequence[str]], column: int) -> list[str]:
    """Return the texts of a column, without empty ones."""
    cells = []
    for row in rows:
        if column < len(row):
            cells.append(plain_text(row[column]))
    return [cell for cell in cells if cell]


def time_in(text: str) -> datetime | None:
    """Convert a text in ISO 8601 or a platform's format to a time; None for any other text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        plain = plain_name(text)
    match = _IN_WORDS.fullmatch(plain) or _WITH_DOTS.fullmatch(plain)
    if match is None:
        return None
    hour = hour_of_day(int(match["hour"]), match["half"])
    if hour is None:
        return None
    month = _MONTH_OF.get(match["month"], 0)
    if match["month"].isdecimal():
        month = int(match["month"])
    day = int(match["day"])
    year = int(match["year"])
    try:
        return datetime(year, month, day, hour, int(match["minute"]), int(match["second"] or 0))
    except ValueError:
        return None


def hour_of_day(hour: int, half: str | None) -> int | None:
    """Return the hour, 0 to 23, from a clock with 12 hours. `half` begins with "a" (am) or "p"
    (pm).

    Without `half` the clock has 24 hours. Return None if the hour does not exist.
    """
    if not half:
        return hour
    if not 1 <= hour <= 12:
        return None
    hour %= 12
    if half in "pP":
        hour += 12
    return hour
