"""Proving that an assignment's reference, scenarios, mutants and samples agree."""
