"""One scenario in a process of its own: its stimulus, its standard input and its answer."""
