"""Submissions over pipes, an interpreter each: systems without terminals."""
