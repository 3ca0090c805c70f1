"""The lint rules, one module each; `gbnfc.lint.registry` lists them."""
