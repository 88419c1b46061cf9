"""Renders HTML pages with Jinja2."""
