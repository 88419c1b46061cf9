"""Groups the failing scenarios of a submission by cause, and names the lines to look at first."""
