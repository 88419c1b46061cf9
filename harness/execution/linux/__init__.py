"""Submissions on terminals, forked from a server: Linux."""
