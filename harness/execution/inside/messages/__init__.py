"""The data sent over sockets: framed messages, and values described as data."""
