"""Runs tests (the course's, or a student's) in their own process, beside the process of the
program that they test.
"""
