"""The form in which checks say what they found."""

from __future__ import annotations

import click

GITHUB = "github"

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", GITHUB]),
    default="text",
    show_default=True,
    help="For people, or as annotations in a GitHub workflow.",
)
