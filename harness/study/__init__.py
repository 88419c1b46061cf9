"""What is asked about a class or a suite of scenarios as a whole; never a mark."""
