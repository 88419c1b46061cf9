"""Folders, archives and downloads to submissions: who, when, the bytes, or what is wrong."""
