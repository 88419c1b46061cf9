"""What the driver sends to a process, and how it reads what comes back."""
