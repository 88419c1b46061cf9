"""Explains why a scenario failed: rules that describe a failure in words, and the data that they
use.
"""
