"""Verdicts and findings to marks: pure, exact, the rules of the sheet and of policy.yaml."""
