"""Matchers, which stand in place of an expected value or text."""
