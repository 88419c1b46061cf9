"""Commands that read or change a finished run."""
