"""The schema as its author wrote it: where everything stands, and spellings for its readers."""
