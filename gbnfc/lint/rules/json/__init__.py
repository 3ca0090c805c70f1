"""JSON: grammars that write JSON, and where it is none."""
