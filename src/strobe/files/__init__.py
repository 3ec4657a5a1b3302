"""Files from outside: read without trusting them, written whole or not at all.

In the order of the data:

    reading  the one way to open a file: regular, bounded, decoded; TOML and JSON
    faults   everything that is wrong with one, found before any of it is told
    packed   gzip and the like, unpacked up to a bound
    tables   CSV, both ways
    arrays   NPZ, plain arrays only
    mcap     joint states as ROS 2 records them
    parquet  columns of numbers by name
    xml      elements that know their line
    collada  triangles of a .dae file
    writing  whole or not at all, never over an input
"""
