"""The first files of a new assignment."""
