"""`gbnfc extract`."""
