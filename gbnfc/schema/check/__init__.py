"""A compiled grammar against its schema, by examples."""
