"""Pages, rendered with Jinja2."""
