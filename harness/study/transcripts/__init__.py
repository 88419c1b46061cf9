"""Scenarios from transcripts: of a sheet, or of an older course."""
