"""From a program to something to call, or to take away."""
