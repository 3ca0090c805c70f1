"""COST: what a grammar costs the engine."""
