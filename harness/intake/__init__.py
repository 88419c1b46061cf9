"""Reads folders, archives and downloads into submissions: who, when, the bytes, or the problem."""
