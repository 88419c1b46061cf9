"""How strong a suite is: the share of single-fault changes of the reference that it notices."""
