"""The driver's messages to a process, and the reading of its replies."""
