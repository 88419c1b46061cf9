"""The assignment under fixtures/ is material for tests, not a suite of its own."""

collect_ignore = ["fixtures"]
