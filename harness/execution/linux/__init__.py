"""Runs submissions on Linux: on pseudo-terminals, in processes forked from a server."""
