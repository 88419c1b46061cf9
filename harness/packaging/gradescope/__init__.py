"""Build and run the autograder package of an assignment on Gradescope."""
