"""Folders and files to submissions: an identity, the bytes, or what is wrong."""

from harness.intake.read import read

__all__ = ["read"]
