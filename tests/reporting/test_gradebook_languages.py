"""Gradebooks as four platforms write them in five languages: with an id that begins with zeros, a
name of composed letters, decimal commas and a maximum."""

import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common.csv_tables import read_sheet
from harness.common.errors import UserError
from harness.intake.gradebook import GradebookEntry
from harness.model.submission import Student
from tests.reporting.test_gradebooks import make

ZOE = GradebookEntry(
    id="00429",
    student=Student(id="00429", name="Zoë Müller", email="zoe@uni.example"),
    mark="4.50",
    out_of=Fraction(6),
    comment="Good.",
)
# The name as macOS writes it: letters and their marks apart.
NAME = unicodedata.normalize("NFD", "Zoë Müller")
LAST, FIRST = NAME.split()[::-1]

MOODLE = {
    "German": (
        "ID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung;"
        "Zuletzt geändert (Abgabe);Zuletzt geändert (Bewertung);Feedback als Kommentar",
        "Teilnehmer/in",
    ),
    "French": (
        "Identifiant;Nom complet;Adresse de courriel;Statut;Note;Note maximale;"
        "Dernière modification (travail remis);Dernière modification (note);"
        "Feedback par commentaires",
        "Participant",
    ),
    "Spanish": (
        "Identificador;Nombre completo;Dirección de correo;Estado;Calificación;Calificación máxima;"
        "Última modificación (entrega);Última modificación (calificación);"
        "Comentarios de retroalimentación",
        "Participante",
    ),
    "Dutch": (
        "ID;Volledige naam;E-mailadres;Status;Beoordeling;Maximumcijfer;"
        "Laatst gewijzigd (inzending);Laatst gewijzigd (cijfer);Feedback als opmerkingen",
        "Deelnemer ",
    ),
    "Swedish": (
        "Identifierare;Fullständigt namn;E-postadress;Status;Betyg;Maximalt betyg;"
        "Senast ändrad (inlämning);Senast ändrad (betyg);Återkoppling med kommentarer",
        "Deltagare",
    ),
}
CANVAS = {
    "German": ("Student;ID;SIS-Benutzer-ID;SIS-Login-ID;Abschnitt", "Mögliche Punkte"),
    "French": ("Étudiant;ID;ID utilisateur SIS;ID de connexion SIS;Section", "Points possibles"),
    "Spanish": ("Estudiante;ID;ID de usuario SIS;ID de acceso SIS;Sección", "Puntos posibles"),
    "Dutch": ("Student;ID;SIS-gebruikers-ID;SIS-aanmeld-ID;Sectie", "Mogelijke punten"),
    "Swedish": ("Elev;ID;SIS-användar-ID;SIS-inloggnings-ID;Sektion", "Möjliga poäng"),
}
BLACKBOARD = {
    "German": "Nachname;Vorname;Benutzername;A tiny till [Gesamtpunkte: 6,0 Punkte] |71",
    "French": "Nom;Prénom;Nom d'utilisateur;A tiny till [Total des points : 6,0 Note] |71",
    "Spanish": "Apellidos;Nombre;Nombre de usuario;A tiny till [Puntos totales: 6,0 Puntos] |71",
    "Dutch": "Achternaam;Voornaam;Gebruikersnaam;A tiny till [Totaal punten: 6,0 Score] |71",
    "Swedish": "Efternamn;Förnamn;Användarnamn;A tiny till [Totalt antal poäng: 6,0 Poäng] |71",
}
BRIGHTSPACE = {
    "German": "OrgDefinedId;Nachname;Vorname;E-Mail;A tiny till Punktbewertung <Numerisch "
    "MaxPunkte:6,0 Gewichtung:10>;Zeilenende-Anzeige",
    "French": "OrgDefinedId;Nom;Prénom;Courriel;A tiny till Note en points <Numérique "
    "PointsMax:6,0 Pondération:10>;Indicateur de fin de ligne",
    "Spanish": "OrgDefinedId;Apellidos;Nombre;Correo electrónico;A tiny till "
    "Calificación en puntos <Numérico PuntosMáx:6,0 Peso:10>;Indicador de fin de línea",
    "Dutch": "OrgDefinedId;Achternaam;Voornaam;E-mail;A tiny till Puntencijfer <Numeriek "
    "MaxPunten:6,0 Gewicht:10>;Einde-regelindicator",
    "Swedish": "OrgDefinedId;Efternamn;Förnamn;E-post;A tiny till Poängbetyg <Numerisk "
    "MaxPoäng:6,0 Vikt:10>;Radslutsindikator",
    "English words": "OrgDefinedId;Nachname;Vorname;E-Mail;A tiny till Points Grade <Numeric "
    "MaxPoints:6,0 Weight:10>;Zeilenende-Anzeige",
}


def moodle(language: str) -> str:
    header, word = MOODLE[language]
    row = f"{word} 00429;{NAME};zoe@uni.example;-;;6,00;-;-;"
    other = f"{word} 00430;Bo Ek;bo@uni.example;-;2,50;6,00;-;-;"
    return f"{header}\n{row}\n{other}\n"


def canvas(language: str) -> str:
    header, points = CANVAS[language]
    rows = f"{points};;;;;6,0\n{LAST}, {FIRST};00429;;;T1;\nEk, Bo;00430;;;T1;2,5\n"
    return f"{header};A tiny till (71)\n{rows}"


def blackboard(language: str) -> str:
    return f"{BLACKBOARD[language]}\n{LAST};{FIRST};00429;\nEk;Bo;00430;2,5\n"


def brightspace(language: str) -> str:
    header = BRIGHTSPACE[language]
    rows = f"#00429;{LAST};{FIRST};zoe@uni.example;;#\n#00430;Ek;Bo;bo@uni.example;2,5;#\n"
    return f"{header}\n{rows}"


DOWNLOADS = {
    "moodle": moodle,
    "canvas": canvas,
    "blackboard": blackboard,
    "brightspace": brightspace,
}


@pytest.mark.parametrize("language", MOODLE)
@pytest.mark.parametrize("platform", DOWNLOADS)
def test_a_mark_finds_its_row(platform: str, language: str, tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_text(DOWNLOADS[platform](language), encoding="utf-8")
    given = read_sheet(path)
    found = make(platform, (ZOE,), path)
    assert len(found.sheet.rows) == len(given.rows)
    assert list(map(len, found.sheet.rows)) == list(map(len, given.rows))
    changed = []
    for row, before in zip(found.sheet.rows, given.rows, strict=True):
        changed += [cell for cell, old in zip(row, before, strict=True) if cell != old]
    comment = ["Good."] if platform == "moodle" else []
    assert changed == ["4,50", *comment]


@pytest.mark.parametrize("language", MOODLE)
@pytest.mark.parametrize("platform", DOWNLOADS)
def test_another_maximum_is_noticed(platform: str, language: str, tmp_path: Path) -> None:
    text = DOWNLOADS[platform](language)
    path = tmp_path / "book.csv"
    path.write_text(text.replace("6,0", "9,0"), "utf-8")
    with pytest.raises(UserError, match="is out of 9, but the marks are out of 6"):
        make(platform, (ZOE,), path)


def test_brightspaces_own_words_in_a_header_of_another_language(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_text(brightspace("English words"), encoding="utf-8")
    assert "4,50" in make("brightspace", (ZOE,), path).sheet.rows[1]


def test_two_columns_that_begin_with_the_title_are_not_guessed(tmp_path: Path) -> None:
    header, *rows = brightspace("German").splitlines()
    again = header.replace("A tiny till Punktbewertung", "A tiny till again Punktbewertung")
    item = again.split(";")[4]
    path = tmp_path / "book.csv"
    path.write_text("\n".join([f"{header};{item}", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="2 columns are called"):
        make("brightspace", (ZOE,), path)


def test_a_title_that_only_begins_so_is_another_columns(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    text = brightspace("German").replace("A tiny till Punkt", "A tiny tills Punkt")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="no column is called"):
        make("brightspace", (ZOE,), path)
