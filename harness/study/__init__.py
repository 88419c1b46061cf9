"""Studies of a whole class or of all scenarios of an assignment. They never change a mark."""
