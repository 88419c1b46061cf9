"""Makes the driver's messages to a process, and reads and checks its replies."""
