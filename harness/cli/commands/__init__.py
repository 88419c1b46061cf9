"""The commands. Each is a module; each section of `harness --help` is a subpackage (`SECTIONS`)."""
