"""Reads archives: their contents under caps, and the formats tar, gzip and zip."""
