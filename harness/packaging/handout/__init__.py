"""What a course gives its students."""
