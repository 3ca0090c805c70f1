"""`gbnfc compile`."""
