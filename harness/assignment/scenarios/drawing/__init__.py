"""`sample:` and `cases:`: values from the course's own Python code, frozen into files."""
