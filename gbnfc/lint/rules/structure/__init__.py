"""STR: rules and alternatives that cannot do what they seem to."""
