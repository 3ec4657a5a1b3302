"""How the certificates of few operations are made; the package reads, counts and checks them (`strobe.papers`).

    layout      arms laid out for few operations
    recursion   Newton-Euler whose choices are data
    scheme      a link's force and moment in sixteen products
    rescaling   values in units of their own
    program     what a recursion does on an arm, as a certificate
    choices     what was chosen for each record

``python -m records`` makes all of them anew, in minutes; ``python -m records NAME …`` those that are named.
"""
