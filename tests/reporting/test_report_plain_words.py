"""What a page says, it says in words: no names of ours, and no silence about what was open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.execution.confinement import NOT_PREVENTED
from harness.model.observation import Ending
from harness.model.result import Tier
from harness.model.verdict import Channel, Difference
from harness.reporting.html.class_page import class_page
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.view import words
from harness.results import student_view
from tests.reporting.pages_read import Page
from tests.reporting.report_samples import FACTS, GAME, PLAN, RUN, failed, result


@pytest.mark.parametrize("ending", list(Ending))
def test_how_a_program_ended_is_said_in_words(ending: Ending) -> None:
    difference = Difference(
        channel=Channel.ENDING,
        subject="how it ended",
        expected=Ending.ANSWERED.value,
        actual=ending.value,
    )
    shown = result("x", {GAME.id: failed("other", "It ended in another way.", difference)})
    for html in (submission_page(shown, PLAN), feedback_page(student_view(shown, PLAN))):
        text = Page(html).text
        assert "How it ended" in text
        assert words.ENDING[Ending.ANSWERED] in text
        assert words.ENDING[ending] in text
        assert f">{Ending.ANSWERED.value}<" not in html
        assert f">{ending.value}<" not in html


@pytest.mark.parametrize("tier", list(Tier))
def test_the_class_page_says_what_the_tier_could_not_prevent(tier: Tier) -> None:
    sentence = NOT_PREVENTED[tier]
    assert sentence.endswith(".")
    facts = replace(FACTS, tier=tier, not_prevented=sentence)
    text = Page(class_page(replace(RUN, facts=facts), PLAN)).text
    assert text.count(sentence) == (2 if tier is Tier.PORTABLE else 1)
    assert ("Graded without confinement" in text) == (tier is Tier.PORTABLE)
