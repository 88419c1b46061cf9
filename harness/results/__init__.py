"""Store the results of a run, decide which of them later runs reuse, and export them."""
