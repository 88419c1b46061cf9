"""The rules of a policy, one part of it a module: each finds where a file breaks it."""
