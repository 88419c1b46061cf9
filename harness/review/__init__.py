"""The web page on which people mark a run by hand."""
