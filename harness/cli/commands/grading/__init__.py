"""Commands that grade, or that people mark with."""
