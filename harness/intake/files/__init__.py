"""The files of a submission: what lies in a folder or an archive, and which of it is graded."""
