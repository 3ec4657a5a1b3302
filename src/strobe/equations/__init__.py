"""Closed forms for people: normal form, facts, and the meaning of every term.

In the order of the data:

    trig_polynomials      the normal form
    parameters            names for constants
    closed_form           M, C, G, energies, frames
    friction              written out
    structural_facts      what structure says
    prime_field_facts     the same where it is too long to expand
    verification          against the formulations
    meaning               of every term of a torque
    symbolic_meaning      for all states at once
    singularities         det J as a product
    exact_division        of trigonometric polynomials
    torque_bounds         over ranges of motion
    shortened             torques shortened to what matters
    pruning               operations left out

    readable_forms        the shortest form of a sum
    factors               common factors, square roots, products of sums
    product_forms         addition theorems backwards
    expression            small trees for reading
    glossary              what every parameter is
    document              all equations as data
    graph_to_steps        composite bodies, every result named
    steps                 a program that a person can follow
    readable              closed forms over named intermediates
    readable_document     as a document
    notation              letters, dots, indices
    rendering             the one walk over an expression
    text                  plain text
    latex                 LaTeX
    mathml                MathML
    printed               values and matrices as people meet them
    code                  source that runs by itself
    code_python           as Python
    code_c                as C
    code_shortened        of shortened torques

    link_motion           links in motion, in base axes
    derivation_lines      relations between named quantities
    derive_newton_euler   cut free, balance, eliminate
    derive_lagrange       by energies
    derive_decomposition  by cross products
    derivation            these, step by step
    derivation_printing   as text, LaTeX, JSON
    coordinate_maps       q = map(φ)
    map_checks            what can be wrong with it
    coordinates           the dynamics in φ
    coordinate_laws       what must hold there
    figure_motion         a motion through a state
    figure_torques        torques as the sums they are
"""
