"""Many scenarios of a program in one process, and how far their results can be trusted."""
