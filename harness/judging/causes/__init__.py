"""Causes: from the verdicts of one submission to the few things to fix. Pure, no I/O."""
