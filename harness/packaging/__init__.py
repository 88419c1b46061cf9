"""What is published: the handout with its self-check file, and the Gradescope package."""
