"""Create the files of a new assignment."""
