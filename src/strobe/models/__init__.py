"""Robots as data: bodies, joints, inertia, constraints; readers, writers, edits, built-ins."""
