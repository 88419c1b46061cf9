"""Helpers for every package: errors, files, archives, CSV, escaping, serialization."""
