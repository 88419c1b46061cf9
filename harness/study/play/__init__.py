"""A program played by a person, confined as in a grading run, and what was typed as a scenario."""
