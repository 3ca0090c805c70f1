"""The middle of the pipeline: what a grammar is.

`nodes` the closed union of expressions · `build` small-form constructors · `names` rule names ·
`walk` ways through an expression · `graph` components and cycles · `analysis` pure questions
(references, reachable, productive, nullable, …) · `loading` whether llama.cpp takes it ·
`simplify` passes that keep the language.
"""
