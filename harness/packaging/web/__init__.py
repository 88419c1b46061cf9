"""The page on which students check their work in a browser, with nothing installed."""
