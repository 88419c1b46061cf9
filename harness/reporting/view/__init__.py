"""Prepares the parts of a result that are shown, as data without HTML or terminal codes."""
