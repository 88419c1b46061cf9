"""The kinds of stimulus: one file each, found by its being here."""
