"""What explains a failure: typed facts, the sentences made from them, and what other runs found."""
