"""Notebooks that are handed in where a Python file is expected."""
