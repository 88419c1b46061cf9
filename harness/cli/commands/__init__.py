"""The commands: one file for each, in one folder per section of `harness --help` (`SECTIONS`)."""
