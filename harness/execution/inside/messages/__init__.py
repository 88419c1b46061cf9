"""The format of messages between processes, and of Python values inside them."""
