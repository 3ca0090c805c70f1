"""Arguments that stand for a schema, a grammar, or the documents that references lead to."""
