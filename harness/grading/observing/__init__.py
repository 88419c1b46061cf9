"""Observing one program: each scenario alone or many together, the reference, substituted runs."""
