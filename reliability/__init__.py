"""Long trials: what holds under load, faults and hostile input. One module per trial; `make fuzz`, `make soak`.

Each trial has short versions in `tests/reliability/`, prints what it does, appends what it found to
`reliability/results/`, and ends with status 1 if anything was wrong. `python -m reliability.page` quotes the
newest rows in `docs/reliability.md`.
"""
