"""HTML pages, terminal text and exports of results. Reads results, judges nothing."""
