"""Inputs that nobody thought of: where submissions with full marks differ from the reference."""
