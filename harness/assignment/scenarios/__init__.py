"""Compiles scenario files."""
