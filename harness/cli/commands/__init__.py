"""One file a command, one folder a section of `harness --help` (`SECTIONS` in `harness.cli`)."""
