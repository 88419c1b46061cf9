"""Further runs: of right answers to measure speed and cost, of wrong ones to detect chance."""
