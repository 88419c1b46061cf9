"""Runs that are made again to find the causes of failures, and what these need."""
