"""The expression graph after tracing: rewriting, counting, ordering.

In the order of the data:

    program      a traced function: inputs, nodes, outputs
    rules        what rewriting knows, as tables
    simplify     normal form
    factor       common factors out of sums
    passes       these in order
    hoist        what some inputs decide alone
    derivatives  forwards and backwards
    products     Jacobians times one vector
    fuse         products into sums
    order        few values alive at a time
    paths        longest chains of dependencies
    recurrence   programs called in turn, again and again
    replay       on numbers of any kind
"""
