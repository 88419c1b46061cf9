"""Analyse a whole class, or all scenarios of an assignment. Studies never change a mark."""
