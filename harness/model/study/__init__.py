"""What is found out beside marks: of a class or of a suite of scenarios."""
