"""Build the page on which students check their work in a browser, without installing anything."""
