"""Commands for grading and for marking by hand."""
