"""Programs in fixed point: integers instead of floating-point numbers, within proven bounds.

In the order of the data:

    words      integers times powers of two, and what is proven of each
    bounds     intervals and errors
    rules      each operation: range, error, integer step
    products   products
    sums       sums
    circle     the sine in integers
    plan       a program in fixed point
    execution  on arrays, by NumPy
    c_source   as C99
    c_test     its self-test
"""
