"""A run in the forms that other programs take."""
