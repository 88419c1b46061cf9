"""The use cases: the answer key, one submission, a batch, a check, a validation, a recording."""
