"""Commands that make packages for students and for platforms."""
