"""Closed forms for people: normal form, facts, and the meaning of every term."""
