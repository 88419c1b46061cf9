"""A grading and conformance harness for introductory programming assignments."""

__version__ = "0.1.0"
