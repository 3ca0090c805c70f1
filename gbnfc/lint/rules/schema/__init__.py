"""SCH: JSON Schemas."""
