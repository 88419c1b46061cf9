"""Imports bank.py, as other programs do."""

import bank  # noqa: F401
