"""TOK: tokens of a model's vocabulary."""
