"""Runs many scenarios of a program in one process, if the program keeps no state between them."""
