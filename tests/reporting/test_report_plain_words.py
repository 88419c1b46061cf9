"""What a page says, it says in words: no names of ours, and no silence about what was open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.execution.confinement import NOT_PREVENTED
from harness.judging.differences import ENDINGS
from harness.model.observation import Ending, Tier
from harness.reporting.html.class_page import class_page
from tests.reporting.pages_read import Page
from tests.reporting.report_samples import FACTS, PLAN, RUN


def test_how_a_program_ended_is_said_in_words() -> None:
    assert all(ENDINGS[ending] != ending.value for ending in Ending)


@pytest.mark.parametrize("tier", list(Tier))
def test_the_class_page_says_what_the_tier_could_not_prevent(tier: Tier) -> None:
    sentence = NOT_PREVENTED[tier]
    assert sentence.endswith(".")
    facts = replace(FACTS, tier=tier, not_prevented=sentence)
    text = Page(class_page(replace(RUN, facts=facts), PLAN)).text
    assert text.count(sentence) == (2 if tier is Tier.PORTABLE else 1)
    assert ("Graded without confinement" in text) == (tier is Tier.PORTABLE)
