"""The same results in a terminal."""
