"""Reads the files of a spec folder other than scenario files."""
