"""Phrases that are hard to read stay rare in docs, docstrings and messages: `make prose`."""

import sys

import pytest

from benchmarks import prose


def test_hard_phrases_stay_rare(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["prose", "--list"])
    with pytest.raises(SystemExit) as ended:
        prose.main()
    assert ended.value.code == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "It returns what is printed.",
        "None where it has none.",
        "Of a class the first counts.",
        "There is no file.",
        "Whoever hands in nothing",
        "The value alone counts.",
    ],
)
def test_each_hard_phrase_is_found(text: str) -> None:
    assert [phrase.title for phrase in prose.PHRASES if phrase.pattern.search(text)]
