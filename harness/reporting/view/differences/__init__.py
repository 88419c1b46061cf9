"""What is expected beside what a program did: rows, boards, the screen up to the difference."""
