"""Notebooks that are handed in instead of a Python file."""
