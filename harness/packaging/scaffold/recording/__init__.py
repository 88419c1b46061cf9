"""Convert existing tests to scenarios if a scenario can test exactly the same ("recording")."""
