"""Robots in PyTorch."""
