"""Prepares the parts of a result for display, as data without HTML or terminal codes."""
