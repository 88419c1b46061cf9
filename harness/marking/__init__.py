"""Computes marks from verdicts and findings, using the rules of the assignment and of policy.yaml.

Pure and exact.
"""
