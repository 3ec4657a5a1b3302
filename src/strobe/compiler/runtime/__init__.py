"""From functions over numbers to something to call on arrays."""
