"""Programs in fixed point: integers instead of floating-point numbers, within proven bounds."""
