"""Read folders, archives and downloads as submissions: the student, the time, the files or the
problem.
"""
