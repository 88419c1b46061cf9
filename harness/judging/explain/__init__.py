"""The reason for a verdict: the rules that put a failure into words, and the differences."""
