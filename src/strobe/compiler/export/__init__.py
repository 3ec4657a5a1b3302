"""A quantity of a robot as files to take away: sources, object files, modules for the web."""
