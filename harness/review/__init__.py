"""The page on which people mark a run."""
