"""Measurements, one file per question. Rows of plain data go to `benchmarks/results/`."""
