"""Characters that look like others: the text as a plain keyboard would type it."""

import unicodedata
from collections.abc import Callable
from itertools import zip_longest

# By their code points: side by side nobody could tell them apart.
_CYRILLIC = dict(
    zip(
        (
            "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb"
            "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423"
            "\u0406\u0408\u0405"
        ),
        "aeopcyxijsdhABEKMHOPCTXYIJS",
        strict=True,
    )
)
_GREEK = dict(
    zip(
        (
            "\u03bf\u03bd\u03b1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c"
            "\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
        ),
        "ovaiABEZHIKMNOPTYX",
        strict=True,
    )
)
_SINGLE_QUOTES = dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'")
_DOUBLE_QUOTES = dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"')
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u2043\u2796", "-")
_OTHERS = dict(
    zip(
        "\u00d7\u2217\u2215\u2044\u2236\u0131\u2024\u066b\u066c\u00b7\u22c5",
        "x*//:i..,..",
        strict=True,
    )
)
_LOOKS_LIKE = _CYRILLIC | _GREEK | _SINGLE_QUOTES | _DOUBLE_QUOTES | _DASHES | _OTHERS


def as_typed(text: str) -> str:
    """Return the text with each character that looks like another in its plain form.

    Blanks and line ends that a keyboard types stay as they are.
    """
    plain: list[str] = []
    for character in unicodedata.normalize("NFKD", text):
        if unicodedata.category(character) == "Cf":  # not seen at all: zero width, joiners, marks
            continue
        plain.append(_plain(character))
    return "".join(plain)


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if category == "Nd":  # a digit of any script
        return str(unicodedata.decimal(character))
    return _LOOKS_LIKE.get(character, character)


def first_odd_character(text: str, is_right: Callable[[str], bool]) -> str | None:
    """Describe the first character of a wrong text that only looks right. Return None if the text
    would also be wrong with plain characters.

    The words are as in `look_alike`.
    """
    if text.isascii() or len(text) > _MAX_TRIED:
        return None
    plain: dict[str, str] = {}
    for character in text:
        typed = as_typed(character)
        if typed.isascii() and typed != character:
            plain[character] = typed
    if not is_right(text.translate({ord(odd): typed for odd, typed in plain.items()})):
        return None
    for character, typed in plain.items():
        if is_right(text.replace(character, typed)):
            return _one_odd(character, typed)
    character, typed = next(iter(plain.items()))
    return _one_odd(character, typed)


def _one_odd(character: str, typed: str) -> str:
    if not typed:
        return f"has {named(character)}, which is invisible, and should have nothing there"
    if _is_blank(character):
        return f"has {named(character)} where {named(typed)} should be"
    return f"{character} is written as {named(character)}, it should be {named(typed)}"


_MAX_TRIED = 20_000  # characters


def look_alike(expected: str, actual: str) -> str | None:
    """Describe the first character of `actual` that only looks right; return None if the texts do
    not look alike.

    The words are the end of a sentence: "ü is written as u + U+0308 COMBINING DIAERESIS, it should
    be U+00FC LATIN SMALL LETTER U WITH DIAERESIS".
    """
    if expected == actual or (expected.isascii() and actual.isascii()):
        return None
    if as_typed(expected) != as_typed(actual):
        return None
    for wanted, got in zip_longest(_clusters(expected), _clusters(actual), fillvalue=""):
        if wanted == got:
            continue
        if _without_unseen(got) == wanted or not _without_unseen(got):
            return f"has {named(_unseen(got))}, which is invisible, and should have nothing there"
        if _without_unseen(wanted) == got or not _without_unseen(wanted):
            return f"lacks {named(_unseen(wanted))}, which is invisible"
        if _is_blank(got[-1]):
            return f"has {named(got)} where {named(wanted)} should be"
        return f"{got} is written as {named(got)}, it should be {named(wanted)}"
    return None


def named(characters: str) -> str:
    """Return characters by number and name: "u + U+0308 COMBINING DIAERESIS". The name of an empty
    text is "nothing".
    """
    if len(characters) > 1 and characters[0].isascii() and characters[0].isalpha():
        return " + ".join((characters[0], *map(_name, characters[1:])))
    return " + ".join(map(_name, characters)) or "nothing"


def _name(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".strip()


def _is_blank(character: str) -> bool:
    return unicodedata.category(character) == "Zs"


def _unseen(cluster: str) -> str:
    return "".join(character for character in cluster if unicodedata.category(character) == "Cf")


def _without_unseen(cluster: str) -> str:
    return "".join(character for character in cluster if unicodedata.category(character) != "Cf")


def _clusters(text: str) -> list[str]:
    """Cut a text into characters, each with the marks and unseen characters that follow it."""
    clusters: list[str] = []
    for character in text:
        follows = unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")
        if follows and clusters:
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters
