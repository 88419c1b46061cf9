"""The autograder package of an assignment for Gradescope."""
