"""Read tar, gzip and zip archives within limits on their size."""
