"""Turn tests that exist into scenarios, if a scenario asks for exactly the same."""
