"""Matchers: conditions that a scenario states instead of an exact value or text."""
