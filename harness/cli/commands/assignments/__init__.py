"""Commands for the authors of an assignment."""
