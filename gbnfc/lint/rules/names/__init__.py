"""NAM: names of rules."""
