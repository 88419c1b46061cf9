"""Search for inputs, in no scenario, on which submissions with full marks differ from the
reference.
"""
