"""Counts, published tables, equivalence, accuracy: what can be said about formulations.

In the order of the data:

    counts             operations, by numbers that count
    polynomials        counts as polynomials in n
    schedule           critical paths, processors
    equivalence        whether formulations are one function, exactly
    strobed            g, M and C read off inverse dynamics by unit vectors, and what that costs
    symbolic_equality  in a normal form, for small robots
    accuracy           true rounding errors
    laws               laws of mechanics, exactly
    significance       which terms matter
    verdict            all checks of one robot
    comparison         two robots
    speed              how long quantities take
    peers              Pinocchio and MuJoCo beside
    gpu_resources      what they take of a card
    cycles             where the cycles of a kernel go
    machine_code       instructions, counted
    execution_ports    how fast they could run
"""
