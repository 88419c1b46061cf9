"""Runs after the first: of right answers for their speed and cost, of wrong ones for chance."""
