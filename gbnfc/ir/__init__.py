"""The middle of the pipeline: what a grammar is.

`nodes` the closed union of expressions · `build` small-form constructors · `names` rule names ·
`analysis` pure questions (references, reachable, productive, nullable, …) · `simplify` passes that
keep the language.
"""
