"""Counts, published tables, equivalence, accuracy: what can be said about formulations."""
