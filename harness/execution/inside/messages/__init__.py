"""What goes over sockets: framed messages, and values described as data."""
