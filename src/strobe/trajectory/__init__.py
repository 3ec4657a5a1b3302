"""From a request to a motion the arm can follow."""
