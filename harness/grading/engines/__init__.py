"""Where submissions are graded: worker processes on this machine."""
