"""The expression graph after tracing: rewriting, counting, ordering."""
