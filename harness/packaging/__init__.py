"""What is given away: the handout, the self-check file, the Gradescope package."""
