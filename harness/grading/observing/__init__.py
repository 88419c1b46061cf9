"""Observes one program: each scenario in its own process or many together, the reference, and
substituted runs.
"""
