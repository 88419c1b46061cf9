"""Builds the docs as a site: `python -m docs_site`."""
