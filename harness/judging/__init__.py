"""Compares an observation with its expectation and returns a verdict with an explanation.

This package is pure: it does no I/O.
"""
