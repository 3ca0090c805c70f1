"""Schemas → grammar: a module for each kind of value, one that holds the grammar."""
