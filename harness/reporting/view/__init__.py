"""What is shown of a result, as data: no HTML, no terminal codes."""
