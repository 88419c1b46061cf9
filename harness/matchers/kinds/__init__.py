"""The matchers, one file each; a new file is found by itself."""
