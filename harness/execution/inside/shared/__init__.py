"""Many scenarios of a program that keeps nothing, in one process."""
