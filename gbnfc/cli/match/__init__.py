"""`gbnfc match`."""
