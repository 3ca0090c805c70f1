"""JSON and YAML documents: values with their places, pointers into them, the schemas in them."""
