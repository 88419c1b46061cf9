"""Commands that build packages for students and platforms."""
