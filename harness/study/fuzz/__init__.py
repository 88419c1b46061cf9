"""Inputs that no scenario has: where submissions with full marks differ from the reference."""
