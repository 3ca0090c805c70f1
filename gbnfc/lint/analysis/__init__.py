"""What rules ask of a grammar: facts, automata, the engine's stacks, JSON inside of it."""
