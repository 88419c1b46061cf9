"""The main operations: make the answer key, grade a submission or a class, check a file, validate
an assignment, record transcripts.
"""
