"""Why a verdict is what it is: the rules that put a failure into words, and the differences."""
