"""From an observation and its expectation to a verdict with an explanation. Pure, no I/O."""
