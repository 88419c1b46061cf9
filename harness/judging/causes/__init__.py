"""From the failing scenarios of a submission to their causes, and to the lines to look at first."""
