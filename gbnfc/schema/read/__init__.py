"""JSON Schema → canonical form → the closed set of schemas that the emitter knows."""
