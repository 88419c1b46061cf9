"""Lets tests in one process use a program in another, as if it were a module of theirs."""
