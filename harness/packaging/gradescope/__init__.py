"""The autograder package for Gradescope."""
