"""`gbnfc lint`."""
