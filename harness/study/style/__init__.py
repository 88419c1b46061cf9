"""Evidence for the person who marks style: what can be counted in a program's text."""
