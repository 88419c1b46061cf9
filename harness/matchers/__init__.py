"""Matchers, which stand instead of an expected value or text."""
