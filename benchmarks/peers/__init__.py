"""Other graders on the same twenty unit tests and five games: `make peers`."""
