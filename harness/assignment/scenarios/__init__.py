"""Files of scenarios, compiled."""
