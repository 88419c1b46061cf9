"""Ids and names as keys."""

from __future__ import annotations

import pytest

from harness.common.person_names import id_key, name_keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Smith, Jo Ann", "Jo Ann Smith"),
        ("Ada Lovelace", "lovelaceada"),
        ("van Dyk, Jo", "Jo van Dyk"),
        ("Séan O'Brien", "SE\u0301AN OBRIEN"),
        ("\uff21\uff24\uff21", "ada"),
        ("Straße, K", "K Strasse"),
    ],
)
def test_one_name_in_two_files(one: str, other: str) -> None:
    assert name_keys(one) & name_keys(other)


@pytest.mark.parametrize(("one", "other"), [("Jo Kim", "Jo Lee"), ("Ana", "Aña"), ("", "-")])
def test_two_names(one: str, other: str) -> None:
    assert not name_keys(one) & name_keys(other)


def test_ids_differ_by_more_than_case_and_composition() -> None:
    assert id_key(" Zoe\u0308@X.edu ") == id_key("zoë@x.edu")
    assert id_key("0101") != id_key("101")
