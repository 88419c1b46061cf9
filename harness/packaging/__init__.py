"""Build what courses publish: the students' archive (handout) and packages for other platforms."""
