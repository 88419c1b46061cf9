"""Submissions over pipes, one interpreter per scenario: systems without terminals."""
