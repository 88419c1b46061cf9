"""Turns existing tests into scenarios, if a scenario can test exactly the same."""
