"""Templates are compiled once for all processes that come after."""

from unittest.mock import patch

from jinja2 import Environment

from harness.reporting.html.environment import environment


def test_a_process_takes_templates_as_they_were_compiled() -> None:
    pages = environment.__wrapped__()
    with patch.object(Environment, "_parse", side_effect=AssertionError("compiled again")):
        for name in pages.list_templates(["j2"]):
            assert pages.get_template(name).name == name
