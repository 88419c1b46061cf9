"""Runs the course's modules in their own process (stand-ins), and lets a submission call their
functions.
"""
